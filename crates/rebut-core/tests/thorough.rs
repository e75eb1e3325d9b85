//! Duels at `thorough`: closings that neither side answers.

use rebut_core::debate::{Amendment, Cause, Payload, Status};
use rebut_core::formats::duel::{Bout, DuelSetup};
use rebut_core::judging::Rigor;
use rebut_core::report;
use serde_json::json;

use crate::test_debate::{TestDebate, texts};

const CLOSINGS: [&str; 2] = ["round-1/closing/proposer", "round-1/closing/challenger"];

/// A thorough duel with one judge.
fn thorough(rounds: u32) -> TestDebate {
    TestDebate::planned(rounds, |plan| plan.setup = Payload::of(DuelSetup::with_one_judge(rounds, Rigor::Thorough)))
}

#[test]
fn closings_are_written_blind_and_judged_after_the_statements() {
    let debate = thorough(1).run();
    assert_eq!(debate.asked()[2..6], [CLOSINGS[0], CLOSINGS[1], "verdict/judge/1", "verdict/judge/2"]);
    for (key, other) in [(CLOSINGS[0], "challenger closes"), (CLOSINGS[1], "proposer closes")] {
        let prompt = debate.prompt(key).joined();
        assert!(!prompt.contains(other) && prompt.contains(texts::first_words("round-1/challenger")), "{prompt}");
    }
    let ballot = debate.prompt("verdict/judge/2").joined();
    let place = |text: &str| ballot.find(text).unwrap_or_else(|| panic!("{text}:\n{ballot}"));
    assert!(
        place("A1: round 1, Side A") < place("closing of Side A") && place("closing of Side A") < place("closing of Side B")
    );
    assert!(place("closing of Side A") < place("Side A closes: the measurements"));
    let document = report::document(debate.debate());
    assert!(document.contains("## Closing — proposer (alder)\n\nproposer closes:"), "{document}");
    let state = report::state(debate.debate());
    assert_eq!(state["exchanges"].as_array().unwrap().len(), 2);
    assert_eq!(state["rebut"]["closings"][1]["role"], "challenger");
    assert_eq!(state["rebut"]["closings"][1]["judged"], true);
    insta::assert_snapshot!("prompt_closing", debate.prompt(CLOSINGS[0]).joined());
    insta::assert_snapshot!("prompt_verdict_with_closings", debate.prompt("verdict/judge/1").user);
}

#[test]
fn a_closing_alone_would_be_the_last_word_and_is_not_judged() {
    let debate = thorough(1).fails(CLOSINGS[1], Cause::Timeout, "").run();
    assert!(!debate.prompt("verdict/judge/1").joined().contains("closes:"));
    assert_eq!(debate.lines()[0], "The closing of the challenger (birch) timed out. The verdict rests on the rounds alone.");
    assert_eq!(report::state(debate.debate())["rebut"]["closings"][0]["judged"], false);
    assert!(report::document(debate.debate()).contains("proposer closes:"), "what was said is shown all the same");
}

#[test]
fn a_claim_that_only_a_closing_lists_is_not_on_record() {
    let block = r#"{"claims": [{"text": "new"}], "concedes": [{"claim": "P1.1"}]}"#;
    let debate = thorough(1).says(CLOSINGS[1], texts::with_block("At last.", block)).run();
    let ledger = Bout::first(debate.debate()).ledger();
    assert!(ledger.claims.iter().all(|claim| claim.text != "new") && ledger.concessions.is_empty());
}

#[test]
fn a_round_that_breaks_off_has_no_closings_and_another_round_has_its_own() {
    let debate = thorough(2).fails("round-2/challenger", Cause::Exit, "").run();
    assert_eq!(debate.status(), Status::Partial);
    assert!(debate.asked().iter().all(|key| !key.contains("closing")), "{:?}", debate.asked());
    let resumed = debate.resume(Amendment::default());
    assert!(resumed.asked().contains(&"round-2/closing/proposer"), "{:?}", resumed.asked());
    let on = resumed.resume(Amendment { rounds: Some(3), ..Amendment::default() });
    assert!(on.asked().contains(&"round-3/closing/proposer"), "{:?}", on.asked());
    let judged = report::state(on.debate())["rebut"]["closings"].clone();
    assert_eq!(judged.as_array().map(Vec::len), Some(2), "{judged}");
    assert_eq!(report::state(on.debate())["rounds_completed"], json!(3));
}
