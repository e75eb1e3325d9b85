//! How long answers may be, by what the seats can read.
//!
//! A model with a small context must hold all statements of a debate, the rules and its own answer in it. So where any
//! seat is small, all seats are asked to be short, and nothing ever has to be cut out of a prompt.

use crate::debate::Plan;

/// About how many tokens each kind of answer takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) statement: u64,
    /// A summary: it is asked to stay under.
    pub(super) summary: u64,
    pub(super) verdict: u64,
}

/// Where the smallest context is at least this large, answers need not be short.
const ROOMY: u64 = 32_000;

const FULL: Sizes = Sizes { statement: 1_500, summary: 800, verdict: 1_500 };

impl Sizes {
    /// The sizes for the seats of this plan. What stands in every prompt takes its room first; ten statements, the rules, the
    /// schema and the verdict fit in the rest.
    pub(super) fn of(plan: &Plan) -> Self {
        let smallest = plan.seats.values().filter_map(|seat| seat.context_tokens).min();
        match smallest.map(|context| context.saturating_sub(plan.matter_tokens())) {
            Some(context) if context < ROOMY => Self {
                statement: (context / 20).clamp(120, FULL.statement),
                summary: (context / 20).clamp(120, FULL.summary),
                verdict: (context / 10).clamp(400, FULL.verdict),
            },
            _ => FULL,
        }
    }

    /// Whether all seats are asked to be short.
    pub(super) fn is_short(self) -> bool {
        self.statement < FULL.statement
    }

    pub(super) fn words(self) -> u64 {
        if self.is_short() { self.statement / 2 / 10 * 10 } else { 700 }
    }
}
