//! How a review ends, and what is said then.

use super::History;

use crate::debate::{Debate, Failure, Outcome, Status};
use crate::named::named;

named! {
    pub enum Decision: "decision" {
        KeepOriginal = "Keep Original",
        AcceptOpposite = "Accept Opposite",
        AcceptOppositeUnwritten = "Accept Opposite (materialization skipped)",
        Compromise = "Compromise",
        ConvergedNothingNew = "Converged (two consecutive rounds with no new P1/P2)",
        ConvergedAgreement = "Converged (agreement)",
        Stopped = "Stopped",
        StoppedBudget = "Stopped (budget exceeded)",
        StoppedByUser = "Stopped by user",
        StoppedBackend = "Stopped (backend error - no review performed)",
    }
}

impl Decision {
    /// Whether what the rounds made of the artifact is its result. Where the original is kept it is not; and what ended
    /// without a decision has decided on no version.
    pub fn takes_revisions(self) -> bool {
        self.is_converged() || matches!(self, Self::AcceptOpposite | Self::Compromise)
    }

    pub fn is_converged(self) -> bool {
        matches!(self, Self::ConvergedNothingNew | Self::ConvergedAgreement)
    }
}

/// The end of a review, with a line on how it came to it.
pub(super) fn ended(decision: Decision, status: Status, line: impl Into<String>) -> Outcome {
    let line = line.into();
    let lines = if line.is_empty() { Vec::new() } else { vec![line] };
    Outcome { status, lines, verdict: None, decision: Some(decision.as_str().to_owned()) }
}

/// The end of a review without a critique. In a later round, what was found before is still open.
pub(super) fn no_critique(debate: &Debate, round: u32, failure: Option<&Failure>) -> Outcome {
    let why = failure.map_or_else(|| "no reason was given".to_owned(), ToString::to_string);
    if round == 1 {
        return ended(Decision::StoppedBackend, Status::Failed, format!("the artifact got no critique: {why}"));
    }
    let open = History::of(debate).open_points();
    let line = format!("the critique of round {round} failed: {why}; {open} points of earlier rounds are open");
    ended(Decision::Stopped, Status::Partial, line)
}
