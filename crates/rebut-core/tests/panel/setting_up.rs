//! Before the first word: who debates where nobody was named, and whether everybody is there.

use std::collections::BTreeMap;

use rebut_core::debate::{Amendment, Cause, Payload, Plan, Status};
use rebut_core::formats::panel::{LineupWord, awaited_lineup, check_log, folder_name, setup, slug};
use rebut_core::report;
use serde_json::json;

use super::told;
use crate::TestDebate;
use crate::test_debate::panel::{NAMES, panel};
use crate::test_debate::plan::seat;

/// The word that the lineup which waits is taken, with a seat for each.
fn taken(test: &TestDebate) -> Amendment {
    let debaters = awaited_lineup(test.debate()).expect("a lineup that waits");
    let seats: BTreeMap<_, _> = debaters.iter().map(|debater| (debater.seat(), seat(&debater.name))).collect();
    Amendment { seats, change: Some(Payload::of(LineupWord::Taken { debaters })), ..Amendment::default() }
}

fn changed(wish: &str) -> Amendment {
    Amendment { change: Some(Payload::of(LineupWord::Changed { wish: wish.to_owned() })), ..Amendment::default() }
}

#[test]
fn a_panel_without_debaters_asks_the_chair_for_a_lineup_and_waits() {
    let test = panel(0, |_| ()).run();
    assert_eq!(test.asked(), ["lineup/proposal"]);
    assert_eq!(test.status(), Status::Partial);
    assert!(test.lines()[0].starts_with("The lineup needs your approval."), "{:?}", test.lines());
    assert_eq!(report::files(test.debate(), "").len(), 1, "there is nothing to write about yet");
    let word = taken(&test);
    let test = test.resume(word);
    assert_eq!(test.status(), Status::Completed);
    assert_eq!(setup(test.debate().plan()).expect("a panel").debaters.len(), 3);
    assert_eq!(test.asked().iter().filter(|key| key.starts_with("lineup/")).count(), 1, "it is paid for once");
    assert_eq!(check_log(&test.debate().format().log(test.debate()).expect("a log")), []);
}

#[test]
fn hints_and_wishes_reach_the_chair_as_material() {
    let test = panel(0, |setup| "a VC and a labour economist".clone_into(&mut setup.hints)).run();
    let prompt = &test.prompt("lineup/proposal").user;
    assert!(prompt.contains("the debaters that the user wants>>\na VC and a labour economist\n<<end"), "{prompt}");
    let test = test.resume(changed("make carla a nurse"));
    assert_eq!(test.status(), Status::Partial);
    let prompt = &test.prompt("lineup/proposal/2").user;
    assert!(prompt.contains("what the user wants changed>>\nmake carla a nurse\n<<end"), "{prompt}");
    assert!(prompt.contains("anna: An engineer. Position: Keep it."), "{prompt}");
    let word = taken(&test);
    assert_eq!(test.resume(word).status(), Status::Completed);
}

#[test]
fn a_chair_that_proposes_nothing_is_told_with_what_to_do_and_asked_again_on_resuming() {
    let test = panel(0, |_| ()).fails("lineup/proposal", Cause::Auth, "").run();
    assert_eq!((test.status(), awaited_lineup(test.debate())), (Status::Failed, None));
    assert!(test.lines()[1].contains("--debaters FILE"), "{:?}", test.lines());
    let test = test.resume(Amendment::default());
    assert!(awaited_lineup(test.debate()).is_some());
}

#[test]
fn every_seat_is_asked_whether_it_is_ready_before_the_first_word() {
    let test = panel(2, |_| ()).run();
    let probes =
        ["anna", "ben", "chair", "verifier", "audience", "reporter", "assessor"].map(|seat| format!("ready/{seat}"));
    assert_eq!(test.asked()[..7], probes.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(!test.prompt("ready/anna").joined().contains("code review"), "nobody begins to think about the topic");
}

#[test]
fn seats_of_one_tool_and_model_are_asked_once() {
    let mut plan: Plan = panel(2, |_| ()).debate().plan().clone();
    let one = seat("one");
    plan.seats.values_mut().for_each(|seat| *seat = one.clone());
    let test = crate::test_debate::panel::of(plan).run();
    assert_eq!(test.asked().iter().filter(|key| key.starts_with("ready/")).count(), 1);
    assert_eq!(test.status(), Status::Completed);
}

#[test]
fn a_seat_that_does_not_answer_is_named_and_the_debate_does_not_start() {
    let test = panel(3, |_| ()).fails("ready/ben", Cause::Timeout, "").fails("ready/verifier", Cause::Auth, "").run();
    assert_eq!(test.status(), Status::Failed);
    assert!(test.lines()[0].starts_with("The debate did not start: ben (tool2:"), "{:?}", test.lines());
    assert!(test.lines()[1].starts_with("The debate did not start: verifier (tool5:"), "{:?}", test.lines());
    assert_eq!(told(test.debate()), Vec::<String>::new());
    assert_eq!(test.asked().len(), 8, "nobody else was asked anything: {:?}", test.asked());
    let test = test.resume(Amendment::default());
    assert_eq!(test.status(), Status::Completed);
    let probes = test.asked().iter().filter(|key| key.starts_with("ready/")).count();
    assert_eq!(probes, 10, "only those who were missing are asked again");
}

#[test]
fn the_chair_proposes_two_or_three_unless_the_user_says_otherwise() {
    let debater = |name: &str| json!({"name": name, "persona": "p", "starting_position": "s", "incentives": "i"});
    let rejections = |hints: &'static str, count: usize| {
        let lineup = json!({ "debaters": NAMES[..count].iter().map(|name| debater(name)).collect::<Vec<_>>() }).to_string();
        let test = panel(0, |setup| hints.clone_into(&mut setup.hints)).says("lineup/proposal", lineup).run();
        test.rejections("lineup/proposal").join(", ")
    };
    assert_eq!(rejections("", 2), "");
    assert_eq!(rejections("", 4), "lineup:count");
    assert_eq!(rejections("four engineers", 4), "");
    assert_eq!(rejections("", 1), "lineup:does_not_fit");
}

#[test]
fn a_slug_is_never_a_path_or_a_word_of_a_shell() {
    assert_eq!(slug("Über die Größe: ça va?"), "über-die-größe-ça-va");
    assert_eq!(slug("Should AI code review replace human review?"), "should-ai-code-review-replace-human-review");
    assert_eq!(slug("$(rm -rf /); `id` ../../etc"), "rm-rf-id-etc");
    assert_eq!(slug("???"), "topic");
    assert_eq!(slug(&"word ".repeat(40)).len(), 49);
    let at = "2026-11-15T08:15:03.5Z".parse().expect("a time");
    assert_eq!(folder_name(at, "Ship it?"), "20261115T081503Z-ship-it");
}
