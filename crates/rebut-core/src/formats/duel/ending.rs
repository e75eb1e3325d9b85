//! How a duel ends, and the lines that say so.

use super::procedure::Standing;
use super::{Role, completed_rounds, verdict_key};
use crate::debate::{CallState, Cause, Debate, Failure, Outcome, Status, StepKey};
use crate::formats::prompts::PromptError;

/// The endings that need no judge: no opening, or no answer to it.
pub(super) fn without_verdict(debate: &Debate, standing: &Standing<'_>) -> Option<Outcome> {
    match standing {
        Standing::Failed { round: 1, role: Role::Proposer, failure } => {
            let why = reason(failure);
            let aborted = format!("Debate aborted: proposer ({}) failed on opening round.", tool(debate, Role::Proposer));
            Some(failed(vec![aborted, format!("The proposer {why}"), nothing_succeeded(debate)]))
        }
        Standing::Spent { round: 1, role: Role::Proposer } => Some(failed(vec![spent(debate), nothing_succeeded(debate)])),
        Standing::Failed { round: 1, role: Role::Challenger, failure } => Some(uncontested(format!(
            "Challenger ({}) failed in round 1: it {}",
            tool(debate, Role::Challenger),
            reason(failure)
        ))),
        Standing::Spent { round: 1, role: Role::Challenger } => Some(uncontested(spent(debate))),
        _ => None,
    }
}

pub(super) fn judged(debate: &Debate, standing: &Standing<'_>, verdict: StepKey) -> Outcome {
    let Some(line) = incomplete(debate, standing) else {
        return Outcome { status: Status::Completed, lines: Vec::new(), verdict: Some(verdict), decision: None };
    };
    let rests_on = format!("The verdict rests on {}.", rounds(completed_rounds(debate)));
    Outcome { status: Status::Partial, lines: vec![line, rests_on], verdict: Some(verdict), decision: None }
}

/// The end of a debate whose judge failed.
pub(super) fn unjudged(debate: &Debate, standing: &Standing<'_>, failure: &Failure) -> Outcome {
    let judge = format!("No verdict: the judge ({}) {}", tool(debate, Role::Judge), reason(failure));
    let id = debate.plan().id.short();
    let again = match debate.budget_spent().filter(|_| failure.cause == Cause::Budget) {
        Some(limit) => {
            format!("All statements are saved. Judge them with a larger budget: rebut resume {id} {} N", limit.flag())
        }
        None => format!("All statements are saved. Use another judge: rebut resume {id} --judge X"),
    };
    // A debate that was judged before and resumed keeps the verdict it had.
    let earlier = (1..debate.sitting()).rev().map(verdict_key).find(|key| debate.answered(key).is_some());
    let kept = earlier.as_ref().map(|_| "The verdict below was given before the debate was resumed.".to_owned());
    let lines = incomplete(debate, standing).into_iter().chain([judge, again]).chain(kept).collect();
    Outcome { status: Status::Partial, lines, verdict: earlier, decision: None }
}

/// The end of a debate whose own prompt cannot be rendered.
pub(super) fn unusable_prompt(error: &PromptError) -> Outcome {
    failed(vec![format!("Debate failed: {error}."), "Fix or remove that file, then start again.".to_owned()])
}

/// What the judge reads of a round that broke off; it is not judged.
pub(super) fn broken_off(standing: &Standing<'_>) -> Option<String> {
    match standing {
        Standing::Turn { .. } | Standing::Held => None,
        Standing::Failed { round, role, .. } | Standing::Spent { round, role } => {
            Some(format!("Round {round} broke off before the {role} had spoken and is not judged."))
        }
    }
}

/// Which round broke off, and why; `None` where every round was held.
fn incomplete(debate: &Debate, standing: &Standing<'_>) -> Option<String> {
    match standing {
        Standing::Turn { .. } | Standing::Held => None,
        Standing::Failed { round, role, failure } => {
            let who = format!("the {role} ({})", tool(debate, *role));
            Some(format!("Round {round} is incomplete: {who} {}", reason(failure)))
        }
        Standing::Spent { round, role } => {
            Some(format!("Round {round} is incomplete: the {role} was not asked. {}", spent(debate)))
        }
    }
}

fn uncontested(why: String) -> Outcome {
    let lines =
        vec![why, "The opening went unanswered: the proposer's position is uncontested, which proves nothing.".into()];
    Outcome { status: Status::Uncontested, lines, verdict: None, decision: None }
}

fn failed(lines: Vec<String>) -> Outcome {
    Outcome { status: Status::Failed, lines, verdict: None, decision: None }
}

fn nothing_succeeded(debate: &Debate) -> String {
    let mut calls = debate.calls().peekable();
    let all_timed_out = calls.peek().is_some()
        && calls.all(|(_, call)| matches!(&call.state, CallState::Failed(failure) if failure.cause == Cause::Timeout));
    if all_timed_out {
        "Debate failed: all tool invocations timed out.".to_owned()
    } else {
        "Debate failed: no successful exchanges were recorded.".to_owned()
    }
}

fn spent(debate: &Debate) -> String {
    let limit = debate.budget_spent().map_or("budget", crate::debate::BudgetLimit::words);
    format!("The {limit} is used up.")
}

/// The failure as the rest of a sentence, with what to do.
fn reason(failure: &Failure) -> String {
    match &failure.advice {
        Some(advice) => format!("{failure}. {advice}"),
        None => format!("{failure}."),
    }
}

fn rounds(count: u32) -> String {
    match count {
        1 => "the 1 complete round".to_owned(),
        n => format!("the {n} complete rounds"),
    }
}

fn tool(debate: &Debate, role: Role) -> &str {
    debate.plan().seat(&role.seat()).map_or("none", |seat| seat.tool.as_str())
}
