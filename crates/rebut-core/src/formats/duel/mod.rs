//! duel: a proposer and a challenger argue a topic, a judge decides.

mod ballots;
mod bout;
mod context;
mod documents;
mod ending;
mod evidence;
mod exchange;
mod format;
mod outline;
mod procedure;
mod sizes;
mod summary;
mod tiny;
mod verdict;

use serde::{Deserialize, Serialize};

use crate::debate::{Debate, Payload, Plan, SeatName, SeatPlan};
use crate::evidence::{Block, Statement};
use crate::formats::said::lists_claims;
use crate::judging::Rigor;
use crate::named::named;

pub use ballots::{Ballot, Cast, Jury, check_rejudge, judge_seat, judge_seats, jury, known_cases};
pub use bout::{Bout, Leg, Turn};
pub use exchange::{Exchange, exchange, firmness};
pub use format::Duel;
pub(super) use format::PROMPTS;
pub use outline::rejudge_calls;
pub use summary::Summary;
pub use verdict::{Agreement, Decisive, Disagreement, Grade, Quality, Verdict};

pub const ROUNDS: std::ops::RangeInclusive<u32> = 1..=5;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DuelSetup {
    pub rounds: u32,
    pub rigor: Rigor,
    pub jury: Jury,
}

impl DuelSetup {
    /// A duel judged by the seat `judge` alone.
    pub fn with_one_judge(rounds: u32, rigor: Rigor) -> Self {
        Self { rounds, rigor, jury: Jury { ballots: rigor.ballots(), judges: vec![judge_seat(1)], ..Jury::default() } }
    }
}

/// What an accepted answer holds, as it was read when it arrived: a later version of rebut reads no answer anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    Statement(Statement),
    /// The claims of a statement whose own block was missing, or why there are none.
    Claims(Block),
    Summary(Summary),
    /// A judge's vote.
    Ballot(Box<Ballot>),
}

named! {
    /// The two who argue, in the order in which they speak.
    pub enum Role {
        /// Takes a position and defends it.
        Proposer = "proposer",
        Challenger = "challenger",
    }
}

impl Role {
    #[must_use]
    pub fn other(self) -> Self {
        if self == Self::Proposer { Self::Challenger } else { Self::Proposer }
    }

    /// Its seat, which has its name.
    pub fn seat(self) -> SeatName {
        SeatName::new(self.as_str())
    }
}

/// Notes on the seats for the user.
pub fn seat_notes(plan: &Plan) -> Vec<String> {
    let seat = |role: Role| plan.seat(&role.seat());
    let (Some(proposer), Some(challenger)) = (seat(Role::Proposer), seat(Role::Challenger)) else { return Vec::new() };
    let mut notes: Vec<String> = if proposer.spec() == challenger.spec() {
        vec![format!("{} argues both sides, with different seeds if the tool supports them", proposer.spec())]
    } else if let Some(unequal) = unequal(proposer, challenger) {
        vec![unequal]
    } else if proposer.tool == challenger.tool && proposer.family == challenger.family {
        vec![format!("both sides are {}, with different models", proposer.tool)]
    } else if proposer.family == challenger.family {
        vec![format!("both debaters are from the same vendor ({})", proposer.family)]
    } else {
        Vec::new()
    };
    let without_claims = Role::ALL.into_iter().find(|role| !lists_claims(plan, &role.seat())).and_then(seat);
    if let Some(debater) = without_claims.filter(|_| is_thorough(plan)) {
        notes.push(format!("positions won't be exchanged: {} lists no claims, so it states no position", debater.spec()));
    }
    for (judge, number) in judge_seats(plan).filter_map(|judge| plan.seat(&judge)).zip(1..) {
        if judge.family == proposer.family || judge.family == challenger.family {
            let which = if number == 1 { "the judge".to_owned() } else { format!("judge-{number}") };
            notes.push(format!("{which} ({}) is from the same vendor as a debater", judge.spec()));
        }
    }
    notes
}

/// Whether both sides write closings after the last round and then argue each other's position.
fn is_thorough(plan: &Plan) -> bool {
    plan.setup.get().is_some_and(|setup: &DuelSetup| setup.rigor == Rigor::Thorough)
}

/// Why one debater is clearly stronger than the other. It tends to win whatever it argues.
fn unequal(proposer: &SeatPlan, challenger: &SeatPlan) -> Option<String> {
    /// How many times dearer a model of another tier is, at least.
    const TIER: u64 = 2;
    let price = |seat: &SeatPlan| seat.price.map(|price| price.of(1_000_000, 1_000_000).nanodollars());
    let is_dearer =
        price(proposer).zip(price(challenger)).is_some_and(|(one, other)| one.max(other) >= TIER * one.min(other));
    let other_tier = is_dearer || proposer.tier.zip(challenger.tier).is_some_and(|(one, other)| one != other);
    let why = if proposer.is_embedded() != challenger.is_embedded() {
        "one is an embedded model"
    } else if proposer.family == challenger.family && proposer.model != challenger.model && other_tier {
        "they are different tiers of one vendor"
    } else {
        return None;
    };
    let (one, other) = (proposer.spec(), challenger.spec());
    Some(format!("{one} and {other} are unequal debaters ({why}): the stronger tends to win whatever it argues"))
}

fn rounds(plan: &Plan) -> u32 {
    plan.setup.get().map_or(0, |setup: &DuelSetup| setup.rounds)
}

/// The side that an accepted ballot names.
pub(super) fn chosen(content: &Payload) -> Option<Role> {
    match content.get()? {
        Content::Ballot(ballot) => Some(ballot.verdict.winner),
        _ => None,
    }
}

/// The verdict as it is shown: the first ballot for the winner; none where no side won.
pub fn verdict(debate: &Debate) -> Option<&Verdict> {
    Bout::first(debate).ballot(debate.outcome()?.verdict.as_ref()?).map(|ballot| &ballot.verdict)
}
