//! How a duel ends, and what the person is told.

use super::procedure::Standing;
use super::{Role, completed_rounds};
use crate::debate::{CallState, Cause, Debate, Failure, Outcome, Status, StepKey};
use crate::formats::prompts::PromptError;

/// The endings for which nobody needs to be asked: no opening, or nobody who answered it.
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

/// The end of a debate that was judged.
pub(super) fn judged(debate: &Debate, standing: &Standing<'_>, verdict: StepKey) -> Outcome {
    match incomplete(debate, standing) {
        None => Outcome { status: Status::Completed, lines: Vec::new(), verdict: Some(verdict) },
        Some(line) => Outcome { status: Status::Partial, lines: vec![line], verdict: Some(verdict) },
    }
}

/// The end of a debate whose judge failed.
pub(super) fn unjudged(debate: &Debate, standing: &Standing<'_>, failure: &Failure) -> Outcome {
    let judge = format!("No verdict: the judge ({}) {}", tool(debate, Role::Judge), reason(failure));
    let again = format!("Every statement is kept. Have it judged by another: rebut resume {} --judge X", debate.plan().id);
    let lines = incomplete(debate, standing).into_iter().chain([judge, again]).collect();
    Outcome { status: Status::Partial, lines, verdict: None }
}

/// The end of a debate whose own prompt cannot be rendered.
pub(super) fn unusable_prompt(error: &PromptError) -> Outcome {
    failed(vec![format!("Debate failed: {error}."), "Mend or remove that file, then start again.".to_owned()])
}

/// Which round broke off, and why; `None` where every round was held.
pub(super) fn incomplete(debate: &Debate, standing: &Standing<'_>) -> Option<String> {
    let completed = completed_rounds(debate);
    match standing {
        Standing::Turn { .. } | Standing::Held => None,
        Standing::Failed { round, role, failure } => {
            let who = format!("the {role} ({})", tool(debate, *role));
            let stop = format!("Round {round} is incomplete: {who} {}", reason(failure));
            Some(format!("{stop} The verdict rests on {}.", rounds(completed)))
        }
        Standing::Spent { round, role } => {
            let stop = format!("Round {round} is incomplete: the {role} did not speak any more. {}", spent(debate));
            Some(format!("{stop} The verdict rests on {}.", rounds(completed)))
        }
    }
}

fn uncontested(why: String) -> Outcome {
    let lines =
        vec![why, "Nobody answered the opening: the proposer's position stands uncontested, which proves nothing.".into()];
    Outcome { status: Status::Uncontested, lines, verdict: None }
}

fn failed(lines: Vec<String>) -> Outcome {
    Outcome { status: Status::Failed, lines, verdict: None }
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
        0 => "the opening alone".to_owned(),
        1 => "the 1 complete round".to_owned(),
        n => format!("the {n} complete rounds"),
    }
}

fn tool(debate: &Debate, role: Role) -> &str {
    debate.plan().seat(&role.seat()).map_or("nobody", |seat| seat.tool.as_str())
}
