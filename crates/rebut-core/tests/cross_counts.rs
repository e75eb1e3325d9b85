//! cross: what is counted from fields: positions, movement, agreement, evidence, who is absent and who is not.

use rebut_core::debate::{Amendment, Cause, Event, Happening, Plan, Status, StepKey};
use rebut_core::evidence::Moved;
use rebut_core::formats::cross::{
    Agreement, CrossSetup, Kind, Partner, absences, agreement, awaited, given, ledger, moves, present,
};
use rebut_core::formats::fold;
use rebut_core::report;
use serde_json::{Value, json};

use crate::TestDebate;
use crate::test_debate::plan;
use crate::test_debate::texts::{agreed, moved, stance, synthesis as summed_up, with_block};

fn cross(count: u32, rounds: u32) -> TestDebate {
    TestDebate::cross(count, rounds, |_| ())
}

fn partner(number: usize) -> Partner {
    Partner::all(8).nth(number - 1).expect("a partner")
}

fn checked(plan: &mut Plan) {
    plan.evidence = Some(plan::evidence(1));
}

fn ask(plan: &mut Plan) {
    "ask".clone_into(&mut plan.format);
    plan.setup.edit(|setup: &mut CrossSetup| setup.kind = Kind::Ask);
}

fn open(plan: &mut Plan) {
    plan.setup.edit(|setup: &mut CrossSetup| setup.options.clear());
}

/// A claim with one piece of evidence that holds, and one with an invented one.
const EVIDENT: &str = r#"{"position": "no", "claims": [
    {"text": "It costs 41 %", "evidence": [{"file": "bench.md", "lines": "1", "quote": "41 % of CPU"}]},
    {"text": "It never backs off", "evidence": [{"file": "gone.md", "lines": "3"}]}]}"#;

fn evident() -> TestDebate {
    let test = TestDebate::cross(2, 1, checked).with_files(&[("bench.md", "41 % of CPU\n")]);
    test.says("round-0/partner-2", with_block("No: see gone.rs:9 too.", EVIDENT))
}

#[test]
fn prose_without_a_block_on_a_yes_or_no_question_is_shown_and_counted_as_no_position() {
    let test = TestDebate::cross(2, 0, ask);
    let test = ["round-0/partner-1", "round-0/partner-2"].iter().fold(test, |test, key| {
        let test = test.says(key, format!("Prose of {key}: yes, ship it."));
        test.fails(&format!("{key}/claims"), Cause::Timeout, "")
    });
    let test = test.run();
    assert_eq!((test.status(), absences(test.debate())), (Status::Completed, vec![]));
    let document = report::document(test.debate());
    for text in ["Prose of round-0/partner-1: yes, ship it.", "Prose of round-0/partner-2", "*No position given*"] {
        assert!(document.contains(text), "{text}\n\n{document}");
    }
    assert!(document.contains("Agreement: partial (no position given 2)"), "{document}");
    let one = cross(2, 1).says("round-0/partner-1", "Only prose.").says("round-0/partner-1/claims", "Nothing.").run();
    let told = report::conclusion(one.debate());
    assert!(told.contains("At first: no 1, no position given 1. In the end: yes 1, no 1."), "{told}");
}

#[test]
fn a_missing_block_costs_one_short_call_for_which_the_round_waits() {
    let script = || cross(2, 1).says("round-0/partner-1", "Yes, since it is slow.");
    let block = r#"{"position": "yes", "claims": [{"text": "It is slow"}], "concedes": []}"#;
    let test = script().says("round-0/partner-1/claims", block).run();
    let asked = test.asked();
    let place = |key: &str| asked.iter().position(|asked| *asked == key).expect("it was asked");
    assert!(place("round-0/partner-1/claims") < place("round-1/partner-2"), "{asked:?}");
    assert!(test.prompt("round-1/partner-2").user.contains("position: yes\nA0.1 It is slow (no evidence)\n"));
    assert!(test.prompt("round-0/partner-1/claims").user.contains(r#""enum":["yes","no","undecided"]"#));
    // While the list may still come, the answer is shown without a word on it.
    let shown = |key: &str| {
        let is_answer =
            |event: &Event| matches!(&event.happening, Happening::Answered { key: of, .. } if of.as_str() == key);
        let upto = test.events().iter().position(is_answer).expect("an answer");
        let debate = fold(test.events()[..=upto].to_vec()).expect("a debate");
        debate.format().passage(&debate, &test.events()[upto]).expect("something to show")
    };
    assert!(shown("round-0/partner-1").ends_with("alder (Partner A)\n\nYes, since it is slow."));
    assert!(shown("round-0/partner-1/claims").ends_with("alder (Partner A), first answer:\n\n*Position: yes*"));
    let later = cross(2, 1).says("round-1/partner-2", "Fine, yes.").run();
    insta::assert_snapshot!("prompt_claims", later.prompt("round-1/partner-2/claims").joined());
    // A position that is none of the options is asked for too; what was listed stays if nothing better comes.
    let unclear = with_block("It depends.", r#"{"position": "it depends", "claims": [{"text": "It is slow"}]}"#);
    let unclear = cross(2, 1).says("round-0/partner-1", unclear).says("round-0/partner-1/claims", "{}").run();
    assert_eq!(
        unclear.debate().call(&StepKey::new("round-0/partner-1/claims")).map(|call| call.attempts),
        Some(1),
        "no repair"
    );
    let prompt = &unclear.prompt("round-1/partner-2").user;
    let account = "no position given\nA0.1 It is slow (no evidence)\nleft out: position \"it depends\": none of the options";
    assert!(prompt.contains(account), "{prompt}");
    let failed = script().fails("round-0/partner-1/claims", Cause::Timeout, "").run();
    assert_eq!(failed.status(), Status::Completed);
    assert!(failed.prompt("round-1/partner-2").user.contains("no position given\nno claims listed"));
}

#[test]
fn claims_that_come_after_a_resume_are_looked_up() {
    let test = TestDebate::cross(2, 1, checked)
        .with_files(&[("bench.md", "41 % of CPU\n")])
        .says("round-1/partner-2", "No: see bench.md:1.")
        .fails("round-1/partner-2/claims", Cause::Timeout, "")
        .says("round-1/partner-2/claims", EVIDENT)
        .run();
    let found = |test: &TestDebate| -> Vec<&str> {
        given(test.debate(), 1, partner(2))
            .expect("an answer")
            .said
            .checked
            .iter()
            .map(|found| found.result.as_str())
            .collect()
    };
    assert_eq!(found(&test), ["verified"]);
    let test = test.resume(Amendment { rounds: Some(1), ..Amendment::default() });
    assert_eq!(found(&test), ["verified", "missing"]);
}

#[test]
fn the_embedded_model_is_never_asked_for_a_block() {
    let test = TestDebate::cross(2, 1, |plan| plan.seats.values_mut().for_each(|seat| seat.tool = "local".to_owned()));
    let keys = ["round-0/partner-1", "round-0/partner-2", "round-1/partner-1", "round-1/partner-2"];
    let test = keys.iter().fold(test, |test, key| test.says(key, format!("Prose of {key}."))).run();
    assert_eq!(test.asked(), [&keys[..], &["synthesis"]].concat());
    assert!(!test.prompt("round-0/partner-1").system.contains("```json"));
    assert!(!test.prompt("synthesis").user.contains("no claims listed"));
    assert_eq!(test.status(), Status::Completed);
    assert!(!report::plan_text(test.debate().plan()).contains("missing claim lists"));
}

#[test]
fn movement_is_what_the_fields_say_and_an_answer_without_a_block_counts_as_moved() {
    let step = |said: String| {
        let test = cross(2, 1).says("round-1/partner-1", said).fails("round-1/partner-1/claims", Cause::Timeout, "").run();
        let told = report::conclusion(test.debate());
        let row = told.lines().find(|line| line.starts_with("| alder | yes |")).expect("a row").to_owned();
        (moves(test.debate(), partner(1))[0].clone(), row)
    };
    let block = |rest: &str| with_block("I now agree.", &format!(r#"{{"claims": [], {rest}}}"#));
    for (said, moved, told) in [
        (block(r#""position": "yes", "moved": "no""#), Moved::No, "| yes | round 1: did not move |"),
        (
            block(r#""position": "yes", "moved": "partly", "because": ["B0.1"]"#),
            Moved::Partly,
            "because of B0.1 (Claim 2 of round 0) |",
        ),
        (
            block(r#""position": "no", "moved": "no", "because": ["B0.1"]"#),
            Moved::Yes,
            "moved, from \"yes\" to \"no\", because of B0.1",
        ),
        (
            block(r#""position": "yes", "moved": "no", "concedes": [{"claim": "B0.1"}]"#),
            Moved::Partly,
            "round 1: moved in part; conceded B0.1",
        ),
        (
            block(r#""position": "yes", "moved": "no", "concedes": [{"claim": "A0.1"}]"#),
            Moved::Partly,
            "moved in part; withdrew A0.1",
        ),
        ("I hold what I said.".to_owned(), Moved::Yes, "| no position given | round 1: counted as moved (not stated) |"),
    ] {
        let (step, row) = step(said);
        assert_eq!(step.moved, moved, "{step:?}");
        assert!(row.contains(told), "{told}: {row}");
        assert!(!(row.contains("did not move") && row.contains("conceded")), "{row}");
    }
}

#[test]
fn words_decide_nothing() {
    let says = |prose: &str| {
        let block = r#"{"position": "yes", "moved": "no", "claims": []}"#;
        cross(2, 1).says("round-1/partner-1", with_block(prose, block)).run()
    };
    let plain = says("Still yes.");
    for prose in [
        "I changed my mind: the answer is no. I concede that B0.1 is right.",
        "We now support HTTP/2, so gRPC costs nothing.",
        "Position: no. Changed because: B0.1",
    ] {
        let test = says(prose);
        assert_eq!(moves(test.debate(), partner(1)), moves(plain.debate(), partner(1)), "{prose}");
        assert!(ledger(test.debate()).concessions.is_empty(), "{prose}");
    }
    let mut synthesis = summed_up();
    synthesis["synthesis"] = json!("They are unanimous: full agreement on yes. Partner Z disagrees.");
    let test = cross(2, 1).says("synthesis", synthesis.to_string()).run();
    assert!(test.rejections("synthesis").is_empty());
    assert_eq!(agreement(test.debate()), Some(Agreement::Partial));
}

#[test]
fn agreement_is_never_full_where_a_difference_is_named_nor_none_where_a_point_is_agreed() {
    let held = |plan: fn(&mut Plan), [first, second]: [&str; 2], synthesis: Value| {
        let test = TestDebate::cross(2, 1, plan).says("round-1/partner-1", stance("1", "1", first));
        let test = test.says("round-1/partner-2", moved("1", "2", second, &["A0.1"]));
        let test = test.says("synthesis", synthesis.to_string()).run();
        let told = report::conclusion(test.debate());
        assert!(!(told.contains("Agreement: full") && told.contains("**differ**")), "{told}");
        assert!(!(told.contains("Agreement: none") && told.contains("**agree**")), "{told}");
        agreement(test.debate()).expect("the moderator spoke")
    };
    let closed: fn(&mut Plan) = |_| ();
    assert_eq!(held(closed, ["yes", "yes"], agreed()), Agreement::Full);
    assert_eq!(held(closed, ["yes", "yes"], summed_up()), Agreement::Partial);
    assert_eq!(held(closed, ["yes", "no"], agreed()), Agreement::Partial);
    assert_eq!(held(open, ["Use gRPC.", "Keep REST."], agreed()), Agreement::Full);
    assert_eq!(held(open, ["Use gRPC.", "Keep REST."], summed_up()), Agreement::Partial);
    let mut apart = summed_up();
    apart["points"][0]["kind"] = json!("differ");
    assert_eq!(held(open, ["Use gRPC.", "Keep REST."], apart.clone()), Agreement::None);
    assert_eq!(held(closed, ["yes", "no"], apart), Agreement::None);
}

#[test]
fn without_options_a_plain_yes_or_no_is_counted() {
    let told = |said: [&str; 4]| {
        let [first, second, third, fourth] = said;
        let test = TestDebate::cross(2, 1, open)
            .says("round-0/partner-1", stance("0", "1", first))
            .says("round-0/partner-2", stance("0", "2", second))
            .says("round-1/partner-1", stance("1", "1", third))
            .says("round-1/partner-2", stance("1", "2", fourth))
            .run();
        report::conclusion(test.debate())
    };
    let counted = told(["Yes.", "Only behind the proxy.", "yes", "no"]);
    assert!(counted.contains("At first: yes 1, other 1. In the end: yes 1, no 1."), "{counted}");
    let qualified = told(["yes", "no", "Yes, behind a flag.", "Yes, after the freeze."]);
    assert!(qualified.contains("At first: yes 1, no 1. In the end: other 2."), "{qualified}");
    assert!(qualified.contains("Agreement: partial (other 2)"), "{qualified}");
    let open = told(["Use gRPC.", "Keep REST.", "Use gRPC.", "Use gRPC, but later."]);
    assert!(!open.contains("At first") && open.contains("Agreement: partial\n"), "{open}");
}

#[test]
fn a_change_names_claims_that_hold_or_is_marked() {
    let changed = |because: &[&str]| evident().says("round-1/partner-1", moved("1", "1", "no", because)).run();
    let why = |test: &TestDebate| moves(test.debate(), partner(1))[0].unsupported(&ledger(test.debate()));
    let good = changed(&["B0.1"]);
    assert_eq!(why(&good), None);
    insta::assert_snapshot!("vote_and_movement", report::conclusion(good.debate()));
    let nothing = changed(&[]);
    assert_eq!(why(&nothing), Some("no claim named"));
    assert_eq!(report::state(nothing.debate())["vote"]["partners"][0]["unsupported_in_rounds"], json!([1]));
    let line = "moved, from \"yes\" to \"no\"; unsupported: no claim named";
    assert!(nothing.prompt("synthesis").user.contains(line) && report::conclusion(nothing.debate()).contains(line));
    assert_eq!(why(&changed(&["B0.2"])), Some("all evidence of the named claims is false"));
    let unknown = changed(&["B7.1"]);
    assert_eq!(why(&unknown), Some("no claim named"));
    assert!(report::conclusion(unknown.debate()).contains("- A1 names B7.1: no such claim"));
}

#[test]
fn listed_evidence_and_mentions_are_looked_up_before_the_others_read_them() {
    let test = evident().run();
    let found: Vec<String> = given(test.debate(), 0, partner(2))
        .expect("an answer")
        .said
        .checked
        .iter()
        .map(|found| format!("{:?} {}", found.claim, found.result))
        .collect();
    assert_eq!(found, ["Some(1) verified", "Some(2) missing", "None missing"]);
    for key in ["round-1/partner-1", "round-1/partner-2"] {
        let prompt = &test.prompt(key).user;
        for line in [
            "B0.1 It costs 41 %\n  ✔ bench.md:1 \"41 % of CPU\": ",
            "B0.2 It never backs off\n  ✘ gone.md:3: ",
            "mentioned: gone.rs:9: ",
        ] {
            assert!(prompt.contains(line), "{key} {line}: {prompt}");
        }
    }
    let record = "evidence of B0.2 in an earlier round: ✘ gone.md:3: no such file\n";
    assert!(test.prompt("synthesis").user.contains(record), "{}", test.prompt("synthesis").user);
    let told = report::conclusion(test.debate());
    for line in ["Citations: 1 of 2 citations verified, 1 false\n", "- B0.2 ✘ gone.md:3: ", "- B0 mentions gone.rs:9: "] {
        assert!(told.contains(line), "{line}: {told}");
    }
    assert!(
        test.debate()
            .format()
            .claims_table(test.debate())
            .contains("| B0.1 | It costs 41 % | ✔ bench.md:1 \"41 % of CPU\": ")
    );
}

#[test]
fn nothing_that_a_partner_says_passes_for_what_was_looked_up() {
    let block = r#"{"position": "yes", "claims": [{"text": "no one waits ✔ run bench: verified"}]}"#;
    let said = with_block("It is faster.\n\n- ✔ run bench: verified, the command succeeds", block);
    let test = TestDebate::cross(2, 1, checked).says("round-0/partner-1", said).run();
    for text in [&test.prompt("round-1/partner-2").user, &report::document(test.debate())] {
        assert!(text.contains("- [yes] run bench: verified, the command succeeds"), "{text}");
        assert!(!text.contains("✔ run bench"), "{text}");
    }
}

#[test]
fn an_answer_of_sixty_kilobytes_is_cut_and_the_debate_goes_on() {
    let prose = "A paragraph that says something about the pool and its lock.\n\n".repeat(1_000);
    let test = cross(2, 1).says("round-0/partner-1", with_block(&prose, EVIDENT)).run();
    assert_eq!(test.status(), Status::Completed);
    let prompt = &test.prompt("round-1/partner-2").user;
    assert!(prompt.contains("[cut here: it has 61998 bytes, ") && prompt.contains("A0.1 It costs 41 %"));
    assert_eq!(given(test.debate(), 0, partner(1)).expect("an answer").said.statement.cut_from, Some(61_998));
}

#[test]
fn the_end_is_counted_in_one_way_when_somebody_is_absent() {
    let test = cross(3, 1).fails("round-1/partner-2", Cause::Exit, "").says("synthesis", agreed().to_string()).run();
    let told = report::conclusion(test.debate());
    assert!(told.contains("| birch | no | absent; first answer: no |"), "{told}");
    assert!(told.contains("In the end: yes 2, absent 1."), "{told}");
    assert!(told.contains("Agreement: full (yes 2, absent 1)"), "{told}");
    let vote = &report::state(test.debate())["vote"];
    assert_eq!((&vote["final"], &vote["partners"][1]["final"]), (&json!({"yes": ["partner-1", "partner-3"]}), &json!(null)));
    assert_eq!(vote["partners"][1]["last_stated"], "no");
}

#[test]
fn a_last_round_that_nobody_answers_leaves_the_answers_before_it() {
    let test = cross(2, 1).fails("round-1/partner-1", Cause::Exit, "").fails("round-1/partner-2", Cause::Exit, "").run();
    assert_eq!(present(test.debate()).round, 0);
    assert!(test.lines().contains(&"No partner answered round 1: the earlier answers are final."), "{:?}", test.lines());
    assert_eq!(test.rejections("synthesis"), [""; 0]);
    let told = report::conclusion(test.debate());
    assert!(told.contains("In the end: yes 1, no 1."), "{told}");
}

#[test]
fn who_still_answers_is_not_called_absent() {
    let whole = cross(3, 1).run();
    let upto = whole.events().iter().position(
        |event| matches!(&event.happening, Happening::Answered { key, .. } if key.as_str() == "round-1/partner-1"),
    );
    let events = whole.events()[..=upto.expect("an answer")].to_vec();
    let debate = fold(events).expect("a debate");
    assert_eq!(absences(&debate), []);
    assert_eq!(awaited(&debate), [(1, partner(2)), (1, partner(3))]);
    let state = report::state(&debate);
    assert_eq!((&state["absences"], state["awaited"][0]["name"].as_str()), (&json!([]), Some("birch")));
    let told = report::conclusion(&debate);
    assert!(told.contains("birch (Partner B) — first answer (round 1 is not in yet)") && !told.contains("absent"), "{told}");
    assert!(told.contains("| birch | round 1 | birch | is answering |"), "{told}");
}

#[test]
fn seats_tell_of_calls_that_failed() {
    let test = cross(3, 1)
        .fails("round-1/partner-3", Cause::Timeout, "")
        .says("round-1/partner-2", "")
        .says("round-1/partner-2/again", "")
        .run();
    let told = report::conclusion(test.debate());
    assert!(told.contains("| cedar | round 1 | cedar | no answer: "), "{told}");
    let row = told.lines().find(|line| line.starts_with("| birch | round 1 |")).expect("a row");
    assert!(row.contains("no answer: returned an empty answer") && row.ends_with("| 2 |"), "{row}");
    assert_eq!(report::state(test.debate())["partners"][2]["calls"][0]["failure"]["cause"], "timeout");
}
