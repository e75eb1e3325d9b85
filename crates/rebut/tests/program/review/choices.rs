//! A person chooses.

use rebut_fakes::{ScriptLine, TestEnv};
use rustix::process::Signal;

use super::{
    AFTER, PATCH, agreement, arguments, critique, decided, early_drop_judged, finding, json_file, judgement, kept,
    repository, seats, text_file,
};

pub(crate) fn with_a_compromise() -> TestEnv {
    let script = early_drop_judged("P1")
        .call("round-1/rewrite", ScriptLine::text(PATCH))
        .call("round-1/rebuttal", ScriptLine::text("It is meant so."))
        .call("round-2/critique", agreement());
    repository(&script)
}

#[test]
fn the_choice_is_asked_for_with_its_recommendation() {
    let env = with_a_compromise();
    let run = env.rebut_reading(b"a\n", arguments(&["--mode", "manual"])).exits(0);
    let _ = run.says("Round 1: C is recommended").says("  B  accept the critic's version").says("(recommended)");
    assert_eq!(decided(&env), "Keep Original");
    let round = json_file(&kept(&env), "metadata.json")["rounds"][0].clone();
    assert_eq!((round["choice"].as_str(), round["judge_recommendation"].as_str()), (Some("A"), Some("C")));
    assert!(text_file(&kept(&env), "summary.md").contains("chosen: A"));
}

#[test]
fn empty_invalid_and_closed_input_take_the_recommendation() {
    for input in ["\n", "Q\n", ""] {
        let env = with_a_compromise();
        let _ = env.rebut_reading(input.as_bytes(), arguments(&["--mode", "manual"])).exits(0);
        assert_eq!(decided(&env), "Converged (agreement)", "{input:?}");
        let round = json_file(&kept(&env), "metadata.json")["rounds"][0].clone();
        assert_eq!(round["choice"], "C", "{input:?}");
    }
}

#[test]
fn a_person_who_chooses_to_stop_has_stopped_it() {
    let env = with_a_compromise();
    let _ = env.rebut_reading(b"E\n", arguments(&["--mode", "manual"])).exits(0);
    assert_eq!(decided(&env), "Stopped by user");
}

#[test]
fn another_way_than_the_recommended_one_is_gone() {
    let env = with_a_compromise();
    let _ = env.rebut_reading(b"D\n", arguments(&["--mode", "manual"])).exits(0);
    assert!(kept(&env).prompt("round-2/critique").contains("It is meant so."));
}

#[test]
fn in_auto_mode_nobody_is_asked() {
    let env = with_a_compromise();
    let run = env.rebut_reading(b"A\n", arguments(&[])).exits(0);
    assert!(!run.stderr.contains("Your choice"), "{}", run.stderr);
    assert_eq!(decided(&env), "Converged (agreement)");
}

#[test]
fn an_interrupted_review_was_stopped_by_the_user_and_goes_on_later() {
    let script = seats().call("round-1/critique", ScriptLine::hang());
    let env = repository(&script);
    let mut running = env.start(arguments(&["--json"]));
    running.wait_until_started("round-1/critique");
    running.signal(Signal::INT);
    let _ = running.end().exits(130);
    assert_eq!(decided(&env), "Stopped by user");
    super::cast(&env, &seats().call("round-1/critique", agreement()));
    let _ = env.rebut(["resume", "last"]).exits(0);
    assert_eq!(decided(&env), "Converged (agreement)");
}

/// A compromise, and a round after it that finds more.
fn with_a_second_round() -> TestEnv {
    let more = finding("P1", "conn has no name for after at all", "src/pool.rs:4", "conn.after(guard)");
    let script = early_drop_judged("P1")
        .call("round-1/rewrite", ScriptLine::text(PATCH))
        .call("round-2/critique", critique(&[more], "revise"))
        .call("round-2/judgement", judgement(&[("F2", "valid", "P1")], &[]));
    repository(&script)
}

#[test]
fn nothing_is_written_against_the_decision() {
    for (input, expected) in [("C\nA\n", "Keep Original"), ("C\nE\n", "Stopped by user")] {
        let env = with_a_second_round();
        let run = env.rebut_reading(input.as_bytes(), arguments(&["--mode", "manual", "--apply"])).exits(0);
        let _ = run.says(&format!("--apply: the decision is \"{expected}\", so that nothing is written"));
        assert_eq!(decided(&env), expected);
        assert_eq!(std::fs::read_to_string(env.workspace().join("src/pool.rs")).unwrap(), AFTER, "{expected}");
    }
}

#[test]
fn the_original_that_is_kept_is_the_final_artifact_and_its_findings_stay_open() {
    let env = with_a_second_round();
    let run = env.rebut_reading(b"C\nA\n", arguments(&["--mode", "manual", "--fail-on", "p1"])).exits(4);
    let run = run.shows("The original, unchanged: final-artifact.md").says("2 valid findings of P1 remain");
    assert!(!run.stdout.contains("take it over"), "{run}");
    assert!(!text_file(&kept(&env), "final-artifact.md").contains("conn.after(guard)"));
}

#[test]
fn a_keep_after_a_compromise_keeps_the_original_in_auto_mode_too() {
    let small = finding("P3", "conn could have a better name", "src/pool.rs:4", "conn.after(guard)");
    let script = early_drop_judged("P1")
        .call("round-1/rewrite", ScriptLine::text(PATCH))
        .call("round-2/critique", critique(&[small], "revise"))
        .call("round-2/judgement", judgement(&[("F2", "valid", "P3")], &[]));
    let env = repository(&script);
    let run = env.rebut(arguments(&["--apply"]));
    let run = run.says("--apply: the decision is \"Keep Original\", so that nothing is written");
    let _ = run.shows("The original, unchanged: final-artifact.md").shows("P1 F1 at src/pool.rs:3");
    assert_eq!(decided(&env), "Keep Original");
    assert_eq!(std::fs::read_to_string(env.workspace().join("src/pool.rs")).unwrap(), AFTER);
}
