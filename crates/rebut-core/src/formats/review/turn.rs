//! Why a review stops for now, and the steps that every part of the procedure asks for.

use serde::Serialize;

use super::ending::ended;
use super::letter::BUDGET_GONE;
use super::versions::patches_before;
use super::{Content, Decision, Role, current_text, setup};
use crate::debate::{
    Action, Call, CallState, Cause, Check, Debate, Failure, Fund, Outcome, Payload, Phase, Prompt, Shape, Status, Step,
    StepKey,
};
use crate::evidence::Evidence;
use crate::evidence::check::Cited;
use crate::formats::prompts::PromptError;

/// Why a review goes no further now.
pub(super) enum Pause {
    /// These may begin now; none where something is waited for.
    Steps(Vec<Step>),
    Ended(Outcome),
}

impl Pause {
    pub(super) fn ended(decision: Decision, status: Status, line: impl Into<String>) -> Self {
        Self::Ended(ended(decision, status, line))
    }

    pub(super) fn step(key: StepKey, action: Action) -> Self {
        Self::Steps(vec![Step { key, action }])
    }

    pub(super) fn out_of_budget() -> Self {
        Self::ended(Decision::StoppedBudget, Status::Partial, BUDGET_GONE)
    }
}

impl From<PromptError> for Pause {
    fn from(error: PromptError) -> Self {
        Self::ended(Decision::Stopped, Status::Failed, error.to_string())
    }
}

pub(super) type Walk<T> = Result<T, Pause>;

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) enum Task {
    Critique { round: u32 },
    Judgement { round: u32 },
    Rewrite { round: u32 },
    Rebuttal,
}

impl Task {
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

pub(super) struct Request {
    pub(super) role: Role,
    pub(super) task: Task,
    pub(super) prompt: Prompt,
    pub(super) shape: Shape,
    pub(super) output_tokens: u64,
}

impl Request {
    pub(super) fn step(self, debate: &Debate, key: StepKey) -> Step {
        let Self { role, task, prompt, shape, output_tokens } = self;
        let (seat, limit_ms, fund) = (role.seat(), debate.plan().timeout_ms, Fund::Debate);
        let (phase, asks) = (task.phase(), Payload::of(task));
        Step { key, action: Action::Ask(Box::new(Call { seat, phase, asks, prompt, shape, output_tokens, limit_ms, fund })) }
    }
}

/// The answer at a step, which is asked for where there is none yet. Where it failed, the review ends: `undone` says what
/// could not be done.
pub(super) fn answer<'a>(
    debate: &'a Debate,
    key: &StepKey,
    undone: &str,
    request: impl FnOnce() -> Result<Request, PromptError>,
) -> Walk<Option<&'a Content>> {
    match debate.call(key).map(|call| &call.state) {
        Some(CallState::Answered(answered)) => Ok(answered.content.get()),
        Some(CallState::Failed(failure)) => Err(failed(undone, failure)),
        Some(CallState::UnderWay { .. }) => Err(Pause::Steps(Vec::new())),
        Some(CallState::Open) | None if debate.budget_spent().is_some() => Err(Pause::out_of_budget()),
        Some(CallState::Open) | None => Err(Pause::Steps(vec![request()?.step(debate, key.clone())])),
    }
}

fn failed(undone: &str, failure: &Failure) -> Pause {
    match failure.cause {
        Cause::Budget => Pause::out_of_budget(),
        _ => Pause::ended(Decision::Stopped, Status::Partial, format!("{undone}: {failure}")),
    }
}

/// Looks evidence up once, in the version of the round: the workspace with every patch, and the artifact's own text.
pub(super) fn look_up(debate: &Debate, round: u32, key: StepKey, mut evidence: Vec<Cited>) -> Walk<()> {
    if debate.plan().evidence.is_none() || evidence.is_empty() || !debate.may_begin(&key) {
        return Ok(());
    }
    let own = setup(debate.plan()).and_then(|setup| setup.artifact.form.own_name(round));
    let mut texts: Vec<(String, String)> = own.map(|name| (name, current_text(debate, round))).into_iter().collect();
    if let Some(change) = setup(debate.plan()).and_then(|setup| setup.artifact.change()) {
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
    Err(Pause::step(key, Action::Check(Check { evidence, revisions: patches_before(debate, round), texts })))
}
