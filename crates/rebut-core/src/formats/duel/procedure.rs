//! The procedure of a duel: who speaks when, and what a failure means.

use serde::Serialize;

use super::ballots::{self, Ballot, Reading, needed, order_of};
use super::context::{ballot_prompt, claims_prompt, statement_prompt, summary_prompt};
use super::sizes::Sizes;
use super::{
    Content, Role, claims_key, completed_rounds, ending, evidence, extract_key, listing, planned_rounds, rounds, statement,
    statement_key, statements, summary, summary_key, verdict,
};
use crate::debate::{
    Action, Call, CallState, Debate, Entry, EntryKind, Failure, Fund, Outcome, OutlineCall, Payload, Phase, Plan, Prompt,
    Rejection, SeatName, SeatPlan, Shape, Status, Step, StepKey, estimate_tokens,
};
use crate::evidence::{Block, Known, Statement};
use crate::formats::prompts::PromptError;
use crate::judging::Order;

/// About how many tokens role, rules and task take in a prompt.
const RULES_TOKENS: u64 = 900;
/// About how many tokens the schema of the verdict takes.
const SCHEMA_TOKENS: u64 = 900;
/// The longest summary that is taken, in bytes: well over what is asked for, and bounded.
const LONGEST_SUMMARY: usize = 10_000;
/// How many tokens a list of claims may take that is asked for by itself.
const CLAIMS_TOKENS: u64 = 800;
/// The first round that is argued with a summary of earlier ones.
const FIRST_SUMMARISED_ROUND: u32 = 3;

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) enum Asked {
    Statement { round: u32, role: Role },
    Claims { round: u32, role: Role },
    Summary { round: u32 },
    Ballot { order: Order },
}

pub(super) enum Standing<'a> {
    /// It is this debater's turn, or the debater is speaking.
    Turn {
        round: u32,
        role: Role,
    },
    Held,
    Failed {
        round: u32,
        role: Role,
        failure: &'a Failure,
    },
    /// The budget was used up before this turn.
    Spent {
        round: u32,
        role: Role,
    },
}

pub(super) fn next(debate: &Debate) -> Vec<Step> {
    if debate.outcome().is_some() {
        return Vec::new();
    }
    // No one answers or judges before a statement's claims are listed and its evidence is looked up.
    let unsettled = statements(debate).find_map(|(round, role, ..)| settle(debate, round, role).transpose());
    let steps = unsettled.unwrap_or_else(|| match standing(debate) {
        Standing::Turn { round, role } => turn(debate, round, role),
        ended => conclusion(debate, &ended),
    });
    steps.unwrap_or_else(|error| vec![finish(ending::unusable_prompt(&error))])
}

pub(super) fn accept(debate: &Debate, seat: &SeatName, asked: Asked, text: &str) -> Result<Content, Rejection> {
    let ids = |round, role| evidence::ids_before(debate, round, role);
    match asked {
        Asked::Ballot { order } => {
            let reading = Reading::of(debate, order);
            let verdict = verdict::accept(&reading.citable(), &reading.masks, reading.first, text)?;
            let judge = debate.plan().seat(seat).map(SeatPlan::spec).unwrap_or_default();
            Ok(Content::Ballot(Box::new(Ballot { judge, order, rounds: completed_rounds(debate), verdict })))
        }
        Asked::Summary { .. } if text.len() > LONGEST_SUMMARY => {
            let wanted = Sizes::of(debate.plan()).summary;
            let reason = format!("the summary is far longer than {wanted} tokens; shorten it");
            Err(Rejection::new("summary:too_long", reason))
        }
        Asked::Summary { round } => Ok(Content::Summary(summary::accept(debate, round - 2, text))),
        Asked::Claims { round, role } => {
            let body = statement(debate, round, role).map_or("", |(statement, _)| statement.body.as_str());
            Ok(Content::Claims(Block::asked_for(text, body, Known { own: role.letter(), ids: &ids(round, role) })))
        }
        Asked::Statement { round, role } => {
            let statement = Statement::read(text, Known { own: role.letter(), ids: &ids(round, role) });
            let no_prose = || Rejection::new("statement:no_prose", "the answer has a block of claims but no prose");
            statement.map(Content::Statement).ok_or_else(no_prose)
        }
    }
}

/// Calls that are only made where a judge contradicts itself, or a list of claims is missing.
pub(super) fn extra_calls(plan: &Plan) -> Vec<(usize, &'static str)> {
    let listing = Role::DEBATERS.iter().filter(|role| lists_claims(plan, **role)).count();
    let (_, reserve) = needed(plan, 1);
    let all = [(reserve.len(), "a second judge"), (listing * rounds(plan) as usize, "missing claim lists")];
    all.into_iter().filter(|(calls, _)| *calls > 0).collect()
}

pub(super) fn outline(plan: &Plan) -> Vec<OutlineCall> {
    let rounds = rounds(plan);
    let sizes = Sizes::of(plan);
    let base = base_tokens(plan);
    let mut calls = Vec::new();
    let mut plan_call = |key: StepKey, role: Role, phase: Phase, read: u64, written: u64| {
        calls.push(OutlineCall { key, seat: role.seat(), phase, tokens: base + read + written });
    };
    for round in 1..=rounds {
        let mut read = match round {
            1 => 0,
            2 => 2 * sizes.statement,
            _ => {
                let carried_on = if round > FIRST_SUMMARISED_ROUND { sizes.summary } else { 0 };
                let read = carried_on + 2 * sizes.statement;
                plan_call(summary_key(round), Role::Judge, summary_phase(), read, sizes.summary);
                sizes.summary + 2 * sizes.statement
            }
        };
        for role in Role::DEBATERS {
            plan_call(statement_key(round, role), role, round_phase(round), read, sizes.statement);
            read += sizes.statement;
        }
    }
    calls.extend(ballot_calls(plan, base, needed(plan, 1).0));
    calls
}

/// Every ballot that there may be.
pub(super) fn verdict_calls(plan: &Plan) -> Vec<OutlineCall> {
    let (first, reserve) = needed(plan, 1);
    ballot_calls(plan, base_tokens(plan), first.into_iter().chain(reserve)).collect()
}

fn ballot_calls(
    plan: &Plan,
    base: u64,
    ballots: impl IntoIterator<Item = ballots::Needed>,
) -> impl Iterator<Item = OutlineCall> {
    let sizes = Sizes::of(plan);
    let tokens = base + u64::from(rounds(plan)) * 2 * sizes.statement + SCHEMA_TOKENS + sizes.verdict;
    ballots.into_iter().map(move |(key, seat, _)| OutlineCall { key, seat, phase: verdict_phase(), tokens })
}

/// What stands in every prompt.
fn base_tokens(plan: &Plan) -> u64 {
    let attached: u64 = plan.context.iter().map(|item| estimate_tokens(item.text.len())).sum();
    RULES_TOKENS + estimate_tokens(plan.topic.len()) + attached
}

/// What a statement still needs before the debate goes on; none where it needs nothing.
fn settle(debate: &Debate, round: u32, role: Role) -> Result<Option<Vec<Step>>, PromptError> {
    let key = claims_key(round, role);
    let is_missing = listing(debate, round, role).is_none() && debate.budget_spent().is_none();
    // Claims that come after an answer were never answered.
    let is_newest = statements(debate).last().is_some_and(|(last, speaker, ..)| (last, speaker) == (round, role));
    if is_missing && is_newest && lists_claims(debate.plan(), role) {
        match debate.call(&key).map(|call| &call.state) {
            Some(CallState::UnderWay { .. }) => return Ok(Some(Vec::new())),
            Some(CallState::Answered(_) | CallState::Failed(_)) => {}
            Some(CallState::Open) | None => {
                let (prompt, schema) = claims_prompt(debate, round, role)?;
                let shape = Shape::Json { name: "claims", schema };
                let asked = Asked::Claims { round, role };
                let call = ask(debate, asked, prompt, shape, CLAIMS_TOKENS);
                return Ok(Some(vec![Step { key, action: call }]));
            }
        }
    }
    if debate.under_way_keys().any(|under_way| *under_way == evidence::evidence_key(debate, round, role)) {
        return Ok(Some(Vec::new()));
    }
    Ok(evidence::check(debate, round, role).map(|step| vec![step]))
}

/// Whether a debater is asked for a list of claims: the embedded model can't be relied on to write one.
pub(super) fn lists_claims(plan: &Plan, role: Role) -> bool {
    plan.seat(&role.seat()).is_some_and(|seat| seat.tool != "local")
}

/// How far the debate has come: the first statement that is missing decides.
pub(super) fn standing(debate: &Debate) -> Standing<'_> {
    for round in 1..=planned_rounds(debate) {
        for role in Role::DEBATERS {
            match debate.call(&statement_key(round, role)).map(|call| &call.state) {
                Some(CallState::Answered(_)) => {}
                Some(CallState::Failed(failure)) => return Standing::Failed { round, role, failure },
                Some(CallState::Open) | None if debate.budget_spent().is_some() => return Standing::Spent { round, role },
                Some(CallState::Open | CallState::UnderWay { .. }) | None => return Standing::Turn { round, role },
            }
        }
    }
    Standing::Held
}

/// The statement whose turn it is, with the summary it needs; and the summary that the next round will need, since all
/// that it covers has been said, and the summary it carries on is there. Once the budget is spent there is no next round to prepare.
fn turn(debate: &Debate, round: u32, role: Role) -> Result<Vec<Step>, PromptError> {
    if round >= FIRST_SUMMARISED_ROUND && !is_summarised(debate, round) {
        return Ok(summarise(debate, round)?.into_iter().collect());
    }
    let mut steps = Vec::new();
    if debate.may_begin(&statement_key(round, role)) {
        let prompt = statement_prompt(debate, round, role)?;
        let (asked, tokens) = (Asked::Statement { round, role }, Sizes::of(debate.plan()).statement);
        let call = ask(debate, asked, prompt, Shape::Prose, tokens);
        steps.push(Step { key: statement_key(round, role), action: call });
    }
    let next = round + 1;
    let paid = debate.budget_spent().is_none();
    if paid && (FIRST_SUMMARISED_ROUND..=planned_rounds(debate)).contains(&next) && !is_summarised(debate, next) {
        steps.extend(summarise(debate, next)?);
    }
    Ok(steps)
}

fn is_summarised(debate: &Debate, round: u32) -> bool {
    debate.answered(&summary_key(round)).is_some() || debate.entry(&extract_key(round)).is_some()
}

/// Asks for the summary, or records the engine's own extract where that failed.
fn summarise(debate: &Debate, round: u32) -> Result<Option<Step>, PromptError> {
    let key = summary_key(round);
    if debate.failed(&key).is_some() {
        let entry = Entry::words(EntryKind::Extract, summary::extract(debate, round - 2));
        return Ok(Some(Step { key: extract_key(round), action: Action::Record(entry) }));
    }
    if !debate.may_begin(&key) {
        return Ok(None);
    }
    let prompt = summary_prompt(debate, round)?;
    let (asked, tokens) = (Asked::Summary { round }, Sizes::of(debate.plan()).summary);
    let call = ask(debate, asked, prompt, Shape::Prose, tokens);
    Ok(Some(Step { key, action: call }))
}

/// The way from the last statement to the end.
fn conclusion(debate: &Debate, standing: &Standing<'_>) -> Result<Vec<Step>, PromptError> {
    // A summary for a round that will not be held is not waited for.
    let superfluous = debate.under_way_keys().filter(|key| key.as_str().ends_with("/summary"));
    let mut steps: Vec<Step> = superfluous.map(|key| Step { key: key.clone(), action: Action::Cancel }).collect();
    if let Some(outcome) = ending::without_verdict(debate, standing) {
        steps.push(finish(outcome));
        return Ok(steps);
    }
    steps.extend(judging(debate, standing)?);
    Ok(steps)
}

/// The way to the verdict: ballots at the same time, and a second judge where the first contradicts itself.
fn judging(debate: &Debate, standing: &Standing<'_>) -> Result<Vec<Step>, PromptError> {
    let (mut wanted, reserve) = needed(debate.plan(), debate.sitting());
    if ballots::is_contradictory(debate) {
        wanted.extend(reserve);
    }
    let is_open = |key: &StepKey| matches!(debate.call(key).map(|call| &call.state), Some(CallState::Open) | None);
    let is_under_way =
        |key: &StepKey| matches!(debate.call(key), Some(call) if matches!(call.state, CallState::UnderWay { .. }));
    if !wanted.iter().any(|(key, ..)| is_open(key) || is_under_way(key)) {
        return Ok(vec![finish(ending::judged(debate, standing, &wanted))]);
    }
    let incomplete = ending::broken_off(standing);
    let open = wanted.into_iter().filter(|(key, ..)| is_open(key));
    let asked = open.map(|(key, seat, number)| {
        let order = order_of(number);
        let reading = Reading::of(debate, order);
        let schema = verdict::schema(&reading.citable(), &reading.masks, Sizes::of(debate.plan()).is_short());
        let prompt = ballot_prompt(debate, &reading, incomplete.as_deref())?;
        let call = Call {
            seat,
            phase: verdict_phase(),
            asks: Payload::of(Asked::Ballot { order }),
            prompt,
            shape: Shape::Json { name: "verdict", schema },
            output_tokens: Sizes::of(debate.plan()).verdict,
            limit_ms: debate.plan().timeout_ms,
            fund: Fund::Verdict,
        };
        Ok(Step { key, action: Action::Ask(Box::new(call)) })
    });
    asked.collect()
}

fn ask(debate: &Debate, asked: Asked, prompt: Prompt, shape: Shape, output_tokens: u64) -> Action {
    let (role, phase) = match asked {
        Asked::Statement { round, role } | Asked::Claims { round, role } => (role, round_phase(round)),
        Asked::Summary { .. } => (Role::Judge, summary_phase()),
        Asked::Ballot { .. } => (Role::Judge, verdict_phase()),
    };
    let (seat, asks, limit_ms, fund) = (role.seat(), Payload::of(asked), debate.plan().timeout_ms, Fund::Debate);
    Action::Ask(Box::new(Call { seat, phase, asks, prompt, shape, output_tokens, limit_ms, fund }))
}

fn finish(outcome: Outcome) -> Step {
    debug_assert!(outcome.status != Status::Running, "a debate does not end by running");
    Step { key: StepKey::new("finish"), action: Action::Finish(outcome) }
}

fn round_phase(round: u32) -> Phase {
    Phase(format!("round {round}"))
}

fn summary_phase() -> Phase {
    Phase("summary".to_owned())
}

fn verdict_phase() -> Phase {
    Phase("verdict".to_owned())
}
