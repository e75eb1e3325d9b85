//! What a debate may use up, and whether the next call still fits.
//!
//! Before a call its estimate is reserved; the verdict's share is set aside at the start, so that a debate which reaches
//! its limit can still be judged. What goes over a limit is at most what was in flight.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Call, Cost, Debate, Plan};

/// About how many tokens a text of this many bytes has.
pub fn estimate_tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}

/// The limits of a debate; `None` is no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Time in which a process runs the debate.
    pub max_ms: Option<u64>,
    /// Tokens, prompts and answers together.
    pub max_tokens: Option<u64>,
    /// Money, as far as prices are known.
    pub max_cost: Option<Cost>,
}

/// A part of a budget that is set aside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    pub ms: u64,
    pub tokens: u64,
    pub cost: Cost,
}

impl Share {
    /// What is set aside for a verdict that is expected to take this much: never more than half of a limit, so that
    /// something is left to judge.
    pub fn for_verdict(budget: &Budget, timeout_ms: u64, tokens: u64, cost: Cost) -> Self {
        Self {
            ms: budget.max_ms.map_or(0, |max| timeout_ms.min(max / 4)),
            tokens: budget.max_tokens.map_or(0, |max| tokens.min(max / 2)),
            cost: budget.max_cost.map_or(Cost::default(), |max| cost.min(Cost::from_nanodollars(max.nanodollars() / 2))),
        }
    }
}

/// Which part of the budget pays for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fund {
    /// What is not set aside.
    Debate,
    /// The share that was set aside for the verdict, and whatever else is left.
    Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetLimit {
    /// `--max-minutes`
    Time,
    /// `--max-tokens`
    Tokens,
    /// `--max-cost`
    Cost,
}

impl BudgetLimit {
    pub fn flag(self) -> &'static str {
        match self {
            Self::Time => "--max-minutes",
            Self::Tokens => "--max-tokens",
            Self::Cost => "--max-cost",
        }
    }

    pub fn words(self) -> &'static str {
        match self {
            Self::Time => "time budget",
            Self::Tokens => "token budget",
            Self::Cost => "cost budget",
        }
    }
}

/// A call that fits into the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// The call's time limit, cut to what the budget leaves.
    pub limit_ms: u64,
    /// How much time the budget leaves, whatever the call's own limit is: a call that waits for its turn uses it up too.
    pub left_ms: Option<u64>,
    pub reserved_tokens: u64,
}

impl Debate {
    /// Whether this call may begin now, or which limit is reached.
    ///
    /// The verdict's own call is always admitted while any time is left: its share was set aside for it.
    pub fn admit(&self, call: &Call, now: Timestamp) -> Result<Admission, BudgetLimit> {
        let plan = self.plan();
        let share = match call.fund {
            Fund::Debate => plan.verdict_share,
            Fund::Verdict => Share::default(),
        };
        let reserved_tokens = call.estimate();
        if call.fund == Fund::Debate {
            self.admit_tokens(plan, share, reserved_tokens)?;
            self.admit_cost(plan, share, call)?;
        }
        let Some(max_ms) = plan.budget.max_ms else {
            return Ok(Admission { limit_ms: call.limit_ms, left_ms: None, reserved_tokens });
        };
        let left = max_ms.saturating_sub(self.elapsed_ms(now)).saturating_sub(share.ms);
        if left == 0 {
            return Err(BudgetLimit::Time);
        }
        Ok(Admission { limit_ms: call.limit_ms.min(left), left_ms: Some(left), reserved_tokens })
    }

    fn admit_tokens(&self, plan: &Plan, share: Share, reserved: u64) -> Result<(), BudgetLimit> {
        let Some(max) = plan.budget.max_tokens else { return Ok(()) };
        let parts = [self.spent_tokens(), self.reserved_tokens(), reserved, share.tokens];
        if parts.into_iter().fold(0, u64::saturating_add) > max { Err(BudgetLimit::Tokens) } else { Ok(()) }
    }

    fn admit_cost(&self, plan: &Plan, share: Share, call: &Call) -> Result<(), BudgetLimit> {
        let Some(max) = plan.budget.max_cost else { return Ok(()) };
        let price = plan.seat(&call.seat).and_then(|seat| seat.price);
        let next = price.map_or(Cost::default(), |price| price.of(call.prompt.estimate(), call.output_tokens));
        let used = self.spent_cost().nanodollars().saturating_add(self.reserved_cost().nanodollars());
        let over = [next, share.cost].into_iter().map(Cost::nanodollars).fold(used, u64::saturating_add) > max.nanodollars();
        // A limit that is already reached holds also for seats without a known price.
        if over || used >= max.nanodollars() { Err(BudgetLimit::Cost) } else { Ok(()) }
    }
}
