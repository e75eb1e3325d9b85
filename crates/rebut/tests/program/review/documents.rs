//! A whole session with every file it leaves, and every prompt of a review, as they are read.

use rebut_fakes::{DebateFolder, Script, ScriptLine, TestEnv, filters};
use serde_json::json;

use super::{
    PATCH, Raised, agreement, concrete_p1, critique, critique_value, early_drop, finding, folder, judgement, kept,
    repository, review, ruling, seats, text_file,
};

/// A second patch, on top of the first.
const SECOND: &str = "```diff\n--- a/src/pool.rs\n+++ b/src/pool.rs\n@@ -1,5 +1,5 @@\n fn acquire(pool: &Pool) -> Conn {\n     \
                      let guard = pool.lock();\n     let conn = pool.wait(30);\n-    conn.after(guard)\n+    \
                      conn.with(guard)\n }\n```\n";

/// Compares a text with its snapshot; what differs from run to run is named.
fn snapshot(env: &TestEnv, name: &str, text: &str) {
    let filters = filters(env);
    let filters = filters.iter().map(|(pattern, name)| (pattern.as_str(), *name)).collect::<Vec<_>>();
    insta::with_settings!({ filters => filters, omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, text);
    });
}

/// Two rounds: a P1 that is mended, one finding with false evidence, something that is missing; then a P2 on what was
/// written, which is mended in the last round.
fn two_rounds() -> Script {
    let invented = finding("P2", "the retry loop never ends", "src/retry.rs:9", "loop {");
    let aside = finding("P3", "the name acquire says little", "src/pool.rs:1", "fn acquire");
    let mut first = critique_value(&[early_drop("P1"), invented, aside], "revise");
    first["missing"] = json!([{ "title": "no test covers the wait", "explanation": "it was never covered" }]);
    let judged = json!({
        "rulings": [ruling("F1", "valid", "P1"), ruling("F3", "valid", "P3")],
        "missing": [{ "id": "M1", "important": true, "same_as": null }],
        "added": [{ "title": "a note in the changelog", "explanation": "", "important": false, "same_as": null }],
    });
    let undefined = finding("P2", "after() is not defined anywhere", "src/pool.rs:4", "conn.after(guard)");
    seats()
        .call("round-1/critique", ScriptLine::text(first.to_string()))
        .call("round-1/judgement", ScriptLine::text(judged.to_string()))
        .call("round-1/rewrite", ScriptLine::text(PATCH))
        .call("round-2/critique", critique(&[undefined], "revise"))
        .call("round-2/judgement", judgement(&[("F4", "valid", "P2")], &[]))
        .call("round-2/rewrite", ScriptLine::text(SECOND))
}

#[test]
fn a_whole_session_leaves_these_files() {
    let env = repository(&two_rounds());
    let run = review(&env, &["--max-rounds", "2"]).exits(0);
    snapshot(&env, "session_run", &run.to_string());
    let folder = kept(&env);
    let expected = [
        "artifact.diff",
        "artifact.md",
        "artifact.stat",
        "debate.json",
        "decision.json",
        "final-artifact.md",
        "metadata.json",
        "round-1-critique.md",
        "round-1-input.md",
        "round-2-critique.md",
        "round-2-input.md",
        "summary.md",
    ];
    assert_eq!(folder.listing(), expected);
    for name in expected.iter().filter(|name| **name != "journal.jsonl") {
        snapshot(&env, &format!("session_{}", name.replace(['.', '-'], "_")), &text_file(&folder, name));
    }
    snapshot(&env, "session_story", &folder.story().join("\n"));
    for (name, document) in [("session_export_md", "md"), ("session_sarif", "sarif"), ("session_patch", "patch")] {
        snapshot(&env, name, &env.rebut(["export", "--as", document]).exits(0).stdout);
    }
}

#[test]
fn what_the_files_say_is_rendered_from_the_journal_alone() {
    let env = repository(&two_rounds());
    let _ = review(&env, &["--max-rounds", "2"]).exits(0);
    let folder = kept(&env);
    let names: Vec<String> = folder.listing().into_iter().filter(|name| name != "journal.jsonl").collect();
    let read = |names: &[String]| names.iter().map(|name| text_file(&folder, name)).collect::<Vec<_>>();
    let before = read(&names);
    for name in &names {
        std::fs::remove_file(folder.path.join(name)).unwrap();
    }
    // Nobody is asked for anything: the script is empty.
    super::cast(&env, &seats());
    let _ = env.rebut(["show"]).exits(0).shows("- Compromise");
    let _ = env.rebut(["resume", "last"]).exits(0);
    assert_eq!(read(&names), before);
}

/// The prompts of these calls, by snapshot.
fn prompts(env: &TestEnv, folder: &DebateFolder, calls: &[(&str, &str)]) {
    for (name, key) in calls {
        snapshot(env, &format!("prompt_{name}"), &folder.prompt(key));
    }
}

#[test]
fn prompts_about_code() {
    let env = repository(&two_rounds());
    let _ = review(&env, &["--max-rounds", "2"]).exits(0);
    let calls = [
        ("critique_code", "round-1/critique"),
        ("judgement", "round-1/judgement"),
        ("rewrite_patch", "round-1/rewrite"),
        ("critique_code_later", "round-2/critique"),
    ];
    prompts(&env, &kept(&env), &calls);
}

#[test]
fn prompts_of_an_acceptance_whose_patch_does_not_apply() {
    let script = seats()
        .call("round-1/critique", critique(&[early_drop("P1")], "revise"))
        .call("round-1/judgement", concrete_p1())
        .call("round-1/rewrite", ScriptLine::text(PATCH.replace("pool.lock()", "pool.open()")))
        .call("round-1/rewrite/again", ScriptLine::text(PATCH));
    let env = repository(&script);
    let _ = review(&env, &[]).exits(0);
    let calls = [("rewrite_accepted", "round-1/rewrite"), ("rewrite_again", "round-1/rewrite/again")];
    prompts(&env, &kept(&env), &calls);
}

#[test]
fn prompts_around_a_rebuttal() {
    let answer = "F1: wait() locks again by itself, see src/pool.rs:4 \"pool.wait(30)\".";
    let script = seats()
        .call("round-1/critique", critique(&[early_drop("P1")], "continue"))
        .call("round-1/judgement", judgement(&[("F1", "needs_evidence", "P1")], &[]))
        .call("round-1/rebuttal", ScriptLine::text(answer))
        .call("round-2/critique", agreement());
    let env = repository(&script);
    let _ = review(&env, &[]).exits(0);
    let calls = [("rebuttal", "round-1/rebuttal"), ("critique_after_a_rebuttal", "round-2/critique")];
    prompts(&env, &kept(&env), &calls);
    snapshot(&env, "rebuttal_round_2_input", &text_file(&kept(&env), "round-2-input.md"));
}

/// Reviews a text in a folder that is no repository, in one round.
fn of_text(text: &str, keys: &[&str], findings: &[Raised]) -> (TestEnv, DebateFolder) {
    let rulings: Vec<(&str, &str, &str)> = ["F1", "F2"].iter().take(findings.len()).map(|id| (*id, "valid", "P1")).collect();
    let script = keys
        .iter()
        .zip(findings)
        .fold(seats(), |script, (key, finding)| script.call(key, critique(std::slice::from_ref(finding), "revise")));
    let script = script
        .call("round-1/judgement", judgement(&rulings, &[]))
        .call("round-1/rewrite", ScriptLine::text("This is no text between the two lines."));
    let env = folder(&script);
    env.write("given.md", text);
    let _ = review(&env, &["--artifact-file", "given.md", "--intensity", "quick", "--state-dir", "kept"]).exits(3);
    let folder = env.debates_in("workspace/kept").remove(0);
    (env, folder)
}

#[test]
fn prompts_about_a_proposal() {
    let finding = finding("P1", "no reason is given", "artifact.md:3", "We use gRPC.");
    let (env, folder) = of_text("# Proposal\n\nWe use gRPC.\n", &["round-1/critique"], &[finding]);
    let calls = [("critique_proposal", "round-1/critique"), ("rewrite_text", "round-1/rewrite")];
    prompts(&env, &folder, &calls);
}

#[test]
fn prompts_about_code_and_proposal_in_one() {
    let text = "# Proposal\n\nWe cache all.\n\n```rust\nfn cache() {}\n```\n";
    let code = finding("P1", "the cache is never emptied", "artifact.md:6", "fn cache() {}");
    let words = finding("P1", "no reason is given for a cache", "artifact.md:3", "We cache all.");
    let (env, folder) = of_text(text, &["round-1/critique/code", "round-1/critique/proposal"], &[code, words]);
    let calls = [
        ("critique_mixed_code", "round-1/critique/code"),
        ("critique_mixed_proposal", "round-1/critique/proposal"),
        ("judgement_mixed", "round-1/judgement"),
    ];
    prompts(&env, &folder, &calls);
}
