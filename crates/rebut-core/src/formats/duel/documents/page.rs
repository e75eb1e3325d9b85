//! A duel as a page shows it.

use super::{agreements, asked, brief::brief, capital, closing_title, disagreements, quality, winner_name};
use crate::debate::page::{Argument, Ballot, Part, Round, Section, Side, Statement, Verdict as Came};
use crate::debate::{AnsweredCall, Debate};
use crate::evidence::Ledger;
use crate::formats::duel::{Bout, Cast, Leg, Role, Turn, Verdict, exchange, firmness, verdict};
use crate::formats::said::cut_note;
use crate::report::notes;
use crate::report::text::listed;

pub(super) fn page(debate: &Debate) -> Vec<Section> {
    let bout = Bout::first(debate);
    let decided = verdict(debate);
    let decisive = decided.iter().flat_map(|verdict| &verdict.decisive).map(|point| point.id.clone()).collect();
    let sides = Bout::both(debate).into_iter().flat_map(sides).collect();
    let argument = Argument { sides, ledger: ledger(debate), decisive };
    let came = Came {
        brief: brief(debate),
        firmness: firmness(debate).map(|firmness| {
            let [proposer, challenger] = bout.tally();
            let (most, all) = (proposer.max(challenger), proposer + challenger);
            let votes = || format!("{most} of {all} ballots agree");
            let meaning = exchange(debate).map_or_else(votes, |result| result.words().to_owned());
            (firmness.heading().to_owned(), meaning)
        }),
        ballots: Bout::both(debate).into_iter().flat_map(votes).collect(),
        passages: passages(debate, decided),
    };
    let mut sections = vec![
        Section { id: "verdict", title: "Verdict", part: Part::Verdict(came) },
        Section { id: "map", title: "Argument map", part: Part::Argument(argument) },
        Section { id: "rounds", title: "Rounds", part: Part::Rounds(rounds(bout)) },
    ];
    let second = Bout::exchanged(debate);
    if second.has_begun() {
        sections.push(Section { id: "exchange", title: "Positions exchanged", part: Part::Rounds(rounds(second)) });
    }
    sections
}

fn sides(bout: Bout<'_>) -> [Side; 2] {
    Role::ALL.map(|role| Side {
        letter: bout.leg.letter(role).to_owned(),
        speaker: speaker(bout.leg, role.as_str()),
        name: titled(bout, role),
    })
}

/// The claims of both debates as one ledger, in which a debater of the second is a side of its own.
fn ledger(debate: &Debate) -> Ledger {
    let mut all = Ledger::default();
    for bout in Bout::both(debate) {
        let mut ledger = bout.ledger();
        for claim in &mut ledger.claims {
            claim.speaker = speaker(bout.leg, &claim.speaker);
            for (who, _) in &mut claim.conceded_by {
                *who = speaker(bout.leg, who);
            }
        }
        all.claims.append(&mut ledger.claims);
        all.false_mentions.append(&mut ledger.false_mentions);
        all.tallies.extend(ledger.tallies.into_iter().map(|(who, tally)| (speaker(bout.leg, &who), tally)));
    }
    all
}

fn speaker(leg: Leg, who: &str) -> String {
    if leg == Leg::First { who.to_owned() } else { format!("{who}, exchanged") }
}

fn titled(bout: Bout<'_>, role: Role) -> String {
    format!("{} ({})", capital(&speaker(bout.leg, role.as_str())), bout.plan().tool(&role.seat()))
}

/// Every ballot, those that failed included.
fn votes(bout: Bout<'_>) -> Vec<Ballot> {
    let debate = bout.debate;
    let vote = |Cast { key, seat, vote, failure }: Cast<'_>| {
        let model = debate.newest_model(&seat).map_or_else(String::new, |model| format!(": {model}"));
        let second = if bout.leg == Leg::First { "" } else { ", positions exchanged" };
        let judge = format!("{} ({}){model}{second}", capital(seat.as_str()), debate.plan().tool(&seat));
        if let Some((ballot, _)) = vote {
            let (winner, verdict) = (ballot.verdict.winner, &ballot.verdict);
            return Some(Ballot {
                judge,
                note: asked(bout, &key, ballot.order),
                result: format!("{} ({})", capital(winner.as_str()), winner_name(debate, winner)),
                failed: false,
                reasoning: verdict.reasoning.clone(),
                decisive: verdict.decisive.iter().map(|point| (point.id.clone(), point.why.clone())).collect(),
            });
        }
        let result = format!("left out: it {}", failure?);
        Some(Ballot { judge, result, failed: true, ..Ballot::default() })
    };
    bout.ballots().into_iter().filter_map(vote).collect()
}

fn passages(debate: &Debate, decided: Option<&Verdict>) -> Vec<(&'static str, String)> {
    let mut passages = Vec::new();
    if let Some(verdict) = decided {
        passages.push(("Recommendation", verdict.recommendation.clone()));
        passages.push(("Agreements", listed(agreements(verdict))));
        passages.push(("Disagreements", listed(disagreements(verdict))));
        passages.push(("Unresolved questions", listed(verdict.unresolved.iter().cloned())));
        passages.push(("Quality", listed(quality(verdict))));
    }
    passages.push(("Notes", listed(notes(debate))));
    passages.retain(|(_, text)| !text.trim().is_empty());
    passages
}

fn rounds(bout: Bout<'_>) -> Vec<Round> {
    let mut rounds: Vec<Round> = Vec::new();
    let shown = |id: String, role: Role, body: &str, answered: &AnsweredCall, notes: Vec<String>| Statement {
        id,
        side: usize::from(role == Role::Challenger) + if bout.leg == Leg::First { 0 } else { Role::ALL.len() },
        speaker: titled(bout, role),
        body: body.to_owned(),
        notes,
        model: answered.model.clone(),
        duration_ms: answered.duration_ms,
    };
    for Turn { role, said, answered } in bout.statements() {
        let dropped = said.listing.iter().flat_map(|listing| listing.dropped.iter().cloned());
        let notes = said.notes(true).into_iter().chain(dropped).collect();
        let statement = shown(said.id(), role, &said.statement.body, answered, notes);
        Round::add(&mut rounds, format!("Round {}", said.round), statement);
        for (role, closing, answered) in bout.closings(said.round).filter(|_| role == Role::Challenger) {
            let id = format!("{}-closing", bout.statement_id(said.round, role));
            let closing = shown(id, role, &closing.body, answered, cut_note(closing).into_iter().collect());
            Round::add(&mut rounds, closing_title(bout, said.round), closing);
        }
    }
    rounds
}
