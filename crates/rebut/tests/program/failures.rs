//! What a failed call means for the debate: the failure table of a duel, row by row.

use rebut_fakes::{Run, Script, ScriptLine, TestEnv, verdict};
use serde_json::Value;

use crate::{machine_for, machine_judged_once};

/// The lines that the debate ended with, as `debate.json` has them.
fn lines(env: &TestEnv) -> Vec<String> {
    let state = env.debate().state();
    state["rebut"]["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect()
}

/// Holds a duel of two rounds in which one call comes to this.
fn duel_with(key: &str, line: ScriptLine) -> (TestEnv, Run) {
    let env = machine_judged_once(&Script::duel(2).instead(key, [line]));
    let run = env.duel(&["--timeout", "1"]);
    (env, run)
}

/// Nothing but statements that were made is in the debate.
#[track_caller]
fn exchanges(env: &TestEnv, expected: &[&str]) {
    let state = env.debate().state();
    let told: Vec<String> = state["exchanges"].as_array().unwrap().iter().map(told).collect();
    assert_eq!(told, expected);
}

fn told(exchange: &Value) -> String {
    let role = exchange["role"].as_str().unwrap();
    assert!(exchange["response"].as_str().unwrap().starts_with(&format!("Argument of the {role}")), "{exchange}");
    format!("{} {role}", exchange["round"])
}

#[test]
fn a_proposer_that_fails_in_round_1_aborts_the_debate() {
    for (cause, why) in [
        ("exit", "The proposer failed with an error (code 7)."),
        ("auth", "The proposer is not signed in, or its key was refused (code 7)."),
        ("unknown_model", "The proposer does not know the model (code 7)."),
        ("refused", "The proposer refused to answer (code 7)."),
        ("empty", "The proposer returned an empty answer (code 7)."),
        ("truncated", "The proposer was cut off mid-answer (code 7)."),
        ("too_large", "The proposer returned too much output (code 7)."),
        ("context_too_long", "The proposer can't take a prompt this long (code 7)."),
        ("unparsable", "The proposer returned unreadable output (code 7)."),
        ("not_installed", "The proposer is not installed (code 7)."),
    ] {
        let (env, run) = duel_with("round-1/proposer", ScriptLine::fail(cause).set("detail", "code 7"));
        let run = run.exits(1);
        let expected = [
            "Debate aborted: proposer (script) failed on opening round.",
            why,
            "Debate failed: no successful exchanges were recorded.",
        ];
        assert_eq!(lines(&env), expected);
        assert!(run.stdout.contains(&expected.join("\n\n")), "{run}");
        assert_eq!(env.debate().status(), "failed");
        exchanges(&env, &[]);
        assert_eq!(env.debate().state()["verdict"], Value::Null);
    }
}

#[test]
fn a_proposer_that_times_out_in_round_1_aborts_the_debate_and_says_that_all_timed_out() {
    let (env, run) = duel_with("round-1/proposer", ScriptLine::hang().set("partial", "Argument of the proposer, half"));
    let run = run.exits(1);
    let expected = [
        "Debate aborted: proposer (script) failed on opening round.",
        "The proposer timed out (after 1 s). Give it longer with --timeout, or ask for less with --effort.",
        "Debate failed: all tool invocations timed out.",
    ];
    assert_eq!(lines(&env), expected);
    assert!(run.stdout.contains(&expected.join("\n\n")), "{run}");
    assert_eq!(env.debate().status(), "failed");
    exchanges(&env, &[]);
}

#[test]
fn a_challenger_that_fails_in_round_1_leaves_the_position_uncontested() {
    let (env, run) = duel_with("round-1/challenger", ScriptLine::fail("exit").set("detail", "code 7"));
    let run = run.exits(3).says("warning: round 1, challenger: script failed with an error (code 7)");
    let run = run.shows("Argument of the proposer in round 1.");
    let expected = [
        "Challenger (script) failed in round 1: it failed with an error (code 7).",
        "The opening went unanswered: the proposer's position is uncontested, which proves nothing.",
    ];
    assert_eq!(lines(&env), expected);
    let run = run.shows(&expected.join("\n\n"));
    let _ = run.shows("Uncontested: no side won.");
    assert_eq!(env.debate().status(), "uncontested");
    assert_eq!(env.debate().state()["verdict"]["winner"], Value::Null);
    assert!(env.debate().state()["verdict"]["reasoning"].as_str().unwrap().starts_with("Uncontested"));
    exchanges(&env, &["1 proposer"]);
    // Nobody judges what nobody contested.
    assert!(env.debate().of_kind("started").iter().all(|line| !line.key().starts_with("verdict")));
}

#[test]
fn a_failure_in_a_later_round_ends_with_a_verdict_on_the_rounds_that_were_held() {
    for (key, who, held) in [
        ("round-2/proposer", "the proposer (script)", &["1 proposer", "1 challenger"][..]),
        ("round-2/challenger", "the challenger (script)", &["1 proposer", "1 challenger", "2 proposer"]),
    ] {
        let (env, run) = duel_with(key, ScriptLine::fail("exit").set("detail", "code 7"));
        let expected = [
            format!("Round 2 is incomplete: {who} failed with an error (code 7)."),
            "The verdict rests on the 1 complete round.".to_owned(),
        ];
        let run = run.exits(3).shows(&expected.join("\n\n"));
        let _ = run.shows("had the stronger case").shows("Rounds completed: 1 of 2");
        assert_eq!(lines(&env), expected);
        assert_eq!(env.debate().status(), "partial");
        assert_eq!(env.debate().state()["rounds_completed"], 1);
        assert_eq!(env.debate().state()["verdict"]["winner"], "script:debate.toml#south");
        exchanges(&env, held);
        // The judge is told which round broke off.
        let prompt = env.debate().prompt("verdict/judge/1");
        assert!(prompt.contains("Round 2 broke off before the"), "{prompt}");
        assert!(!prompt.contains("in round 2"), "what was said in a broken round is not judged:\n{prompt}");
    }
}

#[test]
fn a_judge_that_fails_leaves_every_statement_and_says_how_to_have_it_judged() {
    let (env, run) = duel_with("verdict/judge/1", ScriptLine::fail("auth"));
    let expected = [
        "No verdict: the judge (script) is not signed in, or its key was refused.".to_owned(),
        format!("All statements are saved. Use another judge: rebut rejudge {} --judge X", env.debate().short()),
    ];
    assert_eq!(lines(&env), expected);
    let _ = run.exits(3).shows(&expected.join("\n\n"));
    assert_eq!(env.debate().status(), "partial");
    exchanges(&env, &["1 proposer", "1 challenger", "2 proposer", "2 challenger"]);
    let _ = env.rebut(["rejudge", "last", "--judge", "script:debate.toml#other"]).exits(0);
    assert_eq!(env.debate().status(), "completed");
    assert_eq!(env.debate().answers().len(), 5);
}

#[test]
fn a_verdict_that_is_rejected_twice_is_a_failure_that_shows_only_a_code() {
    let of_nobody = verdict("proposer").replace("\"winner\":\"A\"", "\"winner\":\"SECRET-WORD\"");
    let env = machine_judged_once(
        &Script::duel(1).instead("verdict/judge/1", [ScriptLine::text("No JSON at all"), ScriptLine::text(of_nobody)]),
    );
    let run = env.duel(&["--rounds", "1"]).exits(3);
    let run = run.says("warning: verdict, judge: script returned an invalid answer (not json)");
    let run = run.says("warning: verdict, judge: script returned an invalid answer (does not fit)");
    let line = "No verdict: the judge (script) returned an invalid answer twice (verdict: does not fit).";
    assert_eq!(lines(&env)[0], line);
    assert!(!run.to_string().contains("SECRET-WORD"), "{run}");
    assert_eq!(env.debate().status(), "partial");
    assert_eq!(env.debate().of_kind("rejected").len(), 2);
}

#[test]
fn a_verdict_that_is_rejected_once_is_asked_again_with_the_reason() {
    let env = machine_judged_once(
        &Script::duel(1)
            .instead("verdict/judge/1", [ScriptLine::text("Both were fine."), ScriptLine::text(verdict("proposer"))]),
    );
    let _ = env.duel(&["--rounds", "1"]).exits(0).shows("the proposer (script:debate.toml#north) had the stronger case.");
    let asked = env.debate().of_kind("started");
    let again = asked.iter().filter(|line| line.key() == "verdict/judge/1").nth(1).unwrap();
    let prompt = again.happening["prompt"]["user"].as_str().unwrap();
    assert!(prompt.contains("Both were fine.") && prompt.contains("JSON"), "{prompt}");
    assert_eq!(again.happening["attempt"], 2);
    assert_eq!(env.debate().status(), "completed");
}

#[test]
fn a_summary_that_fails_is_replaced_by_the_engines_own_extract() {
    let env = machine_for(&Script::duel(4).instead("round-4/summary", [ScriptLine::fail("exit")]));
    let run = env.duel(&["--rounds", "4"]).exits(0);
    let _ = run.says("script failed with an error").shows("- no summary at round-4/extract: an extract was used instead");
    let prompt = env.debate().prompt("round-4/proposer");
    assert!(prompt.contains("extract of rounds 1 to 2"), "{prompt}");
    assert!(prompt.contains("- P2 concedes C1.1: \"I concede point 2 of the proposer.\""), "{prompt}");
    assert_eq!(env.debate().status(), "completed");
}

#[test]
fn a_refusal_is_a_failure_and_never_an_argument() {
    let refusal = "I'm sorry, but I can't help with that request.";
    let (env, run) = duel_with("round-1/challenger", ScriptLine::text(refusal));
    let run =
        run.exits(3).shows("Challenger (script) failed in round 1: it refused to answer (the answer is a bare refusal).");
    assert!(!run.stdout.contains(refusal), "{run}");
    exchanges(&env, &["1 proposer"]);
}

#[test]
fn an_empty_answer_is_a_failure() {
    let (env, run) = duel_with("round-1/proposer", ScriptLine::text("  \n\t "));
    let _ = run.exits(1).shows("The proposer returned an empty answer.");
    exchanges(&env, &[]);
}

#[test]
fn an_answer_of_claims_without_a_statement_is_asked_again() {
    let bare = r#"{"claims": [{"text": "It is so", "evidence": [{"file": "a.rs"}]}]}"#;
    let env = machine_for(
        &Script::duel(1)
            .instead("round-1/proposer", [ScriptLine::text(bare), ScriptLine::text("Argument of the proposer, at last.")]),
    );
    let _ = env.duel(&["--rounds", "1"]).exits(0).says("script returned an invalid answer (no prose)");
    exchanges(&env, &["1 proposer", "1 challenger"]);
}

#[test]
fn what_arrived_before_a_failure_never_becomes_an_argument() {
    for cause in ["exit", "truncated", "too_large", "refused", "stalled", "cancelled"] {
        let half = ScriptLine::fail(cause).set("partial", "HALF-AN-ARGUMENT").set("detail", "DETAIL-OF-THE-TOOL");
        let (env, run) = duel_with("round-2/challenger", half);
        let run = run.exits(3);
        exchanges(&env, &["1 proposer", "1 challenger", "2 proposer"]);
        assert!(!run.stdout.contains("HALF-AN-ARGUMENT"), "{cause}: {run}");
        let prompt = env.debate().prompt("verdict/judge/1");
        assert!(!prompt.contains("HALF-AN-ARGUMENT"), "{cause}: {prompt}");
    }
}

#[test]
fn a_detail_of_a_failure_is_one_harmless_line_without_secrets() {
    // Put together here, so that no scanner takes this file for a leak.
    let key = format!("AKIA{}", "IOSFODNN7EXAMPLE");
    let detail = format!("first\nsecond \u{1b}[31m {key} {}", "x".repeat(500));
    let (env, run) = duel_with("round-1/proposer", ScriptLine::fail("exit").set("detail", detail));
    let run = run.exits(1).shows("failed with an error (first second [31m [redacted] xxx");
    assert!(!run.to_string().contains('\u{1b}'));
    assert!(!String::from_utf8(env.debate().bytes()).unwrap().contains(&key));
    assert!(lines(&env)[1].chars().count() < 260);
}

#[test]
fn a_summary_without_end_is_asked_for_again_and_then_done_without() {
    let endless = || ScriptLine::text("words ".repeat(60_000));
    let env = machine_for(&Script::duel(3).instead("round-3/summary", [endless(), endless()]));
    let _ = env.duel(&["--rounds", "3"]).exits(0).says("returned an invalid answer (too long)");
    assert!(env.debate().prompt("round-3/proposer").len() < 40_000);
}
