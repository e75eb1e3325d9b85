//! What the embedded model of 135 million parameters is asked: one short text per moment, since it can follow no rules, no
//! marks and no schema. Its answers are shown as mechanics only.

use minijinja::context;

use super::{Bout, Role, judge_seat};
use crate::debate::{Plan, Prompt, SeatName};
use crate::formats::prompts::{PromptError, render};

/// Whether a seat is the default of the embedded model.
pub(super) fn is_tiny(plan: &Plan, seat: &SeatName) -> bool {
    plan.seat(seat).is_some_and(|seat| seat.is_embedded() && seat.model.is_none())
}

/// Whether the first judge is.
pub(super) fn judges_are_tiny(plan: &Plan) -> bool {
    is_tiny(plan, &judge_seat(1))
}

pub(super) fn statement_prompt(bout: Bout<'_>, round: u32, role: Role) -> Result<Prompt, PromptError> {
    let plan = bout.plan();
    let before = if role == Role::Proposer { round - 1 } else { round };
    let other = bout.statement(before, role.other()).map(|turn| turn.said.statement.body.as_str());
    Ok(prompt(match other {
        None => render(plan, "duel/tiny_opening.md", context! { topic => plan.topic.as_str() })?,
        Some(other) => render(plan, "duel/tiny_answer.md", context! { topic => plan.topic.as_str(), other => other })?,
    }))
}

pub(super) fn summary_prompt(bout: Bout<'_>, last_round: u32) -> Result<Prompt, PromptError> {
    let plan = bout.plan();
    let said = bout.statements().filter(|turn| turn.said.round == last_round);
    let said: Vec<String> = said.map(|turn| turn.said.statement.body.clone()).collect();
    Ok(prompt(render(plan, "duel/tiny_summary.md", context! { said => said })?))
}

/// The sides come with the names by which the verdict calls them, and what each said last.
pub(super) fn verdict_prompt(plan: &Plan, sides: &[(String, String)]) -> Result<Prompt, PromptError> {
    let sides: Vec<_> = sides.iter().map(|(name, text)| context! { name => name, text => text }).collect();
    Ok(prompt(render(plan, "duel/tiny_verdict.md", context! { topic => plan.topic.as_str(), sides => sides })?))
}

fn prompt(user: String) -> Prompt {
    Prompt { system: "You take part in a debate. Write short, plain sentences.".to_owned(), user }
}
