//! Ballots of a duel: what judges read, what counts together, and what it comes to.

use std::collections::BTreeMap;

use rebut_core::debate::{Amendment, Cause, Payload, SeatName, SeatPlan, Status, StepKey};
use rebut_core::evidence::ClaimId;
use rebut_core::formats::duel::{self, Bout, DuelSetup, judge_seat};
use rebut_core::judging::{Firmness, Rigor};
use rebut_core::report;
use serde_json::{Value, json};

use crate::test_debate::{TestDebate, seat, texts};

const FIRST: &str = "verdict/judge/1";
const SECOND: &str = "verdict/judge/2";

/// A duel of one round at `standard`, with a second judge if there is one.
fn standard(second: Option<SeatPlan>) -> TestDebate {
    TestDebate::planned(1, |plan| {
        let mut setup = DuelSetup::with_one_judge(1, Rigor::Standard);
        if let Some(second) = second {
            setup.jury.reserve = Some(judge_seat(2));
            plan.seats.insert(judge_seat(2), second);
        }
        plan.setup = Payload::of(setup);
    })
}

fn for_proposer() -> Value {
    let mut verdict = texts::verdict();
    verdict["winner"] = json!("A");
    verdict["unresolved"] = json!(["Who pays?"]);
    verdict
}

fn firmness(debate: &TestDebate) -> Option<Firmness> {
    duel::firmness(debate.debate())
}

#[test]
fn two_ballots_that_agree_are_firm_and_the_second_judge_is_not_asked() {
    let debate = standard(Some(seat("elm"))).run();
    assert_eq!(debate.asked(), ["round-1/proposer", "round-1/challenger", FIRST, SECOND]);
    assert_eq!((firmness(&debate), debate.status()), (Some(Firmness::Firm), Status::Completed));
    assert_eq!(debate.outcome().verdict, Some(texts::verdict_key(1)));
    let state = report::state(debate.debate());
    assert_eq!(state["rebut"]["firmness"], "firm");
    let winners: Vec<&Value> = state["rebut"]["ballots"].as_array().unwrap().iter().map(|b| &b["winner"]).collect();
    assert_eq!(winners, ["challenger", "challenger"]);
    assert_eq!(state["rebut"]["ballots"][1]["order"], "exchanged");
    let conclusion = report::conclusion(debate.debate());
    assert!(conclusion.contains("## Verdict\n\n**Firm: the challenger (birch) had the stronger case.**"), "{conclusion}");
}

#[test]
fn a_judge_that_contradicts_itself_calls_a_second_one() {
    let contradicting = || standard(Some(seat("elm"))).says(SECOND, for_proposer().to_string().replace("\"A\"", "\"B\""));
    let leaning = contradicting().run();
    assert_eq!(leaning.asked()[4..], ["verdict/judge-2/1", "verdict/judge-2/2"]);
    assert_eq!((firmness(&leaning), leaning.status()), (Some(Firmness::Leaning), Status::Completed));
    let conclusion = report::conclusion(leaning.debate());
    assert!(conclusion.contains("**Leaning: the challenger (birch)"), "{conclusion}");
    assert!(conclusion.contains("- cedar:cedar-large (challenger shown first): proposer: "), "{conclusion}");
    assert!(conclusion.contains("- elm:elm-large (proposer shown first): challenger\n"), "{conclusion}");
    // Both judges always take the side that is shown as A.
    let split = standard(Some(seat("elm")))
        .says(FIRST, for_proposer().to_string())
        .says("verdict/judge-2/1", for_proposer().to_string())
        .run();
    assert_eq!((firmness(&split), split.status()), (Some(Firmness::Undecided), Status::Completed));
}

#[test]
fn a_failed_ballot_is_named_and_left_out() {
    let debate = standard(Some(seat("elm"))).fails(FIRST, Cause::Timeout, "").run();
    assert_eq!((firmness(&debate), debate.status()), (Some(Firmness::Single), Status::Partial));
    assert_eq!(debate.lines(), ["Ballot 1 of the judge (cedar) is left out: it timed out."]);
    assert_eq!(debate.outcome().verdict.as_ref().map(StepKey::as_str), Some(SECOND));
    let quick = TestDebate::duel(1).run();
    assert_eq!((firmness(&quick), quick.status()), (Some(Firmness::Single), Status::Completed));
    let none = standard(None).fails(FIRST, Cause::Timeout, "").fails(SECOND, Cause::Exit, "").run();
    assert_eq!((firmness(&none), none.status()), (None, Status::Partial));
    assert_eq!(none.lines()[0], "No verdict: the judge (cedar) timed out.");
}

#[test]
fn a_second_judge_that_fails_leaves_a_firm_verdict_as_it_was() {
    let again = Amendment { judges_only: true, ..Amendment::default() };
    let debate = standard(None).fails("verdict/2/judge/1", Cause::Exit, "").fails("verdict/2/judge/2", Cause::Exit, "");
    let debate = debate.run().resume(again);
    assert_eq!((firmness(&debate), debate.status()), (Some(Firmness::Firm), Status::Completed));
    assert_eq!(debate.outcome().verdict, Some(texts::verdict_key(1)));
    let lines = ["The judge (cedar) did not vote: it failed with an error.", "The verdict rests on the earlier ballots."];
    assert_eq!(debate.lines(), lines);
    let conclusion = report::conclusion(debate.debate());
    assert!(conclusion.contains("- cedar:cedar-large: left out: it failed with an error\n"), "{conclusion}");
}

#[test]
fn an_uncontested_debate_has_no_firmness() {
    let debate = standard(None).fails("round-1/challenger", Cause::Exit, "").run();
    assert_eq!((firmness(&debate), debate.status()), (None, Status::Uncontested));
}

#[test]
fn a_judge_reads_labels_and_no_name_of_a_role_a_tool_or_a_model() {
    let block = r#"{"claims": [{"text": "The proposer's bench by Elm-Large shows it", "evidence": []}], "concedes": []}"#;
    let answer = "As Birch I tell the Proposer: alder:alder-large said so, and P1.1 is wrong. Ask cedar or elm-large.";
    let debate = standard(Some(seat("elm")))
        .says("round-1/challenger", texts::with_block(answer, block))
        .says(FIRST, for_proposer().to_string())
        .run();
    let ballots = debate.prompts().filter(|(key, _)| key.starts_with("verdict/"));
    let prompts: Vec<String> = ballots.map(|(_, prompt)| prompt.joined()).collect();
    assert_eq!(prompts.len(), 4);
    for prompt in &prompts {
        let text = prompt.to_lowercase();
        for name in ["alder", "birch", "cedar", "elm", "proposer", "challenger", "p1", "c1"] {
            assert!(!text.contains(name), "{name}:\n{prompt}");
        }
    }
    assert!(prompts[0].contains("I tell the Side A: [a model] said so, and A1.1 is wrong."), "{}", prompts[0]);
    assert!(prompts[1].contains("I tell the Side B: [a model] said so, and B1.1 is wrong."), "{}", prompts[1]);
    // The statements stay in their order; labels and case files are exchanged.
    let place = |prompt: &str, text: &str| prompt.find(text).unwrap_or_else(|| panic!("{text}:\n{prompt}"));
    assert!(place(&prompts[0], "A1: round 1, Side A") < place(&prompts[0], "B1: round 1, Side B"));
    assert!(place(&prompts[1], "B1: round 1, Side B") < place(&prompts[1], "A1: round 1, Side A"));
    for (prompt, first) in [(&prompts[0], "A1.1 JSON encoding"), (&prompts[1], "B1.1 JSON encoding")] {
        assert!(place(prompt, "case file of Side A") < place(prompt, "case file of Side B"));
        assert!(prompt.contains(first), "{prompt}");
    }
}

#[test]
fn flags_stand_beside_a_verdict_for_a_side_with_false_evidence_or_that_gave_up_what_decides() {
    let block = r#"{"claims": [{"text": "one", "evidence": [{"file": "gone.rs"}]}, {"text": "two", "evidence": [{"file": "lost.rs"}]}],
        "concedes": [{"claim": "P1.1"}]}"#;
    let mut verdict = texts::verdict();
    verdict["decisive"][0]["ref"] = json!("A1.1");
    let debate = TestDebate::about(1, &[("bench/gateway.md", "encode 41.2 %\n")])
        .says("round-1/challenger", texts::with_block("I concede it.", block))
        .says(FIRST, verdict.to_string())
        .run();
    let shown = duel::verdict(debate.debate()).unwrap();
    assert!(shown.decisive.iter().any(|point| point.id == ClaimId::new("P", 1, 1).as_str()));
    let flags = Bout::first(debate.debate()).flags(shown);
    assert_eq!(
        flags,
        [
            "the challenger wins with 2 of 2 citations false (proposer: 1 of 1)",
            "the challenger wins, but conceded P1.1, which is named as decisive (decisive points conceded by the proposer: 0)",
        ]
    );
    assert!(report::conclusion(debate.debate()).contains("> Flag: the challenger wins with 2 of 2"));
    assert_eq!(report::state(debate.debate())["rebut"]["flags"], json!(flags));
    let clean = TestDebate::duel(1).run();
    assert_eq!(Bout::first(clean.debate()).flags(duel::verdict(clean.debate()).unwrap()), [""; 0]);
}

#[test]
fn only_ballots_on_the_same_rounds_count_together() {
    let debate = standard(None).says(FIRST, for_proposer().to_string()).run();
    assert_eq!(firmness(&debate), Some(Firmness::Undecided));
    let seats: BTreeMap<SeatName, SeatPlan> = [(judge_seat(1), seat("elm"))].into();
    let argued_on = debate.resume(Amendment { rounds: Some(2), seats, ..Amendment::default() });
    assert_eq!(argued_on.asked().last(), Some(&"verdict/2/judge/2"));
    assert_eq!(
        (firmness(&argued_on), argued_on.outcome().verdict.clone()),
        (Some(Firmness::Firm), Some(texts::verdict_key(2)))
    );
    let conclusion = report::conclusion(argued_on.debate());
    assert!(conclusion.contains("- cedar:cedar-large (proposer shown first, on fewer rounds, not counted): proposer: "));
}

/// The codes by which a first ballot was refused, and the verdict that came of it in the end.
fn voted(debate: TestDebate, verdict: &Value) -> (Vec<String>, duel::Verdict) {
    let debate = debate.says(FIRST, verdict.to_string()).says(FIRST, for_proposer().to_string()).run();
    let codes = debate.rejections(FIRST).into_iter().map(str::to_owned).collect();
    (codes, duel::verdict(debate.debate()).expect("a verdict").clone())
}

#[test]
fn a_verdict_that_breaks_a_rule_is_refused_by_name() {
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 10] = [
        ("", |_| ()),
        ("verdict:does_not_fit", |v| v["winner"] = json!("both")),
        ("verdict:does_not_fit", |v| v["extra"] = json!(1)),
        ("verdict:does_not_fit", |v| v["disagreements"][0] = json!({"point": "proxy", "a": "x", "b": "y", "B": "z"})),
        ("verdict:does_not_fit", |v| v["disagreements"][0] = json!({"point": "proxy", "a": "cheap"})),
        ("verdict:does_not_fit", |v| v["decisive"][0]["ref"] = json!("A9.9")),
        ("verdict:does_not_fit", |v| v["decisive"] = json!([{"ref": "A1", "why": "so"}])),
        ("verdict:does_not_fit", |v| v["agreements"][0]["claims"] = json!(["X1.1"])),
        ("verdict:empty", |v| v["recommendation"] = json!(" ")),
        ("verdict:too_long", |v| v["reasoning"] = json!("x".repeat(64 * 1024))),
    ];
    for (code, change) in changes {
        let mut verdict = texts::verdict();
        change(&mut verdict);
        let (codes, _) = voted(TestDebate::duel(1), &verdict);
        assert_eq!(codes.concat(), code, "{verdict}");
    }
}

#[test]
fn at_most_three_points_decide_and_what_is_named_twice_is_one() {
    let decided = |refs: &[&str]| {
        let mut verdict = texts::verdict();
        verdict["decisive"] = refs.iter().map(|id| json!({"ref": id, "why": format!("by {id}")})).collect();
        let (_, verdict) = voted(TestDebate::duel(1), &verdict);
        verdict.decisive.into_iter().map(|point| format!("{}: {}", point.id, point.why)).collect::<Vec<_>>()
    };
    assert_eq!(decided(&["A1", "B1", "B1.1", "A1.1"]), ["P1: by P1", "C1: by C1", "C1.1: by C1.1"]);
    assert_eq!(decided(&["B1.1", "B1.1"]), ["C1.1: by C1.1 by C1.1"]);
}

#[test]
fn no_side_wins_by_a_claim_whose_evidence_is_all_false() {
    let refused = |evidence: Value, decisive: &str, winner: &str| {
        let block = json!({"claims": [{"text": "two", "evidence": [evidence]}]}).to_string();
        let mut verdict = texts::verdict();
        (verdict["winner"], verdict["decisive"][0]["ref"]) = (json!(winner), json!(decisive));
        let debate = TestDebate::about(1, &[("bench/gateway.md", "encode 41.2 %\n")]);
        voted(debate.says("round-1/challenger", texts::with_block("No.", &block)), &verdict).0
    };
    let (missing, refusal) = (json!({"file": "gone.rs"}), ["verdict:false_evidence"]);
    assert_eq!(refused(missing.clone(), "B1.1", "B"), refusal);
    assert_eq!(refused(missing.clone(), "B1", "B"), refusal, "nor by its statement");
    assert_eq!(refused(missing, "B1.1", "A"), [""; 0], "what the other side claimed may be why it lost");
    assert_eq!(refused(json!({"file": "bench"}), "B1.1", "B"), [""; 0], "a folder is no evidence at all");
    assert_eq!(refused(json!({"file": "/etc/hosts"}), "B1.1", "B"), [""; 0], "what is outside was not read");
}

#[test]
fn a_verdict_is_bounded_where_a_seat_reads_little() {
    let debate = TestDebate::planned(1, |plan| {
        plan.seats.values_mut().for_each(|seat| seat.context_tokens = Some(8_192));
    });
    let debate = debate.run();
    assert!(debate.prompt("round-1/proposer").system.contains("200 words"));
    let prompt = debate.prompt(FIRST).user.clone();
    assert!(prompt.contains(r#""reasoning":{"type":"string","maxLength":160}"#), "{prompt}");
    assert!(prompt.contains(r#""unresolved":{"type":"array","items":{"type":"string","maxLength":160},"maxItems":2}"#));
}
