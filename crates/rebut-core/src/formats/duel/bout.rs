//! One debate of a duel. A thorough duel holds two: the first, and one in which each side argues the other's position.
//! Both follow the same procedure; they differ in the keys of their steps and in the ids of their claims.

use std::fmt;

use serde::Serialize;

use super::{Content, ROUNDS, Role, rounds};
use crate::debate::{AnsweredCall, Debate, Plan, SeatName, StepKey};
use crate::evidence::Statement;
use crate::formats::said::{Said, listing_key};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Leg {
    First,
    /// Each side argues the other's position.
    Exchanged,
}

impl Leg {
    pub const BOTH: [Self; 2] = [Self::First, Self::Exchanged];

    /// What the ids of a role's claims begin with. The second debate has its own, so an id names one claim, and none that is
    /// a word: `Q1` is also a quarter, and would be masked and linked wherever a text mentions one.
    pub fn letter(self, role: Role) -> &'static str {
        match (self, role) {
            (Self::First, Role::Proposer) => "P",
            (Self::First, Role::Challenger) => "C",
            (Self::Exchanged, Role::Proposer) => "XP",
            (Self::Exchanged, Role::Challenger) => "XC",
        }
    }

    /// The key of a statement: `round-2/challenger`, `exchange/round-2/challenger`.
    pub fn statement_key(self, round: u32, role: Role) -> StepKey {
        self.key(format_args!("round-{round}/{role}"))
    }

    /// The key of the summary that the debaters read in a round: `round-3/summary`.
    pub fn summary_key(self, round: u32) -> StepKey {
        self.key(format_args!("round-{round}/summary"))
    }

    /// The key of the engine's own extract, which replaces a summary that failed: `round-3/extract`.
    pub fn extract_key(self, round: u32) -> StepKey {
        self.key(format_args!("round-{round}/extract"))
    }

    /// The key of a closing after the last round: `round-2/closing/proposer`.
    pub fn closing_key(self, round: u32, role: Role) -> StepKey {
        self.key(format_args!("round-{round}/closing/{role}"))
    }

    /// The key of a ballot: `verdict/judge/1`, and `verdict/2/judge/1` where a debate that had ended is judged again.
    pub fn ballot_key(self, sitting: u32, judge: &SeatName, number: u32) -> StepKey {
        let again = if sitting == 1 { String::new() } else { format!("{sitting}/") };
        self.key(format_args!("verdict/{again}{judge}/{number}"))
    }

    fn key(self, key: fmt::Arguments<'_>) -> StepKey {
        match self {
            Self::First => StepKey::new(fmt::format(key)),
            Self::Exchanged => StepKey::new(format!("exchange/{key}")),
        }
    }
}

/// A statement with its call.
#[derive(Clone, Debug)]
pub struct Turn<'a> {
    pub role: Role,
    pub said: Said<'a>,
    pub answered: &'a AnsweredCall,
}

/// One of the debates of a duel, as far as it has come.
#[derive(Clone, Copy, Debug)]
pub struct Bout<'a> {
    pub debate: &'a Debate,
    pub leg: Leg,
}

impl<'a> Bout<'a> {
    pub fn first(debate: &'a Debate) -> Self {
        Self { debate, leg: Leg::First }
    }

    pub fn plan(self) -> &'a Plan {
        self.debate.plan()
    }

    pub fn planned_rounds(self) -> u32 {
        rounds(self.plan())
    }

    /// The number of rounds in which both sides have spoken.
    pub fn completed_rounds(self) -> u32 {
        let is_in = |round: u32, role: Role| self.debate.answered(&self.leg.statement_key(round, role)).is_some();
        let complete = |round: &u32| Role::ALL.into_iter().all(|role| is_in(*round, role));
        let rounds = (*ROUNDS.start()..=self.planned_rounds().max(*ROUNDS.end())).take_while(complete).count();
        u32::try_from(rounds).unwrap_or(u32::MAX)
    }

    pub fn statement(self, round: u32, role: Role) -> Option<Turn<'a>> {
        let key = self.leg.statement_key(round, role);
        let (statement, answered) = self.answer(&key)?;
        let asked_for = match self.debate.content(&listing_key(&key)) {
            Some(Content::Claims(block)) => Some(block),
            _ => None,
        };
        let said = Said::of(self.debate, &key, (self.leg.letter(role), round), statement, asked_for);
        Some(Turn { role, said, answered })
    }

    fn answer(self, key: &StepKey) -> Option<(&'a Statement, &'a AnsweredCall)> {
        let answered = self.debate.answered(key)?;
        match answered.content.get()? {
            Content::Statement(statement) => Some((statement, answered)),
            _ => None,
        }
    }

    /// The closings after a round, as far as they were written.
    pub fn closings(self, round: u32) -> impl Iterator<Item = (Role, &'a Statement, &'a AnsweredCall)> {
        Role::ALL.into_iter().filter_map(move |role| {
            let (statement, answered) = self.answer(&self.leg.closing_key(round, role))?;
            Some((role, statement, answered))
        })
    }

    /// Whether ballots after a round rest on its closings. A single one would be the last word, so then judges read none.
    pub fn judges_closings(self, round: u32) -> bool {
        self.closings(round).count() == Role::ALL.len()
    }

    /// All statements, in the order in which they were made.
    pub fn statements(self) -> impl Iterator<Item = Turn<'a>> {
        let rounds = *ROUNDS.start()..=self.planned_rounds().max(*ROUNDS.end());
        let places = rounds.flat_map(|round| Role::ALL.map(|role| (round, role)));
        places.map_while(move |(round, role)| self.statement(round, role))
    }

    /// The id of a statement: `P1`.
    pub(super) fn statement_id(self, round: u32, role: Role) -> String {
        format!("{}{round}", self.leg.letter(role))
    }
}
