//! ask and cross: who reads whom, when it ends, and what a missing voice means.

use insta::assert_snapshot;
use rebut_core::debate::{Amendment, BudgetLimit, Cause, EvidenceRules, SeatName, Status};
use rebut_core::formats::cross::{
    CrossSetup, Early, Kind, Opening, Partner, absences, agreement, early, given, partners, synthesis, thread,
};
use rebut_core::report;
use serde_json::{Value, json};

use crate::test_debate::plan;
use crate::test_debate::texts::{moved, stance, synthesis as summed_up, with_block};
use crate::{Cut, Reply, TestDebate};

fn cross(count: u32, rounds: u32) -> TestDebate {
    TestDebate::cross(count, rounds, |_| ())
}

fn with(count: u32, rounds: u32, change: impl FnOnce(&mut CrossSetup)) -> TestDebate {
    TestDebate::cross(count, rounds, |plan| plan.setup.edit(change))
}

fn partner(number: usize) -> Partner {
    Partner::all(8).nth(number - 1).expect("a partner")
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
            let (others, own) = prompt.split_once("# Your own answer so far").expect("its own answer stands apart");
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
fn every_reader_knows_a_partner_by_the_same_label_and_its_claims_by_the_same_ids() {
    let test = cross(3, 1).run();
    for (number, letter) in [(1, "A"), (2, "B"), (3, "C")] {
        let own = &test.prompt(&format!("round-0/partner-{number}")).system;
        assert!(own.starts_with(&format!("# You are Partner {letter}, one of 3 ")), "{own}");
        let readers = (1..=3).filter(|reader| *reader != number).map(|reader| format!("round-1/partner-{reader}"));
        for reader in readers {
            let prompt = &test.prompt(&reader).user;
            assert!(prompt.contains(&format!("Partner {letter}, round 0>>\nAnswer {number} of round 0.\n")), "{prompt}");
            assert!(prompt.contains(&format!("{letter}0.1 Claim {number} of round 0 (no evidence)\n")), "{prompt}");
            assert!(!prompt.contains("alder") && !prompt.contains("birch"), "{prompt}");
        }
        let moderator = &test.prompt("synthesis").user;
        assert!(moderator.contains(&format!("Partner {letter}, round 1>>")), "{moderator}");
        assert!(moderator.contains(&format!("{letter}1.1 Claim {number} of round 1")), "{moderator}");
    }
}

#[test]
fn names_of_tools_and_models_are_hidden_unless_the_topic_has_them_or_they_are_shown() {
    let prose = "As Birch (birch-large) I would ship; see src/birch.rs:3.";
    let said = || with_block(prose, r#"{"position": "no", "claims": [{"text": "Maple is slower"}]}"#);
    let hidden = cross(2, 1).says("round-0/partner-2", said()).run();
    let prompt = &hidden.prompt("round-1/partner-1").user;
    assert!(prompt.contains("As [a model] ([a model]) I would ship; see src/birch.rs:3."), "{prompt}");
    assert!(prompt.contains("B0.1 [a model] is slower"), "{prompt}");
    assert!(report::document(hidden.debate()).contains(prose), "the user reads what was said");
    let asked = TestDebate::cross(2, 1, |plan| plan.topic = "Should we leave Birch?".into());
    let asked = asked.says("round-0/partner-2", said()).run();
    assert!(asked.prompt("round-1/partner-1").user.contains("As Birch ([a model]) I would ship"));
    let open = with(2, 1, |setup| setup.named = true).says("round-0/partner-2", said());
    let mut named = summed_up();
    named["points"][0]["partners"] = json!(["alder", "birch"]);
    named["points"][1]["partners"] = json!(["birch"]);
    let open = open.says("synthesis", named.to_string()).run();
    let prompt = &open.prompt("round-1/partner-1").user;
    assert!(prompt.contains("As Birch (birch-large) I") && prompt.contains(": birch, round 0>>"), "{prompt}");
    assert_eq!(open.rejections("synthesis"), [""; 0]);
}

#[test]
fn one_round_takes_place_where_all_agree_and_the_gate_stops_there() {
    let agreed = |test: TestDebate| test.says("round-0/partner-2", stance("0", "2", "Yes")).run();
    let test = agreed(cross(2, 1));
    assert!(test.asked().contains(&"round-1/partner-1"), "{:?}", test.asked());
    let gated = agreed(with(2, 1, |setup| setup.gate = true));
    assert_eq!(gated.asked(), ["round-0/partner-1", "round-0/partner-2", "synthesis"]);
    assert_eq!(early(gated.debate()), Some(Early::Unanimous { option: "yes".into(), count: 2 }));
    assert!(gated.lines()[0].contains("--gate stopped the debate there"), "{:?}", gated.lines());
    assert_eq!(gated.status(), Status::Completed);
    let split = with(2, 1, |setup| setup.gate = true).run();
    assert!(split.asked().contains(&"round-1/partner-1"), "they differ");
    let longer = gated.resume(Amendment { rounds: Some(1), ..Amendment::default() });
    assert!(longer.asked().contains(&"round-1/partner-2"), "a number that is named later is honoured");
}

#[test]
fn two_rounds_without_movement_end_the_debate() {
    let test = cross(2, 6).run();
    assert_eq!(test.asked().last(), Some(&"synthesis"));
    assert!(test.asked().contains(&"round-2/partner-1") && !test.asked().contains(&"round-3/partner-1"));
    assert_eq!(test.lines(), ["No one moved in rounds 1 and 2: the debate converged early."]);
    let went_on = cross(2, 3).says("round-2/partner-1", moved("2", "1", "no", &["B1.1"])).run();
    assert!(went_on.asked().contains(&"round-3/partner-1"), "{:?}", went_on.asked());
    let held = with(2, 4, |setup| setup.always_debate = true).run();
    assert!(held.asked().contains(&"round-4/partner-1"));
}

#[test]
fn an_empty_answer_is_asked_for_once_more_and_then_its_partner_is_absent_by_name() {
    let mended = cross(2, 1).says("round-1/partner-2", " \n").run();
    assert!(mended.asked().contains(&"round-1/partner-2/again"));
    assert!(mended.prompt("round-1/partner-2/again").user.contains("came back empty"));
    assert_eq!(mended.status(), Status::Completed, "{:?}", mended.lines());
    let absent = cross(3, 1).says("round-1/partner-2", "").says("round-1/partner-2/again", "").run();
    assert_eq!(absent.status(), Status::Partial);
    assert_eq!(absent.lines(), ["birch is absent from round 1: it returned an empty answer."]);
    let told = report::conclusion(absent.debate());
    assert!(told.contains("birch (Partner B) — final (first answer; absent later)"), "{told}");
    let block = "```json\n{\"position\": \"yes\", \"claims\": []}\n```";
    let bare = cross(3, 0).says("round-0/partner-1", block).says("round-0/partner-1", block).run();
    assert_eq!(bare.rejections("round-0/partner-1"), ["answer:no_prose", "answer:no_prose"]);
    assert!(bare.lines()[0].starts_with("alder is absent from the first answers: it returned an invalid answer twice"));
}

#[test]
fn whatever_comes_back_unreadable_is_asked_for_again_once() {
    let asked = |test: &TestDebate| test.asked().iter().filter(|key| key.starts_with("round-0/partner-1")).count();
    let block = "```json\n{\"claims\": []}\n```";
    let empty_first = cross(3, 0).says("round-0/partner-1", " ").says("round-0/partner-1/again", block).run();
    assert_eq!(asked(&empty_first), 2, "{:?}", empty_first.asked());
    assert!(
        empty_first.lines()[0].contains("returned an empty answer, then returned an invalid answer"),
        "{:?}",
        empty_first.lines()
    );
    let broken_first = cross(3, 0).says("round-0/partner-1", block).says("round-0/partner-1", " ").run();
    assert_eq!(asked(&broken_first), 2, "{:?}", broken_first.asked());
    let refused = cross(3, 0).fails("round-0/partner-1", Cause::Refused, "").run();
    assert_eq!(refused.status(), Status::Completed, "a refusal is asked again: {:?}", refused.lines());
    let resumed = empty_first.resume(Amendment::default());
    assert_eq!(resumed.status(), Status::Completed, "{:?}", resumed.lines());
}

#[test]
fn a_partner_that_dies_in_round_2_is_absent_and_the_others_go_on() {
    let test = with(3, 3, |setup| setup.always_debate = true).fails("round-2/partner-3", Cause::Timeout, "").run();
    assert_eq!(absences(test.debate()).iter().map(|(round, who, _)| (*round, *who)).collect::<Vec<_>>(), [(2, partner(3))]);
    let prompt = &test.prompt("round-3/partner-1").user;
    assert!(prompt.contains("No answer came from Partner C."), "{prompt}");
    assert!(test.prompt("synthesis").user.contains("Partner C is absent from round 2"));
    assert!(test.asked().contains(&"round-3/partner-3"), "it is asked again in the next round");
    let gone = with(3, 2, |setup| setup.always_debate = true).fails("round-1/partner-3", Cause::Auth, "").run();
    assert!(!gone.asked().contains(&"round-2/partner-3"), "a key that was refused is not tried again");
    assert_eq!(gone.status(), Status::Partial);
}

#[test]
fn there_is_no_consensus_of_one() {
    let alone = cross(2, 1).fails("round-0/partner-2", Cause::Exit, "").run();
    assert_eq!(alone.status(), Status::Uncontested);
    assert!(alone.lines().contains(&"Only alder answered: there is nothing to compare."));
    assert!(!alone.asked().contains(&"synthesis"));
    let nobody = cross(2, 1).fails("round-0/partner-1", Cause::Exit, "").fails("round-0/partner-2", Cause::Exit, "").run();
    assert_eq!(nobody.status(), Status::Failed);
    // The last voice of a later round says what the other said before it fell silent: still no agreement.
    let later =
        cross(2, 3).says("round-1/partner-1", moved("1", "1", "no", &[])).fails("round-1/partner-2", Cause::Exit, "");
    let later = later.run();
    assert_eq!(agreement(later.debate()), None);
    assert!(later.lines().iter().any(|line| line.contains("Only alder answered round 1")), "{:?}", later.lines());
    assert!(!later.asked().contains(&"round-2/partner-1"));
}

#[test]
fn the_moderator_has_no_position_of_its_own_and_names_only_what_there_is() {
    let wrong = |change: fn(&mut Value)| {
        let mut value = summed_up();
        change(&mut value);
        let test = cross(2, 1).says("synthesis", value.to_string()).run();
        test.rejections("synthesis").iter().map(|code| (*code).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(wrong(|v| v["position"] = json!("maybe")), ["synthesis:does_not_fit"]);
    assert_eq!(wrong(|v| v["points"][0]["partners"] = json!(["Partner C"])), ["synthesis:does_not_fit"]);
    assert_eq!(wrong(|v| v["points"][0]["claims"] = json!(["A9.9"])), ["synthesis:does_not_fit"]);
    assert_eq!(wrong(|v| v["points"] = json!([])), ["synthesis:does_not_fit"]);
    assert_eq!(wrong(|v| v["synthesis"] = json!(" ")), ["synthesis:empty"]);
    assert_eq!(wrong(|v| v["agreement"] = json!("full")), ["synthesis:does_not_fit"]);
    assert!(wrong(|v| v["position"] = json!("no")).is_empty());
    assert!(wrong(|v| v["points"][0]["claims"] = json!(["A1.1", "B1.1"])).is_empty());
}

#[test]
fn an_ask_compares_and_crosses_nothing() {
    let test = with(2, 0, |setup| setup.kind = Kind::Ask).run();
    assert_eq!(test.asked(), ["round-0/partner-1", "round-0/partner-2", "comparison"]);
    let panels = test.debate().format().side_by_side(test.debate());
    assert_eq!(panels.len(), 2);
    assert_snapshot!("ask_document", report::document(test.debate()));
}

#[test]
fn the_answers_of_an_ask_are_round_0_and_are_not_paid_for_again() {
    let asked = with(2, 0, |setup| setup.kind = Kind::Ask).says("round-0/partner-1", "No list here.");
    let asked = asked.says("round-0/partner-1/claims", "None.").run();
    let answers = partners(asked.debate().plan()).filter_map(|partner| given(asked.debate(), 0, partner));
    let answers = answers.map(|given| (given.partner.seat(), given.opened())).collect();
    let from = Opening { debate: asked.debate().plan().id.clone(), answers };
    let test = with(2, 1, |setup| setup.opening = Some(from)).run();
    assert_eq!(test.asked(), ["round-1/partner-1", "round-1/partner-2", "synthesis"]);
    assert!(test.prompt("round-1/partner-1").user.contains("Answer 2 of round 0."));
    assert!(test.prompt("round-1/partner-2").user.contains("B0.1 Claim 2 of round 0"));
    assert_eq!(test.status(), Status::Completed);
}

#[test]
fn a_spent_budget_ends_the_rounds_and_the_moderator_still_speaks() {
    let test = TestDebate::cross(2, 5, |plan| {
        plan.budget.max_tokens = Some(18_000);
        plan.verdict_share.tokens = 6_000;
        plan.setup.edit(|setup: &mut CrossSetup| setup.always_debate = true);
    });
    let test = test.run();
    assert_eq!(test.budget_spent(), [BudgetLimit::Tokens]);
    assert_eq!(test.asked().last(), Some(&"synthesis"));
    assert_eq!(test.status(), Status::Partial);
}

#[test]
fn a_debate_that_is_cut_off_anywhere_ends_as_it_would_have() {
    let script = || cross(2, 2).says("round-1/partner-1", "Only prose.");
    let undisturbed = script().run();
    assert!(undisturbed.asked().contains(&"round-1/partner-1/claims"));
    let events = undisturbed.events().len();
    for cut in [Cut::Killed, Cut::Stopped] {
        for after in 1..events {
            let test = script().cut(after, cut).run();
            assert_eq!(test.debate().meaning(), undisturbed.debate().meaning(), "{cut:?} after {after}");
        }
    }
}

#[test]
fn the_order_of_arrival_changes_nothing() {
    let script = || cross(3, 2).says("round-0/partner-2", "Only prose.").says("round-1/partner-3", "Only prose.");
    let undisturbed = script().run();
    for order in [[2, 1, 0], [1, 1, 0], [2, 0, 0]] {
        let test = script().arriving(order.into_iter().cycle().take(12)).run();
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
    assert_eq!((test.status(), synthesis(test.debate())), (Status::Partial, None));
    assert!(test.lines().iter().any(|line| line.contains("--moderator X")), "{:?}", test.lines());
    assert!(report::conclusion(test.debate()).contains("Answer 1 of round 1."));
}

#[test]
fn own_turns_of_all_rounds_are_in_the_prompt_under_a_stable_title_and_take_bounded_room() {
    let mut test = with(2, 6, |setup| setup.always_debate = true);
    for round in 0..=6_u32 {
        let long = format!("Turn {round}. {}", "Word. ".repeat(4_000));
        let block = r#"{"position": "yes", "moved": "no", "claims": []}"#;
        test = test.says(&format!("round-{round}/partner-1"), with_block(&long, block));
    }
    let test = test.run();
    let title = thread(test.debate().plan(), &SeatName::new("partner-1"));
    assert_eq!(title, "debate-should-we-replace-our-rest-gateway-with-partner-1");
    let own = |round: u32| {
        let prompt = &test.prompt(&format!("round-{round}/partner-1")).user;
        assert!(prompt.contains(&title), "{prompt}");
        prompt.split_once("# Your own answer so far").expect("its own answer").1.len()
    };
    for turn in 0..6 {
        assert!(test.prompt("round-6/partner-1").user.contains(&format!("Turn {turn}.")), "{turn}");
    }
    assert!(own(6) < own(1) + 6_000, "{} after {}", own(6), own(1));
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
        plan.evidence = Some(EvidenceRules { commands: Some(vec!["bench".into()]), ..plan::evidence(1) });
        plan.setup.edit(|setup: &mut CrossSetup| setup.options.clear());
    });
    let open = open.run();
    assert_snapshot!("prompt_critique_open_and_checked", open.prompt("round-1/partner-1").joined());
}

#[test]
fn prompts_stay_short() {
    let answer = |round: u32| {
        let moved = if round == 0 { "" } else { r#""moved": "no", "# };
        let block = format!(
            r#"{{"position": "Replace it between services.", {moved}"claims": [
 {{"text": "JSON encoding takes 41 % of the gateway's CPU time", "evidence": [{{"file": "bench.md", "lines": "1", "quote": "41 %"}}]}},
 {{"text": "Clients already generate their code", "evidence": [{{"file": "clients/Makefile", "lines": "8"}}]}}]}}"#
        );
        let room = 1_200 - with_block("", &block).len();
        let prose = "The profile of the gateway puts most of its time into encoding, and nobody says which. ";
        with_block(&prose.repeat(room / prose.len() + 1)[..room], &block)
    };
    let sent = |enforced: bool| {
        let mut test = TestDebate::cross(2, 1, |plan| {
            plan.setup.edit(|setup: &mut CrossSetup| setup.options.clear());
            plan.evidence = Some(plan::evidence(1));
            plan.seats.values_mut().for_each(|seat| seat.enforces_schema = enforced);
        });
        for (round, number) in [(0, 1), (0, 2), (1, 1), (1, 2)] {
            assert_eq!(answer(round).len(), 1_200);
            test = test.says(&format!("round-{round}/partner-{number}"), answer(round));
        }
        let test = test.with_files(&[("bench.md", "encode 41 %\n")]).run();
        assert_eq!(test.asked().len(), 5, "{:?}", test.asked());
        let sizes: Vec<usize> = test.prompts().map(|(_, prompt)| prompt.system.len() + prompt.user.len()).collect();
        sizes.into_iter().sum::<usize>()
    };
    let (whole, enforced) = (sent(false), sent(true));
    assert!(whole <= 16_000 && enforced < whole, "{whole} bytes with the schema, {enforced} without");
}

#[test]
fn the_document_tells_all() {
    let test = cross(2, 1).run();
    assert_snapshot!("document", report::document(test.debate()));
    assert_snapshot!("plan", report::plan_text(test.debate().plan()));
    assert_snapshot!("state", format!("{:#}", report::state(test.debate())));
}
