//! duel: a proposer and a challenger argue a topic, a judge decides.

mod context;
mod documents;
mod ending;
mod evidence;
mod format;
mod procedure;
mod sizes;
mod summary;
mod tiny;
mod verdict;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::debate::{AnsweredCall, Debate, Payload, Plan, SeatName, StepKey};
use crate::evidence::{Block, Listing, Statement};

pub use context::check_prompts;
pub use evidence::{evidence_key, findings, ledger};
pub use format::Duel;
pub use summary::Summary;
pub use verdict::{Agreement, Decisive, Disagreement, Grade, Quality, Side, Verdict};

pub const ROUNDS: std::ops::RangeInclusive<u32> = 1..=5;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DuelSetup {
    pub rounds: u32,
}

/// What an accepted answer holds, as it was read when it arrived: a later version of rebut reads no answer anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    Statement(Statement),
    /// The claims of a statement whose own block was missing, or why there are none.
    Claims(Block),
    Summary(Summary),
    /// The judge's verdict.
    Verdict(Box<Verdict>),
}

fn content<'a>(debate: &'a Debate, key: &StepKey) -> Option<&'a Content> {
    debate.answered(key)?.content.get()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Takes a position and defends it.
    Proposer,
    Challenger,
    /// Summarises and decides.
    Judge,
}

impl Role {
    /// The two who argue, in the order in which they speak.
    pub const DEBATERS: [Self; 2] = [Self::Proposer, Self::Challenger];

    /// The role in one word, which is also the name of its seat.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proposer => "proposer",
            Self::Challenger => "challenger",
            Self::Judge => "judge",
        }
    }

    /// The letter of this role in the ids of claims.
    pub fn letter(self) -> &'static str {
        match self {
            Self::Proposer => "P",
            Self::Challenger => "C",
            Self::Judge => "J",
        }
    }

    pub fn seat(self) -> SeatName {
        SeatName::new(self.as_str())
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The key of a statement: `round-2/challenger`.
pub fn statement_key(round: u32, role: Role) -> StepKey {
    StepKey::new(format!("round-{round}/{role}"))
}

/// The key of the call for the claims of a statement that listed none: `round-2/challenger/claims`.
pub fn claims_key(round: u32, role: Role) -> StepKey {
    StepKey::new(format!("round-{round}/{role}/claims"))
}

/// The key of the summary that round `round` is argued with: `round-3/summary`.
pub fn summary_key(round: u32) -> StepKey {
    StepKey::new(format!("round-{round}/summary"))
}

/// The key of the engine's own extract, which stands in for a summary that failed: `round-3/extract`.
pub fn extract_key(round: u32) -> StepKey {
    StepKey::new(format!("round-{round}/extract"))
}

/// The key of the verdict: `verdict`, and `verdict/2` where a debate that had ended was resumed and is judged again.
pub fn verdict_key(sitting: u32) -> StepKey {
    StepKey::new(if sitting == 1 { "verdict".to_owned() } else { format!("verdict/{sitting}") })
}

/// Notes on the seats for the user.
pub fn seat_notes(plan: &Plan) -> Vec<String> {
    let seat = |role: Role| plan.seat(&role.seat());
    let (Some(proposer), Some(challenger)) = (seat(Role::Proposer), seat(Role::Challenger)) else { return Vec::new() };
    let mut notes = Vec::new();
    if proposer.spec() == challenger.spec() {
        notes.push(format!("{} argues both sides, with different seeds if the tool supports them", proposer.spec()));
    } else if proposer.tool == challenger.tool && proposer.family == challenger.family {
        notes.push(format!("both sides are {}, with different models", proposer.tool));
    } else if proposer.family == challenger.family {
        notes.push(format!("both debaters are from the same vendor ({})", proposer.family));
    }
    if let Some(judge) = seat(Role::Judge)
        && (judge.family == proposer.family || judge.family == challenger.family)
    {
        notes.push(format!("the judge ({}) is from the same vendor as a debater", judge.spec()));
    }
    notes
}

fn rounds(plan: &Plan) -> u32 {
    plan.setup.get().map_or(0, |setup: &DuelSetup| setup.rounds)
}

pub fn planned_rounds(debate: &Debate) -> u32 {
    rounds(debate.plan())
}

/// How many rounds both sides have spoken in.
pub fn completed_rounds(debate: &Debate) -> u32 {
    let complete = |round: &u32| Role::DEBATERS.iter().all(|role| statement(debate, *round, *role).is_some());
    let rounds = (*ROUNDS.start()..=planned_rounds(debate).max(*ROUNDS.end())).take_while(complete).count();
    u32::try_from(rounds).unwrap_or(u32::MAX)
}

pub fn statement(debate: &Debate, round: u32, role: Role) -> Option<(&Statement, &AnsweredCall)> {
    let answered = debate.answered(&statement_key(round, role))?;
    match answered.content.get()? {
        Content::Statement(statement) => Some((statement, answered)),
        _ => None,
    }
}

/// What a statement lists: in its own block, or in the answer to the call for its claims.
pub fn listing(debate: &Debate, round: u32, role: Role) -> Option<&Listing> {
    let (statement, _) = statement(debate, round, role)?;
    statement.listing().or_else(|| match content(debate, &claims_key(round, role))? {
        Content::Claims(Block::Listed(listing)) => Some(listing),
        _ => None,
    })
}

pub fn statements(debate: &Debate) -> impl Iterator<Item = (u32, Role, &Statement, &AnsweredCall)> {
    let rounds = *ROUNDS.start()..=planned_rounds(debate).max(*ROUNDS.end());
    // None is made before the one that precedes it.
    rounds.flat_map(|round| Role::DEBATERS.map(|role| (round, role))).map_while(|(round, role)| {
        let (statement, answered) = statement(debate, round, role)?;
        Some((round, role, statement, answered))
    })
}

pub fn verdict(debate: &Debate) -> Option<&Verdict> {
    verdict_at(debate, debate.outcome()?.verdict.as_ref()?)
}

/// The side that an accepted verdict names.
pub(in crate::formats) fn chosen(content: &Payload) -> Option<Side> {
    match content.get()? {
        Content::Verdict(verdict) => Some(verdict.winner),
        _ => None,
    }
}

fn verdict_at<'a>(debate: &'a Debate, key: &StepKey) -> Option<&'a Verdict> {
    match content(debate, key)? {
        Content::Verdict(verdict) => Some(verdict),
        _ => None,
    }
}
