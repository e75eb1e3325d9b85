//! What a critic may answer, and what counts.

use rebut_fakes::{Run, ScriptLine, TestEnv};
use serde_json::{Value, json};

use super::{
    BEFORE, agreement, cited, critique, decided, early_drop, finding, folder, git, git_in, json_file, judged, judgement,
    kept, letters, repository, review, ruling, same, seats,
};

#[test]
fn false_evidence_makes_a_p2_invalid_without_a_model_and_leaves_a_p1_to_the_judge() {
    let invented = finding("P1", "the retry loop never ends", "src/retry.rs:9", "loop {");
    let wrong_quote = finding("P2", "the wait blocks for ever", "src/pool.rs:4", "pool.block_forever_and_ever()");
    let script = |evidence: &[Value]| {
        let mut ruling = ruling("F1", "invalid", "P1");
        ruling["evidence"] = evidence.into();
        seats()
            .call("round-1/critique", critique(&[invented.clone(), wrong_quote.clone()], "reject"))
            .call("round-1/judgement", judged(&[ruling], &[]))
    };
    let env = repository(&script(&[]));
    let run = review(&env, &["--intensity", "quick"]).exits(3);
    let run = run.shows("F1 P2 needs evidence (by the engine): the retry loop never ends");
    let run = run.shows("its evidence is false: ✘ src/retry.rs:9");
    let _ = run.shows("F2 P2 invalid (by the engine): the wait blocks for ever");
    let prompt = kept(&env).prompt("round-1/judgement");
    assert!(prompt.contains("the retry loop never ends") && !prompt.contains("blocks for ever"), "{prompt}");
    assert_eq!(letters(&env), ["D"]);
    // That a commit, a file or a page exists, or a file does not, shows nothing of what the finding says.
    for bare in [
        json!({ "commit": "HEAD" }),
        json!({ "file": "src/pool.rs", "commit": "HEAD" }),
        json!({ "file": "nope/zz.rs", "absent": true }),
    ] {
        let env = repository(&script(&[bare]));
        let _ = review(&env, &["--intensity", "quick", "--fail-on", "p1"]).exits(3).says("still needs evidence");
    }
    // With a quote that holds the judge strikes it out.
    let env = repository(&script(&[cited("src/pool.rs:4", "pool.wait(30)")]));
    let _ = review(&env, &["--intensity", "quick"]).exits(0).shows("F1 P1 invalid: the retry loop never ends");
    assert_eq!(letters(&env), ["A"]);
}

#[test]
fn what_the_change_removes_can_be_cited() {
    let removed = finding("P2", "the wait is gone and nothing replaces it", "src/pool.rs:3", "pool.wait(30)");
    let script = seats()
        .call("round-1/critique", critique(&[removed], "revise"))
        .call("round-1/judgement", judgement(&[("F1", "needs_evidence", "P2")], &[]));
    let env = repository(&script);
    env.write("src/pool.rs", "fn acquire(pool: &Pool) -> Conn {\n    pool.take()\n}\n");
    let _ = review(&env, &[]).exits(0).shows("F1 P2 needs evidence");
}

#[test]
fn findings_in_markdown_are_read_too() {
    let text = "Overall fine.\n\n## P1\nNone found.\n\n## P2\n- [P2] `src/pool.rs:3` drops the guard too early\n\n---\n\n\
                ## P3\nNo issues\n\nRecommendation: revise\n";
    let script = seats()
        .call("round-1/critique", ScriptLine::text(text))
        .call("round-1/judgement", judgement(&[("F1", "valid", "P3")], &[]));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(0);
    let round = json_file(&kept(&env), "metadata.json")["rounds"][0].clone();
    assert_eq!((&round["p1"], &round["p2"], &round["p3"]), (&0.into(), &1.into(), &0.into()));
}

#[test]
fn agreement_is_never_read_out_of_words() {
    let text =
        "LGTM? No: I would not keep this.\n\n## P1\nNone\n## P2\nNone\n## P3\nNone\n\nRecommendation: do not keep it\n";
    let script = seats()
        .call("round-1/critique", ScriptLine::text(text))
        .call("round-1/critique", ScriptLine::text(text))
        .call("round-1/judgement", judgement(&[], &[]));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(0).says("invalid answer (no finding for it)");
    assert_eq!(decided(&env), "Keep Original");
}

#[test]
fn an_answer_in_which_nothing_is_recognised_is_asked_for_again_and_then_fails() {
    let prose = || ScriptLine::text("I looked at the change and have some thoughts about it in general.");
    let script = seats()
        .call("round-1/critique", prose())
        .call("round-1/critique", prose())
        .call("round-1/critique/stand-in", prose())
        .call("round-1/critique/stand-in", prose());
    let env = repository(&script);
    let _ = review(&env, &[]).exits(1).shows("Stopped (backend error - no review performed)").shows("nothing recognised");
    let prompts: Vec<String> =
        kept(&env).of_kind("started").iter().map(|line| line.happening["prompt"]["user"].to_string()).collect();
    assert!(prompts[1].contains("some thoughts about it in general"), "the second prompt quotes the answer");
}

#[test]
fn code_and_proposal_are_critiqued_at_the_same_time_and_the_judge_merges() {
    let both = finding("P2", "the cache is never emptied and grows without bound", "", "");
    let graver = finding("P1", "the cache grows without bound", "", "");
    let other = finding("P3", "the heading says little", "", "");
    let rulings = [ruling("F1", "valid", "P3"), same("F2", "valid", "P3", "F1"), ruling("F3", "valid", "P3")];
    let script = seats()
        .call("round-1/critique/code", critique(&[both], "revise"))
        .call("round-1/critique/proposal", critique(&[graver, other], "revise"))
        .call("round-1/judgement", judged(&rulings, &[]));
    let env = folder(&script);
    env.write("mixed.md", "# Proposal\n\nWe cache all.\n\n```rust\nfn cache() {}\n```\n");
    let run = review(&env, &["--artifact-file", "mixed.md", "--state-dir", "kept"]).exits(0);
    let _ = run.shows("reviewed as mixed (confidence high)").shows("F1 the cache grows without bound");
    let folder = env.debates_in("workspace/kept").remove(0);
    let started: Vec<String> = folder.story().into_iter().filter(|line| line.contains("critique")).take(2).collect();
    assert!(started.iter().all(|line| line.starts_with("started")), "both begin before one ends: {started:?}");
    let round = json_file(&folder, "metadata.json")["rounds"][0].clone();
    let counted = ["p1", "p2", "p3"].map(|severity| round[severity].as_u64().unwrap());
    assert_eq!(counted, [1, 0, 1], "equivalent findings count once, at their highest severity");
    let state = folder.state();
    let ids: Vec<&str> = state["findings"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["F1", "F3"]);
}

#[test]
fn one_empty_part_makes_it_a_single_target_and_says_so() {
    let env = folder(&seats().call("round-1/critique", agreement()));
    let run = review(&env, &["We should use gRPC.", "--target", "mixed", "--state-dir", "kept"]);
    let _ = run.exits(0).shows("no code found: reviewing it as proposal only");
}

/// A review in which the critic raises one P2 with this evidence, and the judge rules on what comes to it.
fn raised_on(change: impl FnOnce(&TestEnv), evidence: Value, stands: bool) -> (TestEnv, Run) {
    let rulings: &[(&str, &str, &str)] = if stands { &[("F1", "valid", "P3")] } else { &[] };
    let raised = finding("P2", "the change is wrong", "", "").on(&[evidence]);
    let script =
        seats().call("round-1/critique", critique(&[raised], "reject")).call("round-1/judgement", judgement(rulings, &[]));
    let env = repository(&script);
    change(&env);
    let run = review(&env, &["--intensity", "quick"]);
    (env, run)
}

#[test]
fn a_line_that_is_quoted_with_its_sign_is_true() {
    let (_env, run) = raised_on(|_| {}, cited("src/pool.rs:3", "+    drop(guard);"), true);
    let run = run.exits(0);
    assert!(!run.stdout.contains("by the engine") && !run.stdout.contains('✘'), "{run}");
}

#[test]
fn a_file_that_the_change_renames_can_be_cited_by_its_old_name() {
    let renamed = |env: &TestEnv| {
        env.write("src/pool.rs", BEFORE);
        git(env, &["mv", "src/pool.rs", "src/lake.rs"]);
    };
    let (_env, run) = raised_on(renamed, cited("src/pool.rs:2", "let guard"), true);
    let run = run.exits(0).shows("✔ src/lake.rs:2");
    assert!(!run.stdout.contains("by the engine") && !run.stdout.contains('✘'), "{run}");
}

#[test]
fn a_file_that_the_change_deletes_is_looked_up_in_what_is_deleted() {
    let deleted = |env: &TestEnv| {
        env.write("src/pool.rs", BEFORE);
        std::fs::remove_file(env.workspace().join("src/pool.rs")).unwrap();
    };
    let (_env, run) = raised_on(deleted, cited("src/pool.rs:2", "let guard"), true);
    let run = run.exits(0).shows("✔ src/pool.rs:2");
    assert!(!run.stdout.contains("by the engine") && !run.stdout.contains('✘'), "{run}");
    let (_env, run) = raised_on(deleted, cited("src/pool.rs:2", "launch(rockets)"), false);
    let _ = run.shows("invalid (by the engine)");
}

#[test]
fn a_file_of_a_submodule_that_is_not_checked_out_is_not_called_missing() {
    let deinitialised = |env: &TestEnv| {
        let library = env.root().join("library");
        std::fs::create_dir(&library).unwrap();
        git_in(env, &library, &["init", "--quiet"]);
        std::fs::write(library.join("one.rs"), "fn one() {}\n").unwrap();
        git_in(env, &library, &["add", "."]);
        git_in(env, &library, &["commit", "--quiet", "--message", "first"]);
        git(env, &["submodule", "--quiet", "add", library.to_str().unwrap(), "vendor/library"]);
        git(env, &["commit", "--quiet", "--message", "with a submodule", ".gitmodules", "vendor/library"]);
        git(env, &["submodule", "--quiet", "deinit", "--force", "vendor/library"]);
    };
    let (_env, run) = raised_on(deinitialised, cited("vendor/library/one.rs:1", "fn one"), true);
    let run = run.exits(0).shows("? vendor/library/one.rs:1").shows(": it is not checked out");
    assert!(!run.stdout.contains("by the engine"), "{run}");
}

#[test]
fn a_finding_about_what_is_absent_cites_its_absence() {
    let absent = |file: &str, quote: Option<&str>| json!({ "file": file, "quote": quote, "absent": true });
    for (evidence, stands) in [
        (absent("tests/pool_test.rs", None), true),
        (absent("src/pool.rs", Some("catch_unwind")), true),
        (absent("src/pool.rs", Some("drop(guard);")), false),
        (cited("tests/pool_test.rs:3", ""), false),
    ] {
        let (_env, run) = raised_on(|_| {}, evidence.clone(), stands);
        let run = run.exits(0);
        assert_eq!(!run.stdout.contains("by the engine"), stands, "{evidence}: {run}");
    }
}

#[test]
fn what_the_judge_adds_as_important_counts_as_p2_to_the_end() {
    let script = seats()
        .call("round-1/critique", critique(&[early_drop("P3")], "revise"))
        .call("round-1/judgement", judgement(&[("F1", "valid", "P3")], &[("no test covers the wait", true)]))
        .call("round-1/rewrite", ScriptLine::text(super::PATCH));
    let env = repository(&script);
    let run = env.rebut_reading(b"A\n", super::arguments(&["--mode", "manual", "--fail-on", "p2"])).exits(4);
    let run = run.says("1 valid P1 or P2 finding remains");
    let _ = run.shows("[ ] P2 M1 missing: no test covers the wait");
    let log = env.rebut(["export", "last", "--as", "sarif"]).exits(0).json();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let missing = results.iter().find(|result| result["properties"]["rebutId"] == "M1").unwrap();
    assert_eq!((&missing["ruleId"], &missing["level"]), (&"P2".into(), &"warning".into()));
    assert_eq!(missing["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/pool.rs");
    let again = repository(&script);
    let _ = again.rebut_reading(b"A\n", super::arguments(&["--mode", "manual", "--fail-on", "p1"])).exits(0);
    let run = review(&repository(&script), &["--max-rounds", "1", "--fail-on", "p2"]).exits(4);
    let _ = run.shows("- P2:\n  - M1 missing, by the judge: no test covers the wait [addressed]");
}

#[test]
fn a_judge_or_author_that_fails_is_named_with_what_to_do() {
    let nit = finding("P3", "the name of the guard says little", "src/pool.rs:2", "let guard = pool.lock();");
    let script =
        seats().call("round-1/critique", critique(&[nit], "revise")).call("round-1/judgement", ScriptLine::fail("auth"));
    let env = repository(&script);
    let run = review(&env, &[]).exits(3).shows("[ ] Judge F1 at src/pool.rs:2: the name of the guard");
    let _ = run.shows("Retry: rebut resume");
    let metadata = json_file(&kept(&env), "metadata.json");
    assert_ne!(metadata["rounds"][0]["backend_error"], serde_json::Value::Null);
    let script = super::early_drop_judged("P2").call("round-1/rewrite", ScriptLine::fail("auth"));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(3).shows("Retry: rebut resume");
    let decision = json_file(&kept(&env), "decision.json");
    assert_ne!(decision["judge_recommendation_history"][0]["backend_error"], serde_json::Value::Null);
}
