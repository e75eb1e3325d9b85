//! An ask or a cross as a page shows it: the answers side by side, and who moved.

use super::{brief::brief, is_ask, labelled, points, vote};
use crate::debate::Debate;
use crate::debate::page::{Argument, Part, Round, Section, Side, Statement, Verdict};
use crate::formats::cross::{
    Given, PointKind, agreement_line, answers, awaits_list, ledger, moderator, name, partners, synthesis,
};
use crate::report::notes;
use crate::report::text::listed;

pub(super) fn page(debate: &Debate) -> Vec<Section> {
    let sides = partners(debate.plan()).map(|partner| Side {
        letter: partner.letter().to_owned(),
        speaker: name(debate.plan(), partner),
        name: labelled(debate.plan(), partner),
    });
    let argument = Argument { sides: sides.collect(), ledger: ledger(debate), decisive: Vec::new() };
    let mut moved = String::new();
    super::who_moved(&mut moved, debate, &argument.ledger);
    let verdict = Verdict { brief: brief(debate), firmness: None, ballots: Vec::new(), passages: passages(debate) };
    let (argued, is_ask) = (Part::Argument(argument), is_ask(debate));
    let rounds = Part::Rounds(rounds(debate));
    let mut sections = vec![
        Section { id: "verdict", title: if is_ask { "Comparison" } else { "Synthesis" }, part: Part::Verdict(verdict) },
        Section { id: "rounds", title: "Answers", part: rounds },
        Section { id: "map", title: "Argument map", part: argued },
    ];
    if !is_ask {
        sections.insert(1, Section { id: "moved", title: "Who moved", part: Part::Text(moved) });
    }
    sections
}

fn passages(debate: &Debate) -> Vec<(&'static str, String)> {
    let mut passages = Vec::new();
    if let Some(found) = synthesis(debate) {
        let mut compared = String::new();
        points(&mut compared, debate, found);
        passages.push(("Synthesis", found.text.clone()));
        passages.push(("Where they agree and differ", compared));
        let differ = found.points.iter().filter(|point| point.kind == PointKind::Differ);
        let differ = listed(differ.map(|point| point.text.clone()));
        passages.push(("Remaining disagreement", if is_ask(debate) { String::new() } else { differ }));
        passages.push(("Moderator", debate.newest_model(&moderator()).unwrap_or_default().to_owned()));
    }
    if let Some(agreement) = agreement_line(debate) {
        passages.push(("Agreement", agreement));
    } else if let Some(vote) = vote(debate, 0) {
        passages.push(("Positions", vote.line()));
    }
    passages.push(("Notes", listed(notes(debate))));
    passages.retain(|(_, text)| !text.trim().is_empty());
    passages
}

fn rounds(debate: &Debate) -> Vec<Round> {
    let mut rounds: Vec<Round> = Vec::new();
    for given in answers(debate) {
        let title = if is_ask(debate) { "Answers".to_owned() } else { format!("Round {}", given.said.round) };
        Round::add(&mut rounds, title, statement(debate, &given));
    }
    rounds
}

fn statement(debate: &Debate, given: &Given<'_>) -> Statement {
    let said = &given.said;
    let position = said.position().map(|position| format!("Position: {position}"));
    let dropped = said.listing.iter().flat_map(|listing| listing.dropped.iter().cloned());
    Statement {
        id: said.id(),
        side: partners(debate.plan()).position(|partner| partner == given.partner).unwrap_or(0),
        speaker: name(debate.plan(), given.partner),
        body: said.statement.body.clone(),
        notes: position.into_iter().chain(said.notes(!awaits_list(debate, given))).chain(dropped).collect(),
        model: given.facts.model.clone(),
        duration_ms: given.facts.duration_ms,
    }
}
