//! The ballots of a duel: who votes, which votes count together, and what they come to.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Bout, Content, DuelSetup, Leg, Role, Verdict};
use crate::debate::{AnsweredCall, CallState, Debate, Failure, Plan, Refusal, SeatName, StepKey};
use crate::evidence::Ledger;
use crate::formats::names::Names;
use crate::judge_check::JudgeRecord;
use crate::judging::{Firmness, Label, Masks, Order};

/// The seats that vote, and how often.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Jury {
    /// How often each of them votes.
    pub ballots: u32,
    pub judges: Vec<SeatName>,
    /// Votes only where a single judge contradicts itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserve: Option<SeatName>,
    /// How they did on known cases, as far as that was known when the debate was planned.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub known: BTreeMap<SeatName, JudgeRecord>,
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
    SeatName::new(if number <= 1 { "judge".to_owned() } else { format!("judge-{number}") })
}

/// Every seat that judges, or may.
pub fn judge_seats(plan: &Plan) -> impl Iterator<Item = SeatName> {
    (1..).map(judge_seat).take_while(|seat| plan.seat(seat).is_some())
}

/// Every second ballot has the labels exchanged.
pub(super) fn order_of(number: u32) -> Order {
    if number % 2 == 1 { Order::AsWritten } else { Order::Exchanged }
}

pub fn jury(plan: &Plan) -> Option<&Jury> {
    plan.setup.get().map(|setup: &DuelSetup| &setup.jury)
}

/// How a judge did on known cases, in words. A seat that was given to another judge since then is untested.
pub fn known_cases(plan: &Plan, name: &SeatName) -> String {
    let is_its_own = |record: &&JudgeRecord| plan.seat(name).is_some_and(|seat| record.is_of(seat));
    let record = jury(plan).and_then(|jury| jury.known.get(name)).filter(is_its_own);
    format!("{name} {}", record.map_or_else(|| "untested".to_owned(), ToString::to_string))
}

/// Why a debate can't be judged again on what was said.
pub fn check_rejudge(debate: &Debate) -> Result<(), Refusal> {
    let (id, format) = (debate.plan().id.short(), &debate.plan().format);
    if jury(debate.plan()).is_none() {
        return Err(Refusal::new(format!("only a duel can be judged again; this debate's kind is {format}"))
            .hint(format!("`rebut resume {id} --judge SEAT` replaces who decides, if something is left to decide")));
    }
    if debate.outcome().is_none() {
        return Err(Refusal::new("this debate has not ended").hint(format!("resume it with: rebut resume {id}")));
    }
    if Bout::first(debate).completed_rounds() == 0 {
        return Err(Refusal::new("no round is complete, so there is nothing to judge")
            .hint(format!("resume it with: rebut resume {id}")));
    }
    Ok(())
}

/// A ballot to ask for: its key, who votes, and which of its ballots it is.
pub(super) type Needed = (StepKey, SeatName, u32);

/// The ballots that a sitting needs in any case, and those that are only asked for where a judge contradicts itself.
pub(super) fn needed(plan: &Plan, leg: Leg, sitting: u32) -> (Vec<Needed>, Vec<Needed>) {
    let Some(jury) = jury(plan) else { return Default::default() };
    let of = |judge: &SeatName| -> Vec<Needed> {
        (1..=jury.ballots).map(|number| (leg.ballot_key(sitting, judge, number), judge.clone(), number)).collect()
    };
    (jury.judges.iter().flat_map(of).collect(), jury.reserve.iter().flat_map(of).collect())
}

impl<'a> Bout<'a> {
    /// The ballots that this sitting needs, as far as is known by now.
    pub(super) fn needed(self) -> Vec<Needed> {
        let (mut first, reserve) = needed(self.plan(), self.leg, self.sitting());
        let one_judge = first.iter().all(|(_, judge, _)| *judge == first[0].1);
        let winners = first.iter().filter_map(|(key, ..)| Some(self.ballot(key)?.verdict.winner));
        if one_judge && Firmness::of(votes(winners)) == Some(Firmness::Undecided) {
            first.extend(reserve);
        }
        first
    }

    /// Every ballot that was asked for, in order of sittings, judges and numbers.
    pub fn ballots(self) -> Vec<Cast<'a>> {
        let mut all = Vec::new();
        for sitting in 1..=self.debate.sitting() {
            for seat in judge_seats(self.plan()) {
                for number in 1..=2 {
                    let key = self.leg.ballot_key(sitting, &seat, number);
                    let Some(call) = self.debate.call(&key) else { continue };
                    let vote = self.ballot(&key).zip(self.debate.answered(&key));
                    let failure = if let CallState::Failed(failure) = &call.state { Some(failure) } else { None };
                    all.push(Cast { key, seat: seat.clone(), vote, failure });
                }
            }
        }
        all
    }

    /// The ballots that count together: all on the same rounds as the newest.
    pub fn counted(self) -> Vec<(StepKey, &'a Ballot)> {
        let voted: Vec<_> = self.ballots().into_iter().filter_map(|cast| Some((cast.key, cast.vote?.0))).collect();
        let newest = voted.iter().map(|(_, ballot)| ballot.rounds).max();
        voted.into_iter().filter(|(_, ballot)| Some(ballot.rounds) == newest).collect()
    }

    /// How many ballots name the proposer, and how many the challenger.
    pub fn tally(self) -> [usize; 2] {
        votes(self.counted().iter().map(|(_, ballot)| ballot.verdict.winner))
    }

    /// How firm the verdict is by the ballots so far; none where there are none.
    pub fn firmness(self) -> Option<Firmness> {
        Firmness::of(self.tally())
    }

    /// The side that most ballots name; none where they are split.
    pub fn winner(self) -> Option<Role> {
        let [proposer, challenger] = self.tally();
        match proposer.cmp(&challenger) {
            Ordering::Equal => None,
            Ordering::Greater => Some(Role::Proposer),
            Ordering::Less => Some(Role::Challenger),
        }
    }

    /// The ballot whose text is shown: the first that names the winner; none where there is no winner.
    pub(super) fn shown(self) -> Option<StepKey> {
        let winner = self.winner()?;
        self.counted().into_iter().find(|(_, ballot)| ballot.verdict.winner == winner).map(|(key, _)| key)
    }

    pub(super) fn ballot(self, key: &StepKey) -> Option<&'a Ballot> {
        match self.debate.content(key)? {
            Content::Ballot(ballot) => Some(ballot),
            _ => None,
        }
    }

    /// What speaks against trusting the verdict: a winner whose evidence is mostly false, or who conceded what decides.
    pub fn flags(self, verdict: &Verdict) -> Vec<String> {
        let ledger = self.judged_ledger();
        let (winner, loser) = (verdict.winner, verdict.winner.other());
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
            let decisive =
                verdict.decisive.iter().filter_map(|point| ledger.claims.iter().find(|c| c.id.as_str() == point.id));
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
}

fn votes(winners: impl Iterator<Item = Role>) -> [usize; 2] {
    winners.fold([0, 0], |[proposer, challenger], winner| match winner {
        Role::Proposer => [proposer + 1, challenger],
        Role::Challenger => [proposer, challenger + 1],
    })
}

/// What a judge reads on one ballot: the debate so far with neutral labels, and without names of tools and models.
pub(super) struct Reading {
    pub(super) ledger: Ledger,
    pub(super) statements: Vec<String>,
    pub(super) masks: Masks,
    /// The side that is shown as A.
    pub(super) first: Role,
    names: Names,
}

impl Reading {
    pub(super) fn of(bout: Bout<'_>, order: Order) -> Self {
        let rounds = 1..=bout.completed_rounds();
        let statements: Vec<String> =
            rounds.flat_map(|round| Role::ALL.map(|role| bout.statement_id(round, role))).collect();
        let ledger = bout.judged_ledger();
        let first = if order.label(Label::A) == Label::A { Role::Proposer } else { Role::Challenger };
        let sides = [first, first.other()].map(|role| (role.as_str(), bout.leg.letter(role)));
        let masks =
            Masks::new(sides, ledger.claims.iter().map(|claim| claim.id.to_string()).chain(statements.iter().cloned()));
        Self { masks, ledger, statements, first, names: Names::of(bout.plan()) }
    }

    /// What a verdict may name, as the judge reads it: claims, then statements.
    pub(super) fn ids(&self) -> Vec<&str> {
        let claims = self.ledger.claims.iter().map(|claim| claim.id.as_str());
        claims.chain(self.statements.iter().map(String::as_str)).map(|id| self.masks.masked_id(id)).collect()
    }

    pub(super) fn masked(&self, text: &str) -> String {
        self.masks.mask(&self.names.hidden(text))
    }

    /// The sides, each with its label; the one that is shown as A first.
    pub(super) fn sides(&self) -> impl Iterator<Item = (Role, Label)> {
        [self.first, self.first.other()].into_iter().zip(Label::BOTH)
    }
}
