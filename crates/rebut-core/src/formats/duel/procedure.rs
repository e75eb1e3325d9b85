//! The procedure of a duel: who speaks when, and what a failure means.

use super::context::{citable, statement_prompt, summary_prompt, verdict_prompt};
use super::sizes::Sizes;
use super::{
    Role, Summary, ending, evidence, extract_key, planned_rounds, statement_key, summary, summary_key, verdict,
    verdict_again_key, verdict_at, verdict_key,
};
use crate::claims::Statement;
use crate::debate::{
    Action, Call, CallState, Content, Debate, Entry, EntryKind, Failure, Format, Fund, Outcome, OutlineCall, Phase, Plan,
    Prompt, Rejection, Shape, Status, Step, StepKey, after_rejection, estimate_tokens, failure_of,
};
use crate::formats::prompts::PromptError;

/// About how many tokens role, rules and task take in a prompt.
const RULES_TOKENS: u64 = 900;
/// About how many tokens the schema of the verdict takes.
const SCHEMA_TOKENS: u64 = 900;
/// The longest summary that is taken, in bytes: well over what is asked for, and bounded.
const LONGEST_SUMMARY: usize = 10_000;
/// The longest statement that is taken, in bytes.
const LONGEST_STATEMENT: usize = 64 * 1024;
/// The first round that is argued with a summary of earlier ones.
const FIRST_SUMMARISED_ROUND: u32 = 3;

/// The format.
#[derive(Clone, Copy, Debug)]
pub struct Duel;

/// How far the debate has come.
pub(super) enum Standing<'a> {
    /// It is this debater's turn, or the debater is speaking.
    Turn { round: u32, role: Role },
    /// Every round was held.
    Held,
    /// A debater failed.
    Failed { round: u32, role: Role, failure: &'a Failure },
    /// The budget was used up before this turn.
    Spent { round: u32, role: Role },
}

impl Format for Duel {
    fn next(&self, debate: &Debate) -> Vec<Step> {
        if debate.outcome().is_some() {
            return Vec::new();
        }
        // Nobody answers, and nobody judges, before what was cited is looked up.
        let checks: Vec<Step> = evidence::checks(debate).collect();
        if !checks.is_empty() {
            return checks;
        }
        let steps = match standing(debate) {
            Standing::Turn { round, role } => turn(debate, round, role),
            ended => conclusion(debate, &ended),
        };
        steps.unwrap_or_else(|error| vec![finish(ending::unusable_prompt(&error))])
    }

    fn accept(&self, debate: &Debate, key: &StepKey, _call: &Call, text: &str) -> Result<Content, Rejection> {
        if key.as_str().starts_with("verdict") {
            let ledger = evidence::judged_ledger(debate);
            return verdict::accept(&citable(debate), &ledger, text).map(|verdict| Content::Verdict(Box::new(verdict)));
        }
        if let Some(round) = (FIRST_SUMMARISED_ROUND..=planned_rounds(debate)).find(|round| *key == summary_key(*round)) {
            if text.len() > LONGEST_SUMMARY {
                let wanted = Sizes::of(debate.plan()).summary;
                let reason = format!("the summary is far longer than {wanted} tokens; shorten it");
                return Err(Rejection::new("summary:too_long", reason));
            }
            let summary: Summary = summary::accept(debate, round - 2, text);
            return Ok(Content::Summary(summary));
        }
        if text.len() > LONGEST_STATEMENT {
            let wanted = Sizes::of(debate.plan()).words();
            let reason = format!("the statement is far longer than {wanted} words; shorten it");
            return Err(Rejection::new("statement:too_long", reason));
        }
        let statement = Statement::read(text);
        if statement.body.is_empty() {
            return Err(Rejection::new("statement:no_prose", "the answer holds a list of claims but no statement"));
        }
        Ok(Content::Statement(statement))
    }

    fn outline(&self, plan: &Plan) -> Vec<OutlineCall> {
        let rounds = plan.setup.rounds();
        let sizes = Sizes::of(plan);
        let base = RULES_TOKENS
            + estimate_tokens(plan.topic.len())
            + plan.context.iter().map(|item| estimate_tokens(item.text.len())).sum::<u64>();
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
        let all = u64::from(rounds) * 2 * sizes.statement;
        plan_call(verdict_key(1), Role::Judge, verdict_phase(), all + SCHEMA_TOKENS, sizes.verdict);
        calls
    }
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
        let call =
            ask(debate, role, round_phase(round), prompt, Shape::Prose, Sizes::of(debate.plan()).statement, Fund::Debate);
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
        let entry = Entry { kind: EntryKind::Extract, text: summary::extract(debate, round - 2) };
        return Ok(Some(Step { key: extract_key(round), action: Action::Record(entry) }));
    }
    if !debate.may_begin(&key) {
        return Ok(None);
    }
    let prompt = summary_prompt(debate, round)?;
    let call =
        ask(debate, Role::Judge, summary_phase(), prompt, Shape::Prose, Sizes::of(debate.plan()).summary, Fund::Debate);
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

/// The way to the verdict. What it rests on and nobody had cited before is looked up; where that is false, or where the
/// reasoning rests on what the debate found to be false, the judge is asked once more, and told why.
///
/// Decisive arguments and agreements are held to it to the end: a second verdict that breaks it there is none. Reasoning is
/// free words, which rules can misread: for its sake alone no debate ends without a verdict. The second one stands, or the
/// first where no second comes, and what it names is told beside it.
fn judging(debate: &Debate, standing: &Standing<'_>) -> Result<Option<Step>, PromptError> {
    let (first, again) = (verdict_key(debate.sitting()), verdict_again_key(debate.sitting()));
    let mut rejected: Option<Rejection> = None;
    let mut may_stand: Option<StepKey> = None;
    for key in [&first, &again] {
        match debate.call(key).map(|call| &call.state) {
            Some(CallState::Failed(failure)) => return Ok(Some(finish(closing(debate, standing, may_stand, failure)))),
            Some(CallState::UnderWay { .. }) => return Ok(None),
            Some(CallState::Open) | None => {
                let mut call = verdict_call(debate, standing)?;
                if let Some(rejection) = &rejected {
                    let answer = verdict_at(debate, &first).and_then(|verdict| serde_json::to_string_pretty(verdict).ok());
                    call = after_rejection(debate, &first, call, &answer.unwrap_or_default(), &rejection.reason)?;
                }
                return Ok(Some(Step { key: key.clone(), action: Action::Ask(Box::new(call)) }));
            }
            Some(CallState::Answered(_)) => {}
        }
        if let Some(check) = evidence::verdict_check(debate, key) {
            return Ok(Some(check));
        }
        let refused = evidence::verdict_rejection(debate, key);
        let objection = || evidence::reasoning_objection(debate, key).filter(|_| *key == first);
        if refused.is_none() {
            rejected = objection();
            if rejected.is_none() {
                return Ok(Some(finish(ending::judged(debate, standing, key.clone()))));
            }
            may_stand = Some(key.clone());
        } else {
            rejected = refused;
        }
    }
    let failure = rejected.map(|rejection| failure_of(&rejection));
    Ok(failure.map(|failure| finish(closing(debate, standing, may_stand, &failure))))
}

/// The end where the last call for a verdict came to nothing: an earlier one that may stand does.
fn closing(debate: &Debate, standing: &Standing<'_>, may_stand: Option<StepKey>, failure: &Failure) -> Outcome {
    match may_stand {
        Some(verdict) => ending::judged(debate, standing, verdict),
        None => ending::unjudged(debate, standing, failure),
    }
}

fn verdict_call(debate: &Debate, standing: &Standing<'_>) -> Result<Call, PromptError> {
    let schema = verdict::schema(&citable(debate), Sizes::of(debate.plan()).is_short());
    let prompt = verdict_prompt(debate, &schema, ending::broken_off(standing).as_deref())?;
    let shape = Shape::Json { name: "verdict", schema };
    Ok(call_of(debate, Role::Judge, verdict_phase(), prompt, shape, Sizes::of(debate.plan()).verdict, Fund::Verdict))
}

fn ask(debate: &Debate, role: Role, phase: Phase, prompt: Prompt, shape: Shape, output_tokens: u64, fund: Fund) -> Action {
    Action::Ask(Box::new(call_of(debate, role, phase, prompt, shape, output_tokens, fund)))
}

fn call_of(debate: &Debate, role: Role, phase: Phase, prompt: Prompt, shape: Shape, output_tokens: u64, fund: Fund) -> Call {
    let limit_ms = debate.plan().timeout_ms;
    Call { seat: role.seat(), phase, prompt, shape, output_tokens, limit_ms, fund }
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
