//! What can happen in a debate. Events are all that the journal holds, and all that the fold sees.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::evidence::check::Checked;
use crate::evidence::source::SourcePage;

use super::{
    Answer, Budget, BudgetLimit, Entry, Failure, Outcome, Payload, Phase, Plan, Prompt, Rejection, SeatName, SeatPlan,
    Share, StepKey, Tried, Usage, is_default,
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When; the core reads no other clock.
    pub at: Timestamp,
    pub happening: Happening,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Happening {
    /// The debate was planned. Always first, and only first.
    Planned {
        plan: Box<Plan>,
    },
    /// A process took the debate up again: a new stretch of time begins. A debate that had ended is open again.
    Resumed {
        amendment: Amendment,
    },
    /// A call was handed to its seat.
    Started {
        key: StepKey,
        /// The first is 1.
        attempt: u32,
        seat: SeatName,
        phase: Phase,
        prompt: Prompt,
        /// The call's time limit after the budget cut it.
        limit_ms: u64,
        /// What the budget holds back for it.
        reserved_tokens: u64,
    },
    /// The call met a passing failure and is tried again inside its limit.
    Retrying {
        key: StepKey,
        failure: Failure,
        wait_ms: u64,
    },
    /// The call was answered and the answer accepted.
    Answered {
        key: StepKey,
        answer: Answer,
        content: Payload,
    },
    /// The call was answered, but the answer breaks the rules.
    Rejected {
        key: StepKey,
        /// The answer; it was paid for, so it is kept.
        answer: Answer,
        rejection: Rejection,
    },
    /// The call gave no answer that could be used.
    Failed {
        key: StepKey,
        failure: Failure,
    },
    /// The call was under way when the process ended.
    Abandoned {
        key: StepKey,
        /// What it used, as far as the seat could report it.
        #[serde(default, skip_serializing_if = "is_default")]
        usage: Usage,
        /// Whether it may have been answered and paid for without anyone to write the answer down.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        in_doubt: bool,
    },
    /// The procedure itself said something.
    Recorded {
        key: StepKey,
        entry: Entry,
    },
    /// Evidence was looked up.
    Checked {
        key: StepKey,
        /// What was found, in the order of the citations.
        findings: Vec<Checked>,
        /// Pages on the web that were fetched for it: from here on they are known.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pages: Vec<SourcePage>,
    },
    Tried {
        key: StepKey,
        outcome: Tried,
    },
    Chosen {
        key: StepKey,
        option: String,
        by: Decider,
    },
    /// A limit of the budget was reached: from here on only the verdict is paid for.
    BudgetSpent {
        limit: BudgetLimit,
    },
    /// The user stopped the debate.
    Interrupted {
        by: Interruption,
    },
    Finished {
        outcome: Outcome,
    },
}

impl Happening {
    /// The call that ended with this.
    pub fn ended_call(&self) -> Option<&StepKey> {
        match self {
            Self::Answered { key, .. }
            | Self::Rejected { key, .. }
            | Self::Failed { key, .. }
            | Self::Abandoned { key, .. } => Some(key),
            _ => None,
        }
    }
}

/// What a resumed debate does differently.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Amendment {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub seats: BTreeMap<SeatName, SeatPlan>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// What is set aside for the verdict in that budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict_share: Option<Share>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Payload>,
    /// Only judges are asked: calls that failed are not tried again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub judges_only: bool,
}

impl Amendment {
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decider {
    Person,
    /// No user was there: the recommendation was taken.
    Recommendation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interruption {
    /// Ctrl-C or a signal to the process.
    Signal,
    /// `rebut cancel`.
    Command,
}
