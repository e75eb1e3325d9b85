//! Reviews that are killed, run out of their budget or wait for a person, and go on.

use std::fs;

use rebut_fakes::stand_in::{Before, Turn};
use rebut_fakes::{DebateFolder, Script, ScriptLine, TestEnv};

use crate::{meaning, until};

use super::planning::{AGREED, with_tools};
use super::{
    AFTER, PATCH, agreement, arguments, critique, decided, early_drop, early_drop_judged, finding, judgement, kept,
    repository, review, seats, text_file,
};

/// Two rounds with every kind of step: critique, evidence, judgement, rewrite, trial; then a rebuttal's round is not needed,
/// since the critic agrees with what was written but for a trifle.
fn two_rounds() -> Script {
    let aside = finding("P3", "the name acquire says little", "src/pool.rs:1", "fn acquire");
    early_drop_judged("P1")
        .call("round-1/rewrite", ScriptLine::text(PATCH.replace("pool.lock()", "pool.open()")))
        .call("round-1/rewrite/again", ScriptLine::text(PATCH))
        .call("round-2/critique", critique(&[aside], "revise"))
        .call("round-2/judgement", judgement(&[("F2", "valid", "P3")], &[]))
}

/// What a review that nobody disturbed came to.
struct Undisturbed {
    meaning: String,
    events: usize,
    /// How long each line of the journal is.
    lengths: Vec<usize>,
    listing: Vec<String>,
    summary: String,
}

fn undisturbed(env: &TestEnv) -> Undisturbed {
    let _ = review(env, &[]).exits(0);
    let folder = kept(env);
    let events = folder.lines().len();
    assert!(events > 20, "{:#?}", folder.story());
    let lengths = folder.lines().iter().map(|line| line.raw.len()).collect();
    let found =
        Undisturbed { meaning: meaning(&folder), events, lengths, listing: folder.listing(), summary: summary(&folder) };
    clear(env);
    found
}

/// The summary without the session's id.
fn summary(folder: &DebateFolder) -> String {
    text_file(folder, "summary.md").replace(&folder.id, "[ID]").replace(&format!(" {}", folder.short()), " [ID]")
}

fn clear(env: &TestEnv) {
    env.clear();
    fs::remove_dir_all(env.workspace().join(".git/review-loop")).unwrap();
}

/// Holds a review that is killed by this fault, and resumes it: it means the same, and nothing was answered twice.
fn hold_through(env: &TestEnv, expected: &Undisturbed, fault: &str) {
    env.rebut_with("REBUT_FAULT", fault, arguments(&[])).was_killed();
    let before = kept(env).answered();
    let _ = env.rebut(["resume", "last"]).exits(0);
    let folder = kept(env);
    assert_eq!(folder.answered()[..before.len()], before, "{fault}");
    assert!(folder.answers().values().all(|times| *times == 1), "{fault}: {:?}", folder.answers());
    assert_eq!(meaning(&folder), expected.meaning, "{fault}");
    assert_eq!((folder.listing(), summary(&folder)), (expected.listing.clone(), expected.summary.clone()), "{fault}");
    clear(env);
}

#[test]
fn a_kill_after_any_event_of_a_review_loses_nothing() {
    let env = repository(&two_rounds());
    let expected = undisturbed(&env);
    for event in 0..expected.events {
        hold_through(&env, &expected, &format!("kill-after:{event}"));
    }
}

#[test]
fn a_kill_before_any_event_of_a_review_loses_nothing() {
    let env = repository(&two_rounds());
    let expected = undisturbed(&env);
    for event in 1..expected.events {
        hold_through(&env, &expected, &format!("kill-before:{event}"));
    }
}

#[test]
fn a_kill_in_the_middle_of_any_event_of_a_review_loses_nothing() {
    let env = repository(&two_rounds());
    let expected = undisturbed(&env);
    for (event, length) in expected.lengths.iter().enumerate().skip(1) {
        // Every line cut in the middle, and in turns with its first byte alone or whole but for its end.
        let edge = if event % 2 == 0 { 1 } else { length - 1 };
        for bytes in [length / 2, edge] {
            hold_through(&env, &expected, &format!("tear:{event}:{bytes}"));
        }
    }
}

#[test]
fn the_version_under_review_is_the_kept_one_also_after_a_kill() {
    let env = repository(&two_rounds());
    let expected = undisturbed(&env);
    let story = {
        let _ = review(&env, &[]).exits(0);
        let story = kept(&env).story();
        clear(&env);
        story
    };
    let rewritten = story.iter().position(|line| line == "started round-2/critique").unwrap();
    env.rebut_with("REBUT_FAULT", &format!("kill-after:{rewritten}"), arguments(&[])).was_killed();
    // Whatever happens to the files in between is no part of the review.
    env.write("src/pool.rs", "fn something_else() {}\n");
    env.write("src/new.rs", "fn new() {}\n");
    let _ = env.rebut(["resume", "last"]).exits(0);
    assert_eq!(meaning(&kept(&env)), expected.meaning);
}

/// The critic answers only once the test lets it, so that no review can end before the request to stop is taken.
#[test]
fn a_cancel_right_after_a_review_is_detached_or_resumed_is_not_lost() {
    let (env, turns) = with_tools(&["codex"]);
    let gated = Turn::answer("codex", AGREED).first(Before::AwaitRelease);
    turns.rewrite(&vec![gated; 3]);
    for (nth, start) in [&["review", "--critic", "codex", "--judge", "script:seats.toml#judge"][..], &["resume", "last"]]
        .into_iter()
        .enumerate()
    {
        let _ = env.rebut([start, &["--detach"]].concat()).exits(0);
        let _ = env.rebut(["cancel", "last"]).exits(0);
        until("the end of the worker", || env.debate().of_kind("interrupted").len() == nth + 1);
        until("the end of its critic", || turns.survivors().is_empty());
    }
    assert_eq!(env.debate().answered(), Vec::<String>::new());
    turns.release();
    let _ = env.rebut(["resume", "last"]).exits(0);
    assert_eq!(env.debate().answers()["round-1/critique"], 1, "the critic answers what it is let");
}

#[test]
fn a_larger_budget_goes_on_where_the_first_one_ended() {
    let script = seats()
        .call("round-1/critique", critique(&[early_drop("P1")], "revise"))
        .call("round-1/judgement", ScriptLine::hang())
        .call("round-1/judgement", judgement(&[("F1", "valid", "P3")], &[]));
    let env = repository(&script);
    // Enough for the critique, which comes at once, and not for a judge who never answers.
    let _ = review(&env, &["--budget-minutes", "0.1"]).exits(3).shows("rebut resume").shows("--max-minutes N");
    assert_eq!(decided(&env), "Stopped (budget exceeded)");
    let _ = env.rebut(["resume", "last", "--max-minutes", "5"]).exits(0);
    assert_eq!(decided(&env), "Keep Original");
    assert_eq!(kept(&env).answers().get("round-1/critique"), Some(&1), "the critique is not paid for again");
}

#[test]
fn a_person_is_asked_after_a_kill_too() {
    let manual = arguments(&["--mode", "manual"]);
    let env = repository(&two_rounds());
    let _ = env.rebut_reading(b"\n\n", manual.clone()).exits(0);
    let story = kept(&env).story();
    let recommended = story.iter().position(|line| line == "recorded round-1/recommendation").unwrap();
    clear(&env);
    env.rebut_with("REBUT_FAULT", &format!("kill-after:{recommended}"), manual).was_killed();
    let run = env.rebut_reading(b"A\n", ["resume", "last"]).exits(0);
    let _ = run.says("Round 1: C recommended");
    assert_eq!(decided(&env), "Keep Original");
    // What was chosen stays chosen.
    let _ = env.rebut_reading(b"C\n", ["resume", "last"]).exits(0);
    assert_eq!(decided(&env), "Keep Original");
}

#[test]
fn a_failed_critique_is_asked_for_again() {
    let script = seats()
        .call("round-1/critique", ScriptLine::fail("auth"))
        .call("round-1/critique", agreement())
        .call("round-1/critique/stand-in", ScriptLine::fail("auth"));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(1);
    assert_eq!(decided(&env), "Stopped (backend error - no review performed)");
    let _ = env.rebut(["resume", "last"]).exits(0);
    assert_eq!(decided(&env), "Converged (agreement)");
}

#[test]
fn a_judgement_that_was_rejected_twice_is_asked_for_again() {
    let script = seats()
        .call("round-1/critique", critique(&[early_drop("P1")], "revise"))
        .call("round-1/judgement", ScriptLine::text("The first one is right."))
        .call("round-1/judgement", ScriptLine::text("The first one is right!"))
        .call("round-1/judgement", judgement(&[("F1", "valid", "P3")], &[]));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(3).shows("could not be judged");
    assert_eq!(kept(&env).of_kind("rejected").len(), 2);
    let _ = env.rebut(["resume", "last"]).exits(0);
    assert_eq!(decided(&env), "Keep Original");
    let prompt = kept(&env).prompt("round-1/judgement");
    assert!(!prompt.contains("The first one is right"), "a new attempt is no repair of the old ones: {prompt}");
}

#[test]
fn a_review_that_ended_is_taken_over_and_told_to_ci_later() {
    let script = early_drop_judged("P1").call("round-1/rewrite", ScriptLine::text(PATCH));
    let env = repository(&script);
    let _ = review(&env, &["--intensity", "quick"]).exits(0);
    let bytes = kept(&env).bytes();
    let run = env.rebut(["resume", "last", "--fail-on", "p1", "--json"]).exits(4).says("1 valid P1 finding remains");
    assert_eq!(run.json_lines().pop().unwrap()["exit"], 4);
    assert_eq!(std::fs::read_to_string(env.workspace().join("src/pool.rs")).unwrap(), AFTER, "nothing is written unasked");
    let run = env.rebut(["resume", "last", "--apply", "--fail-on", "p1"]).exits(0);
    let _ = run.says("written to the working tree (not staged): src/pool.rs");
    let now = std::fs::read_to_string(env.workspace().join("src/pool.rs")).unwrap();
    assert!(now.contains("conn.after(guard)"), "{now}");
    assert_eq!(kept(&env).bytes(), bytes, "nobody was asked");
}

#[test]
fn a_review_is_taken_over_in_its_own_workspace_from_wherever_it_is_resumed() {
    let script = early_drop_judged("P1").call("round-1/rewrite", ScriptLine::text(PATCH));
    let env = repository(&script);
    let _ = review(&env, &["--intensity", "quick"]).exits(0);
    let elsewhere = env.root().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let mut command = env.command(["resume", &kept(&env).id, "--apply"]);
    let run = rebut_fakes::Run::of(command.current_dir(elsewhere)).exits(0);
    let _ = run.says("written to the working tree (not staged): src/pool.rs");
}

#[test]
fn more_rounds_critique_the_last_version_again() {
    let script =
        early_drop_judged("P1").call("round-1/rewrite", ScriptLine::text(PATCH)).call("round-2/critique", agreement());
    let env = repository(&script);
    let _ = review(&env, &["--max-rounds", "1"]).exits(0);
    assert_eq!(decided(&env), "Compromise");
    let _ = env.rebut(["resume", "last", "--rounds", "2"]).exits(0);
    assert_eq!(decided(&env), "Converged (agreement)");
    assert!(kept(&env).prompt("round-2/critique").contains("conn.after(guard)"));
    let _ = env.rebut(["resume", "last", "--rounds", "1"]).exits(2).says("2 are done already");
}

#[test]
fn another_judge_takes_over_from_one_that_failed() {
    let script = seats()
        .call("round-1/critique", critique(&[early_drop("P1")], "revise"))
        .call("round-1/judgement", ScriptLine::fail("auth"))
        .call("round-1/judgement", judgement(&[("F1", "valid", "P3")], &[]));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(3).shows("could not be judged");
    let _ = env.rebut(["resume", "last", "--judge", "script:seats.toml#another"]).exits(0);
    assert_eq!(decided(&env), "Keep Original");
    let metadata = super::json_file(&kept(&env), "metadata.json");
    assert_eq!(metadata["rounds"].as_array().unwrap().len(), 1, "{metadata}");
}
