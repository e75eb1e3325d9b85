//! judge-check: one seat judges known cases as it would judge a duel, which shows how good a judge it is.

mod ballot;
mod documents;
mod format;

use serde::{Deserialize, Serialize};

use super::prompts::BUILTIN;
use crate::debate::{Debate, Plan, SeatName, StepKey};
use crate::judge_check::{Case, CheckAnswer, CheckCall, Extent, JudgeRecord, Score, calls, score};

pub use format::JudgeCheck;

/// The name that plans have this format under.
pub const NAME: &str = "judge-check";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckSetup {
    /// The cases that calls are taken from.
    pub cases: Vec<Case>,
    pub extent: Extent,
}

/// The seat that is checked.
pub fn judge() -> SeatName {
    SeatName::new("judge")
}

/// The hash of what a judge of duels is told, apart from the debate itself.
pub fn prompt_hash(plan: &Plan) -> String {
    let mut hasher = blake3::Hasher::new();
    for name in ["duel/judge.md", "duel/matter.md", "duel/verdict.md", "duel/tiny_verdict.md"] {
        let built_in = || BUILTIN.get(name).copied().unwrap_or_default();
        hasher.update(plan.prompts.get(name).map_or_else(built_in, |replaced| &replaced.text).as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// The result of a check that has ended; none if no known case was answered.
pub fn record(debate: &Debate) -> Option<JudgeRecord> {
    debate.outcome()?;
    Some(JudgeRecord {
        seat: debate.plan().seat(&judge())?.spec(),
        model: debate.newest_answer(&judge())?.model.clone(),
        prompt: prompt_hash(debate.plan()),
        at: debate.last_at(),
        score: scored(debate)?,
    })
}

fn setup(plan: &Plan) -> Option<&CheckSetup> {
    plan.setup.get()
}

fn asked(plan: &Plan) -> Vec<CheckCall> {
    setup(plan).map(|setup| calls(&setup.cases, setup.extent)).unwrap_or_default()
}

/// `arithmetic-3/longer/exchanged`.
fn key_of(call: &CheckCall) -> StepKey {
    StepKey::new(format!("{}/{}/{}", call.case, call.variant, call.order))
}

/// The score of the answers so far; none before a known case was answered.
fn scored(debate: &Debate) -> Option<Score> {
    let answers: Vec<CheckAnswer> =
        debate.calls().filter_map(|(key, _)| debate.answered(key)?.content.get::<CheckAnswer>().cloned()).collect();
    score(&setup(debate.plan())?.cases, &answers).ok().filter(|score| score.right.is_some())
}
