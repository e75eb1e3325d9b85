//! Positions exchanged: a second debate in which each side argues the other's position, and the combined result.
//!
//! A debater that is stronger than the other tends to win from either position. So only a position that wins both debates,
//! and with it from both seats and both places in the order, is a result.

use serde::Serialize;

use super::ballots::needed;
use super::procedure::Progress;
use super::{Bout, Leg, Role, is_thorough};
use crate::debate::{Debate, Outcome, Plan, Status};
use crate::formats::said::lists_claims;
use crate::judging::Firmness;

/// What two debates with positions exchanged come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "result", content = "side", rename_all = "snake_case")]
pub enum Exchange {
    /// The position that this side took in the first debate won both: once when it argued it, once when the other did.
    Position(Role),
    /// This debater won both, once with each position.
    Debater(Role),
    /// One debate has a winner and the other is undecided.
    Split,
    /// Both debates are undecided.
    Undecided,
}

impl Exchange {
    /// What these winners come to, the first debate's and the second's; none is an undecided debate.
    pub fn of(winners: [Option<Role>; 2]) -> Self {
        match winners {
            [Some(first), Some(second)] if first == second => Self::Debater(first),
            // The other debater won with the position that had won before.
            [Some(first), Some(_)] => Self::Position(first),
            [None, None] => Self::Undecided,
            [Some(_), None] | [None, Some(_)] => Self::Split,
        }
    }

    /// What is said of it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Position(_) => "the position wins no matter who argues it",
            Self::Debater(_) => "the same debater won both",
            Self::Split => "split: only one of the two debates has a winner",
            Self::Undecided => "neither debate has a winner",
        }
    }

    /// Whether it leaves the duel without a winner.
    pub fn decides_nothing(self) -> bool {
        !matches!(self, Self::Position(_))
    }
}

/// What both debates of a duel come to; none where a second was not held, or not judged on as many rounds as the first.
pub fn exchange(debate: &Debate) -> Option<Exchange> {
    let bouts = [Bout::first(debate), Bout::exchanged(debate)];
    let [first, second] = bouts.map(Bout::judged_rounds);
    (second.is_some() && first == second).then(|| Exchange::of(bouts.map(Bout::winner)))
}

/// How firm the verdict is; none where nothing was judged. That of two debates is as firm as the weaker of them.
pub fn firmness(debate: &Debate) -> Option<Firmness> {
    debate.outcome()?;
    let first = Bout::first(debate).firmness();
    match exchange(debate) {
        None => first,
        Some(Exchange::Position(_)) => first.min(Bout::exchanged(debate).firmness()),
        Some(_) => Some(Firmness::Undecided),
    }
}

/// Whether a second debate is planned. A debater that lists no claims states no position that the other could argue.
pub(super) fn is_exchange_planned(plan: &Plan) -> bool {
    is_thorough(plan) && Role::ALL.iter().all(|role| lists_claims(plan, &role.seat()))
}

/// Whether a second debate follows the first.
pub(super) enum Second {
    Due,
    NotDue,
    /// It was planned and can't be held.
    Skipped(String),
}

impl Second {
    /// What follows a first debate that ended like this.
    pub(super) fn after(debate: &Debate, first: &Outcome) -> Self {
        let has_begun = Bout::exchanged(debate).has_begun();
        // Another verdict pays for judges only.
        let only_judged = debate.is_judged_again() && !has_begun;
        if !is_thorough(debate.plan()) || only_judged || first.status == Status::Failed {
            return Self::NotDue;
        }
        if first.status != Status::Completed {
            return Self::Skipped("Positions are exchanged only after a complete first debate.".to_owned());
        }
        let missing = Role::ALL.into_iter().find(|role| Bout::first(debate).position(*role).is_none());
        match missing {
            Some(role) => Self::Skipped(format!("Positions were not exchanged: the {role} stated none in round 1.")),
            None => Self::Due,
        }
    }
}

impl<'a> Bout<'a> {
    /// The debate with positions exchanged, held or not.
    pub fn exchanged(debate: &'a Debate) -> Self {
        Self { debate, leg: Leg::Exchanged }
    }

    /// The debates that were held, the first one first.
    pub fn both(debate: &'a Debate) -> Vec<Self> {
        [Self::first(debate), Self::exchanged(debate)].into_iter().filter(|bout| bout.has_begun()).collect()
    }

    pub fn has_begun(self) -> bool {
        self.debate.call(&self.leg.statement_key(1, Role::Proposer)).is_some()
    }

    /// The position that a side argues: its own, or in the second debate the other side's.
    pub fn position(self, role: Role) -> Option<&'a str> {
        match self.leg {
            Leg::First => self.statement(1, role)?.said.position(),
            Leg::Exchanged => Bout::first(self.debate).position(role.other()),
        }
    }

    /// How many rounds the ballots that count rest on; none where there are none.
    fn judged_rounds(self) -> Option<u32> {
        self.counted().first().map(|(_, ballot)| ballot.rounds)
    }

    /// The sitting in which this debate is judged: the newest. But ballots that rest on all complete rounds are not asked for
    /// again where the next round broke off, or where only the second debate was left to finish.
    pub(super) fn sitting(self) -> u32 {
        let newest = self.debate.sitting();
        let only_second_is_left = self.leg == Leg::First && Bout::exchanged(self.debate).has_begun();
        let broke_off = !matches!(self.progress(), Progress::Complete);
        if self.debate.is_judged_again() || !(only_second_is_left || broke_off) {
            return newest;
        }
        let rounds = self.completed_rounds();
        let judged = |sitting: &u32| {
            let (first, _) = needed(self.plan(), self.leg, *sitting);
            first.iter().any(|(key, ..)| self.ballot(key).is_some_and(|ballot| ballot.rounds == rounds))
        };
        (1..=newest).rev().find(judged).unwrap_or(newest)
    }

    /// Whether this debate keeps the verdict that it had before a resume: its ballots that failed are not asked for again,
    /// unless only one is in.
    pub(super) fn keeps_verdict(self) -> bool {
        self.sitting() < self.debate.sitting() && self.firmness() != Some(Firmness::Single)
    }
}
