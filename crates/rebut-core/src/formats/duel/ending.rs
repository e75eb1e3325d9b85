//! How a duel ends, and the lines that say so.

use super::procedure::Progress;
use super::{Bout, Leg, Role, ballots, exchange, is_thorough};
use crate::debate::{CallState, Cause, Debate, Failure, Outcome, SeatName, Status};
use crate::judging::Firmness;

/// The endings that need no judge: no opening, or no answer to it.
pub(super) fn without_verdict(bout: Bout<'_>, progress: &Progress<'_>) -> Option<Outcome> {
    let debate = bout.debate;
    if bout.leg == Leg::Exchanged {
        // It is only worth judging if it can be set against the first.
        let why = incomplete(debate, progress)?;
        return Some(Outcome::without_verdict(Status::Partial, vec![why]));
    }
    let spent = || debate.budget_line().unwrap_or_default();
    match progress {
        Progress::Failed { round: 1, role: Role::Proposer, failure } => {
            let why = failure.sentence();
            let aborted = format!(
                "Debate aborted: proposer ({}) failed on opening round.",
                debate.plan().tool(&Role::Proposer.seat())
            );
            Some(failed(vec![aborted, format!("The proposer {why}"), nothing_succeeded(debate)]))
        }
        Progress::OutOfBudget { round: 1, role: Role::Proposer } => Some(failed(vec![spent(), nothing_succeeded(debate)])),
        Progress::Failed { round: 1, role: Role::Challenger, failure } => Some(uncontested(format!(
            "Challenger ({}) failed in round 1: it {}",
            debate.plan().tool(&Role::Challenger.seat()),
            failure.sentence()
        ))),
        Progress::OutOfBudget { round: 1, role: Role::Challenger } => Some(uncontested(spent())),
        _ => None,
    }
}

/// The end of a sitting in which these ballots were asked for.
pub(super) fn judged(bout: Bout<'_>, progress: &Progress<'_>, asked: &[ballots::Needed]) -> Outcome {
    let debate = bout.debate;
    let (voted, left_out): (Vec<_>, Vec<_>) = asked.iter().partition(|(key, ..)| debate.answered(key).is_some());
    // Earlier ballots on the same statements count as well.
    let is_judged = bout.counted().iter().any(|(_, ballot)| ballot.rounds == bout.completed_rounds());
    let mut lines: Vec<String> = incomplete(debate, progress).into_iter().collect();
    let is_incomplete = !lines.is_empty();
    if !is_incomplete && is_thorough(bout.plan()) && !bout.judges_closings(bout.completed_rounds()) {
        lines.push(without_closings(bout));
    }
    let shown = bout.shown();
    if !is_judged {
        let failed = left_out.iter().find_map(|(key, seat, _)| Some((seat, debate.failed(key)?)));
        lines.extend(failed.map(|(seat, failure)| unjudged(debate, seat, failure)).into_iter().flatten());
        // A debate that was judged before and resumed keeps the verdict it had.
        lines.extend(shown.as_ref().map(|_| "The verdict below was given before.".to_owned()));
        return Outcome { status: Status::Partial, lines, verdict: shown, decision: None };
    }
    if is_incomplete {
        lines.push(format!("The verdict rests on {}.", rounds(bout.completed_rounds())));
    }
    let mut not_counted: Vec<String> = left_out
        .iter()
        .map(|(key, seat, number)| {
            // A resume forgets why a call failed.
            let why =
                debate.failed(key).map_or_else(|| "failed before the debate was resumed.".to_owned(), Failure::sentence);
            let tool = debate.plan().tool(seat);
            if voted.is_empty() {
                format!("The {seat} ({tool}) did not vote: it {why}")
            } else {
                format!("Ballot {number} of the {seat} ({tool}) is left out: it {why}")
            }
        })
        .collect();
    not_counted.dedup();
    lines.extend(not_counted);
    if voted.is_empty() {
        lines.push("The verdict rests on the earlier ballots.".to_owned());
    }
    let is_single = !left_out.is_empty() && bout.firmness() == Some(Firmness::Single);
    let status = if is_incomplete || is_single { Status::Partial } else { Status::Completed };
    Outcome { status, lines, verdict: shown, decision: None }
}

/// The end of a duel whose first debate ended like this and whose second like that.
pub(super) fn of_both(debate: &Debate, first: Outcome, second: Outcome) -> Outcome {
    let mut lines = first.lines.clone();
    lines.extend(second.lines.into_iter().map(|line| format!("Positions exchanged: {line}")));
    if exchange(debate).is_none() {
        lines.push("The verdict rests on the first debate alone.".to_owned());
    }
    let status = if second.status == Status::Completed { first.status } else { Status::Partial };
    Outcome { status, lines, ..first }
}

/// Why the judges read no closings.
fn without_closings(bout: Bout<'_>) -> String {
    let round = bout.completed_rounds();
    let failed = Role::ALL.map(|role| (role, bout.debate.failed(&bout.leg.closing_key(round, role))));
    let why = failed.into_iter().find_map(|(role, failure)| {
        Some(format!("The {role} ({}) wrote no closing: it {}", bout.plan().tool(&role.seat()), failure?.sentence()))
    });
    let why = why.unwrap_or_else(|| match bout.debate.budget_line() {
        Some(line) => line,
        // They failed before a resume, or before the step that a fork begins after.
        None => "The closings were not written.".to_owned(),
    });
    format!("{why} The verdict rests on the rounds alone.")
}

/// Why there is no verdict, and what to do.
fn unjudged(debate: &Debate, seat: &SeatName, failure: &Failure) -> [String; 2] {
    let id = debate.plan().id.short();
    let again = match debate.budget_spent().filter(|_| failure.cause == Cause::Budget) {
        Some(limit) => {
            format!("All statements are saved. Judge them with a larger budget: rebut resume {id} {} N", limit.flag())
        }
        None => format!("All statements are saved. Use another judge: rebut rejudge {id} --judge X"),
    };
    [format!("No verdict: the {seat} ({}) {}", debate.plan().tool(seat), failure.sentence()), again]
}

/// What the judge reads of a round that broke off; it is not judged.
pub(super) fn broken_off(progress: &Progress<'_>) -> Option<String> {
    match progress {
        Progress::Turn { .. } | Progress::Complete => None,
        Progress::Failed { round, role, .. } | Progress::OutOfBudget { round, role } => {
            Some(format!("Round {round} broke off before the {role} had spoken and is not judged."))
        }
    }
}

/// Which round broke off, and why; `None` where every round was held.
fn incomplete(debate: &Debate, progress: &Progress<'_>) -> Option<String> {
    match progress {
        Progress::Turn { .. } | Progress::Complete => None,
        Progress::Failed { round, role, failure } => {
            let who = format!("the {role} ({})", debate.plan().tool(&role.seat()));
            Some(format!("Round {round} is incomplete: {who} {}", failure.sentence()))
        }
        Progress::OutOfBudget { round, role } => Some(format!(
            "Round {round} is incomplete: the {role} was not asked. {}",
            debate.budget_line().unwrap_or_default()
        )),
    }
}

fn uncontested(why: String) -> Outcome {
    let lines =
        vec![why, "The opening went unanswered: the proposer's position is uncontested, which proves nothing.".into()];
    Outcome::without_verdict(Status::Uncontested, lines)
}

fn failed(lines: Vec<String>) -> Outcome {
    Outcome::without_verdict(Status::Failed, lines)
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

fn rounds(count: u32) -> String {
    match count {
        1 => "the 1 complete round".to_owned(),
        n => format!("the {n} complete rounds"),
    }
}
