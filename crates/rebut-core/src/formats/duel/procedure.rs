//! The procedure of a duel: who speaks when, and what a failure means.

use std::collections::BTreeSet;

use serde::Serialize;

use super::ballots::{Ballot, Reading, order_of};
use super::context::{ballot_prompt, claims_prompt, closing_prompt, statement_prompt, summary_prompt};
use super::exchange::Second;
use super::sizes::Sizes;
use super::{Bout, Content, Duel, Exchange, Leg, Role, Turn, ending, exchange, is_thorough, judge_seat, summary, verdict};
use crate::debate::{
    Action, Call, CallState, Debate, Entry, EntryKind, Failure, Fund, Outcome, Payload, Phase, Procedure, Prompt, Rejection,
    SeatName, SeatPlan, Shape, Step, StepKey,
};
use crate::evidence::{Block, ClaimId, Known, Statement};
use crate::formats::prompts::PromptError;
use crate::formats::said::{LISTING_TOKENS, Settled, listing_key, lists_claims};
use crate::formats::{accepted, unknown_call};
use crate::judging::Order;

/// The longest summary that is accepted, in bytes: well over what is asked for, and bounded.
const LONGEST_SUMMARY: usize = 10_000;
/// The first round in which the debaters read a summary of earlier ones.
pub(super) const FIRST_SUMMARISED_ROUND: u32 = 3;
pub(super) const CLOSING: &str = "closing";
pub(super) const VERDICT: &str = "verdict";

/// What a call asks for.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) enum Wanted {
    Statement { round: u32, role: Role },
    Claims { round: u32, role: Role },
    Summary { round: u32 },
    Closing { role: Role },
    Ballot { order: Order },
}

/// How far the rounds have come.
pub(super) enum Progress<'a> {
    /// It is this debater's turn, or the debater is speaking.
    Turn {
        round: u32,
        role: Role,
    },
    Complete,
    Failed {
        round: u32,
        role: Role,
        failure: &'a Failure,
    },
    /// The budget was used up before this turn.
    OutOfBudget {
        round: u32,
        role: Role,
    },
}

impl Procedure for Duel {
    fn next(&self, debate: &Debate) -> Vec<Step> {
        if debate.outcome().is_some() {
            return Vec::new();
        }
        steps(debate).unwrap_or_else(|error| vec![Step::finish(error.outcome())])
    }

    fn accept(&self, debate: &Debate, _key: &StepKey, call: &Call, text: &str) -> Result<Payload, Rejection> {
        let (leg, wanted): &(Leg, Wanted) = call.asks.get().ok_or_else(unknown_call)?;
        accept(Bout { debate, leg: *leg }, call, *wanted, text).map(|content| accepted(text, content))
    }
}

/// What one debate needs next, or how it ended.
enum Course {
    Steps(Vec<Step>),
    Over(Outcome),
}

fn steps(debate: &Debate) -> Result<Vec<Step>, PromptError> {
    let mut outcome = match course(Bout::first(debate))? {
        Course::Steps(steps) => return Ok(steps),
        Course::Over(outcome) => outcome,
    };
    match Second::after(debate, &outcome) {
        Second::NotDue => {}
        Second::Skipped(why) => outcome.lines.push(why),
        Second::Due => match course(Bout::exchanged(debate))? {
            Course::Steps(steps) => return Ok(steps),
            Course::Over(second) => outcome = ending::of_both(debate, outcome, second),
        },
    }
    if exchange(debate).is_some_and(Exchange::decides_nothing) {
        outcome.verdict = None;
    }
    Ok(vec![Step::finish(outcome)])
}

fn course(bout: Bout<'_>) -> Result<Course, PromptError> {
    // The next speaker and the judges wait until a statement's claims are listed and its evidence is checked.
    let progress = bout.progress();
    let is_over = matches!(progress, Progress::Complete) && bout.keeps_verdict();
    let newest = bout.statements().last().map(|turn| (turn.said.round, turn.role));
    for turn in bout.statements().filter(|_| !is_over) {
        // Claims that come after an answer were never answered.
        let is_newest = newest == Some((turn.said.round, turn.role));
        match settle(bout, &turn, is_newest)? {
            Settled::Yes => {}
            Settled::Waiting => return Ok(Course::Steps(Vec::new())),
            Settled::Needs(step) => return Ok(Course::Steps(vec![step])),
        }
    }
    match progress {
        Progress::Turn { round, role } => turn(bout, round, role).map(Course::Steps),
        progress => match ending::without_verdict(bout, &progress) {
            Some(outcome) => Ok(Course::Over(outcome)),
            None => match closings(bout, &progress)? {
                Some(steps) => Ok(Course::Steps(steps)),
                None => judging(bout, &progress),
            },
        },
    }
}

fn accept(bout: Bout<'_>, call: &Call, wanted: Wanted, text: &str) -> Result<Content, Rejection> {
    let (plan, leg) = (bout.plan(), bout.leg);
    match wanted {
        Wanted::Ballot { order } => {
            let Shape::Json { schema, .. } = &call.shape else { return Err(unknown_call()) };
            let reading = Reading::of(bout, order);
            let verdict = verdict::accept(&reading, leg, schema, text)?;
            let judge = plan.seat(&call.seat).map(SeatPlan::spec).unwrap_or_default();
            Ok(Content::Ballot(Box::new(Ballot { judge, order, rounds: bout.completed_rounds(), verdict })))
        }
        Wanted::Summary { .. } if text.len() > LONGEST_SUMMARY => {
            let wanted = Sizes::of(plan).summary;
            let reason = format!("the summary is far longer than {wanted} tokens; shorten it");
            Err(Rejection::new("summary:too_long", reason))
        }
        Wanted::Summary { round } => Ok(Content::Summary(summary::accept(bout, round - 2, text))),
        Wanted::Claims { round, role } => {
            let body = bout.statement(round, role).map_or("", |turn| turn.said.statement.body.as_str());
            let ids = bout.ids_before(round, role);
            Ok(Content::Claims(Block::asked_for(text, body, Known { own: leg.letter(role), ids: &ids })))
        }
        Wanted::Statement { round, role } => statement(text, leg.letter(role), &bout.ids_before(round, role)),
        // Claims that a closing lists all the same are never read.
        Wanted::Closing { role } => statement(text, leg.letter(role), &BTreeSet::new()),
    }
}

fn statement(text: &str, own: &str, ids: &BTreeSet<ClaimId>) -> Result<Content, Rejection> {
    let no_prose = || Rejection::new("statement:no_prose", "the answer has a block of claims but no prose");
    Statement::read(text, Known { own, ids }).map(Content::Statement).ok_or_else(no_prose)
}

/// What a statement needs before the debate goes on.
fn settle(bout: Bout<'_>, turn: &Turn<'_>, is_newest: bool) -> Result<Settled, PromptError> {
    let (debate, role, round) = (bout.debate, turn.role, turn.said.round);
    let is_asked = lists_claims(debate.plan(), &role.seat()) && debate.budget_spent().is_none();
    let key = listing_key(&bout.leg.statement_key(round, role));
    turn.said.settle(debate, key, is_asked && is_newest && turn.said.listing.is_none(), || {
        let (prompt, schema) = claims_prompt(bout, turn)?;
        let shape = Shape::Json { name: "claims", schema };
        Ok(ask(bout, Wanted::Claims { round, role }, prompt, shape, LISTING_TOKENS))
    })
}

impl<'a> Bout<'a> {
    /// How far the rounds have come: the first statement that is missing decides.
    pub(super) fn progress(self) -> Progress<'a> {
        for round in 1..=self.planned_rounds() {
            for role in Role::ALL {
                match self.debate.state(&self.leg.statement_key(round, role)) {
                    Some(CallState::Answered(_)) => {}
                    Some(CallState::Failed(failure)) => return Progress::Failed { round, role, failure },
                    Some(CallState::Open) | None if self.debate.budget_spent().is_some() => {
                        return Progress::OutOfBudget { round, role };
                    }
                    Some(CallState::Open | CallState::UnderWay { .. }) | None => return Progress::Turn { round, role },
                }
            }
        }
        Progress::Complete
    }
}

/// The statement whose turn it is, with the summary it needs; and the summary for the next round, since all that it covers
/// has been said, and the summary before it is there. Once the budget is spent there is no next round to prepare.
fn turn(bout: Bout<'_>, round: u32, role: Role) -> Result<Vec<Step>, PromptError> {
    if round >= FIRST_SUMMARISED_ROUND && !is_summarised(bout, round) {
        return Ok(summarise(bout, round)?.into_iter().collect());
    }
    let mut steps = Vec::new();
    let key = bout.leg.statement_key(round, role);
    if bout.debate.may_begin(&key) {
        let prompt = statement_prompt(bout, round, role)?;
        let tokens = Sizes::of(bout.plan()).statement;
        let action = ask(bout, Wanted::Statement { round, role }, prompt, Shape::Prose, tokens);
        steps.push(Step { key, action });
    }
    let next = round + 1;
    let paid = bout.debate.budget_spent().is_none();
    if paid && (FIRST_SUMMARISED_ROUND..=bout.planned_rounds()).contains(&next) && !is_summarised(bout, next) {
        steps.extend(summarise(bout, next)?);
    }
    Ok(steps)
}

fn is_summarised(bout: Bout<'_>, round: u32) -> bool {
    bout.debate.answered(&bout.leg.summary_key(round)).is_some() || bout.debate.entry(&bout.leg.extract_key(round)).is_some()
}

/// Asks for the summary, or records the engine's own extract where that failed.
fn summarise(bout: Bout<'_>, round: u32) -> Result<Option<Step>, PromptError> {
    let key = bout.leg.summary_key(round);
    if bout.debate.failed(&key).is_some() {
        let entry = Entry::words(EntryKind::Extract, summary::extract(bout, round - 2));
        return Ok(Some(Step { key: bout.leg.extract_key(round), action: Action::Record(entry) }));
    }
    if !bout.debate.may_begin(&key) {
        return Ok(None);
    }
    let prompt = summary_prompt(bout, round)?;
    let action = ask(bout, Wanted::Summary { round }, prompt, Shape::Prose, Sizes::of(bout.plan()).summary);
    Ok(Some(Step { key, action }))
}

/// Asks both debaters for their closings at the same time, so that neither has the last word; none where nothing is left
/// to ask. After the first ballot what the judges read stays as it is.
fn closings(bout: Bout<'_>, progress: &Progress<'_>) -> Result<Option<Vec<Step>>, PromptError> {
    let is_complete = matches!(progress, Progress::Complete);
    if !is_complete || !is_thorough(bout.plan()) || bout.debate.budget_spent().is_some() {
        return Ok(None);
    }
    let round = bout.completed_rounds();
    if bout.counted().iter().any(|(_, ballot)| ballot.rounds == round) {
        return Ok(None);
    }
    let keys = Role::ALL.map(|role| (role, bout.leg.closing_key(round, role)));
    if keys.iter().all(|(_, key)| bout.debate.has_ended(key)) {
        return Ok(None);
    }
    let open = keys.into_iter().filter(|(_, key)| bout.debate.may_begin(key));
    let steps = open.map(|(role, key)| {
        let prompt = closing_prompt(bout, role)?;
        let action = ask(bout, Wanted::Closing { role }, prompt, Shape::Prose, Sizes::of(bout.plan()).statement);
        Ok(Step { key, action })
    });
    steps.collect::<Result<_, _>>().map(Some)
}

/// Asks for the ballots, all at the same time; once they are in, the debate ends.
fn judging(bout: Bout<'_>, progress: &Progress<'_>) -> Result<Course, PromptError> {
    let needed = bout.needed();
    if bout.keeps_verdict() || needed.iter().all(|(key, ..)| bout.debate.has_ended(key)) {
        return Ok(Course::Over(ending::judged(bout, progress, &needed)));
    }
    // The summary for a round that won't come, or a closing whose counterpart can't be paid for.
    let superfluous = bout.debate.under_way_keys().filter(|key| needed.iter().all(|(ballot, ..)| ballot != *key));
    let mut steps: Vec<Step> = superfluous.map(|key| Step { key: key.clone(), action: Action::Cancel }).collect();
    let incomplete = ending::broken_off(progress);
    for (key, seat, number) in needed {
        if !bout.debate.may_begin(&key) {
            continue;
        }
        let (order, sizes) = (order_of(number), Sizes::of(bout.plan()));
        let reading = Reading::of(bout, order);
        let schema = verdict::schema(&reading, sizes.is_short());
        let prompt = ballot_prompt(bout, &reading, incomplete.as_deref())?;
        let shape = Shape::Json { name: "verdict", schema };
        let action = call(bout, Wanted::Ballot { order }, seat, prompt, shape, sizes.verdict);
        steps.push(Step { key, action });
    }
    Ok(Course::Steps(steps))
}

/// Asks a debater, or the first judge.
fn ask(bout: Bout<'_>, wanted: Wanted, prompt: Prompt, shape: Shape, output_tokens: u64) -> Action {
    let seat = match wanted {
        Wanted::Statement { role, .. } | Wanted::Claims { role, .. } | Wanted::Closing { role } => role.seat(),
        Wanted::Summary { .. } | Wanted::Ballot { .. } => judge_seat(1),
    };
    call(bout, wanted, seat, prompt, shape, output_tokens)
}

fn call(bout: Bout<'_>, wanted: Wanted, seat: SeatName, prompt: Prompt, shape: Shape, output_tokens: u64) -> Action {
    let (phase, fund) = match wanted {
        Wanted::Statement { round, .. } | Wanted::Claims { round, .. } => {
            (bout.leg.phase(format_args!("round {round}")), Fund::Debate)
        }
        Wanted::Summary { .. } => (bout.leg.phase("summary"), Fund::Debate),
        Wanted::Closing { .. } => (bout.leg.phase(CLOSING), Fund::Debate),
        Wanted::Ballot { .. } => (bout.leg.phase(VERDICT), Fund::Verdict),
    };
    let (asks, limit_ms) = (Payload::of((bout.leg, wanted)), bout.plan().timeout_ms);
    Action::Ask(Box::new(Call { seat, phase, asks, prompt, shape, output_tokens, limit_ms, fund }))
}

impl Leg {
    /// The row in the accounts of a part of this debate: `verdict`, `exchange verdict`.
    pub(super) fn phase(self, part: impl std::fmt::Display) -> Phase {
        match self {
            Self::First => Phase(part.to_string()),
            Self::Exchanged => Phase(format!("exchange {part}")),
        }
    }
}
