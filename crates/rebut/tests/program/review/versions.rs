//! The version under review: patches that are tried, taken over, and looked up in.

use rebut_fakes::ScriptLine;

use super::{
    AFTER, PATCH, agreement, critique, decided, early_drop_judged, finding, folder, git, judged, judgement, kept,
    repository, review, same, seats, text_file,
};

const BAD_PATCH: &str = "```diff\n--- a/src/pool.rs\n+++ b/src/pool.rs\n@@ -1,3 +1,3 @@\n fn release() {\n-    nothing();\n+    something();\n }\n```\n";

#[test]
fn a_patch_that_does_not_apply_is_written_once_more() {
    let script = early_drop_judged("P1")
        .call("round-1/rewrite", ScriptLine::text(BAD_PATCH))
        .call("round-1/rewrite/again", ScriptLine::text(PATCH));
    let env = repository(&script);
    let _ = review(&env, &["--intensity", "quick"]).exits(0).shows("the patch does not apply");
    let prompt = kept(&env).prompt("round-1/rewrite/again");
    assert!(prompt.contains("Your last patch does not apply") && prompt.contains("something();"), "{prompt}");
    assert_eq!(decided(&env), "Compromise");
}

#[test]
fn a_patch_that_never_applies_is_no_result_and_the_decision_says_so() {
    let script = early_drop_judged("P1")
        .call("round-1/rewrite", ScriptLine::text(BAD_PATCH))
        .call("round-1/rewrite/again", ScriptLine::text(BAD_PATCH));
    let env = repository(&script);
    let _ = review(&env, &["--intensity", "quick"]).exits(3).shows("does not apply, also when written again");
    assert_eq!(decided(&env), "Stopped");
}

#[test]
fn the_next_round_is_looked_up_in_what_the_patch_made() {
    let on_the_new = finding("P2", "after() is not defined anywhere", "src/pool.rs:4", "conn.after(guard)");
    let on_the_old = finding("P2", "the old line is still wrong", "src/pool.rs:3", "drop(guard);");
    let script = early_drop_judged("P1")
        .call("round-1/rewrite", ScriptLine::text(PATCH))
        .call("round-2/critique", critique(&[on_the_new, on_the_old], "revise"))
        .call("round-2/judgement", judgement(&[("F2", "valid", "P3")], &[]));
    let env = repository(&script);
    let run = review(&env, &[]).shows("✔ src/pool.rs:4");
    let _ = run.shows("invalid (by the engine): the old line is still wrong");
    assert_eq!(std::fs::read_to_string(env.workspace().join("src/pool.rs")).unwrap(), AFTER, "the tree is left alone");
}

#[test]
fn the_new_version_is_taken_over_on_request() {
    let script = early_drop_judged("P1").call("round-1/rewrite", ScriptLine::text(PATCH));
    let env = repository(&script);
    let run = review(&env, &["--intensity", "quick", "--apply", "--fail-on", "p1"]).exits(0);
    let run = run.says("written to the working tree (not staged): src/pool.rs");
    let advice = "1. [ ] Review the changes in the working tree and commit them; nothing is staged";
    let run = run.shows(advice);
    assert!(!run.stdout.contains("apply it"), "{run}");
    let summary = text_file(&kept(&env), "summary.md");
    assert!(summary.contains(advice) && !summary.contains("apply it"), "{summary}");
    let now = std::fs::read_to_string(env.workspace().join("src/pool.rs")).unwrap();
    assert!(now.contains("conn.after(guard)"), "{now}");
    assert_eq!(git(&env, &["diff", "--cached", "--name-only"]), "");
}

#[test]
fn a_rewrite_that_leaves_the_cited_code_settles_nothing() {
    let beside = "```diff\n--- a/src/pool.rs\n+++ b/src/pool.rs\n@@ -1,3 +1,4 @@\n+// reviewed\n fn acquire(pool: &Pool) -> Conn \
                  {\n     let guard = pool.lock();\n     drop(guard);\n```\n";
    let script = early_drop_judged("P1").call("round-1/rewrite", ScriptLine::text(beside));
    let env = repository(&script);
    let run = review(&env, &["--intensity", "quick", "--apply", "--fail-on", "p1"]).exits(4);
    let run = run.says("written to the working tree (not staged): src/pool.rs").says("1 valid P1 finding remains");
    let _ = run.shows("- P1 F1 `src/pool.rs:3` the guard is dropped before the wait [open]");
    // A critic who reads the new version and no longer raises it settles it.
    let env = repository(&script.call("round-2/critique", agreement()));
    let _ = review(&env, &["--apply", "--fail-on", "p1"]).exits(0).shows("[addressed, and not raised again]");
}

#[test]
fn without_apply_it_is_said_how_the_new_version_is_taken_over() {
    let env = repository(&early_drop_judged("P1").call("round-1/rewrite", ScriptLine::text(PATCH)));
    let run = review(&env, &["--intensity", "quick", "--json"]).exits(0);
    let actions = run.json_lines().pop().unwrap()["debate"]["next_actions"].to_string();
    assert!(actions.contains("apply it: rebut export") && actions.contains("--as patch | git apply"), "{actions}");
}

#[test]
fn findings_that_are_only_addressed_on_paper_remain_for_ci() {
    let script = early_drop_judged("P2").call("round-1/rewrite", ScriptLine::text(PATCH));
    let env = repository(&script);
    let _ = review(&env, &["--intensity", "quick", "--fail-on", "p2"]).exits(4).says("1 valid P1 or P2 finding remains");
    env.rebut(["export", "last", "--as", "patch"]).exits(0).shows("+    conn.after(guard)").stdout.clear();
    let script = script.clone();
    let env = repository(&script);
    let _ = review(&env, &["--intensity", "quick", "--fail-on", "p1"]).exits(0);
}

#[test]
fn a_text_is_written_anew_as_a_whole_and_critiqued_again() {
    let env = folder(&seats());
    env.write("plan.md", "# Proposal\n\nWe use gRPC.\n");
    let no_reason = finding("P1", "no reason is given", "artifact.md:3", "We use gRPC.");
    let new = "# Proposal\n\nWe use gRPC, since it is typed.\n";
    let script = seats()
        .call("round-1/critique", critique(&[no_reason], "revise"))
        .call("round-1/judgement", judgement(&[("F1", "valid", "P1")], &[]))
        .call("round-1/rewrite", ScriptLine::text(new))
        .call("round-1/rewrite", ScriptLine::text(format!("Done.\n\n<<artifact>>\n{new}<<end artifact>>\n")))
        .call("round-2/critique", agreement());
    super::cast(&env, &script);
    let run = review(&env, &["--artifact-file", "plan.md", "--state-dir", "kept"]).exits(0);
    let _ = run.shows("✔ artifact.md:3").says("invalid answer (no text)").shows("- Converged (agreement)");
    let folder = env.debates_in("workspace/kept").remove(0);
    assert_eq!(text_file(&folder, "final-artifact.md"), new);
    assert!(folder.prompt("round-2/critique").contains("since it is typed"));
}

#[test]
fn a_large_change_is_read_in_parts_and_nothing_is_cut_silently() {
    let script = seats()
        .reading("critic", 3_000)
        .call("round-1/critique/1", agreement())
        .call("round-1/critique/1", agreement())
        .call("round-1/critique/2", ScriptLine::fail("timeout"))
        .call("round-1/critique/2/stand-in", ScriptLine::fail("timeout"))
        .call("round-1/critique/3", agreement())
        .call("round-1/critique/3", agreement())
        .call("round-1/judgement", judgement(&[], &[]));
    let env = repository(&script);
    for name in ["one", "two", "three"] {
        let lines: Vec<String> = (0..90).map(|n| format!("let {name}_{n} = compute({n});\n")).collect();
        env.write(format!("src/{name}.rs"), lines.concat());
    }
    let run = review(&env, &[]);
    let folder = kept(&env);
    let parts: Vec<String> = folder.of_kind("started").iter().map(|line| line.key().to_owned()).collect();
    assert!(parts.contains(&"round-1/critique/3".to_owned()), "{parts:?}");
    let read: String = (1..=3).map(|part| folder.prompt(&format!("round-1/critique/{part}"))).collect();
    for name in ["one", "two", "three"] {
        assert!((0..90).all(|n| read.contains(&format!("+let {name}_{n} = compute({n});"))), "{name}");
    }
    let _ = run
        .exits(3)
        .shows("not read: ")
        .shows("(its critique failed in round 1)")
        .shows("one part of the artifact got no critique");
}

#[test]
fn a_diff_that_is_not_in_the_tree_is_revised_by_a_patch_that_applies_to_it() {
    let script =
        early_drop_judged("P1").call("round-1/rewrite", ScriptLine::text(PATCH)).call("round-2/critique", agreement());
    let env = repository(&script);
    let diff = git(&env, &["diff"]);
    let _ = git(&env, &["checkout", "--quiet", "."]);
    let run = env.rebut_reading(diff.as_bytes(), super::arguments(&["-"])).exits(0);
    let _ = run.shows("✔ src/pool.rs:3").shows("round-1/rewrite/trial: the patch applies");
    assert_eq!(decided(&env), "Converged (agreement)");
}

#[test]
fn a_diff_that_is_not_in_the_tree_is_taken_over_with_its_revision() {
    let script = early_drop_judged("P1").call("round-1/rewrite", ScriptLine::text(PATCH));
    let now = |env: &rebut_fakes::TestEnv| std::fs::read_to_string(env.workspace().join("src/pool.rs")).unwrap();
    let env = repository(&script);
    let diff = git(&env, &["diff"]);
    let _ = git(&env, &["checkout", "--quiet", "."]);
    let run = env.rebut_reading(diff.as_bytes(), super::arguments(&["-", "--intensity", "quick"])).exits(0);
    let _ = run.shows("(the diff and its revisions) and apply it: rebut export");
    let patch = env.rebut(["export", "last", "--as", "patch"]).exits(0).stdout;
    env.write("whole.patch", patch);
    let _ = git(&env, &["apply", "whole.patch"]);
    assert!(now(&env).contains("conn.after(guard)"), "{}", now(&env));

    let env = repository(&script);
    let _ = git(&env, &["checkout", "--quiet", "."]);
    let run = env.rebut_reading(diff.as_bytes(), super::arguments(&["-", "--intensity", "quick", "--apply"])).exits(0);
    let _ = run.says("written to the working tree (not staged): src/pool.rs");
    assert!(now(&env).contains("conn.after(guard)"), "{}", now(&env));
}

#[test]
fn a_diff_of_elsewhere_stays_a_diff() {
    let no_diff = || ScriptLine::text("<<artifact>>\nI approve.\n<<end artifact>>");
    let script = seats()
        .call("round-1/critique", critique(&[finding("P1", "it is wrong", "artifact.diff:6", "+new")], "revise"))
        .call("round-1/judgement", judgement(&[("F1", "valid", "P1")], &[]))
        .call("round-1/rewrite", no_diff())
        .call("round-1/rewrite", no_diff());
    let env = repository(&script);
    let diff = "--- a/else/where.rs\n+++ b/else/where.rs\n@@ -1,2 +1,2 @@\n kept\n-old\n+new\n";
    let run = env.rebut_reading(diff.as_bytes(), super::arguments(&["-"])).exits(3);
    let _ = run.shows("✔ artifact.diff:6").says("invalid answer (no diff)");
}

#[test]
fn the_same_finding_of_a_text_keeps_its_id_where_its_lines_move() {
    let no_bound = |round: u32, line: u32| {
        let place = format!("snippet-r{round}.py:{line}");
        finding("P2", "the loop has no bound and never ends", &place, "while True:")
    };
    let with = |lines: &str| format!("<<artifact>>\n{lines}def run():\n    while True:\n        step()\n<<end artifact>>");
    let script = seats()
        .call("round-1/critique", critique(&[no_bound(1, 2)], "revise"))
        .call("round-1/judgement", judgement(&[("F1", "valid", "P2")], &[]))
        .call("round-1/rewrite", ScriptLine::text(with("import time\nimport sys\n\n")))
        .call("round-2/critique", critique(&[no_bound(2, 5)], "revise"))
        .call("round-2/judgement", judged(&[same("F2", "valid", "P2", "F1")], &[]));
    let env = folder(&script);
    let code = "```python\ndef run():\n    while True:\n        step()\n```\n";
    let run = env.rebut_reading(code.as_bytes(), super::arguments(&["-", "--state-dir", "kept"])).exits(3);
    let _ = run.shows("this round raised nothing new").shows("✔ snippet-r2.py:5");
    // The judge compares it with the earlier one at the lines that it has now.
    let prompt = env.debates_in("workspace/kept").remove(0).prompt("round-2/judgement");
    assert!(prompt.contains("F1 P2 at snippet-r2.py:5: the loop has no bound"), "{prompt}");
}

#[test]
fn what_is_staged_and_taken_back_in_the_tree_is_reviewed() {
    let script = seats().call("round-1/critique", agreement());
    let env = repository(&script);
    let _ = git(&env, &["add", "."]);
    env.write("src/pool.rs", super::BEFORE);
    let _ = review(&env, &[]).exits(0).shows("reviewing the staged change, which is no longer in the working tree");
}

#[test]
fn a_version_that_cannot_be_written_is_told_with_the_exit_code_of_it() {
    let script = early_drop_judged("P1").call("round-1/rewrite", ScriptLine::text(PATCH).set("delay_ms", 300));
    let env = repository(&script);
    let mut running = env.start(super::arguments(&["--intensity", "quick", "--apply", "--json"]));
    running.wait_until_started("round-1/rewrite");
    env.write("src/pool.rs", "fn other() {}\n");
    let run = running.end().exits(3);
    assert_eq!(run.json_lines().pop().unwrap()["exit"], 3);
    assert_eq!(std::fs::read_to_string(env.workspace().join("src/pool.rs")).unwrap(), "fn other() {}\n");
}
