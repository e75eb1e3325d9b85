//! Duels at `thorough`: closings that neither side answers, and a second debate with positions exchanged.

use rebut_core::debate::{Amendment, Cause, Format, Payload, Plan, Status};
use rebut_core::formats::duel::{self, Bout, Duel, DuelSetup, Exchange, Jury, Role, judge_seat};
use rebut_core::judging::{Firmness, Rigor};
use rebut_core::report;
use serde_json::{Value, json};

use crate::test_debate::{TestDebate, seat, texts};

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
    assert_eq!(
        debate.lines()[0],
        "The challenger (birch) wrote no closing: it timed out. The verdict rests on the rounds alone."
    );
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
    let rounds: Vec<_> = judged.as_array().unwrap().iter().map(|closing| (&closing["round"], &closing["judged"])).collect();
    let (yes, [second, third]) = (json!(true), [json!(2), json!(3)]);
    assert_eq!(rounds, [(&second, &yes), (&second, &yes), (&third, &yes), (&third, &yes)], "each was read by ballots");
    let document = report::document(on.debate());
    let place = |heading: &str| document.find(heading).unwrap_or_else(|| panic!("{heading}:\n{document}"));
    assert!(place("## Closing after round 2 — proposer") < place("## Round 3 — proposer"));
    assert!(place("## Round 3 — challenger") < place("## Closing — proposer"));
    assert!(!on.prompt("verdict/3/judge/1").joined().contains("Closing after round 2"));
    assert_eq!(report::state(on.debate())["rounds_completed"], json!(3));
}

/// A thorough duel of one round in which both sides state a position.
fn exchanging() -> TestDebate {
    stating_positions(thorough(1))
}

fn stating_positions(debate: TestDebate) -> TestDebate {
    let opening = r#"{"position": "Replace it.", "claims": [{"text": "JSON is slow", "evidence": []}]}"#;
    let answer = r#"{"position": "Keep it.", "claims": [{"text": "Two routes are", "evidence": []}], "concedes": []}"#;
    debate
        .says("round-1/proposer", texts::with_block("Replace it: JSON takes 41 %.", opening))
        .says("round-1/challenger", texts::with_block("Keep it: two routes carry most of it.", answer))
}

/// The ballots of a judge for this side, in a debate whose keys begin like this.
fn judged(debate: TestDebate, debates: &str, winner: Role) -> TestDebate {
    let mut verdict = texts::verdict();
    verdict["winner"] = json!(if winner == Role::Proposer { "A" } else { "B" });
    let (first, second) = (verdict.to_string(), texts::exchanged(&verdict).to_string());
    debate.says(&format!("{debates}verdict/judge/1"), first).says(&format!("{debates}verdict/judge/2"), second)
}

fn outcome(debate: &TestDebate) -> (Option<Exchange>, Option<Firmness>, Status) {
    (duel::exchange(debate.debate()), duel::firmness(debate.debate()), debate.status())
}

#[test]
fn the_winners_of_both_debates_make_the_result() {
    let (proposer, challenger) = (Some(Role::Proposer), Some(Role::Challenger));
    for (winners, result) in [
        ([proposer, challenger], Exchange::Position(Role::Proposer)),
        ([challenger, proposer], Exchange::Position(Role::Challenger)),
        ([proposer, proposer], Exchange::Debater(Role::Proposer)),
        ([challenger, challenger], Exchange::Debater(Role::Challenger)),
        ([proposer, None], Exchange::Split),
        ([None, challenger], Exchange::Split),
        ([None, None], Exchange::Undecided),
    ] {
        assert_eq!(Exchange::of(winners), result, "{winners:?}");
        assert_eq!(result.decides_nothing(), !matches!(result, Exchange::Position(_)));
    }
}

#[test]
fn a_position_that_wins_from_both_seats_wins() {
    let debate = judged(exchanging(), "exchange/", Role::Proposer).run();
    assert_eq!(outcome(&debate), (Some(Exchange::Position(Role::Challenger)), Some(Firmness::Firm), Status::Completed));
    let keys: Vec<&str> = debate.asked().into_iter().filter(|key| key.starts_with("exchange/")).collect();
    let expected = ["round-1/proposer", "round-1/challenger", "round-1/closing/proposer", "round-1/closing/challenger"];
    assert_eq!(keys[..4], expected.map(|key| format!("exchange/{key}")));
    assert_eq!(keys[4..], ["exchange/verdict/judge/1", "exchange/verdict/judge/2"]);
    let state = report::state(debate.debate());
    assert_eq!((state["verdict"]["winner"].as_str(), state["exchanges"].as_array().map(Vec::len)), (Some("birch"), Some(2)));
    let second = &state["rebut"]["exchange"];
    assert_eq!(second["outcome"], json!({"result": "position", "side": "challenger"}));
    assert_eq!(second["positions"], json!({"proposer": "Keep it.", "challenger": "Replace it."}));
    assert_eq!((second["winner"].as_str(), second["exchanges"].as_array().map(Vec::len)), (Some("alder"), Some(2)));
    let ids = |ledger: &Value| -> Vec<String> {
        ledger["claims"].as_array().unwrap().iter().map(|claim| claim["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        (ids(&state["rebut"]["ledger"]).join(" "), ids(&second["ledger"]).join(" ")),
        ("P1.1 C1.1".into(), "XP1.1 XP1.2 XC1.1".into())
    );
    insta::assert_snapshot!("positions_exchanged", report::conclusion(debate.debate()));
}

#[test]
fn the_second_debate_knows_its_positions_and_nothing_of_the_first() {
    let debate = judged(exchanging(), "exchange/", Role::Proposer).run();
    insta::assert_snapshot!("prompt_exchanged_opening", debate.prompt("exchange/round-1/proposer").joined());
    insta::assert_snapshot!("prompt_exchanged_response", debate.prompt("exchange/round-1/challenger").joined());
    for (key, prompt) in debate.prompts().filter(|(key, _)| key.starts_with("exchange/")) {
        let text = prompt.joined();
        assert!(!text.contains("JSON takes 41 %.") && !text.contains(" P1"), "{key}:\n{text}");
        assert_eq!(text.contains("your position>>"), !key.contains("verdict"), "{key}:\n{text}");
    }
}

#[test]
fn no_word_of_a_statement_is_taken_for_an_id_of_the_second_debate() {
    let said = "Revenue fell in Q1, and D1 is a database.";
    let debate = exchanging().says("exchange/round-1/challenger", texts::with_block(said, r#"{"claims": []}"#)).run();
    let ballot = debate.prompt("exchange/verdict/judge/1").joined();
    assert!(ballot.contains(said) && ballot.contains("B1: round 1, Side B"), "{ballot}");
}

#[test]
fn a_debate_without_a_winner_leaves_both_without_one() {
    let against = |debate: TestDebate, debates: &str| {
        let mut verdict = texts::verdict();
        verdict["winner"] = json!("A");
        debate.says(&format!("{debates}verdict/judge/1"), verdict.to_string())
    };
    let split = against(exchanging(), "exchange/").run();
    assert_eq!(outcome(&split), (Some(Exchange::Split), Some(Firmness::Undecided), Status::Completed));
    let neither = against(against(exchanging(), ""), "exchange/").run();
    assert_eq!(outcome(&neither), (Some(Exchange::Undecided), Some(Firmness::Undecided), Status::Completed));
}

#[test]
fn a_position_that_is_missing_is_said_and_there_is_no_second_debate() {
    let debate = thorough(1).run();
    assert!(!debate.asked().iter().any(|key| key.starts_with("exchange/")));
    assert_eq!(debate.lines(), ["Positions were not exchanged: the proposer stated none in round 1."]);
    assert_eq!(debate.status(), Status::Completed);
}

#[test]
fn a_first_debate_that_is_incomplete_or_uncontested_has_no_second() {
    let partial = exchanging().fails("verdict/judge/1", Cause::Exit, "").run();
    let uncontested = thorough(1).fails("round-1/challenger", Cause::Exit, "").run();
    for (debate, status) in [(partial, Status::Partial), (uncontested, Status::Uncontested)] {
        assert_eq!(debate.status(), status);
        assert_eq!(debate.lines().last(), Some(&"Positions are exchanged only after a complete first debate."));
        assert!(!debate.asked().iter().any(|key| key.starts_with("exchange/")));
    }
}

#[test]
fn a_first_debate_keeps_its_verdict_where_a_closing_and_a_ballot_of_it_failed() {
    let two_judges = TestDebate::planned(1, |plan| {
        let jury = Jury { ballots: 2, judges: [1, 2].map(judge_seat).into(), ..Jury::default() };
        plan.seats.insert(judge_seat(2), seat("dogwood"));
        plan.setup = Payload::of(DuelSetup { rounds: 1, rigor: Rigor::Thorough, jury });
    });
    let broken = judged(stating_positions(two_judges), "exchange/", Role::Proposer)
        .fails(CLOSINGS[1], Cause::Timeout, "")
        .fails("verdict/judge-2/1", Cause::Exit, "")
        .fails("exchange/round-1/challenger", Cause::Timeout, "")
        .run();
    assert_eq!(duel::rejudge_calls(broken.debate()).len(), 4, "the second debate is not judged before it is complete");
    let before = broken.asked().len();
    let whole = broken.resume(Amendment::default());
    assert!(whole.asked()[before..].iter().all(|key| key.starts_with("exchange/")), "{:?}", &whole.asked()[before..]);
    assert_eq!(whole.status(), Status::Completed);
    let lines = [
        "The closings were not written. The verdict rests on the rounds alone.",
        "Ballot 1 of the judge-2 (dogwood) is left out: it failed before the debate was resumed.",
    ];
    assert_eq!(whole.lines(), lines);
}

#[test]
fn positions_are_not_planned_to_be_exchanged_with_a_debater_that_lists_no_claims() {
    let local = |plan: &mut Plan| {
        plan.setup = Payload::of(DuelSetup::with_one_judge(1, Rigor::Thorough));
        plan.seats.values_mut().take(1).for_each(|seat| seat.tool = "local".to_owned());
    };
    let debate = TestDebate::planned(1, local);
    let plan = debate.debate().plan();
    let calls = Duel.outline(plan);
    assert!(calls.iter().all(|call| !call.key.as_str().starts_with("exchange/")), "{calls:?}");
    assert_eq!((calls.len(), Duel.plan_words(plan).rounds.as_str()), (6, "1"));
    let notes = duel::seat_notes(plan);
    assert!(notes.iter().any(|note| note.starts_with("positions won't be exchanged: local")), "{notes:?}");
}

#[test]
fn another_verdict_judges_both_debates_and_begins_none() {
    let again = || Amendment { judges_only: true, ..Amendment::default() };
    let debate = judged(exchanging(), "exchange/", Role::Proposer).run();
    assert_eq!(duel::rejudge_calls(debate.debate()).len(), 4);
    let before = debate.asked().len();
    let judged_again = debate.resume(again());
    let keys = ["verdict/2/judge/1", "verdict/2/judge/2", "exchange/verdict/2/judge/1", "exchange/verdict/2/judge/2"];
    assert_eq!(judged_again.asked()[before..], keys);
    let partial = exchanging().fails("verdict/judge/1", Cause::Exit, "").run().resume(again());
    assert_eq!(partial.asked()[4..].iter().filter(|key| key.starts_with("exchange/")).count(), 0);
}

#[test]
fn a_budget_that_ends_after_the_first_verdict_leaves_the_second_debate_for_later() {
    let debate = TestDebate::planned(1, |plan| {
        plan.setup = Payload::of(DuelSetup::with_one_judge(1, Rigor::Thorough));
        plan.budget.max_tokens = Some(9_500);
    });
    let block = r#"{"position": "So.", "claims": []}"#;
    let debate = debate
        .says("round-1/proposer", texts::with_block("Replace it.", block))
        .says("round-1/challenger", texts::with_block("Keep it.", block))
        .run();
    assert_eq!(debate.status(), Status::Partial);
    assert_eq!(
        debate.lines()[0],
        "Positions exchanged: Round 1 is incomplete: the proposer was not asked. The token budget is used up."
    );
}
