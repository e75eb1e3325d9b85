//! What a critic may answer, and what counts.

use rebut_fakes::{Run, ScriptLine, TestEnv};
use serde_json::json;

use super::{
    BEFORE, agreement, critique, critique_value, decided, early_drop, finding, folder, git, git_in, json_file, judgement,
    kept, letters, repository, review, seats, text_file,
};

#[test]
fn false_evidence_makes_a_finding_invalid_without_a_model() {
    let invented = finding("P1", "the retry loop never ends", "src/retry.rs:9", "loop {");
    let wrong_quote = finding("P2", "the wait blocks for ever", "src/pool.rs:4", "pool.block_forever_and_ever()");
    let script = seats()
        .call("round-1/critique", critique(&[invented, wrong_quote], "reject"))
        .call("round-1/judgement", judgement(&[], &[]));
    let env = repository(&script);
    let run = review(&env, &[]).exits(0).shows("F1 P1 invalid (by the engine): the retry loop never ends");
    let _ = run.shows("its evidence is false: ✘ src/retry.rs:9: missing, there is no such file");
    let prompt = kept(&env).prompt("round-1/judgement");
    assert!(!prompt.contains("the retry loop never ends") && !prompt.contains("blocks for ever"), "{prompt}");
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
    let text = "LGTM? No: I would not keep this.\n\n## P1\nNone\n## P2\nNone\n## P3\nNone\n\nRecommendation: do not keep it\n\n\
                ## Checked\n- src/pool.rs: locks\n";
    let script = seats()
        .call("round-1/critique", ScriptLine::text(text))
        .call("round-1/critique", ScriptLine::text(text))
        .call("round-1/judgement", judgement(&[], &[]));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(0);
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
    let _ = review(&env, &[]).exits(1).shows("Stopped (backend error - no review performed)").shows("nothing_recognised");
    let prompts: Vec<String> =
        kept(&env).of_kind("started").iter().map(|line| line.happening["prompt"]["user"].to_string()).collect();
    assert!(prompts[1].contains("some thoughts about it in general"), "the second prompt quotes the answer");
}

#[test]
fn a_critic_without_findings_says_what_it_checked() {
    let silent = || {
        ScriptLine::text(
            r#"{"summary": "", "agreements": [], "concerns": [], "suggestions": [], "p1": [], "p2": [], "p3": [], "missing": [],
                "recommendation": "keep", "evidence": [], "checked": []}"#,
        )
    };
    let env = repository(&seats().call("round-1/critique", silent()).call("round-1/critique", agreement()));
    let _ = review(&env, &[]).exits(0).says("(critique:nothing_checked)");
    assert_eq!(decided(&env), "Converged (agreement)");
    // Asked twice in vain, it is kept and judged, and never taken for agreement.
    let script = seats()
        .call("round-1/critique", silent())
        .call("round-1/critique", silent())
        .call("round-1/judgement", judgement(&[], &[]));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(0);
    assert_eq!(decided(&env), "Keep Original");
}

#[test]
fn a_file_of_the_change_that_was_not_checked_is_asked_about() {
    let script = seats()
        .call("round-1/critique", agreement())
        .call("round-1/critique", agreement())
        .call("round-1/judgement", judgement(&[], &[]));
    let env = repository(&script);
    env.write("src/other.rs", "fn other() {}\n");
    let _ = review(&env, &[]).exits(0).says("(critique:not_all_checked)");
    assert!(kept(&env).of_kind("rejected")[0].raw.contains("src/other.rs"));
    assert_eq!(decided(&env), "Keep Original");
}

#[test]
fn code_and_proposal_are_critiqued_at_the_same_time_and_merged() {
    let both = finding("P2", "the cache is never emptied and grows without bound", "", "");
    let graver = finding("P1", "the cache is never emptied, so it grows without bound", "", "");
    let other = finding("P3", "the heading says little", "", "");
    let script = seats()
        .call("round-1/critique/code", critique(&[both], "revise"))
        .call("round-1/critique/proposal", critique(&[graver, other], "revise"))
        .call("round-1/judgement", judgement(&[("F1", "valid", "P3"), ("F2", "valid", "P3")], &[]));
    let env = folder(&script);
    env.write("mixed.md", "# Proposal\n\nWe cache all.\n\n```rust\nfn cache() {}\n```\n");
    let run = review(&env, &["--artifact-file", "mixed.md", "--state-dir", "kept"]).exits(0);
    let _ = run.shows("reviewed as mixed (confidence high)").shows("F1 the cache is never emptied");
    let folder = env.debates_in("workspace/kept").remove(0);
    let started: Vec<String> = folder.story().into_iter().filter(|line| line.contains("critique")).take(2).collect();
    assert!(started.iter().all(|line| line.starts_with("started")), "both begin before one ends: {started:?}");
    let round = json_file(&folder, "metadata.json")["rounds"][0].clone();
    let counted = ["p1", "p2", "p3"].map(|severity| round[severity].as_u64().unwrap());
    assert_eq!(counted, [1, 0, 1], "equivalent findings stand once, at their highest severity");
    let first = &folder.state()["findings"][0];
    assert_eq!((first["id"].as_str(), first["claimed_severity"].as_str()), (Some("F1"), Some("P1")));
}

#[test]
fn who_says_insufficient_evidence_does_not_agree() {
    let unsure = |field: bool, summary: &str| {
        let mut critique = critique_value(&[], "keep");
        critique["insufficient_evidence"] = field.into();
        critique["summary"] = summary.into();
        ScriptLine::text(critique.to_string())
    };
    for (field, summary) in [(true, "It may be so."), (false, "Insufficient evidence for the figures.")] {
        let script = seats().call("round-1/critique", unsure(field, summary)).call("round-1/judgement", judgement(&[], &[]));
        let env = folder(&script);
        let run = review(&env, &["We use gRPC, which is 40 % faster.", "--state-dir", "kept"]).exits(0);
        let _ = run.shows("- Keep Original\n").shows("Insufficient evidence: the critic could not judge all of it.");
        let folder = env.debates_in("workspace/kept").remove(0);
        let prompt = folder.prompt("round-1/judgement");
        assert!(prompt.contains("the critic says: insufficient evidence to judge all of it"), "{prompt}");
        assert!(folder.prompt("round-1/critique").contains("\"insufficient_evidence\""), "the schema asks for it");
        assert!(text_file(&folder, "round-1-critique.md").contains("Insufficient evidence: "));
        assert_eq!(folder.state()["critiques"][0]["critiques"][0]["insufficient_evidence"], true);
    }
}

#[test]
fn one_empty_part_makes_it_a_single_target_and_says_so() {
    let env = folder(&seats().call("round-1/critique", agreement()));
    let run = review(&env, &["We should use gRPC.", "--target", "mixed", "--state-dir", "kept"]);
    let _ = run.exits(0).shows("there is no code in it: it is reviewed as proposal alone");
}

#[test]
fn an_objection_without_a_finding_is_asked_about_and_shown_to_the_judge() {
    let objection = || {
        ScriptLine::text(
            r#"{"summary": "", "agreements": [], "concerns": ["SQL injection in login"], "suggestions": [], "p1": [], "p2": [],
                "p3": [], "missing": ["no test at all"], "recommendation": "reject", "evidence": [],
                "checked": [{"file": "src/pool.rs", "aspects": ["all"]}]}"#,
        )
    };
    let script = seats()
        .call("round-1/critique", objection())
        .call("round-1/critique", objection())
        .call("round-1/judgement", judgement(&[], &[("the login is open to SQL injection", true)]))
        .call("round-1/rewrite", ScriptLine::fail("timeout"));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(3).says("(critique:no_finding_for_it)");
    let prompt = kept(&env).prompt("round-1/judgement");
    assert!(prompt.contains("concern, without a finding: SQL injection in login"), "{prompt}");
    assert!(prompt.contains("said to be missing, without a finding: no test at all"), "{prompt}");
}

#[test]
fn a_star_covers_no_file() {
    let all = || {
        ScriptLine::text(
            r#"{"summary": "", "agreements": [], "concerns": [], "suggestions": [], "p1": [], "p2": [], "p3": [], "missing": [],
                "recommendation": "keep", "evidence": [], "checked": [{"file": "*", "aspects": ["all"]}]}"#,
        )
    };
    let script = seats()
        .call("round-1/critique", all())
        .call("round-1/critique", all())
        .call("round-1/judgement", judgement(&[], &[]));
    let env = repository(&script);
    let run = review(&env, &[]).exits(0).says("(critique:not_all_checked)");
    let _ = run.shows("not read: src/pool.rs (the critic found nothing and does not say that it looked)");
    assert_eq!(decided(&env), "Keep Original");
}

/// A review in which the critic raises one P1 with this place and evidence, and the judge rules on what comes to it.
fn raised_on(change: impl FnOnce(&TestEnv), text: &str, place: &str, evidence: &str, stands: bool) -> (TestEnv, Run) {
    let rulings: &[(&str, &str, &str)] = if stands { &[("F1", "valid", "P3")] } else { &[] };
    let mut raised = finding("P1", text, place, "");
    raised.value["evidence"] = json!([evidence]);
    let script =
        seats().call("round-1/critique", critique(&[raised], "reject")).call("round-1/judgement", judgement(rulings, &[]));
    let env = repository(&script);
    change(&env);
    let run = review(&env, &["--intensity", "quick"]);
    (env, run)
}

#[test]
fn a_line_that_is_quoted_with_its_sign_is_true() {
    let evidence = "src/pool.rs:3 \"+    drop(guard);\"";
    let (_env, run) = raised_on(|_| {}, "the guard is dropped early", "src/pool.rs:3", evidence, true);
    let run = run.exits(0);
    assert!(!run.stdout.contains("by the engine") && !run.stdout.contains('✘'), "{run}");
}

#[test]
fn a_file_that_the_change_renames_can_be_cited_by_its_old_name() {
    let renamed = |env: &TestEnv| {
        env.write("src/pool.rs", BEFORE);
        git(env, &["mv", "src/pool.rs", "src/lake.rs"]);
    };
    let evidence = "src/pool.rs:2 \"let guard\"";
    let (_env, run) = raised_on(renamed, "the rename breaks it", "src/pool.rs:2", evidence, true);
    let run = run.exits(0).shows("✔ src/lake.rs:2: verified");
    assert!(!run.stdout.contains("by the engine") && !run.stdout.contains('✘'), "{run}");
}

#[test]
fn a_file_that_the_change_deletes_is_looked_up_in_what_is_deleted() {
    let deleted = |env: &TestEnv| {
        env.write("src/pool.rs", BEFORE);
        std::fs::remove_file(env.workspace().join("src/pool.rs")).unwrap();
    };
    let evidence = "src/pool.rs:2 \"let guard\"";
    let (_env, run) = raised_on(deleted, "what is deleted is still used", "src/pool.rs:2", evidence, true);
    let run = run.exits(0).shows("✔ src/pool.rs:2: verified");
    assert!(!run.stdout.contains("by the engine") && !run.stdout.contains('✘'), "{run}");
    let evidence = "src/pool.rs:2 \"launch(rockets)\"";
    let (_env, run) = raised_on(deleted, "what is deleted is still used", "src/pool.rs:2", evidence, false);
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
    let evidence = "vendor/library/one.rs:1 \"fn one\"";
    let (_env, run) = raised_on(deinitialised, "one() is called too early", "vendor/library/one.rs:1", evidence, true);
    let run = run.exits(0).shows("? vendor/library/one.rs:1: unchecked, it is not checked out");
    assert!(!run.stdout.contains("by the engine"), "{run}");
}

#[test]
fn what_the_critic_should_have_raised_counts_as_p2_to_the_end() {
    let script = seats()
        .call("round-1/critique", critique(&[early_drop("P3")], "revise"))
        .call("round-1/judgement", judgement(&[("F1", "valid", "P3")], &[("no test covers the wait", true)]));
    let env = repository(&script);
    let run = env.rebut_reading(b"A\n", super::arguments(&["--mode", "manual", "--fail-on", "p2"])).exits(4);
    let run = run.says("1 valid finding of P1 or P2 remains");
    let _ = run.shows("[ ] P2 not raised by the critic: no test covers the wait");
    let log = env.rebut(["export", "last", "--as", "sarif"]).exits(0).json();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let missing = results.iter().find(|result| result["properties"]["rebutId"] == "M1").unwrap();
    assert_eq!((&missing["ruleId"], &missing["level"]), (&"P2".into(), &"warning".into()));
    assert_eq!(missing["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/pool.rs");
    let again = repository(&script);
    let _ = again.rebut_reading(b"A\n", super::arguments(&["--mode", "manual", "--fail-on", "p1"])).exits(0);
}

#[test]
fn a_finding_about_what_is_absent_can_cite_nothing_else() {
    let text = "tests/pool_test.rs does not exist, so that nothing tests the wait";
    let (_env, run) = raised_on(|_| {}, text, "tests/pool_test.rs", "tests/pool_test.rs", true);
    let run = run.exits(0);
    assert!(!run.stdout.contains("by the engine"), "{run}");
    let (_env, run) = raised_on(|_| {}, "the test is wrong", "tests/pool_test.rs:3", "tests/pool_test.rs:3", false);
    let _ = run.shows("invalid (by the engine)");
}

#[test]
fn a_finding_does_not_fall_with_the_false_words_of_another_at_its_place() {
    let sound = || finding("P1", "the guard is dropped before the wait", "src/pool.rs:3", "drop(guard);");
    let bare = || {
        let mut bare = sound();
        bare.value["evidence"] = json!([]);
        bare
    };
    let invented = |severity| finding(severity, "the name of a function is unclear", "src/pool.rs:3", "delete_everything()");
    // Findings are in the order of their severity, so that each comes first once.
    for (severity, judged) in [("P3", "F1"), ("P1", "F2")] {
        let raised = if severity == "P3" { [bare(), invented("P3")] } else { [invented("P1"), bare()] };
        let script = seats()
            .call("round-1/critique", critique(&raised, "revise"))
            .call("round-1/judgement", judgement(&[(judged, "valid", "P1")], &[]));
        let run = review(&repository(&script), &["--intensity", "quick", "--skip-materialize-opposite", "--fail-on", "p1"]);
        let _ = run.shows(&format!("{judged} P1 valid")).shows("invalid (by the engine): the name of a function");
    }
}

#[test]
fn a_finding_about_an_absence_comes_to_the_judge() {
    let mut unwrapped = finding("P1", "the wait may panic and nobody catches it", "src/pool.rs:4", "");
    unwrapped.value["evidence"] = json!(["src/pool.rs:4 is not wrapped in \"catch_unwind\""]);
    let mut untested = finding("P2", "the wait is untested", "tests/pool_test.rs", "");
    untested.value["evidence"] = json!([]);
    let script = seats()
        .call("round-1/critique", critique(&[unwrapped, untested], "revise"))
        .call("round-1/judgement", judgement(&[("F1", "valid", "P3"), ("F2", "valid", "P3")], &[]));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(0).shows("F1 P3 valid").shows("F2 P3 valid");
    let prompt = kept(&env).prompt("round-1/judgement");
    assert!(prompt.contains("tests/pool_test.rs: missing, there is no such file"), "{prompt}");
}

#[test]
fn a_critic_that_rejects_is_asked_for_a_finding() {
    let script = seats().call("round-1/critique", critique(&[], "reject")).call("round-1/critique", agreement());
    let _ = review(&repository(&script), &[]).exits(0).says("(critique:no_finding_for_it)");
}

#[test]
fn what_a_critic_says_beside_its_findings_is_not_lost_in_agreement() {
    let mut value = critique_value(&[], "keep");
    value["concerns"] = json!(["the wait is long"]);
    value["missing"] = json!(["a test of the wait"]);
    let env = repository(&seats().call("round-1/critique", ScriptLine::text(value.to_string())));
    let run = review(&env, &[]).exits(0).shows("Converged (agreement)").shows("- a concern of the critic: the wait is long");
    let _ = run.shows("[ ] Weigh missing, as the critic says: a test of the wait");
    assert_eq!(json_file(&kept(&env), "metadata.json")["rounds"][0]["missing"], 1);
}

#[test]
fn what_the_judge_finds_missing_is_a_p2_everywhere() {
    let nit = || finding("P3", "the name of the guard says little", "src/pool.rs:2", "let guard = pool.lock();");
    let missing = [("there is no test of the wait", true)];
    let script = seats()
        .call("round-1/critique", critique(&[nit()], "revise"))
        .call("round-1/judgement", judgement(&[("F1", "valid", "P3")], &missing))
        .call("round-1/rewrite", ScriptLine::text(super::PATCH));
    let env = repository(&script);
    let run = review(&env, &["--max-rounds", "1", "--fail-on", "p2"]).exits(4);
    let _ = run.shows("- P2:\n  - not raised by the critic: there is no test of the wait [addressed");
}

#[test]
fn what_the_judge_names_for_the_first_time_is_new() {
    let nit = |text: &str| finding("P3", text, "", "");
    let missing = [("there is no test of the wait", true)];
    let round = |script: rebut_fakes::Script, number: u32, text: &str| {
        let id = format!("F{number}");
        script
            .call(&format!("round-{number}/critique"), critique(&[nit(text)], "revise"))
            .call(&format!("round-{number}/judgement"), judgement(&[(id.as_str(), "valid", "P3")], &missing))
            .call(
                &format!("round-{number}/rewrite"),
                ScriptLine::text(format!("<<artifact>>\nA design, number {number}.\n<<end artifact>>")),
            )
    };
    let script = round(seats(), 1, "an integer overflows in the counter");
    let script = round(script, 2, "the copyright header is missing");
    let script = round(script, 3, "a comment is spelled the British way");
    let env = folder(&script);
    // Round 1 raised it, so that only rounds 2 and 3 are without anything of weight that is new.
    let run = review(&env, &["A design: we wait for the lock."]).exits(0);
    let _ = run.shows("rounds 2 and 3 raised no new P1 or P2");
}

#[test]
fn a_judge_or_author_that_fails_is_named_with_what_to_do() {
    let nit = finding("P3", "the name of the guard says little", "src/pool.rs:2", "let guard = pool.lock();");
    let script =
        seats().call("round-1/critique", critique(&[nit], "revise")).call("round-1/judgement", ScriptLine::fail("auth"));
    let env = repository(&script);
    let run = review(&env, &[]).exits(3).shows("[ ] Weigh F1 at src/pool.rs:2: the name of the guard");
    let _ = run.shows("Go on where it failed: rebut resume");
    let metadata = json_file(&kept(&env), "metadata.json");
    assert_ne!(metadata["rounds"][0]["backend_error"], serde_json::Value::Null);
    let script = super::early_drop_judged("P2").call("round-1/rewrite", ScriptLine::fail("auth"));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(3).shows("Go on where it failed: rebut resume");
    let decision = json_file(&kept(&env), "decision.json");
    assert_ne!(decision["judge_recommendation_history"][0]["backend_error"], serde_json::Value::Null);
}
