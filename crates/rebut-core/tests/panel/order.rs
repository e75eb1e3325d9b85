//! The log follows from what was said, never from when it arrived.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rebut_core::formats::panel::{check_log, log};
use rebut_core::report;
use serde_json::json;

use crate::test_debate::panel::{GONE, OTHER, challenge, entry, panel, turn};
use crate::{Cut, TestDebate};

/// A debate in which much is found: a fabricated source, an unreliable one, a challenge, questions.
fn eventful() -> TestDebate {
    panel(3, |setup| (setup.min_rounds, setup.max_rounds) = (1, 2))
        .says("round-1/anna", turn(&[entry("new_point", "All of them went back to it. It is known.", GONE)]))
        .says("round-1/ben", turn(&[entry("new_point", "It saves time. Much of it.", OTHER)]))
        .says("round-1/carla", turn(&[challenge(10, "All of them went back")]))
        .says("round-1/audience", json!({"questions": [{"to": "ben", "question": "Who pays?"}]}).to_string())
}

/// The log without its times.
fn words(test: &TestDebate) -> Vec<String> {
    let timeless = |entry: &rebut_core::formats::panel::LogEntry| {
        let mut entry = entry.clone();
        entry.timestamp = jiff::Timestamp::UNIX_EPOCH;
        serde_json::to_string(&entry).expect("an entry")
    };
    log(test.debate()).iter().map(timeless).collect()
}

#[test]
fn the_verifier_works_beside_the_next_turn() {
    let test = panel(2, |_| ()).arriving([0, 1, 1, 1, 1, 1]).run();
    let asked = test.asked();
    let verification = asked.iter().position(|key| *key == "round-1/anna/verification").expect("a verification");
    let next = asked.iter().position(|key| *key == "round-1/ben").expect("the next turn");
    assert_eq!(verification.abs_diff(next), 1, "neither waits for the other: {asked:?}");
}

#[test]
fn the_reporters_documents_are_asked_for_at_the_same_time() {
    let test = panel(2, |_| ()).run();
    let asked = test.asked();
    let at = asked.iter().position(|key| *key == "reporter/summary").expect("a summary");
    assert_eq!(asked[at..], ["reporter/summary", "reporter/blog-post", "reporter/verifier-notes", "assessor/report"]);
    let ends = test.events().iter().map(|event| format!("{:?}", event.happening));
    let ends: Vec<String> = ends.filter(|event| event.contains("reporter/")).map(|event| event[..8].to_owned()).collect();
    assert_eq!(ends[..3], ["Started ", "Started ", "Started "], "all three begin before one ends");
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(11), cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn the_log_is_the_same_in_whatever_order_answers_arrive(places in prop::collection::vec(0_usize..5, 0..80)) {
        static IN_ORDER: std::sync::LazyLock<(Vec<String>, String)> = std::sync::LazyLock::new(|| {
            let test = eventful().run();
            (words(&test), test.debate().meaning())
        });
        let test = eventful().arriving(places).run();
        prop_assert_eq!(&words(&test), &IN_ORDER.0);
        prop_assert_eq!(&test.debate().meaning(), &IN_ORDER.1);
        let files = report::files(test.debate(), "");
        let text = &files.iter().find(|(name, _)| name == "debate-log.jsonl").expect("the log").1;
        prop_assert_eq!(check_log(text), []);
    }
}

#[test]
fn a_log_only_ever_grows_at_its_end() {
    let test = eventful().arriving((0..60).map(|n| n * 7 % 5)).run();
    let mut before: Vec<String> = Vec::new();
    for length in 1..=test.events().len() {
        let debate = rebut_core::formats::fold(test.events()[..length].to_vec()).expect("a prefix");
        let now: Vec<String> = log(&debate).iter().map(|entry| serde_json::to_string(entry).expect("an entry")).collect();
        assert!(now.len() >= before.len() && now[..before.len()] == before[..], "at event {length}");
        before = now;
    }
}

#[test]
fn a_debate_that_is_cut_off_at_any_event_comes_to_the_same_log() {
    let two = || {
        panel(2, |setup| (setup.min_rounds, setup.max_rounds) = (1, 1))
            .says("round-1/anna", turn(&[entry("new_point", "All of them went back to it. It is known.", GONE)]))
            .says("round-1/ben", turn(&[challenge(8, "All went back.")]))
    };
    let whole = two().run();
    for after in 1..whole.events().len() {
        let cut = if after % 2 == 0 { Cut::Killed } else { Cut::Stopped };
        let test = two().cut(after, cut).run();
        assert_eq!(words(&test), words(&whole), "cut after event {after}");
    }
}
