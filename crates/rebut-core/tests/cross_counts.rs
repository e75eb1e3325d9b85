//! cross: what is counted: agreement against a report of it, changes and what they rest on, who is absent and who is not.

use rebut_core::debate::{Amendment, Cause, Debate, Happening, Plan, Setup, Status};
use rebut_core::formats::cross::{Agreement, Partner, Support, absences, awaited, present, switches, synthesis};
use rebut_core::report;
use serde_json::json;

use crate::TestDebate;
use crate::test_debate::plan;
use crate::test_debate::texts::{stance, synthesis as summed_up};

fn cross(count: u32, rounds: u32) -> TestDebate {
    TestDebate::cross(count, rounds, |_| ())
}

fn partner(number: usize) -> Partner {
    Partner::all(8).nth(number - 1).expect("a partner")
}

fn checked(plan: &mut Plan) {
    plan.evidence = Some(plan::evidence(1));
}

fn open(plan: &mut Plan) {
    let Setup::Cross(setup) = &mut plan.setup else { unreachable!() };
    setup.options.clear();
}

#[test]
fn a_moderator_cannot_hide_behind_partial() {
    let split = cross(2, 1).says("synthesis", summed_up("partial").to_string()).run();
    assert_eq!(split.rejections("synthesis"), ["synthesis:against_the_tally"], "nobody shares a position");
    let agreed = cross(2, 1).says("round-1/partner-2", stance("1", "2", "yes"));
    let agreed = agreed.says("synthesis", summed_up("partial").to_string());
    let agreed = agreed.says("synthesis", summed_up("partial").to_string()).run();
    let found = synthesis(agreed.debate()).expect("a synthesis");
    assert_eq!(found.agreement, Agreement::Full, "all were counted to hold the same");
    assert!(report::conclusion(agreed.debate()).contains("**Overruled**: the moderator reported partial agreement twice"));
}

#[test]
fn words_of_unanimity_against_the_count_are_overruled_too() {
    let mut said = summed_up("none");
    said["moved"][1] = json!({"kind": "agree", "partners": ["Partner A", "Partner B"], "text": "Both are unanimous: yes."});
    let test = cross(2, 1).says("synthesis", said.to_string()).says("synthesis", said.to_string()).run();
    assert_eq!(test.rejections("synthesis"), ["synthesis:against_the_tally"]);
    let told = report::conclusion(test.debate());
    assert!(told.contains("**Overruled**: the moderator called the partners unanimous twice, but"), "{told}");
}

#[test]
fn a_report_against_the_count_ends_overruled_whatever_the_other_reply_broke() {
    let full = || summed_up("full").to_string();
    for replies in [["Both fine.".to_owned(), full()], [full(), "Both fine.".to_owned()]] {
        let [first, second] = replies;
        let test = cross(2, 1).says("synthesis", first).says("synthesis", second).run();
        assert_eq!(test.status(), Status::Completed, "{:?}", test.lines());
        let found = synthesis(test.debate()).expect("what can be used of it is kept");
        assert_eq!(found.agreement, Agreement::None);
        assert!(found.text.starts_with("Keep REST"), "{}", found.text);
        assert!(found.overruled.as_deref().is_some_and(|why| why.starts_with("the moderator reported full agreement, but")));
    }
}

#[test]
fn every_change_that_cites_nothing_is_marked_even_one_that_is_taken_back() {
    let test = cross(2, 2)
        .says("round-1/partner-1", stance("1", "1", "no"))
        .says("round-2/partner-1", stance("2", "1", "yes"))
        .run();
    let made = switches(test.debate(), partner(1));
    assert_eq!(
        made.iter().map(|switch| (switch.round, switch.is_supported())).collect::<Vec<_>>(),
        [(1, false), (2, false)]
    );
    let told = report::conclusion(test.debate());
    assert!(
        told.contains("switch** in round 1: it cites nothing") && told.contains("switch** in round 2: it cites nothing")
    );
    let unstated = TestDebate::cross(2, 1, open)
        .says("round-0/partner-1", "Keep REST and cache the two hot routes.")
        .says("round-1/partner-1", "Fine.\n--- answer\nMove everything over to queues at once, whatever they cost.")
        .run();
    assert_eq!(switches(unstated.debate(), partner(1)).len(), 1, "a change is one without a stated position too");
    assert!(report::conclusion(unstated.debate()).contains("**unsupported switch** in round 1"));
    assert_eq!(report::state(unstated.debate())["vote"]["partners"][0]["unsupported_in_rounds"], json!([1]));
}

#[test]
fn a_change_that_rests_on_what_is_false_or_unknown_is_unsupported() {
    let changed = |because: &str| {
        let said = format!("Fine.\n--- answer\nNo then.\n--- position\nposition: no\nchanged because: {because}");
        let test = TestDebate::cross(2, 1, checked).with_files(&[("bench.md", "41 % of CPU\n")]);
        test.says("round-1/partner-1", said).says("synthesis", summed_up("full").to_string()).run()
    };
    let missing = changed("gone.md:3 \"41 %\"");
    let made = &switches(missing.debate(), partner(1))[0];
    assert_eq!((made.evidence[0].support, made.is_supported()), (Support::False, false));
    let told = report::conclusion(missing.debate());
    assert!(told.contains("**unsupported switch** in round 1: what it cites is false: ✘ gone.md:3"), "{told}");
    // The reader knows one other, and that is A: B is the letter that the other has inside of the debate.
    let unknown = changed("B0.1");
    assert!(!switches(unknown.debate(), partner(1))[0].is_supported(), "a letter that nobody has for this reader");
    assert!(switches(changed("A0.1").debate(), partner(1))[0].is_supported());
    assert!(switches(changed("bench.md:1 \"41 % of CPU\"").debate(), partner(1))[0].is_supported());
}

/// The ledger, the document and the prompt of the moderator tell the same of a change.
#[test]
fn what_a_change_names_decides_everywhere_whether_it_has_support() {
    let evident = "No.\n--- claims\nclaim: It costs 41 %\nevidence: bench.md:1 \"41 % of CPU\"\n--- position\nposition: no";
    let told = |answer: &str, because: &str| {
        let said = format!("Fine.\n--- answer\n{answer}\n--- position\nposition: no\n{because}");
        let test = TestDebate::cross(2, 1, checked).with_files(&[("bench.md", "41 % of CPU\n")]);
        let test = test.says("round-0/partner-2", evident).says("round-1/partner-1", said);
        let test = test.says("synthesis", summed_up("full").to_string()).run();
        let unsupported = report::conclusion(test.debate()).contains("unsupported switch");
        let prompted = test.prompt("synthesis").user.contains("changed its position in round 1 and cited");
        let table = report::claims_table(test.debate());
        assert_eq!((unsupported, prompted), (table.contains("Unsupported switches"), unsupported), "{table}");
        table.lines().find(|line| line.starts_with("- ") && line.ends_with(')')).unwrap_or_default().to_owned()
    };
    for because in ["changed because: A0.1", "changed because: bench.md:1"] {
        assert_eq!(told("I now agree: the answer is no.", because), "", "{because}");
    }
    assert_eq!(told("I now agree: the answer is no. I concede that bench.md:1 has it.", ""), "");
    let nothing = told("I now agree: the answer is no.", "");
    assert!(nothing.ends_with("round 1: \"I now agree: the answer is no.\" (cites nothing)"), "{nothing}");
    let falsely = told("I now agree: the answer is no.", "changed because: gone.md:3");
    assert!(falsely.ends_with("(cites only gone.md:3, which is false)"), "{falsely}");
    let silent = told("No then.", "");
    assert!(silent.ends_with("round 1: another position (cites nothing)"), "{silent}");
    let aside = told("I concede that it costs: bench.md:1 has it.", "changed because: gone.md:3");
    assert!(aside.ends_with("round 1: another position (cites only what is false: gone.md:3)"), "{aside}");
}

#[test]
fn a_change_that_names_no_reason_apart_has_what_its_answer_cites() {
    let changed = |answer: &str| {
        let said = format!("Fine.\n--- answer\n{answer}\n--- position\nposition: no");
        let test = TestDebate::cross(2, 1, checked).with_files(&[("bench.md", "41 % of CPU\n")]);
        test.says("round-1/partner-1", said).says("synthesis", summed_up("full").to_string()).run()
    };
    for answer in [
        "I change my position since bench.md:1 says \"41 % of CPU\".",
        "No then.\n--- claims\nclaim: no\nevidence: bench.md:1 \"41 % of CPU\"",
        "No: gone.md:1, gone.md:2, gone.md:3, gone.md:4, gone.md:5 and bench.md:1.",
    ] {
        let test = changed(answer);
        let made = &switches(test.debate(), partner(1))[0];
        assert!(made.is_supported(), "{answer}: {made:?}");
        let told = report::conclusion(test.debate());
        assert!(told.contains("round 1: ✔ bench.md:1: verified") && !told.contains("unsupported switch"), "{told}");
    }
    let told = report::conclusion(changed("No: see gone.md:3.").debate());
    assert!(told.contains("**unsupported switch** in round 1: what it cites is false: ✘ gone.md:3"), "{told}");
    assert!(report::conclusion(changed("No then.").debate()).contains("in round 1: it cites nothing"));
}

#[test]
fn the_end_is_counted_in_one_way_when_somebody_is_absent() {
    let test =
        cross(3, 1).fails("round-1/partner-2", Cause::Exit, "").says("synthesis", summed_up("full").to_string()).run();
    let told = report::conclusion(test.debate());
    assert!(told.contains("| birch | no (70 %) | absent; in round 0: no (70 %) |"), "{told}");
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
    assert!(test.lines().contains(&"Nobody answered round 1: the answers before it stand."), "{:?}", test.lines());
    assert_eq!(test.rejections("synthesis"), [""; 0]);
    let told = report::conclusion(test.debate());
    assert!(!told.contains("only one partner") && told.contains("In the end: yes 1, no 1."), "{told}");
}

#[test]
fn who_still_answers_is_not_called_absent() {
    let whole = cross(3, 1).run();
    let upto = whole.events().iter().position(
        |event| matches!(&event.happening, Happening::Answered { key, .. } if key.as_str() == "round-1/partner-1"),
    );
    let events = whole.events()[..=upto.expect("an answer")].to_vec();
    let debate = Debate::from_events(events).expect("a debate");
    assert_eq!(absences(&debate), []);
    assert_eq!(awaited(&debate), [(1, partner(2)), (1, partner(3))]);
    let state = report::state(&debate);
    assert_eq!((&state["absences"], state["awaited"][0]["name"].as_str()), (&json!([]), Some("birch")));
    let told = report::conclusion(&debate);
    assert!(told.contains("birch — round 0 (round 1 is not in yet)") && !told.contains("absent"), "{told}");
    assert!(told.contains("| birch | 1 | birch | is answering |"), "{told}");
}

#[test]
fn seats_tell_of_calls_that_failed() {
    let test = cross(3, 1)
        .fails("round-1/partner-3", Cause::Timeout, "")
        .says("round-1/partner-2", "")
        .says("round-1/partner-2/again", "")
        .run();
    let told = report::conclusion(test.debate());
    assert!(told.contains("| cedar | 1 | cedar | no answer: "), "{told}");
    let row = told.lines().find(|line| line.starts_with("| birch | 1 |")).expect("a row");
    assert!(row.contains("no answer: gave an empty answer") && row.ends_with("| 2 |"), "{row}");
    assert_eq!(report::state(test.debate())["partners"][2]["calls"][0]["failure"]["cause"], "timeout");
}

#[test]
fn whatever_comes_back_is_asked_for_again_once() {
    let unclear = "It depends.\n--- position\nposition: it depends";
    let asked = |test: &TestDebate| test.asked().iter().filter(|key| key.starts_with("round-0/partner-1")).count();
    let empty_first = cross(3, 0).says("round-0/partner-1", " ").says("round-0/partner-1/again", unclear).run();
    assert_eq!(asked(&empty_first), 2, "{:?}", empty_first.asked());
    assert!(
        empty_first.lines()[0].contains("gave an empty answer, and broke the rules when it was asked again"),
        "{:?}",
        empty_first.lines()
    );
    let unclear_first = cross(3, 0).says("round-0/partner-1", unclear).says("round-0/partner-1", " ").run();
    assert_eq!(asked(&unclear_first), 2, "{:?}", unclear_first.asked());
    let refused = cross(3, 0).fails("round-0/partner-1", Cause::Refused, "").run();
    assert_eq!(refused.status(), Status::Completed, "a refusal is asked again: {:?}", refused.lines());
    let resumed = empty_first.resume(Amendment::default());
    assert_eq!(resumed.status(), Status::Completed, "{:?}", resumed.lines());
}

#[test]
fn own_turns_of_all_rounds_are_in_the_prompt_and_take_bounded_room() {
    let long = |round: u32| format!("Turn {round}. {}", "Word. ".repeat(4_000));
    let mut test = TestDebate::cross(2, 6, |plan| {
        let Setup::Cross(setup) = &mut plan.setup else { unreachable!() };
        setup.always_debate = true;
    });
    for round in 0..=6_u32 {
        test = test.says(&format!("round-{round}/partner-1"), format!("{}\n--- position\nposition: yes", long(round)));
    }
    let test = test.run();
    let own = |round: u32| {
        let prompt = &test.prompt(&format!("round-{round}/partner-1")).user;
        prompt.split_once("# Your own last answer").expect("its own answer").1.len()
    };
    for turn in 0..6 {
        assert!(test.prompt("round-6/partner-1").user.contains(&format!("Turn {turn}.")), "{turn}");
    }
    assert!(own(6) < own(1) + 6_000, "{} after {}", own(6), own(1));
}
