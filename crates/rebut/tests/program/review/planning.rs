//! Flags, seats and the plan of a review.

use rebut_fakes::TestEnv;
use rebut_fakes::stand_in::{Turn, Turns};

use super::{agreement, commit, folder, planned, repository, review, seats};

#[test]
fn where_nobody_can_take_a_seat_it_is_told_how_to_get_somebody() {
    let env = repository(&seats());
    let run = env.rebut(["review"]).exits(2).says("rebut doctor");
    let _ = run.says("rebut demo");
    assert!(!env.workspace().join(".git/review-loop").exists());
}

#[test]
fn every_bad_value_is_told_and_nothing_is_begun() {
    let env = repository(&seats());
    for (flag, value, said) in [
        ("--target", "poem", "invalid value 'poem'"),
        ("--target", "", "a value is required for '--target <TARGET>'"),
        ("--scope", "everything", "`everything` is not a scope"),
        ("--intensity", "wild", "invalid value 'wild' for '--intensity <HOW>'"),
        ("--max-rounds", "0", "invalid value 0 for --max-rounds: expected a whole number from 1 to 5"),
        ("--max-rounds", "6", "expected a whole number from 1 to 5"),
        ("--max-rounds", "-1", "expected a whole number from 1 to 5"),
        ("--max-rounds", "two", "expected a whole number"),
        ("--budget-minutes", "0", "invalid value 0 for --budget-minutes: expected a number above 0"),
        ("--budget-minutes", "-3", "expected a number above 0"),
        ("--budget-minutes", "NaN", "expected a number above 0"),
        ("--budget-minutes", "inf", "expected a number above 0"),
        ("--budget-minutes", "soon", "invalid value 'soon'"),
        ("--backend-timeout-seconds", "0", "invalid value 0 for --backend-timeout-seconds"),
        ("--backend-timeout-seconds", "-0.5", "expected a number above 0"),
        ("--backend-timeout-seconds", "x", "invalid value 'x'"),
        ("--mode", "semi", "invalid value 'semi' for '--mode <MODE>'"),
        ("--critic", "nobody", "nobody"),
        ("--judge", "script:none.toml#x", "none.toml"),
        ("--author", "", "--author"),
        ("--effort", "extreme", "invalid value 'extreme' for '--effort <EFFORT>'"),
        ("--transport", "pigeon", "invalid value 'pigeon' for '--transport <HOW>'"),
        ("--fail-on", "p9", "invalid value 'p9'"),
        ("--state-dir", "", "--state-dir"),
    ] {
        // The flag stands before the others of its name: an error names it all the same.
        let mut arguments = super::arguments(&[]);
        if let Some(at) = arguments.iter().position(|argument| *argument == flag) {
            arguments.drain(at..at + 2);
        }
        arguments.extend([flag, value]);
        let run = env.rebut(arguments);
        assert_eq!(run.code, Some(2), "{flag} {value}: {run}");
        assert!(run.stderr.contains(said), "{flag} {value}: {run}");
        assert!(run.stderr.starts_with("error: "), "{flag} {value}: {run}");
    }
    assert!(!env.workspace().join(".git/review-loop").exists());
    assert!(!env.state().exists());
}

#[test]
fn critic_and_author_of_one_family_are_refused() {
    let env = repository(&seats().of_family("critic", "south"));
    let _ = review(&env, &[]).exits(2).says("south");
}

#[test]
fn the_intensity_sets_rounds_budget_and_time() {
    let env = repository(&seats());
    for (intensity, rounds, minutes, seconds) in [("quick", 1, 10, 180), ("standard", 3, 20, 600), ("extensive", 5, 40, 900)]
    {
        let plan = planned(&env, &["--intensity", intensity]).plan;
        assert_eq!(plan["setup"]["max_rounds"], rounds, "{intensity}");
        assert_eq!(plan["budget"]["max_ms"], minutes * 60_000, "{intensity}");
        assert_eq!(plan["timeout_ms"], seconds * 1_000, "{intensity}");
    }
    assert_eq!(planned(&env, &[]).setup("intensity"), "standard");
}

#[test]
fn an_explicit_flag_overrides_only_its_own_value_and_says_so() {
    let env = repository(&seats());
    let plan = planned(&env, &["--intensity", "quick", "--max-rounds", "2"]);
    assert!(plan.notes().contains("--max-rounds 2 instead of the 1 of quick"), "{}", plan.notes());
    let values = (&plan.plan["setup"]["max_rounds"], &plan.plan["budget"]["max_ms"], &plan.plan["timeout_ms"]);
    assert_eq!(values, (&2.into(), &600_000.into(), &180_000.into()));
    let plan = planned(&env, &["--budget-minutes", "1.5"]);
    assert!(plan.notes().contains("--budget-minutes 1.5 instead of the 20 of standard"), "{}", plan.notes());
    assert_eq!(plan.plan["timeout_ms"], 600_000);
    let plan = planned(&env, &["--backend-timeout-seconds", "60"]);
    assert!(plan.notes().contains("--backend-timeout-seconds 60 instead of the 600 of standard"), "{}", plan.notes());
    // The value that it has anyway is no other one.
    assert!(!planned(&env, &["--max-rounds", "3"]).notes().contains("instead"));
}

#[test]
fn short_calls_are_warned_of_for_proposals_and_not_for_code() {
    let env = repository(&seats());
    env.write("mixed.md", "# Proposal\n\nWe cache.\n\n```rust\nfn cache() {}\n```\n");
    let short = ["--backend-timeout-seconds", "119"];
    for (more, said) in [
        (&["We should use gRPC."][..], "119 s per call is short for a proposal"),
        (&["--artifact-file", "mixed.md"], "119 s per call is short for a mixed"),
    ] {
        let notes = planned(&env, &[more, &short].concat()).notes();
        assert!(notes.contains(said), "{notes}");
        let notes = planned(&env, &[more, &["--backend-timeout-seconds", "120"]].concat()).notes();
        assert!(!notes.contains("is short for"), "{notes}");
    }
    assert!(!planned(&env, &short).notes().contains("is short for"));
}

#[test]
fn the_plan_is_shown_and_nothing_is_begun() {
    let env = repository(&seats());
    let run = review(&env, &["--dry-run"]).exits(0).shows("  topic       a change to 1 file (uncommitted)");
    let run = run.shows("reviewed as code (confidence medium)").shows("  mode        auto, intensity standard");
    let _ = run.shows("  critic      script:seats.toml#critic").shows("  rounds      at most 3, effort high");
    assert!(!env.state().exists() && !env.workspace().join(".git/review-loop").exists());
    let lines = review(&env, &["--dry-run", "--json"]).exits(0).json_lines();
    let calls: Vec<_> = lines[0]["calls"].as_array().unwrap().iter().map(|call| call["key"].as_str().unwrap()).collect();
    assert_eq!((lines.len(), calls[0], calls.len()), (1, "round-1/critique", 9));
}

/// What a critic answers that agrees.
pub(crate) const AGREED: &str =
    r#"{"summary": "Fine.", "findings": [], "missing": [], "recommendation": "keep", "checked_files": []}"#;

/// A repository on a machine with these tools, each of which answers as a critic that agrees.
pub(crate) fn with_tools(tools: &[&str]) -> (TestEnv, Turns) {
    let env = repository(&seats());
    let turns: Vec<Turn> = tools.iter().map(|tool| Turn::answer(tool, AGREED)).collect();
    Turns::install(env, tools, &turns)
}

#[test]
fn the_opposite_of_the_tool_around_us_critiques() {
    for (variables, critic, host) in [
        (&["CODEX_SANDBOX_ID"][..], "claude", "codex"),
        (&["CLAUDECODE"], "codex", "claude"),
        (&["CODEX_THREAD_ID", "CLAUDECODE"], "claude", "codex"),
    ] {
        let (env, turns) = with_tools(&["claude", "codex", "gemini"]);
        let env = variables.iter().fold(env, |env, variable| env.set(variable, "1"));
        let run = env.rebut(["review"]).exits(0).shows("- Converged (agreement)");
        let _ = run.shows(&format!("called from {host}, the assumed author"));
        let called: Vec<String> = turns.calls().into_iter().map(|call| call.tool).collect();
        assert_eq!(called, [critic], "{variables:?}");
        let metadata = super::json_file(&super::kept(&env), "metadata.json");
        assert!(metadata["backend"].as_str().unwrap().starts_with(critic), "{metadata}");
    }
}

#[test]
fn without_a_host_the_first_found_writes_and_one_of_another_family_critiques() {
    let (env, turns) = with_tools(&["claude", "codex", "gemini"]);
    let plan = env.rebut(["review", "--dry-run", "--json"]).exits(0).json()["plan"]["seats"].clone();
    let tool = |seat: &str| plan[seat]["tool"].as_str().unwrap().to_owned();
    assert_eq!(tool("author"), tool("judge"));
    assert_ne!(plan["critic"]["family"], plan["author"]["family"]);
    assert_eq!(turns.calls().len(), 0);
    // An empty variable counts as not set.
    let env = env.set("CLAUDECODE", "").set("CODEX_THREAD_ID", "");
    assert_eq!(env.rebut(["review", "--dry-run", "--json"]).exits(0).json()["plan"]["seats"], plan);
}

#[test]
fn the_tool_around_us_critiques_where_nobody_else_can_be_had() {
    let (env, _turns) = with_tools(&["claude"]);
    let env = env.set("CLAUDECODE", "1");
    let _ = env.rebut(["review"]).shows("no critic from another vendor than the author's (anthropic) is available: claude");
    let metadata = super::json_file(&super::kept(&env), "metadata.json");
    assert_eq!(metadata["fallback_local_backend"], true);
}

#[test]
fn whoever_may_stand_in_is_in_the_plan_with_the_data_they_would_get() {
    let (env, _turns) = with_tools(&["claude", "codex", "gemini"]);
    let env = env.set("CLAUDECODE", "1");
    let run = env.rebut(["review", "--author", "gemini", "--judge", "gemini", "--dry-run"]).exits(0);
    let run = run.shows("  critic      codex").shows("  stand-in    claude");
    assert!(
        run.stdout.lines().any(|line| line.starts_with("  sends       the reviewed text") && line.contains("stand-in")),
        "{run}"
    );
}

#[test]
fn a_critic_of_the_writers_own_vendor_is_said_to_be_one() {
    let (env, _turns) = with_tools(&["claude", "codex", "opencode"]);
    let plan = |more: &[&str]| env.rebut([&["review", "--dry-run"], more].concat()).exits(0);
    let run = plan(&["--host", "claude", "--critic", "claude"]).shows("  critic      claude").shows("  author      codex");
    let _ = run.shows("claude:opus critiques what claude wrote: both are from one vendor (anthropic)");
    let run = plan(&["--host", "claude", "--author", "codex"]).shows("  critic      opencode");
    let _ = run.shows("called from claude, the assumed author; codex revises");
    let _ = plan(&["--host", "opencode"]).shows("opencode does not report its model's vendor: name another --critic");
    let run = plan(&["--critic", "claude"]).shows("  judge       claude").shows("  author      codex");
    assert!(!run.stdout.contains("stand-in") && !run.stdout.contains("called from"), "{run}");
}

#[test]
fn a_project_may_set_how_it_is_reviewed() {
    let env = repository(&seats().call("round-1/critique", agreement()));
    env.write(".rebut/config.toml", "[review]\nintensity = 'quick'\nmode = 'manual'\n");
    commit(&env, "settings");
    env.write("src/more.rs", "fn more() {}\n");
    let plan = planned(&env, &[]);
    assert_eq!((plan.setup("intensity"), plan.setup("mode")), ("quick", "manual"));
    let plan = planned(&env, &["--intensity", "extensive", "--mode", "auto"]);
    assert_eq!((plan.setup("intensity"), plan.setup("mode")), ("extensive", "auto"));
    let env = folder(&seats());
    env.write(".rebut/config.toml", "[review]\nintensity = \"often\"\n");
    let _ = review(&env, &["a text"]).exits(2).says("invalid value \"often\" for `review.intensity`");
}

#[test]
fn the_embedded_model_is_never_taken_unless_it_was_chosen() {
    let env = repository(&seats());
    let run = env.rebut(["review"]).exits(2).says("no tool, API or local server is available");
    assert!(run.stderr.contains("hint: "), "{run}");
    assert!(!env.workspace().join(".git/review-loop").exists());
}

#[test]
fn the_plan_counts_the_calls_of_a_change_that_is_read_in_parts() {
    let env = super::repository(&super::seats().reading("critic", 3_000));
    for name in ["one", "two", "three"] {
        let lines: Vec<String> = (0..90).map(|n| format!("let {name}_{n} = compute({n});\n")).collect();
        env.write(format!("src/{name}.rs"), lines.concat());
    }
    let run = super::review(&env, &["--dry-run", "--json", "--intensity", "quick"]).exits(0);
    let plan = run.json();
    let calls: Vec<&str> = plan["calls"].as_array().unwrap().iter().map(|call| call["key"].as_str().unwrap()).collect();
    let parts = calls.iter().filter(|key| key.starts_with("round-1/critique/")).count();
    assert!(parts > 1 && !calls.contains(&"round-1/critique"), "{calls:?}");
    let run = super::review(&env, &["--dry-run", "--intensity", "quick"]).exits(0);
    let run = run.shows(&format!("reads it in {parts} parts, riskiest first"));
    let _ = run.shows(&format!("  calls       {}; about", parts + 2));
}
