//! ask and cross: partners answer one question without seeing each other, critique each other's answers, and converge.
//!
//! `ask` is round 0 alone: all answers, and where they agree and differ. `cross` continues from there. Positions, movement and
//! the end are read from the fields of the answers' blocks; prose is shown and never read.

mod context;
mod documents;
mod ending;
mod evidence;
mod format;
mod movement;
pub mod options;
mod procedure;
mod relay;
mod setup;
mod synthesis;
mod vote;

use serde::{Deserialize, Serialize};

use crate::debate::{AnsweredCall, Debate, Plan, StepKey};
use crate::evidence::{Block, Statement};
use crate::formats::said::{Said, listing_key, lists_claims};

pub use evidence::ledger;
pub use format::Cross;
pub use movement::{Move, moves};
pub use procedure::{Early, early, last_round};
pub use relay::{label, name, thread};
pub use setup::{CrossSetup, Facts, Kind, Opened, Opening, PARTNERS, Partner, ROUNDS, moderator};
pub use synthesis::{Point, PointKind, Synthesis};
use vote::agreement_line;
pub use vote::{Agreement, Present, Vote, agreement, present, vote};

/// What an accepted answer holds, as it was read when it arrived: a later version of rebut reads no answer anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    /// An answer in prose with its claims.
    Statement(Statement),
    /// The block of an answer whose own was missing, or why there is none.
    Claims(Block),
    /// How the moderator compares answers, or sums a debate up.
    Synthesis(Box<Synthesis>),
}

/// What the plan says of it; none where the debate is neither an ask nor a cross.
pub fn setup(plan: &Plan) -> Option<&CrossSetup> {
    plan.setup.get()
}

/// How many rounds follow the opening answers.
fn planned_rounds(plan: &Plan) -> u32 {
    setup(plan).map_or(0, |setup| setup.rounds)
}

pub fn partners(plan: &Plan) -> impl Iterator<Item = Partner> {
    Partner::all(setup(plan).map_or(0, |setup| setup.partners))
}

/// The answers that can be given; empty where any can.
pub fn options_of(plan: &Plan) -> &[String] {
    setup(plan).map_or(&[], |setup| &setup.options)
}

/// What people call the round of an answer: round 0 is none to them.
fn round_name(round: u32) -> String {
    match round {
        0 => "first answer".to_owned(),
        round => format!("round {round}"),
    }
}

/// The key of an answer: `round-1/partner-2`.
pub fn answer_key(round: u32, partner: Partner) -> StepKey {
    StepKey::new(format!("round-{round}/{partner}"))
}

/// The key of an answer that is asked for again, since nothing readable came back.
pub fn again_key(round: u32, partner: Partner) -> StepKey {
    StepKey::new(format!("round-{round}/{partner}/again"))
}

/// The round and partner of a key; none where it belongs to the moderator.
pub fn place_of(key: &StepKey) -> Option<(u32, Partner)> {
    let mut parts = key.as_str().split('/');
    let round = parts.next()?.strip_prefix("round-")?.parse().ok()?;
    Some((round, Partner::of_seat(parts.next()?)?))
}

/// The key of what the moderator says: `comparison` of an ask, else `synthesis`; with a number where a debate that had
/// ended was resumed.
pub fn synthesis_key(kind: Kind, sitting: u32) -> StepKey {
    let name = kind.document();
    StepKey::new(if sitting == 1 { name.to_owned() } else { format!("{name}/{sitting}") })
}

/// An answer that was given, with what is known of its call.
#[derive(Clone, Debug)]
pub struct Given<'a> {
    pub partner: Partner,
    pub said: Said<'a>,
    pub facts: Facts,
}

impl Given<'_> {
    /// A copy for a debate that continues from this answer.
    pub fn opened(&self) -> Opened {
        let statement = self.said.statement;
        let block = self.said.listing.map_or_else(|| statement.block.clone(), |listing| Block::Listed(listing.clone()));
        Opened { statement: Statement { block, ..statement.clone() }, facts: self.facts.clone() }
    }
}

pub fn given(debate: &Debate, round: u32, partner: Partner) -> Option<Given<'_>> {
    let key = answer_key(round, partner);
    let said = |statement, asked_for| Said::of(debate, &key, (partner.letter(), round), statement, asked_for);
    if let Some(Opened { statement, facts }) = copied(debate.plan(), round, partner) {
        return Some(Given { partner, said: said(statement, None), facts: facts.clone() });
    }
    let again = again_key(round, partner);
    let answered = debate.answered(&key).or_else(|| debate.answered(&again))?;
    let AnsweredCall { content: own, model, transport, bytes, duration_ms, .. } = answered;
    let Content::Statement(statement) = own.get()? else { return None };
    let asked_for = match debate.content(&listing_key(&key)) {
        Some(Content::Claims(block)) => Some(block),
        _ => None,
    };
    let attempts = [&key, &again].into_iter().filter_map(|key| debate.call(key)).map(|call| call.attempts).sum();
    let (model, transport) = (model.clone(), transport.clone());
    let facts = Facts { model, transport, bytes: *bytes, duration_ms: *duration_ms, attempts };
    Some(Given { partner, said: said(statement, asked_for), facts })
}

/// The answer of an earlier debate that is this one's.
fn copied(plan: &Plan, round: u32, partner: Partner) -> Option<&Opened> {
    setup(plan)?.opening.as_ref().filter(|_| round == 0)?.answers.get(&partner.seat())
}

/// Whether an answer lacks the list that it is asked for, or a position if the question is closed.
fn lacks_list(plan: &Plan, given: &Given<'_>) -> bool {
    let is_closed = !options_of(plan).is_empty();
    let is_asked = lists_claims(plan, &given.partner.seat()) && copied(plan, given.said.round, given.partner).is_none();
    is_asked && given.said.listing.is_none_or(|listing| is_closed && listing.position.is_none())
}

/// Whether the list that an answer lacks may still come.
pub fn awaits_list(debate: &Debate, given: &Given<'_>) -> bool {
    let key = listing_key(&answer_key(given.said.round, given.partner));
    lacks_list(debate.plan(), given) && debate.outcome().is_none() && !debate.has_ended(&key)
}

/// Every answer, round by round, in the order of the partners.
pub fn answers(debate: &Debate) -> impl Iterator<Item = Given<'_>> {
    let rounds = 0..=planned_rounds(debate.plan()).max(*ROUNDS.end());
    rounds.flat_map(move |round| partners(debate.plan()).filter_map(move |partner| given(debate, round, partner)))
}

/// The last answer of a partner up to a round.
pub fn latest(debate: &Debate, round: u32, partner: Partner) -> Option<Given<'_>> {
    (0..=round).rev().find_map(|round| given(debate, round, partner))
}

/// What the moderator said in the end.
pub fn synthesis(debate: &Debate) -> Option<&Synthesis> {
    match debate.content(debate.outcome()?.verdict.as_ref()?)? {
        Content::Synthesis(synthesis) => Some(synthesis),
        _ => None,
    }
}

/// Who is absent from the rounds so far, and why, in plain sentences by round. A partner that is still answering, or was
/// cut off and can go on, is not absent.
pub fn absences(debate: &Debate) -> Vec<(u32, Partner, String)> {
    let missing = missing(debate).into_iter().filter(|(round, partner)| !is_awaited(debate, *round, *partner));
    missing.map(|(round, partner)| (round, partner, ending::why_absent(debate, round, partner))).collect()
}

/// Whose answers to the rounds so far may still come.
pub fn awaited(debate: &Debate) -> Vec<(u32, Partner)> {
    missing(debate).into_iter().filter(|(round, partner)| is_awaited(debate, *round, *partner)).collect()
}

/// Whether this answer may still come.
pub fn is_awaited(debate: &Debate, round: u32, partner: Partner) -> bool {
    debate.outcome().is_none() && procedure::may_still_come(debate, round, partner)
}

fn missing(debate: &Debate) -> Vec<(u32, Partner)> {
    let Some(last) = last_round(debate) else { return Vec::new() };
    let all = (0..=last).flat_map(|round| partners(debate.plan()).map(move |partner| (round, partner)));
    all.filter(|(round, partner)| given(debate, *round, *partner).is_none()).collect()
}

/// What the user should know of who takes part, in plain sentences.
pub fn seat_notes(plan: &Plan) -> Vec<String> {
    let seats: Vec<_> = partners(plan).filter_map(|partner| plan.seat(&partner.seat())).collect();
    let mut notes = Vec::new();
    let mut families: Vec<&str> = seats.iter().map(|seat| seat.family.as_str()).collect();
    families.sort_unstable();
    families.dedup();
    let same = seats.first().is_some_and(|first| seats.iter().all(|seat| seat.spec() == first.spec()));
    if same && let Some(first) = seats.first() {
        notes.push(format!("one model, {}, gives all {} answers", first.spec(), seats.len()));
    } else if families.len() == 1 {
        notes.push(format!("all partners are from the same vendor ({})", families.join("")));
    } else if families.len() < seats.len() {
        notes.push(format!("{} partners are from {} vendors ({})", seats.len(), families.len(), families.join(", ")));
    }
    if let Some(moderator) = plan.seat(&moderator())
        && families.contains(&moderator.family.as_str())
    {
        notes.push(format!("the moderator ({}) is from the same vendor as a partner", moderator.spec()));
    }
    notes
}
