//! Journals of earlier versions stay readable, and go on meaning the same.
//!
//! A file of `tests/golden/` is never changed: it is what somebody has on disk. A new version of the events gets a new
//! file beside it.

use std::collections::BTreeSet;

use rebut_core::debate::{Debate, Event, Status};
use rebut_core::formats::duel::{self, Role};

/// The events of a duel of two rounds as version 1 wrote them, with every kind of event on the way: a kill, a stop, a
/// retry, a rejected verdict, and a failure after which it ended and was resumed with another judge.
const VERSION_1: &str = include_str!("golden/events-v1.jsonl");

fn events(journal: &str) -> Vec<Event> {
    journal.lines().map(|line| serde_json::from_str(line).expect("an event of an earlier version")).collect()
}

#[test]
fn a_journal_of_version_1_folds_to_the_debate_that_it_was() {
    let debate = Debate::from_events(events(VERSION_1)).expect("a debate of an earlier version");
    assert_eq!(debate.status(), Status::Completed);
    assert_eq!((debate.events(), debate.sitting(), duel::completed_rounds(&debate)), (29, 2, 2));
    assert_eq!(duel::verdict(&debate).expect("a verdict").winner.role(), Role::Challenger);
    let (statement, answered) = duel::statement(&debate, 2, Role::Proposer).expect("a statement");
    assert_eq!(statement.concessions, ["I concede that browsers need a proxy in front of it."]);
    assert_eq!(answered.model.as_deref(), Some("proposer-7"));
    assert_eq!(debate.meaning(), "eeafadea4da4cb5e2949dd8f00d1a1c7d2ac9dafe8c3b210affdce7deadc3be6");
}

#[test]
fn the_journal_of_version_1_holds_every_kind_of_event() {
    let events = VERSION_1.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    let kinds: BTreeSet<String> =
        events.filter_map(|event| Some(event.pointer("/happening/kind")?.as_str()?.to_owned())).collect();
    let expected = [
        "abandoned",
        "answered",
        "budget_spent",
        "chosen",
        "failed",
        "finished",
        "interrupted",
        "planned",
        "recorded",
        "rejected",
        "resumed",
        "retrying",
        "started",
    ];
    assert_eq!(kinds, expected.map(str::to_owned).into());
}
