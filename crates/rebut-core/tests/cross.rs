//! ask and cross: who reads whom, who moved, when it ends, and what a missing voice means.

use std::collections::BTreeMap;

use insta::assert_snapshot;
use rebut_core::debate::{Amendment, BudgetLimit, Cause, EntryKind, Evidence, Plan, SeatName, Setup, Status};
use rebut_core::formats::cross::{
    Agreement, Basis, CrossSetup, Early, Kind, Opened, Opening, Partner, Stance, Support, absences, early, given, moves,
    partners, switches, synthesis, thread,
};
use rebut_core::report;
use serde_json::{Value, json};

use crate::test_debate::plan;
use crate::test_debate::texts::{stance, synthesis as summed_up};
use crate::{Cut, Reply, TestDebate};

fn setup(plan: &mut Plan) -> &mut CrossSetup {
    match &mut plan.setup {
        Setup::Cross(setup) => setup,
        _ => panic!("no cross"),
    }
}

fn cross(count: u32, rounds: u32) -> TestDebate {
    TestDebate::cross(count, rounds, |_| ())
}

fn with(count: u32, rounds: u32, change: impl FnOnce(&mut CrossSetup)) -> TestDebate {
    TestDebate::cross(count, rounds, |plan| change(setup(plan)))
}

fn partner(number: usize) -> Partner {
    Partner::all(8).nth(number - 1).expect("a partner")
}

fn labels(test: &TestDebate) -> BTreeMap<String, Vec<String>> {
    let (_, entry) = test.debate().entries().find(|(_, entry)| entry.kind == EntryKind::Labels).expect("labels");
    serde_json::from_str(&entry.text).expect("JSON")
}

#[test]
fn everybody_of_a_round_is_asked_before_anybody_has_answered() {
    let test = cross(3, 1).run();
    let kinds: Vec<String> = test
        .events()
        .iter()
        .map(|event| {
            let value = serde_json::to_value(&event.happening).expect("JSON");
            format!("{} {}", value["kind"].as_str().unwrap_or_default(), value["key"].as_str().unwrap_or_default())
        })
        .collect();
    let place = |what: &str| kinds.iter().position(|kind| kind == what).unwrap_or_else(|| panic!("{what}: {kinds:#?}"));
    for round in 0..=1 {
        let started = (1..=3).map(|n| place(&format!("started round-{round}/partner-{n}"))).max();
        let answered = (1..=3).map(|n| place(&format!("answered round-{round}/partner-{n}"))).min();
        assert!(started < answered, "{kinds:#?}");
    }
    assert_eq!(test.status(), Status::Completed, "{:?}", test.lines());
}

#[test]
fn nobody_sees_another_answer_before_its_own_is_in() {
    let test = cross(4, 1).run();
    for number in 1..=4 {
        let prompt = test.prompt(&format!("round-0/partner-{number}")).joined();
        assert!(!prompt.contains(" of round 0."), "{prompt}");
    }
}

#[test]
fn each_round_critiques_the_others_answers_of_the_round_before_and_never_the_own_one() {
    let test = cross(3, 2).run();
    for round in 1..=2_u32 {
        for reader in 1..=3 {
            let prompt = &test.prompt(&format!("round-{round}/partner-{reader}")).user;
            let (others, own) = prompt.split_once("# Your own last answer").expect("its own answer stands apart");
            for number in 1..=3 {
                let answer = format!("Answer {number} of round {}.", round - 1);
                assert_eq!(others.contains(&answer), number != reader, "round {round}, reader {reader}, {answer}");
                assert_eq!(own.contains(&answer), number == reader, "round {round}, reader {reader}, {answer}");
                let earlier = format!("Answer {number} of round 0.");
                assert!(round == 1 || !others.contains(&earlier), "only the round before is critiqued");
                assert!(round == 1 || own.contains(&earlier) == (number == reader), "its own turns, and nobody else's");
            }
        }
    }
}

#[test]
fn partners_are_read_under_letters_in_an_order_of_their_own_and_the_journal_knows_them() {
    let test = cross(4, 1).run();
    let labels = labels(&test);
    assert_eq!(labels.len(), 5, "four partners and the moderator");
    let orders: std::collections::BTreeSet<&Vec<String>> = labels.values().collect();
    assert_eq!(orders.len(), 5, "each reads them in an order of its own");
    for (reader, order) in labels.iter().filter(|(reader, _)| *reader != "moderator") {
        assert!(!order.contains(reader));
        let prompt = &test.prompt(&format!("round-1/{reader}")).user;
        for (seat, letter) in order.iter().zip(["A", "B", "C"]) {
            let number = seat.trim_start_matches("partner-");
            let title = prompt.find(&format!("Partner {letter}, round 0>>")).expect("its title");
            let place = prompt[title..].find(&format!("Answer {number} of round 0.")).expect("its answer");
            assert!(place < 60, "{letter} is {seat} for {reader}");
        }
        assert!(!prompt.contains("alder") && !prompt.contains("birch-large"), "{prompt}");
    }
}

#[test]
fn names_are_scrubbed_from_what_is_passed_on_unless_they_are_open() {
    let said = "As Birch I would ship; see src/birch.rs:3.\n--- position\nposition: no";
    let hidden = cross(2, 1).says("round-0/partner-2", said).run();
    let prompt = &hidden.prompt("round-1/partner-1").user;
    assert!(prompt.contains("As [a model] I would ship; see src/birch.rs:3."), "{prompt}");
    let open = with(2, 1, |setup| setup.named = true).says("round-0/partner-2", said).run();
    let prompt = &open.prompt("round-1/partner-1").user;
    assert!(prompt.contains("As Birch I would ship") && prompt.contains(": birch, round 0>>"), "{prompt}");
    assert_eq!(open.debate().entries().count(), 0, "nothing is hidden, so that there is nothing to record");
}

#[test]
fn what_a_critique_says_of_another_reaches_every_reader_under_its_own_letters() {
    let first = cross(3, 2);
    let labels = labels(&cross(3, 2).run());
    let letter =
        |reader: &str, of: &str| -> &str { ["A", "B"][labels[reader].iter().position(|seat| seat == of).expect("a label")] };
    let said =
        format!("Partner {} errs.\n--- answer\nStill yes.\n--- position\nposition: yes", letter("partner-1", "partner-2"));
    let test = first.says("round-1/partner-1", said).run();
    assert!(test.prompt("round-2/partner-2").user.contains("you errs."));
    let third = format!("Partner {} errs.", letter("partner-3", "partner-2"));
    assert!(test.prompt("round-2/partner-3").user.contains(&third));
    assert!(report::document(test.debate()).contains("birch errs."));
}

#[test]
fn unanimous_answers_end_the_debate_unless_it_is_to_be_held() {
    let agreed = |test: TestDebate| {
        let test = test.says("round-0/partner-2", stance("0", "2", "Yes."));
        test.says("synthesis", summed_up("full").to_string()).run()
    };
    let test = agreed(cross(2, 2));
    assert_eq!(test.asked(), ["round-0/partner-1", "round-0/partner-2", "synthesis"]);
    assert_eq!(early(test.debate()), Some(Early::Unanimous { option: "yes".into(), count: 2 }));
    assert!(test.lines()[0].contains("nothing was challenged"), "{:?}", test.lines());
    assert_eq!(test.status(), Status::Completed);
    for held in [with(2, 2, |setup| setup.rounds_given = true), with(2, 2, |setup| setup.always_debate = true)] {
        let test = agreed(held);
        assert!(test.asked().contains(&"round-1/partner-1"), "{:?}", test.asked());
    }
    let open = agreed(with(2, 1, |setup| setup.options.clear()));
    assert!(open.asked().contains(&"round-1/partner-1"), "sentences are not counted");
}

#[test]
fn two_rounds_without_movement_end_the_debate() {
    let test = with(2, 6, |setup| setup.rounds_given = true).run();
    assert_eq!(test.asked().last(), Some(&"synthesis"));
    assert!(test.asked().contains(&"round-2/partner-1") && !test.asked().contains(&"round-3/partner-1"));
    assert_eq!(test.lines(), ["Nobody moved in rounds 1 and 2: the debate converged early."]);
    let moved = with(2, 3, |_| ()).says("round-2/partner-1", stance("2", "1", "no")).run();
    assert!(moved.asked().contains(&"round-3/partner-1"), "{:?}", moved.asked());
    let held = with(2, 4, |setup| setup.always_debate = true).run();
    assert!(held.asked().contains(&"round-4/partner-1"));
}

#[test]
fn movement_is_counted_from_positions_and_else_from_similarity() {
    let test = with(2, 1, |setup| setup.options.clear())
        .says("round-0/partner-1", "Keep REST and cache it.\n--- position\nposition: Keep REST")
        .says("round-1/partner-1", "Fine.\n--- answer\nMove.\n--- position\nposition: Move to gRPC")
        .says("round-0/partner-2", "Cache the two hot routes of the gateway.")
        .says("round-1/partner-2", "Fine.\n--- answer\nCache the two hot routes of the gateway.")
        .run();
    let first = &moves(test.debate(), partner(1))[0];
    assert!(first.moved && first.basis == Basis::Position);
    let second = &moves(test.debate(), partner(2))[0];
    assert!(!second.moved && second.basis == Basis::Similarity(100));
    let told = report::conclusion(test.debate());
    assert!(
        told.contains("birch: round 1: did not move (it stated no position: its last two answers are 100 % alike)"),
        "{told}"
    );
}

#[test]
fn an_empty_answer_is_asked_for_once_more_and_then_its_partner_is_absent_by_name() {
    let mended = cross(2, 1).says("round-1/partner-2", " \n").run();
    assert!(mended.asked().contains(&"round-1/partner-2/again"));
    assert!(mended.prompt("round-1/partner-2/again").user.contains("came back empty"));
    assert_eq!(mended.status(), Status::Completed, "{:?}", mended.lines());
    let absent = cross(3, 1).says("round-1/partner-2", "").says("round-1/partner-2/again", "").run();
    assert_eq!(absent.status(), Status::Partial);
    assert_eq!(absent.lines(), ["birch is absent from round 1: it gave an empty answer."]);
    let told = report::conclusion(absent.debate());
    assert!(told.contains("birch — final (of round 0; absent later)"), "{told}");
}

#[test]
fn an_unclear_position_is_asked_for_once_more_and_then_its_partner_is_absent() {
    let test = cross(3, 0)
        .says("round-0/partner-1", "It depends.\n--- position\nposition: it depends")
        .says("round-0/partner-1", stance("0", "1", "Yes, on balance"))
        .says("round-0/partner-3", "No word on it.")
        .says("round-0/partner-3", "Still none.")
        .run();
    assert_eq!(test.rejections("round-0/partner-1"), ["answer:unclear_position"]);
    assert_eq!(given(test.debate(), 0, partner(1)).expect("an answer").stance.position.as_deref(), Some("yes"));
    assert_eq!(test.rejections("round-0/partner-3"), ["answer:no_position", "answer:no_position"]);
    assert!(test.lines()[0].starts_with("cedar is absent from round 0: it gave an answer that broke the rules twice"));
}

#[test]
fn a_partner_that_dies_in_round_2_is_absent_and_the_others_go_on() {
    let test = with(3, 3, |setup| setup.always_debate = true).fails("round-2/partner-3", Cause::Timeout, "").run();
    assert_eq!(absences(test.debate()).iter().map(|(round, who, _)| (*round, *who)).collect::<Vec<_>>(), [(2, partner(3))]);
    let prompt = &test.prompt("round-3/partner-1").user;
    assert!(prompt.contains("No answer came from Partner "), "{prompt}");
    assert!(test.asked().contains(&"round-3/partner-3"), "it is asked again in the next round");
    let gone = with(3, 2, |setup| setup.always_debate = true).fails("round-1/partner-3", Cause::Auth, "").run();
    assert!(!gone.asked().contains(&"round-2/partner-3"), "a key that was refused is not tried again");
    assert_eq!(gone.status(), Status::Partial);
}

#[test]
fn there_is_no_consensus_of_one() {
    let alone = cross(2, 1).fails("round-0/partner-2", Cause::Exit, "").run();
    assert_eq!(alone.status(), Status::Uncontested);
    assert!(
        alone.lines().contains(&"Only alder answered: there is nothing to compare it with, and one voice is no consensus.")
    );
    assert!(!alone.asked().contains(&"synthesis"));
    let nobody = cross(2, 1).fails("round-0/partner-1", Cause::Exit, "").fails("round-0/partner-2", Cause::Exit, "").run();
    assert_eq!(nobody.status(), Status::Failed);
    // The last voice of a later round says what the other said before it fell silent: still no agreement.
    let later = cross(2, 3)
        .says("round-1/partner-1", stance("1", "1", "no"))
        .fails("round-1/partner-2", Cause::Exit, "")
        .says("synthesis", summed_up("full").to_string())
        .says("synthesis", summed_up("full").to_string())
        .run();
    assert_eq!(later.rejections("synthesis"), ["synthesis:against_the_tally"]);
    let found = synthesis(later.debate()).expect("a synthesis");
    assert_eq!(found.agreement, Agreement::None);
    assert!(later.lines().iter().any(|line| line.contains("Only alder answered round 1")), "{:?}", later.lines());
    assert!(!later.asked().contains(&"round-2/partner-1"));
}

#[test]
fn a_moderator_that_reports_agreement_against_the_tally_is_asked_again_and_then_overruled() {
    let mended = cross(2, 1).says("synthesis", summed_up("full").to_string()).run();
    assert_eq!(mended.rejections("synthesis"), ["synthesis:against_the_tally"]);
    assert!(mended.prompt("synthesis").user.contains("the partners' own positions are: yes 1, no 1"));
    assert_eq!(synthesis(mended.debate()).expect("a synthesis").overruled, None);
    let insists =
        cross(3, 1).says("synthesis", summed_up("full").to_string()).says("synthesis", summed_up("full").to_string());
    let insists = insists.run();
    let found = synthesis(insists.debate()).expect("a synthesis");
    assert_eq!(found.agreement, Agreement::Partial, "two of three");
    let told = report::conclusion(insists.debate());
    assert!(told.contains("**Overruled**: the moderator reported full agreement twice, but"), "{told}");
}

#[test]
fn the_moderator_has_no_position_of_its_own_and_names_only_partners() {
    let wrong = |change: fn(&mut Value)| {
        let mut value = summed_up("none");
        change(&mut value);
        let test = cross(2, 1).says("synthesis", value.to_string()).run();
        test.rejections("synthesis").iter().map(|code| (*code).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(wrong(|v| v["position"] = json!("maybe")), ["synthesis:position_of_its_own"]);
    assert_eq!(wrong(|v| v["moved"][0]["partners"] = json!(["Partner C"])), ["synthesis:unknown_partner"]);
    assert_eq!(wrong(|v| v["moved"] = json!([])), ["synthesis:points_count"]);
    assert_eq!(wrong(|v| v["synthesis"] = json!(" ")), ["synthesis:empty"]);
    assert!(wrong(|v| v["position"] = json!("no")).is_empty());
}

#[test]
fn a_change_names_the_verified_claim_that_made_it_or_is_marked() {
    let pinned = |plan: &mut Plan| {
        plan.evidence = Some(plan::evidence(1));
    };
    let evident = "No.\n--- claims\nclaim: It costs 41 %\nevidence: bench.md:1 \"41 % of CPU\"\n--- position\nposition: no";
    let files = [("bench.md", "41 % of CPU\n")];
    let moved = TestDebate::cross(2, 1, pinned)
        .with_files(&files)
        .says("round-0/partner-2", evident)
        .says("round-1/partner-1", "Right.\n--- answer\nNo then.\n--- position\nposition: no\nchanged because: A0.1")
        .says("synthesis", summed_up("full").to_string())
        .run();
    let made = &switches(moved.debate(), partner(1))[0];
    assert_eq!((made.from.as_deref(), made.to.as_deref(), made.round), (Some("yes"), Some("no"), 1));
    assert_eq!((made.reasons[0].id.as_str(), made.reasons[0].support), ("B0.1", Support::Verified));
    assert!(moved.prompt("round-1/partner-1").user.contains("A0.1 It costs 41 %"), "the reader's own letters");
    assert_snapshot!("vote_and_movement", report::conclusion(moved.debate()));
    let silent = cross(2, 1)
        .says("round-1/partner-1", "Right.\n--- answer\nNo then.\n--- position\nposition: no")
        .says("synthesis", summed_up("full").to_string())
        .run();
    assert!(!switches(silent.debate(), partner(1))[0].is_supported());
    let told = report::conclusion(silent.debate());
    assert!(
        told.contains("**unsupported switch** in round 1: it cites nothing that was said or can be looked up"),
        "{told}"
    );
}

#[test]
fn an_ask_compares_and_crosses_nothing() {
    let test = with(2, 0, |setup| setup.kind = Kind::Ask).run();
    assert_eq!(test.asked(), ["round-0/partner-1", "round-0/partner-2", "comparison"]);
    let panels = report::panels(test.debate());
    assert_eq!(panels.len(), 2);
    assert_snapshot!("ask_document", report::document(test.debate()));
}

#[test]
fn the_answers_of_an_ask_are_round_0_and_are_not_paid_for_again() {
    let asked = with(2, 0, |setup| setup.kind = Kind::Ask).run();
    let opened = |partner: Partner| {
        let given = given(asked.debate(), 0, partner).expect("an answer");
        let stance = given.stance.clone();
        (partner.seat(), Opened { stance, model: None, transport: "script".into(), duration_ms: 5, attempts: 1 })
    };
    let answers: BTreeMap<SeatName, Opened> = partners(asked.debate().plan()).map(opened).collect();
    let from = Opening { debate: asked.debate().plan().id.clone(), answers };
    let test = with(2, 1, |setup| setup.opening = Some(from)).run();
    assert_eq!(test.asked(), ["round-1/partner-1", "round-1/partner-2", "synthesis"]);
    assert!(test.prompt("round-1/partner-1").user.contains("Answer 2 of round 0."));
    assert_eq!(test.status(), Status::Completed);
}

#[test]
fn a_spent_budget_ends_the_rounds_and_the_moderator_still_speaks() {
    let test = TestDebate::cross(2, 5, |plan| {
        plan.budget.max_tokens = Some(18_000);
        plan.verdict_share.tokens = 6_000;
        setup(plan).always_debate = true;
    });
    let test = test.run();
    assert_eq!(test.budget_spent(), [BudgetLimit::Tokens]);
    assert_eq!(test.asked().last(), Some(&"synthesis"));
    assert_eq!(test.status(), Status::Partial);
}

#[test]
fn a_debate_that_is_cut_off_anywhere_ends_as_it_would_have() {
    let undisturbed = cross(2, 2).run();
    let events = undisturbed.events().len();
    for cut in [Cut::Killed, Cut::Stopped] {
        for after in 1..events {
            let test = cross(2, 2).cut(after, cut).run();
            assert_eq!(test.debate().meaning(), undisturbed.debate().meaning(), "{cut:?} after {after}");
        }
    }
}

#[test]
fn the_order_of_arrival_changes_nothing() {
    let undisturbed = cross(3, 2).run();
    for order in [[2, 1, 0], [1, 1, 0], [2, 0, 0]] {
        let test = cross(3, 2).arriving(order.into_iter().cycle().take(12)).run();
        assert_eq!(test.debate().meaning(), undisturbed.debate().meaning(), "{order:?}");
    }
}

#[test]
fn a_debate_that_ended_goes_on_with_more_rounds_or_another_try() {
    let failed = cross(3, 1).fails("round-1/partner-2", Cause::Exit, "").run();
    assert_eq!(failed.status(), Status::Partial);
    let mended = failed.resume(Amendment::default());
    assert_eq!(mended.status(), Status::Completed, "{:?}", mended.lines());
    assert_eq!(mended.asked()[mended.asked().len() - 2..], ["round-1/partner-2", "synthesis/2"]);
    let longer = cross(2, 1).run().resume(Amendment { rounds: Some(4), ..Amendment::default() });
    assert!(longer.asked().contains(&"round-4/partner-2"), "a number that was named is honoured");
}

#[test]
fn a_failed_moderator_leaves_the_answers() {
    let test =
        cross(2, 1).on("synthesis", Reply::Says("Both fine.".into())).on("synthesis", Reply::Says("Yes.".into())).run();
    assert_eq!(test.status(), Status::Partial);
    assert!(test.lines().iter().any(|line| line.contains("--moderator X")), "{:?}", test.lines());
    assert!(report::conclusion(test.debate()).contains("Answer 1 of round 1."));
}

#[test]
fn threads_have_a_stable_title() {
    let test = cross(2, 1).run();
    let title = thread(test.debate().plan(), &SeatName::new("partner-1"));
    assert_eq!(title, "debate-should-we-replace-our-rest-gateway-with-partner-1");
    assert!(test.prompt("round-1/partner-1").user.contains(&title));
}

#[test]
fn a_stance_that_was_journaled_is_read_back() {
    let stance = Stance::read(&stance("1", "1", "yes"));
    let back: Stance = serde_json::from_value(serde_json::to_value(&stance).expect("JSON")).expect("a stance");
    assert_eq!(back, stance);
}

#[test]
fn prompts_are_what_they_are() {
    let test = cross(2, 1).run();
    for (name, key) in [("opening", "round-0/partner-1"), ("critique", "round-1/partner-1"), ("synthesis", "synthesis")] {
        assert_snapshot!(format!("prompt_{name}"), test.prompt(key).joined());
    }
    let ask = with(2, 0, |setup| setup.kind = Kind::Ask).run();
    assert_snapshot!("prompt_comparison", ask.prompt("comparison").joined());
    let open = TestDebate::cross(2, 1, |plan| {
        plan.evidence = Some(Evidence { commands: Some(vec!["bench".into()]), ..plan::evidence(1) });
        setup(plan).options.clear();
    });
    let open = open.run();
    assert_snapshot!("prompt_critique_open_and_checked", open.prompt("round-1/partner-1").joined());
}

#[test]
fn the_document_tells_all() {
    let test = cross(2, 1).run();
    assert_snapshot!("document", report::document(test.debate()));
    assert_snapshot!("plan", report::plan_text(test.debate().plan()));
    assert_snapshot!("state", format!("{:#}", report::state(test.debate())));
}
