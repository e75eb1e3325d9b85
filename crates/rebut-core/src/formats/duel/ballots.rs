//! The ballots of a duel: who votes, which votes count together, and what they come to.

use serde::{Deserialize, Serialize};

use super::verdict::Citable;
use super::{Content, DuelSetup, Role, Side, Verdict, completed_rounds, evidence};
use crate::debate::{AnsweredCall, CallState, Debate, Failure, Plan, Refusal, SeatName, StepKey};
use crate::evidence::Ledger;
use crate::formats::names::Names;
use crate::judging::{Firmness, Label, Masks, Order};

/// The seats that vote, and how often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jury {
    /// How often each of them votes.
    pub ballots: u32,
    pub judges: Vec<SeatName>,
    /// Votes only where a single judge contradicts itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserve: Option<SeatName>,
}

/// A judge's vote on the debate as it was then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ballot {
    /// The seat as it is written on the command line.
    pub judge: String,
    /// Which side was shown as A.
    pub order: Order,
    /// How many rounds it rests on: only votes on the same rounds count together.
    pub rounds: u32,
    pub verdict: Verdict,
}

/// A ballot that was asked for.
#[derive(Clone, Debug)]
pub struct Cast<'a> {
    pub key: StepKey,
    pub seat: SeatName,
    pub vote: Option<(&'a Ballot, &'a AnsweredCall)>,
    pub failure: Option<&'a Failure>,
}

/// The seat of a judge: the first is `judge`, the next `judge-2`.
pub fn judge_seat(number: usize) -> SeatName {
    if number <= 1 { Role::Judge.seat() } else { SeatName::new(format!("{}-{number}", Role::Judge)) }
}

/// Every seat that judges, or may.
pub fn judge_seats(plan: &Plan) -> impl Iterator<Item = SeatName> {
    (1..).map(judge_seat).take_while(|seat| plan.seat(seat).is_some())
}

/// The key of a ballot: `verdict/judge/1`, and `verdict/2/judge/1` where a debate that had ended is judged again.
pub fn ballot_key(sitting: u32, judge: &SeatName, number: u32) -> StepKey {
    let again = if sitting == 1 { String::new() } else { format!("{sitting}/") };
    StepKey::new(format!("verdict/{again}{judge}/{number}"))
}

/// Every other ballot is asked for with the labels exchanged.
pub(super) fn order_of(number: u32) -> Order {
    if number % 2 == 1 { Order::AsWritten } else { Order::Exchanged }
}

pub fn jury(plan: &Plan) -> Option<&Jury> {
    plan.setup.get().map(|setup: &DuelSetup| &setup.jury)
}

/// Why a debate can't be judged again on what was said.
pub fn check_rejudge(debate: &Debate) -> Result<(), Refusal> {
    let (id, format) = (debate.plan().id.short(), &debate.plan().format);
    if jury(debate.plan()).is_none() {
        return Err(Refusal::new(format!("only a duel is judged again, and this is a {format}"))
            .hint(format!("`rebut resume {id} --judge SEAT` replaces who decides, if something is left to decide")));
    }
    if debate.outcome().is_none() {
        return Err(Refusal::new("this debate has not ended").hint(format!("go on with: rebut resume {id}")));
    }
    if completed_rounds(debate) == 0 {
        return Err(Refusal::new("no round is complete, so that there is nothing to judge")
            .hint(format!("go on with: rebut resume {id}")));
    }
    Ok(())
}

/// A ballot to ask for: its key, who votes, and which of its ballots it is.
pub(super) type Needed = (StepKey, SeatName, u32);

/// The ballots that a sitting needs in any case, and those that are only asked for where a judge contradicts itself.
pub(super) fn needed(plan: &Plan, sitting: u32) -> (Vec<Needed>, Vec<Needed>) {
    let Some(jury) = jury(plan) else { return Default::default() };
    let of = |judge: &SeatName| -> Vec<Needed> {
        (1..=jury.ballots).map(|number| (ballot_key(sitting, judge, number), judge.clone(), number)).collect()
    };
    (jury.judges.iter().flat_map(of).collect(), jury.reserve.iter().flat_map(of).collect())
}

/// Whether the one judge of this sitting voted for both sides.
pub(super) fn is_contradictory(debate: &Debate) -> bool {
    let (first, _) = needed(debate.plan(), debate.sitting());
    let one_judge = first.iter().all(|(_, judge, _)| *judge == first[0].1);
    let winners: Vec<Side> = first.iter().filter_map(|(key, ..)| Some(ballot(debate, key)?.verdict.winner)).collect();
    one_judge && Firmness::of(votes(winners.iter().copied())) == Some(Firmness::Undecided)
}

/// Every ballot that was asked for, in order of sittings, judges and numbers.
pub fn ballots(debate: &Debate) -> Vec<Cast<'_>> {
    let mut all = Vec::new();
    for sitting in 1..=debate.sitting() {
        for seat in judge_seats(debate.plan()) {
            for number in 1..=2 {
                let key = ballot_key(sitting, &seat, number);
                let Some(call) = debate.call(&key) else { continue };
                let vote = ballot(debate, &key).zip(debate.answered(&key));
                let failure = if let CallState::Failed(failure) = &call.state { Some(failure) } else { None };
                all.push(Cast { key, seat: seat.clone(), vote, failure });
            }
        }
    }
    all
}

/// The ballots that count together: all on the same rounds as the newest.
pub fn counted(debate: &Debate) -> Vec<(StepKey, &Ballot)> {
    let voted = || ballots(debate).into_iter().filter_map(|cast| Some((cast.key, cast.vote?.0)));
    let newest = voted().map(|(_, ballot)| ballot.rounds).max();
    voted().filter(|(_, ballot)| Some(ballot.rounds) == newest).collect()
}

/// How many ballots name the proposer, and how many the challenger.
pub fn tally(debate: &Debate) -> [usize; 2] {
    votes(counted(debate).iter().map(|(_, ballot)| ballot.verdict.winner))
}

/// How firm the verdict is; none where nothing was judged.
pub fn firmness(debate: &Debate) -> Option<Firmness> {
    Firmness::of(tally(debate)).filter(|_| debate.outcome().is_some())
}

/// The ballot whose text is shown: the first that names the winner; none where there is no winner.
pub(super) fn shown(debate: &Debate) -> Option<StepKey> {
    let [proposer, challenger] = tally(debate);
    let winner = match proposer.cmp(&challenger) {
        std::cmp::Ordering::Equal => return None,
        std::cmp::Ordering::Greater => Side::Proposer,
        std::cmp::Ordering::Less => Side::Challenger,
    };
    counted(debate).into_iter().find(|(_, ballot)| ballot.verdict.winner == winner).map(|(key, _)| key)
}

/// What speaks against trusting the verdict: a winner whose evidence is mostly false, or who conceded what decides.
pub fn flags(debate: &Debate, verdict: &Verdict) -> Vec<String> {
    let ledger = evidence::judged_ledger(debate);
    let (winner, loser) = (verdict.winner.role(), verdict.winner.other().role());
    let counts = |role: Role| ledger.tallies.get(role.as_str()).copied().unwrap_or_default();
    let (own, others) = (counts(winner), counts(loser));
    let mut flags = Vec::new();
    if own.false_ * 2 > own.listed {
        flags.push(format!(
            "the {winner} wins with {} of {} citations false ({loser}: {} of {})",
            own.false_, own.listed, others.false_, others.listed
        ));
    }
    let gave_up = |role: Role| -> Vec<&str> {
        let decisive = verdict.decisive.iter().filter_map(|point| ledger.claims.iter().find(|c| c.id.as_str() == point.id));
        let given = decisive.filter(|claim| {
            let withdrawn = claim.withdrawn.is_some() && claim.speaker == role.as_str();
            withdrawn || claim.conceded_by.iter().any(|(who, _)| who == role.as_str())
        });
        given.map(|claim| claim.id.as_str()).collect()
    };
    let (own, others) = (gave_up(winner), gave_up(loser));
    if !own.is_empty() {
        let count = others.len();
        flags.push(format!(
            "the {winner} wins, but conceded {}, which is named as decisive (decisive points conceded by the {loser}: {count})",
            own.join(" and ")
        ));
    }
    flags
}

fn votes(winners: impl Iterator<Item = Side>) -> [usize; 2] {
    winners.fold([0, 0], |[proposer, challenger], winner| match winner {
        Side::Proposer => [proposer + 1, challenger],
        Side::Challenger => [proposer, challenger + 1],
    })
}

pub(super) fn ballot<'a>(debate: &'a Debate, key: &StepKey) -> Option<&'a Ballot> {
    match super::content(debate, key)? {
        Content::Ballot(ballot) => Some(ballot),
        _ => None,
    }
}

/// What a judge reads on one ballot: the debate so far with neutral labels, and without names of tools and models.
pub(super) struct Reading {
    pub(super) ledger: Ledger,
    pub(super) statements: Vec<String>,
    pub(super) masks: Masks,
    /// The side that is shown as A.
    pub(super) first: Side,
    names: Names,
}

impl Reading {
    pub(super) fn of(debate: &Debate, order: Order) -> Self {
        let rounds = 1..=completed_rounds(debate);
        let statements: Vec<String> =
            rounds.flat_map(|round| Role::DEBATERS.map(|role| format!("{}{round}", role.letter()))).collect();
        let ledger = evidence::judged_ledger(debate);
        let first = if order.label(Label::A) == Label::A { Side::Proposer } else { Side::Challenger };
        let sides = [first, first.other()].map(|side| (side.role().as_str(), side.role().letter()));
        let masks = Masks::new(sides, Citable { ledger: &ledger, statements: &statements }.ids());
        Self { masks, ledger, statements, first, names: Names::of(debate.plan()) }
    }

    pub(super) fn citable(&self) -> Citable<'_> {
        Citable { ledger: &self.ledger, statements: &self.statements }
    }

    pub(super) fn masked(&self, text: &str) -> String {
        self.masks.mask(&self.names.hidden(text))
    }

    /// The sides, each with its label; the one that is shown as A first.
    pub(super) fn sides(&self) -> impl Iterator<Item = (Role, Label)> {
        [self.first, self.first.other()].map(Side::role).into_iter().zip(Label::BOTH)
    }
}
