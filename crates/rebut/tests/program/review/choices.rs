//! A person chooses.

use rebut_fakes::{ScriptLine, Terminal, TestEnv};
use rustix::process::Signal;
use serde_json::Value;

use super::{
    AFTER, PATCH, agreement, arguments, critique, decided, early_drop_judged, finding, json_file, judgement, kept, letters,
    repository, seats, text_file, written_by,
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
    let _ = run.says("Round 1: C recommended").says("  B  accept the critic's version").says("(recommended)");
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

#[test]
fn ctrl_c_at_the_question_stops_the_review_and_the_question_is_asked_again() {
    let env = with_a_compromise().set("TERM", "xterm");
    let mut command = env.command(arguments(&["--mode", "manual"]));
    let _ = Terminal::open().until(&["Your choice"]).run(&mut command, "").exits(130);
    assert_eq!(decided(&env), "Stopped by user");
    let round = json_file(&kept(&env), "metadata.json")["rounds"][0].clone();
    assert_eq!((round["choice"].as_str(), round["judge_recommendation"].as_str()), (Some("AUTO_STOP"), Some("C")));
    let run = env.rebut_reading(b"A\n", ["resume", "last"]).exits(0);
    let _ = run.says("Round 1: C recommended").says("Your choice");
    assert_eq!(decided(&env), "Keep Original");
    let round = json_file(&kept(&env), "metadata.json")["rounds"][0].clone();
    assert_eq!(round["choice"], "A");
    let asked = kept(&env).of_kind("started");
    assert_eq!(asked.len(), 2, "nobody is asked twice: {asked:#?}");
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
fn every_letter_is_shown_with_what_it_means() {
    let env = with_a_compromise();
    let run = env.rebut_reading(b"E\n", arguments(&["--mode", "manual"])).exits(0);
    let options = [
        "  A  keep the original",
        "  B  accept the critic's version",
        "  C  write a compromise and continue  (recommended)",
        "  D  continue with a rebuttal",
        "  E  stop without a decision",
    ];
    let _ = options.into_iter().fold(run, |run, option| run.says(option));
    assert_eq!(decided(&env), "Stopped by user");
}

#[test]
fn a_person_can_accept_the_critics_version_and_the_critic_writes_it() {
    let env = with_a_compromise();
    let _ = env.rebut_reading(b"B\n", arguments(&["--mode", "manual"])).exits(0).shows("- Accept Opposite\n");
    assert_eq!(decided(&env), "Accept Opposite");
    assert_eq!(written_by(&env, "round-1/rewrite"), "critic");
    let round = json_file(&kept(&env), "metadata.json")["rounds"][0].clone();
    assert_eq!((round["choice"].as_str(), round["judge_recommendation"].as_str()), (Some("B"), Some("C")));
    assert!(text_file(&kept(&env), "final-artifact.md").contains("conn.after(guard)"));
}

#[test]
fn nothing_is_written_against_the_decision() {
    let undecided = "--apply: nothing was written, since the decision is \"Stopped by user\"";
    let no_patch = "--apply: nothing was written, since the review has no patch for workspace files";
    for (input, expected, why) in [("A\n", "Keep Original", no_patch), ("C\nE\n", "Stopped by user", undecided)] {
        let env = with_a_second_round();
        let _ = env.rebut_reading(input.as_bytes(), arguments(&["--mode", "manual", "--apply"])).exits(0).says(why);
        assert_eq!(decided(&env), expected);
        assert_eq!(now(&env), AFTER, "{expected}");
    }
}

#[test]
fn the_original_that_is_kept_is_the_final_artifact_and_its_findings_stay_open() {
    let env = with_a_second_round();
    let run = env.rebut_reading(b"A\n", arguments(&["--mode", "manual", "--fail-on", "p1"])).exits(4);
    let run = run.shows("The original, unchanged: final-artifact.md").says("1 valid P1 finding remains");
    assert!(!run.stdout.contains("apply it"), "{run}");
    assert!(!text_file(&kept(&env), "final-artifact.md").contains("conn.after(guard)"));
}

#[test]
fn to_keep_after_a_compromise_keeps_the_compromise() {
    let env = with_a_second_round();
    let run = env.rebut_reading(b"C\nA\n", arguments(&["--mode", "manual", "--apply", "--fail-on", "p1"]));
    // What the compromise has mended is mended; what the second round raised on it is not.
    let run = run.exits(4).says("  A  keep the compromise of round 1").says("1 valid P1 finding remains");
    let run = run.says("written to the working tree (not staged): src/pool.rs");
    assert_eq!(run.stderr.matches("Your choice").count(), 2, "one question a round: {run}");
    let run = run.shows("- Compromise\n- the compromise of round 1 is kept");
    let run = run.shows("The original with one revision: final-artifact.md");
    let _ = run.shows("### Unresolved\n\n- P1 F2 `src/pool.rs:4` conn has no name for after at all [open]\n\n###");
    assert!(now(&env).contains("conn.after(guard)"), "{}", now(&env));
    let folder = kept(&env);
    let decision = json_file(&folder, "decision.json");
    assert_eq!(decision["final_decision"], "Compromise");
    assert_eq!(decision["judge_recommendation_history"][1]["choice"], "A");
    assert!(text_file(&folder, "final-artifact.md").contains("+    conn.after(guard)"));
    assert!(!text_file(&folder, "artifact.md").contains("conn.after"), "the original stays beside it");
    let document = env.rebut(["export", "last"]).exits(0);
    let _ = document.shows("Chosen: A (keep the compromise of round 1)");
    let _ = env.rebut(["export", "last", "--as", "patch"]).exits(0).shows("+    conn.after(guard)");
    let log: Value = env.rebut(["export", "last", "--as", "sarif"]).exits(0).json();
    let states = log["runs"][0]["results"].as_array().unwrap().iter().map(|result| result["properties"]["state"].clone());
    assert_eq!(states.collect::<Vec<_>>(), ["addressed, and not raised again", "open"]);
}

#[test]
fn to_keep_after_a_compromise_keeps_the_compromise_in_auto_mode_too() {
    let small = finding("P3", "conn could have a better name", "src/pool.rs:4", "conn.after(guard)");
    let script = early_drop_judged("P1")
        .call("round-1/rewrite", ScriptLine::text(PATCH))
        .call("round-2/critique", critique(&[small], "revise"))
        .call("round-2/judgement", judgement(&[("F2", "valid", "P3")], &[]));
    let env = repository(&script);
    let run = env.rebut(arguments(&["--apply", "--fail-on", "p1"])).exits(0);
    let _ = run.shows("- Compromise\n").says("written to the working tree (not staged): src/pool.rs");
    assert_eq!((decided(&env), letters(&env)), ("Compromise".into(), vec!["C".to_owned(), "A".to_owned()]));
    assert!(now(&env).contains("conn.after(guard)"), "{}", now(&env));
    // Without --apply it is mended only on paper.
    let env = repository(&script);
    let _ = env.rebut(arguments(&["--fail-on", "p1"])).exits(4).shows("apply it");
}

#[test]
fn however_it_stops_after_a_compromise_the_current_version_is_the_final_artifact() {
    let rewritten = |line: ScriptLine| early_drop_judged("P1").call("round-1/rewrite", line);
    let patch = || ScriptLine::text(PATCH);
    let nothing =
        rewritten(patch()).call("round-2/critique", critique(&[], "revise")).call("round-2/judgement", judgement(&[], &[]));
    let agreed = rewritten(patch()).call("round-2/critique", agreement());
    let failed = rewritten(patch()).call("round-2/critique", ScriptLine::fail("auth"));
    let spent = rewritten(patch().set("input_tokens", 2_000_000).set("output_tokens", 100));
    for (script, expected, exit) in [
        (nothing, "Stopped", 0),
        (agreed, "Converged (agreement)", 0),
        (failed, "Stopped", 3),
        (spent, "Stopped (budget exceeded)", 3),
    ] {
        let env = repository(&script).set("REBUT_BUDGET_MAX_TOKENS", "1000000");
        let run = env.rebut(arguments(&[])).exits(exit);
        assert_eq!(decided(&env), expected, "{run}");
        let folder = kept(&env);
        assert!(text_file(&folder, "final-artifact.md").contains("+    conn.after(guard)"), "{expected}");
        assert!(!text_file(&folder, "artifact.md").contains("conn.after"), "{expected}");
        let run = run.shows("The original with one revision");
        let _ = run.shows("F1 `src/pool.rs:3` the guard is dropped before the wait [addressed");
    }
}

fn now(env: &TestEnv) -> String {
    std::fs::read_to_string(env.workspace().join("src/pool.rs")).unwrap()
}

#[test]
fn in_the_last_round_the_letters_say_what_they_do_there() {
    let env = with_a_compromise();
    let run = env.rebut_reading(b"C\n", arguments(&["--mode", "manual", "--max-rounds", "1"])).exits(0);
    let run = run.says("  C  write a compromise as the result");
    let _ = run.says("  D  stop with open findings: no round is left for a rebuttal");
}

#[test]
fn a_version_that_nobody_decided_on_is_not_called_one_to_take_over() {
    let script = early_drop_judged("P1")
        .call("round-1/rewrite", ScriptLine::text(PATCH))
        .call("round-2/critique", critique(&[finding("P2", "nothing tests the wait", "", "")], "revise"))
        .call("round-2/judgement", judgement(&[("F2", "valid", "P2")], &[]));
    let env = repository(&script);
    let run = env.rebut_reading(b"C\nE\n", arguments(&["--mode", "manual"]));
    let run = run.shows("Review the undecided version: rebut export");
    assert!(!run.stdout.contains("apply it"), "{run}");
}
