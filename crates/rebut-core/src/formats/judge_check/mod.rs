//! judge-check: one seat answers known cases as the judge of a duel, so that it is known how good a judge it is.

mod ballot;
mod documents;
mod format;

use serde::{Deserialize, Serialize};

use crate::debate::{Debate, Plan, SeatName, StepKey};
use crate::judge_check::{Case, CheckAnswer, CheckCall, Extent, JudgeRecord, Order, Score, calls, score};

pub use ballot::prompt_hash;
pub use format::JudgeCheck;

/// The name under which plans have this format.
pub const NAME: &str = "judge-check";

/// What is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckSetup {
    /// The cases from which the calls are taken.
    pub cases: Vec<Case>,
    pub extent: Extent,
    /// What tells this version of the judge's prompt from others.
    pub prompt: String,
}

/// The seat that is checked.
pub fn judge() -> SeatName {
    SeatName::new("judge")
}

/// What came of a check that has ended, for the plans of later debates; none where no known case was answered.
pub fn record(debate: &Debate) -> Option<JudgeRecord> {
    let setup = setup(debate.plan())?;
    debate.outcome()?;
    let score = scored(debate).filter(|score| score.right.is_some())?;
    let models = debate.calls().filter_map(|(key, _)| debate.answered(key)?.model.clone());
    Some(JudgeRecord {
        seat: debate.plan().seat(&judge())?.spec(),
        model: models.last(),
        prompt: setup.prompt.clone(),
        at: debate.last_at(),
        score,
    })
}

fn setup(plan: &Plan) -> Option<&CheckSetup> {
    plan.setup.get()
}

fn asked(plan: &Plan) -> Vec<CheckCall> {
    setup(plan).map(|setup| calls(&setup.cases, setup.extent)).unwrap_or_default()
}

fn key_of(call: &CheckCall) -> StepKey {
    let order = if call.order == Order::AsWritten { "as-written" } else { "exchanged" };
    StepKey::new(format!("{}/{}/{}", call.case, call.variant.as_str(), order))
}

fn scored(debate: &Debate) -> Option<Score> {
    let answers: Vec<CheckAnswer> =
        debate.calls().filter_map(|(key, _)| debate.answered(key)?.content.get::<CheckAnswer>().cloned()).collect();
    score(&setup(debate.plan())?.cases, &answers).ok()
}
