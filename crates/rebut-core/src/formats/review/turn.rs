//! How far a round of a review has come, and the steps that every part of the procedure asks for.

use serde::Serialize;

use super::ending::{Decision, ended, not_done};
use super::letter::BUDGET_GONE;
use super::setup;
use super::setup::Role;
use super::versions::{current_text, patches_before};
use crate::debate::{
    Action, Call, Cause, Check, Debate, Failure, Fund, Outcome, Payload, Phase, Prompt, Shape, Status, Step, StepKey,
};
use crate::evidence::Evidence;
use crate::evidence::check::Cited;

pub(super) enum Turn {
    /// These may begin now; none where something is waited for.
    Steps(Vec<Step>),
    Ended(Outcome),
    /// The next round begins.
    GoOn,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) enum Asked {
    Critique { round: u32 },
    Judgement { round: u32 },
    Rewrite { round: u32 },
    Rebuttal,
}

impl Asked {
    /// Its row in the accounts.
    pub(super) fn phase(self) -> Phase {
        Phase(match self {
            Self::Critique { round } => format!("round {round}"),
            Self::Judgement { .. } => "judgement".to_owned(),
            Self::Rewrite { .. } => "rewrite".to_owned(),
            Self::Rebuttal => "rebuttal".to_owned(),
        })
    }
}

/// The step that asks a seat.
pub(super) fn ask(
    debate: &Debate,
    key: StepKey,
    role: Role,
    asked: Asked,
    prompt: Prompt,
    shape: Shape,
    output_tokens: u64,
) -> Step {
    let (seat, limit_ms, fund) = (role.seat(), debate.plan().timeout_ms, Fund::Debate);
    let call = Call { seat, phase: asked.phase(), asks: Payload::of(asked), prompt, shape, output_tokens, limit_ms, fund };
    Step { key, action: Action::Ask(Box::new(call)) }
}

/// Evidence is looked up in the version of the round: the workspace with every patch, and the artifact's own text.
pub(super) fn look_up(debate: &Debate, round: u32, mut evidence: Vec<Cited>) -> Action {
    let own = setup(debate.plan()).and_then(|setup| setup.artifact.form.own_name(round));
    let mut texts: Vec<(String, String)> = own.map(|name| (name, current_text(debate, round))).into_iter().collect();
    if let Some(change) = setup(debate.plan()).filter(|setup| setup.artifact.form.is_diff()).map(|it| it.artifact.diff()) {
        // What the change renames is looked up under its new name, what it deletes in the lines that it deletes, and what
        // was quoted with the signs of the diff without them.
        for Evidence { file, quote, .. } in evidence.iter_mut().map(|cited| &mut cited.evidence) {
            let Some(path) = file else { continue };
            if let Some(unsigned) = quote.as_deref().and_then(|quote| change.unsigned(path, quote)) {
                *quote = Some(unsigned);
            }
            if let Some(new) = change.renamed_to(path) {
                new.clone_into(path);
            }
        }
        texts.extend(change.deleted().map(|(path, text)| (format!("./{path}"), text)));
    }
    Action::Check(Check { evidence, revisions: patches_before(debate, round), texts })
}

/// The end of a review in which something could not be done.
pub(super) fn undone(round: u32, what: &str, became: &str, failure: &Failure) -> Turn {
    if failure.cause == Cause::Budget {
        return out_of_budget();
    }
    Turn::Ended(not_done(&format!("{what} {round} {became}"), failure))
}

/// The end of a review that has no budget left.
pub(super) fn out_of_budget() -> Turn {
    Turn::Ended(ended(Decision::StoppedBudget, Status::Partial, BUDGET_GONE))
}
