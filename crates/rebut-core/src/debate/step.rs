//! What a format asks of the engine.

use serde::{Deserialize, Serialize};

use super::failure::one_line;
use super::{Call, Payload, Phase, SeatName, StepKey};
use crate::evidence::check::Cited;
use crate::named::named;

/// The longest reason of a rejection, in characters.
const MAX_REASON: usize = 400;

#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub key: StepKey,
    pub action: Action,
}

impl Step {
    /// The last step of a debate.
    pub fn finish(outcome: Outcome) -> Self {
        debug_assert!(outcome.status != Status::Running, "a debate does not end by running");
        Self { key: StepKey::new("finish"), action: Action::Finish(outcome) }
    }
}

/// What the engine can be asked to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Ask(Box<Call>),
    Check(Check),
    Try(Trial),
    Record(Entry),
    /// Let the user decide; without one, the recommendation is taken.
    Choose(Choice),
    /// Stop the call with the step's key.
    Cancel,
    /// End the debate, and stop what is under way.
    Finish(Outcome),
}

/// Evidence to be looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The evidence, in the order in which it is answered.
    pub evidence: Vec<Cited>,
    /// The patches applied to the workspace so far, oldest first: citations are checked in the result.
    pub revisions: Vec<String>,
    /// Texts that exist only in the debate, with the names by which they are cited.
    pub texts: Vec<(String, String)>,
}

/// A patch that is to be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The patches that have been applied before, oldest first.
    pub revisions: Vec<String>,
    pub patch: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Tried {
    /// It applies, and from now on what is debated is what it makes of it.
    Applies {
        /// The patch as it was applied: with counts and offsets as they really are.
        patch: String,
    },
    Fails {
        /// Why, for its author.
        why: String,
    },
}

/// Words of the procedure itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub kind: EntryKind,
    pub text: String,
    /// What they say, where the format reads it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Payload>,
}

impl Entry {
    pub fn words(kind: EntryKind, text: String) -> Self {
        Self { kind, text, data: None }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// How the debate was set up.
    Setup,
    Announcement,
    /// A decision on procedure.
    Ruling,
    /// Text that is taken out of later prompts and documents.
    Redaction,
    /// How the debate was decided.
    Conclusion,
    /// The engine's own extract in place of a summary that failed.
    Extract,
}

/// A question to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub question: String,
    /// The options: a short name and what it means.
    pub options: Vec<(String, String)>,
    /// The option that is taken without a user.
    pub recommended: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    pub status: Status,
    /// What the user is shown, line by line.
    #[serde(default)]
    pub lines: Vec<String>,
    /// The call whose content is the verdict, where there is one.
    pub verdict: Option<StepKey>,
    /// What was decided, in the format's own words, where it has such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
}

impl Outcome {
    pub fn without_verdict(status: Status, lines: Vec<String>) -> Self {
        Self { status, lines, verdict: None, decision: None }
    }
}

named! {
    pub enum Status {
        /// Every round was held and judged.
        Completed = "completed",
        /// It ended before its time, or without a verdict; what was said is kept.
        Partial = "partial",
        /// The opening went unanswered.
        Uncontested = "uncontested",
        Failed = "failed",
        /// The user stopped it; it can be resumed.
        Cancelled = "cancelled",
        /// It is still running, or was cut off.
        Running = "running",
    }
}

/// Why an answer is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejection {
    /// A short code, such as `verdict:not_json`.
    pub code: String,
    pub reason: String,
}

impl Rejection {
    /// A rejection with this code and reason; the reason, which may quote the answer, is made one harmless line.
    pub fn new(code: impl Into<String>, reason: impl AsRef<str>) -> Self {
        Self { code: code.into(), reason: one_line(reason.as_ref(), MAX_REASON) }
    }

    /// The code as the user reads it, `verdict: not json`: the reason may quote the answer.
    pub fn words(&self) -> String {
        self.code.replace(':', ": ").replace('_', " ")
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineCall {
    pub key: StepKey,
    pub seat: SeatName,
    pub phase: Phase,
    /// About how many tokens prompt and answer take.
    pub tokens: u64,
}
