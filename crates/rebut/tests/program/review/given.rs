//! What is given rather than found: texts, files, snippets, and diffs that come from elsewhere.

use std::fs;

use rebut_fakes::{ScriptLine, Terminal, TestEnv};

use super::{
    AFTER, BEFORE, Planned, arguments, critique, finding, folder, git, judgement, kept, planned, repository, review, seats,
};

/// The plan for what is read from standard input.
fn of_stdin(env: &TestEnv, input: &[u8], more: &[&str]) -> Planned {
    let run = env.rebut_reading(input, arguments(&[&["-", "--dry-run", "--json"], more].concat())).exits(0);
    Planned { plan: run.json()["plan"].clone() }
}

#[test]
fn a_diff_on_standard_input_that_is_in_the_tree_is_reviewed_there() {
    let late = finding("P1", "the guard is dropped before the wait", "src/pool.rs:3", "drop(guard);");
    let script = seats()
        .call("round-1/critique", critique(&[late], "revise"))
        .call("round-1/judgement", judgement(&[("F1", "valid", "P1")], &[]))
        .call("round-1/rewrite", ScriptLine::text(super::PATCH));
    let env = repository(&script);
    let diff = git(&env, &["diff"]);
    let plan = of_stdin(&env, diff.as_bytes(), &[]);
    assert_eq!((&plan.form()["kind"], plan.setup("scope"), plan.setup("confidence")), (&"change".into(), "stdin", "high"));
    let run = env.rebut_reading(diff.as_bytes(), arguments(&["-", "--intensity", "quick"])).exits(0);
    let _ = run.shows("✔ src/pool.rs:3").shows("- Compromise");
    assert_eq!(super::text_file(&kept(&env), "artifact.diff"), diff);
}

#[test]
fn a_diff_that_is_not_in_the_tree_yet_is_cited_as_it_would_make_it() {
    let env = repository(&seats());
    let diff = git(&env, &["diff"]);
    env.write("src/pool.rs", BEFORE);
    let plan = of_stdin(&env, diff.as_bytes(), &[]);
    assert_eq!((&plan.form()["kind"], plan.form()["base"].is_string()), (&"loose_change".into(), true));
    assert!(plan.notes().contains("the diff is not applied to the working tree"), "{}", plan.notes());
}

/// However a person has told git to write diffs: without lines around, without prefixes, with others.
const WRITTEN: [&[&str]; 5] = [
    &["diff", "-U0"],
    &["diff", "--no-prefix"],
    &["diff", "--no-prefix", "-U0"],
    &["-c", "diff.mnemonicPrefix=true", "diff"],
    &["-c", "diff.mnemonicPrefix=true", "diff", "-U0", "HEAD"],
];

#[test]
fn a_diff_is_the_same_however_it_is_written() {
    let env = repository(&seats());
    env.write("src/new file.rs", "fn new() {}\n");
    git(&env, &["add", "--intent-to-add", "src/new file.rs"]);
    for written in WRITTEN {
        let diff = git(&env, written);
        let plan = of_stdin(&env, diff.as_bytes(), &[]);
        assert_eq!(plan.form()["kind"], "change", "{written:?}: {}", plan.notes());
        assert_eq!(plan.files(), ["src/new file.rs", "src/pool.rs"], "{written:?}");
        assert_eq!(plan.coming(), ["fn new() {}", "    drop(guard);"], "{written:?}");
    }
}

#[test]
fn a_diff_that_is_not_in_the_tree_yet_is_applied_however_it_is_written() {
    let script = super::early_drop_judged("P1")
        .call("round-1/rewrite", ScriptLine::text(super::PATCH))
        .call("round-2/critique", super::agreement());
    for written in WRITTEN {
        let env = repository(&script);
        let diff = git(&env, written);
        env.write("src/pool.rs", BEFORE);
        let run = env.rebut_reading(diff.as_bytes(), arguments(&["-"])).exits(0);
        let run = run.shows("✔ src/pool.rs:3").shows("round-1/rewrite/trial: the patch applies");
        let _ = run.shows("- Converged (agreement)");
    }
}

#[test]
fn a_diff_of_another_repository_is_reviewed_by_its_own_lines_alone() {
    let diff = "diff --git a/src/server.go b/src/server.go\n--- a/src/server.go\n+++ b/src/server.go\n@@ -1,2 +1,2 @@\n \
                package main\n-var limit = 1\n+var limit = 2\n";
    let own = finding("P2", "the limit has no unit", "artifact.diff:6", "var limit = 2");
    let script = seats()
        .call("round-1/critique", critique(std::slice::from_ref(&own), "revise"))
        .call("round-1/critique", critique(&[own], "revise"))
        .call("round-1/judgement", judgement(&[("F1", "valid", "P3")], &[]));
    for env in [repository(&script), folder(&script)] {
        let plan = of_stdin(&env, diff.as_bytes(), &[]);
        assert_eq!((&plan.form()["kind"], plan.form()["base"].is_null()), (&"loose_change".into(), true));
        assert!(plan.notes().contains("the diff does not fit this workspace"), "{}", plan.notes());
        let run = env.rebut_reading(diff.as_bytes(), arguments(&["-", "--intensity", "quick", "--state-dir", "kept"]));
        let _ = run.exits(0).shows("- Keep Original");
    }
}

#[test]
fn standard_input_is_read_for_a_dash_alone() {
    let env = repository(&seats());
    let run = env.rebut_reading(b"# Proposal\n\nNot this.\n", arguments(&["--dry-run", "--json"])).exits(0);
    assert!(run.json()["plan"]["setup"]["artifact"]["text"].as_str().unwrap().contains("drop(guard)"));
    env.write("src/pool.rs", BEFORE);
    let _ = env.rebut_reading(b"# Proposal\n\nNot this.\n", arguments(&[])).exits(2).says("no uncommitted changes");
    for input in ["", " \n\n"] {
        let _ = env.rebut_reading(input.as_bytes(), arguments(&["-"])).exits(2).says("nothing to review on standard input");
    }
}

#[test]
fn standard_input_without_end_is_not_taken() {
    let env = folder(&seats());
    let much = vec![b'x'; 16 * 1024 * 1024 + 1];
    let _ = env.rebut_reading(&much, arguments(&["-"])).exits(2).says("larger than the limit of 16777216 bytes");
}

#[test]
fn a_pasted_snippet_becomes_a_file_of_its_language() {
    for (word, ending) in [("rust", "rs"), ("Python", "py"), ("c++", "cpp"), ("", "txt"), ("tsx", "tsx"), ("sh", "sh")] {
        let env = folder(&seats());
        let text = format!("```{word}\nretry(forever)\n```\n");
        let name = format!("snippet-r1.{ending}:1");
        let own = finding("P3", "it never ends", &name, "retry(forever)");
        let script = seats()
            .call("round-1/critique", critique(&[own], "revise"))
            .call("round-1/judgement", judgement(&[("F1", "valid", "P3")], &[]));
        super::cast(&env, &script);
        let run = env.rebut_reading(text.as_bytes(), arguments(&["-", "--state-dir", "kept"])).exits(0);
        let run = run.shows("stdin, 1 line, reviewed as code (confidence high)");
        let _ = run.shows(&format!("✔ snippet-r1.{ending}:1"));
        let folder = env.debates_in("workspace/kept").remove(0);
        assert_eq!(super::text_file(&folder, &format!("snippet-r1.{ending}")), "retry(forever)\n", "{word}");
    }
}

#[test]
fn a_text_is_taken_whole_from_the_command_line() {
    let env = repository(&seats());
    let plan = planned(&env, &["We", "should", "use", "gRPC."]);
    assert_eq!((plan.artifact(), plan.setup("target"), plan.setup("scope")), ("We should use gRPC.", "proposal", "text"));
    assert_eq!(plan.setup("confidence"), "medium");
    let _ = review(&env, &[" "]).exits(2).says("nothing to review: text is empty");
}

#[test]
fn what_a_text_is_follows_from_its_marks() {
    let env = folder(&seats());
    for (text, target, confidence) in [
        ("# Design\n\nWe cache.\n\n```rust\nfn cache() {}\n```\n", "mixed", "high"),
        ("```rust\nfn cache() {}\n```\n", "code", "high"),
        ("## Decision\n\nWe cache.\n", "proposal", "high"),
        ("## The trade-offs\n\nfew\n", "proposal", "high"),
        ("We cache.\n", "proposal", "medium"),
        ("# Redesigned\n\nwith `inline` code and ``` three ``` ticks\n", "proposal", "medium"),
        ("See:\n\n```\nx = 1\n```\n", "code", "medium"),
        ("We would do it in this way, which is short and good:\n\n```\nx = 1\n```\n", "code", "low"),
    ] {
        let plan = of_stdin(&env, text.as_bytes(), &[]);
        assert_eq!((plan.setup("target"), plan.setup("confidence")), (target, confidence), "{text}");
        let run = env.rebut_reading(text.as_bytes(), arguments(&["-", "--dry-run"])).exits(0);
        let _ = run.shows(&format!("reviewed as {target} (confidence {confidence})"));
    }
}

#[test]
fn one_question_is_asked_on_a_terminal_where_it_is_unsure() {
    let text = "We would do it in this way, which is short and good:\n\n```\nx = 1\n```\n";
    for (typed, target) in [("\n", "code"), ("y\n", "code"), ("proposal\n", "proposal"), ("mixed\n", "mixed")] {
        let env = folder(&seats()).set("TERM", "xterm");
        env.write("unsure.md", text);
        let command = arguments(&["--artifact-file", "unsure.md", "--dry-run"]);
        let run = Terminal::open().run(&mut env.command(command), typed).exits(0);
        assert_eq!(run.stderr.matches("This looks like code. Review it as that?").count(), 1, "{run}");
        let _ = run.shows(&format!("reviewed as {target} (confidence high)"));
    }
    let env = folder(&seats()).set("TERM", "xterm");
    env.write("unsure.md", text);
    let command = arguments(&["--artifact-file", "unsure.md", "--dry-run"]);
    let _ = Terminal::open().run(&mut env.command(command), "poem\n").exits(2).says("unknown target `poem`");
    // Whoever says what it is is not asked, and neither is one who is sure.
    for more in [&["--target", "mixed"][..], &["--target", "code"]] {
        let command = arguments(&[&["--artifact-file", "unsure.md", "--dry-run"], more].concat());
        let run = Terminal::open().run(&mut env.command(command), "").exits(0);
        assert!(!run.stderr.contains("This looks like"), "{run}");
    }
}

#[test]
fn a_file_that_cannot_be_reviewed_is_told_why() {
    let env = repository(&seats());
    env.write("empty.md", " \n");
    crate::pipe_at(&env.workspace().join("pipe"));
    fs::File::create(env.workspace().join("large.md")).unwrap().set_len(16 * 1024 * 1024 + 1).unwrap();
    for (path, said) in [
        ("none.md", "none.md: No such file"),
        ("src", "src: it is a folder"),
        ("pipe", "pipe: it is a pipe or a device, not a file"),
        ("/dev/zero", "can't read /dev/zero: it is a pipe or a device"),
        ("large.md", "large.md: it is larger than 16777216 bytes"),
        ("empty.md", "nothing to review: artifact-file:empty.md is empty"),
    ] {
        let _ = review(&env, &["--artifact-file", path]).exits(2).says(said);
    }
    assert!(!env.workspace().join(".git/review-loop").exists());
}

#[test]
fn a_given_file_that_is_not_utf_8_is_shown_with_stand_ins() {
    let env = repository(&seats());
    env.write("latin.md", b"# Proposal\n\nWe open a caf\xe9.\n");
    let plan = planned(&env, &["--artifact-file", "latin.md"]);
    assert_eq!(plan.artifact(), "# Proposal\n\nWe open a caf\u{fffd}.\n");
    assert!(plan.notes().contains("latin.md is not UTF-8; invalid bytes are replaced"), "{}", plan.notes());
    // A diff of such a file, painted by git, is the same as on standard input.
    env.write(
        "painted.diff",
        b"\x1b[1mdiff --git a/l.txt b/l.txt\x1b[m\n--- a/l.txt\n+++ b/l.txt\n@@ -1 +1 @@\n-a\n\x1b[32m+\xe9\x1b[m\n",
    );
    let plan = planned(&env, &["--artifact-file", "painted.diff"]);
    assert_eq!((plan.coming(), plan.setup("target")), (vec!["\u{fffd}"], "code"));
}

#[test]
fn a_file_is_given_before_the_tree_is_looked_at() {
    let env = repository(&seats());
    env.write("plan.md", "# Proposal\n\nWe use gRPC.\n");
    let plan = planned(&env, &["--artifact-file", "plan.md"]);
    assert_eq!((plan.setup("scope"), plan.setup("target")), ("artifact-file:plan.md", "proposal"));
    // A file of code without marks is what the person says.
    let plan = planned(&env, &["--artifact-file", "src/pool.rs", "--target", "code"]);
    assert_eq!((plan.artifact(), plan.setup("confidence")), (AFTER, "high"));
}

#[test]
fn target_and_scope_go_together_or_are_refused() {
    let env = repository(&seats());
    for (more, said) in [
        (&["--scope", "uncommitted", "--target", "proposal"][..], "--target proposal can't be used for code from git"),
        (&["--scope", "uncommitted", "--target", "mixed"], "--target mixed can't be used for code from git"),
        (&["--target", "proposal"], "no proposal to review"),
        (&["--scope", "uncommitted", "a text"], "cannot be used with"),
        (&["--scope", "uncommitted", "--artifact-file", "plan.md"], "cannot be used with"),
        (&["a text", "--artifact-file", "plan.md"], "cannot be used with"),
    ] {
        let _ = review(&env, more).exits(2).says(said);
    }
    assert_eq!(planned(&env, &["--scope", "uncommitted", "--target", "code"]).setup("target"), "code");
    assert_eq!(planned(&env, &["--target", "code"]).setup("scope"), "uncommitted");
    let mixed = planned(&env, &["--target", "mixed"]);
    assert_eq!(mixed.setup("target"), "code");
    assert!(mixed.notes().contains("no proposal found: reviewing it as code only"), "{}", mixed.notes());
}

#[test]
fn nothing_of_a_given_diff_is_left_out_for_its_path() {
    let env = repository(&seats());
    let of = |path: &str| {
        format!("diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x = 1\n")
    };
    let paths = [".claude/debate/y.sh", "app/.rebut/run.sh", "output/20260101T000000Z-x/z.sh", "src/new.rs"];
    assert_eq!(of_stdin(&env, paths.map(of).concat().as_bytes(), &[]).files(), paths);
    env.write(".rebut/notes.md", "x = 1\n");
    assert_eq!(planned(&env, &["--artifact-file", ".rebut/notes.md"]).artifact(), "x = 1\n");
    env.write("data.bin", "x\0y");
    let _ = review(&env, &["--artifact-file", "data.bin"]).exits(2).says("data.bin");
}

#[test]
fn a_file_with_an_ending_of_code_is_code() {
    let env = repository(&seats());
    for (name, text) in [("a.py", "# Decision\n\ndef a():\n    return '''\n```\n'''\n"), ("B.RS", "fn b() {}\n")] {
        env.write(name, text);
        let plan = planned(&env, &["--artifact-file", name]);
        assert_eq!((plan.artifact(), plan.setup("target"), plan.setup("confidence")), (text, "code", "high"), "{name}");
        assert_eq!(plan.form()["ending"], name.to_lowercase().rsplit('.').next().unwrap());
    }
    assert_eq!(planned(&env, &["--artifact-file", "a.py", "--target", "proposal"]).setup("target"), "proposal");
    env.write("notes.txt", "def a(): return 1\n");
    let line = |more: &[&str]| review(&env, &[&["--artifact-file", "notes.txt", "--dry-run"], more].concat()).exits(0);
    let suggests = "reviewed as proposal (confidence medium); use --target code if it is code\n";
    let _ = line(&[]).shows(suggests);
    assert!(!line(&["--target", "proposal"]).stdout.contains("--target code"));
    env.write("plan.md", "# Proposal\n\nWait for the lock.\n");
    assert!(!review(&env, &["--artifact-file", "plan.md", "--dry-run"]).exits(0).stdout.contains("--target code"));
}

#[test]
fn with_the_artifact_on_standard_input_nobody_can_be_asked_and_the_plan_says_so() {
    let env = repository(&seats());
    let notes = of_stdin(&env, b"# Proposal\n\nWait for the lock.\n", &["--mode", "manual"]).notes();
    assert!(notes.contains("each round follows the recommendation"), "{notes}");
    assert!(!of_stdin(&env, b"# Proposal\n\nWait for the lock.\n", &[]).notes().contains("recommendation"));
}
