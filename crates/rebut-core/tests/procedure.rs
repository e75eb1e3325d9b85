//! The course of a duel: who is asked when, and what becomes of summaries.

use std::collections::BTreeSet;

use rebut_core::debate::{Cause, EntryKind, Format, Status};
use rebut_core::formats::duel::{self, Duel, Leg, Role};

use crate::TestDebate;
use crate::test_debate::texts;

#[test]
fn a_duel_of_one_round_is_opening_response_and_verdict() {
    let debate = TestDebate::duel(1).run();
    assert_eq!(debate.asked(), ["round-1/proposer", "round-1/challenger", "verdict/judge/1"]);
    assert_eq!(debate.status(), Status::Completed);
    assert_eq!(debate.lines(), [""; 0]);
    let verdict = duel::verdict(debate.debate()).expect("a verdict");
    assert_eq!(verdict.winner, Role::Challenger);
}

#[test]
fn the_summary_for_a_round_runs_beside_the_round_before_it() {
    let debate = TestDebate::duel(4).run();
    assert_eq!(
        debate.asked(),
        [
            "round-1/proposer",
            "round-1/challenger",
            "round-2/proposer",
            "round-3/summary",
            "round-2/challenger",
            "round-3/proposer",
            "round-4/summary",
            "round-3/challenger",
            "round-4/proposer",
            "round-4/challenger",
            "verdict/judge/1",
        ]
    );
}

#[test]
fn a_round_waits_for_its_summary() {
    // The summary arrives last of all that is under way.
    let debate = TestDebate::duel(3).arriving([0, 0, 0, 1, 0]).run();
    assert_eq!(debate.status(), Status::Completed);
    let prompt = &debate.prompt("round-3/proposer").user;
    assert!(prompt.contains(": summary of round 1>>\nP wants gRPC"), "{prompt}");
}

#[test]
fn a_summary_for_a_round_that_will_not_be_held_is_cancelled() {
    // The proposer of round 2 fails while the summary for round 3 is under way.
    let debate = TestDebate::duel(3).arriving([0, 0, 0]).fails("round-2/proposer", Cause::Exit, "").run();
    assert_eq!(debate.failure("round-3/summary").cause, Cause::Cancelled);
    assert_eq!(debate.status(), Status::Partial);
}

#[test]
fn a_failed_summary_is_replaced_by_an_extract_and_the_debate_goes_on() {
    let debate = TestDebate::duel(4).fails("round-4/summary", Cause::Timeout, "").run();
    assert_eq!(debate.status(), Status::Completed);
    let entry = debate.debate().entry(&Leg::First.extract_key(4)).expect("an extract");
    assert_eq!(entry.kind, EntryKind::Extract);
    insta::assert_snapshot!(entry.text);
    assert!(debate.prompt("round-4/proposer").user.contains(&entry.text));
    assert!(debate.prompt("round-4/challenger").user.contains(&entry.text));
}

#[test]
fn a_summary_that_misses_a_concession_gets_it_added_word_for_word() {
    let debate = TestDebate::duel(4).run();
    let Some(duel::Content::Summary(summary)) =
        debate.debate().answered(&Leg::First.summary_key(4)).expect("a summary").content.get()
    else {
        panic!("the summary's content is a summary");
    };
    assert_eq!(summary.added_concessions, [texts::CONCESSION]);
    assert!(summary.text.ends_with(&format!(
        "\n\nConcessions on record that the summary left out, word for word:\n\
         - P2 concedes C1.1: \"{}\"",
        texts::CONCESSION
    )));
    assert!(debate.prompt("round-4/proposer").user.contains(&summary.text));
}

#[test]
fn a_summary_that_keeps_every_concession_is_left_as_it_is() {
    let kept = format!("Both sides stand where they stood. The proposer said: “{}”", texts::CONCESSION.replace(' ', "\n"));
    let debate = TestDebate::duel(4).says("round-4/summary", kept.as_str()).run();
    let Some(duel::Content::Summary(summary)) =
        debate.debate().answered(&Leg::First.summary_key(4)).expect("a summary").content.get()
    else {
        panic!("the summary's content is a summary");
    };
    assert_eq!((summary.text.as_str(), summary.added_concessions.len()), (kept.as_str(), 0));
}

#[test]
fn the_prompt_for_a_summary_names_the_concessions_on_record() {
    let debate = TestDebate::duel(4).run();
    let line = format!("- P2 concedes C1.1: \"{}\"", texts::CONCESSION);
    assert!(debate.prompt("round-4/summary").user.contains(&line));
    assert!(!debate.prompt("round-3/summary").user.contains("on record"), "nothing was conceded in round 1");
}

#[test]
fn the_outline_names_every_call_of_an_undisturbed_debate() {
    for rounds in duel::ROUNDS {
        let debate = TestDebate::duel(rounds).run();
        let outline = Duel.outline(debate.debate().plan());
        let planned: BTreeSet<&str> = outline.iter().map(|call| call.key.as_str()).collect();
        assert_eq!(planned, debate.asked().into_iter().collect(), "{rounds} rounds");
        assert_eq!(outline.len(), planned.len(), "{rounds} rounds");
    }
}

#[test]
fn what_a_prompt_holds_does_not_depend_on_the_order_of_arrival() {
    let straight = TestDebate::duel(5).run();
    for arrivals in [vec![0; 40], vec![1; 40], (0..40).collect(), (0..40).rev().collect()] {
        let other = TestDebate::duel(5).arriving(arrivals).run();
        for (key, prompt) in other.prompts() {
            assert_eq!(prompt, straight.prompt(key), "{key}");
        }
        assert_eq!(other.debate().meaning(), straight.debate().meaning());
    }
}
