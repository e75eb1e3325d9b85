//! How a review ends, and what is said then.

use super::History;

use crate::debate::{Debate, Failure, Outcome, Status};
use crate::formats::prompts::PromptError;
use crate::named::named;

named! {
    pub enum Decision: "decision" {
        /// The artifact stays as it is.
        KeepOriginal = "Keep Original",
        /// The critic's version is taken.
        AcceptOpposite = "Accept Opposite",
        /// The critic's version is taken, and was not written.
        AcceptOppositeUnwritten = "Accept Opposite (materialization skipped)",
        /// The author's compromise is taken.
        Compromise = "Compromise",
        /// Two rounds raised nothing of weight that was new.
        ConvergedNothingNew = "Converged (two consecutive rounds with no new P1/P2)",
        /// The critic agrees.
        ConvergedAgreement = "Converged (agreement)",
        /// It ended without a decision.
        Stopped = "Stopped",
        /// The budget did not reach further.
        StoppedBudget = "Stopped (budget exceeded)",
        StoppedByUser = "Stopped by user",
        StoppedBackend = "Stopped (backend error - no review performed)",
    }
}

impl Decision {
    /// Whether what the rounds made of the artifact is its result. Where the original is kept it is not; and what ended
    /// without a decision has decided on no version.
    pub fn takes_revisions(self) -> bool {
        match self {
            Self::AcceptOpposite | Self::Compromise | Self::ConvergedNothingNew | Self::ConvergedAgreement => true,
            Self::KeepOriginal
            | Self::AcceptOppositeUnwritten
            | Self::Stopped
            | Self::StoppedBudget
            | Self::StoppedByUser
            | Self::StoppedBackend => false,
        }
    }

    /// Whether critic and author have come together.
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

/// The end where a prompt of the user's own can't be rendered.
pub(super) fn unusable_prompt(error: &PromptError) -> Outcome {
    ended(Decision::Stopped, Status::Failed, error.to_string())
}
