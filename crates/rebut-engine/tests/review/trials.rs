//! Patches tried on what is reviewed, and what is looked up and read afterwards.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;
use std::time::Duration;

use rebut_core::debate::{RunOn, Trial, Tried};
use rebut_core::evidence::check::CheckResult;
use rebut_engine::checks::{Allowed, AllowedCommands, Examiner, NamedCommand};
use rebut_engine::workspace::apply_to_workspace;
use rebut_engine::workspace::pin::Live;
use tokio_util::sync::CancellationToken;

use crate::bench::{Bench, CANONICAL, LIMITS, fifth};
use crate::ground::{Ground, numbered};

#[tokio::test]
async fn a_patch_that_applies_is_recorded_as_it_really_is() {
    let bench = Bench::repository();
    let patch = bench.tries(&[], &fifth("@@ -4,3 +4,3 @@")).await.unwrap();
    assert!(patch.starts_with("diff --git a/src/pool.rs b/src/pool.rs\n--- a/src/pool.rs\n"), "{patch}");
    assert!(patch.ends_with(CANONICAL), "{patch}");
    assert_eq!(apply_to_workspace(&bench.ground.ws(), &[patch]).unwrap(), ["src/pool.rs"]);
}

#[tokio::test]
async fn what_models_get_wrong_is_put_right_where_only_one_reading_is_left() {
    let bench = Bench::repository();
    let proper = bench.tries(&[], &fifth("@@ -4,3 +4,3 @@")).await.unwrap();
    let unprefixed = fifth("@@ -4,3 +4,3 @@").replace("a/src", "src").replace("b/src", "src");
    let fenced = format!("Here is the fix:\n\n```diff\n{}```\n\nIt renames the line.\n", fifth("@@ -4,3 +4,3 @@"));
    let unended = fifth("@@ -4,3 +4,3 @@").trim_end().to_owned();
    for patch in [
        fifth("@@ -4,9 +4,1 @@"),
        fifth("@@ -1,3 +1,3 @@"),
        fifth("@@ -400,3 +400,3 @@"),
        fifth("@@ @@"),
        fifth("@@ -4 +4 @@"),
        unprefixed,
        fenced,
        unended,
        fifth("@@ -4,3 +4,3 @@").replace('\n', "\r\n"),
        "--- a/src/pool.rs\n+++ b/src/pool.rs\n@@ -9 +9 @@\n-line 5\n+line five\n".to_owned(),
    ] {
        assert_eq!(bench.tries(&[], &patch).await.unwrap(), proper, "{patch}");
    }
}

#[tokio::test]
async fn no_line_is_lost_where_a_hunk_says_too_small_a_number() {
    let bench = Bench::repository();
    let patch = "--- a/src/pool.rs\n+++ b/src/pool.rs\n@@ -4,2 +4,2 @@\n line 4\n-line 5\n+line five\n+line five and a half\n line 6\n";
    let patch = bench.tries(&[], patch).await.unwrap();
    assert!(patch.contains("+line five\n+line five and a half\n"), "{patch}");
}

#[tokio::test]
async fn what_does_not_apply_is_told_to_whoever_wrote_it() {
    let ground = Ground::repository();
    ground.write("src/twice.rs", "a {\n}\nb {\n}\n");
    let bench = Bench::over(ground);
    let wrong = fifth("@@ -4,3 +4,3 @@").replace(" line 6", " line 66");
    for (patch, expected) in [
        (wrong.as_str(), "src/pool.rs, hunk 1: it expects `line 66`, but line 6 is `line 6`"),
        ("--- a/nothing.rs\n+++ b/nothing.rs\n@@ -1 +1 @@\n-a\n+b\n", "there is no file nothing.rs"),
        ("--- /dev/null\n+++ b/README.md\n@@ -0,0 +1 @@\n+x\n", "README.md already exists"),
        (
            "--- a/src/twice.rs\n+++ b/src/twice.rs\n@@ -3,1 +3,2 @@\n }\n+x\n",
            "hunk 1: its lines occur 2 times in the file, at 2, 4; include more lines around them",
        ),
        (
            "diff --git a/README.md b/G.md\nrename from README.md\nrename to G.md\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n",
            "different files",
        ),
        ("I would rename the line.\n", "it is not a unified diff"),
        ("", "it is not a unified diff"),
        ("--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-# Pool\n+# Pool\n", "changes nothing"),
        ("--- /dev/null\n+++ b/src\n@@ -0,0 +1 @@\n+x\n", "src can't be created: it is a folder"),
        ("--- /dev/null\n+++ b/README.md/x\n@@ -0,0 +1 @@\n+x\n", "README.md/x can't be created: README.md is not a folder"),
    ] {
        let why = bench.tries(&[], patch).await.unwrap_err();
        assert!(why.contains(expected), "{patch}: {why}");
        assert!(!why.contains("/tmp") && !why.contains("rebut-copy"), "{why}");
    }
}

#[tokio::test]
async fn no_patch_may_touch_what_is_not_a_plain_file_of_the_workspace() {
    let ground = Ground::repository();
    fs::write(ground.root().join("outside"), "old\n").unwrap();
    symlink("..", ground.ws().join("up")).unwrap();
    symlink("src/pool.rs", ground.ws().join("link.rs")).unwrap();
    ground.write("logo.png", b"\x89PNG\0");
    let bench = Bench::over(ground);
    let change = |path: &str| format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-old\n+new\n");
    let new = |path: &str| format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+new\n");
    let with_mode = |mode: &str| {
        format!("diff --git a/l b/l\nnew file mode {mode}\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n")
    };
    for (patch, expected) in [
        (change("../outside"), "is not the path of a file in the workspace"),
        (new("../outside"), "is not the path of a file in the workspace"),
        (change("src/../../outside"), "is not the path of a file in the workspace"),
        (change("/etc/motd"), "absolute path"),
        ("--- /etc/motd\n+++ /etc/motd\n@@ -1 +1 @@\n-old\n+new\n".to_owned(), "absolute path"),
        (new("C:/x"), "absolute path"),
        (change(".git/config"), "belongs to git"),
        (new(".git/hooks/pre-commit"), "belongs to git"),
        (new("sub/.GIT/config"), "belongs to git"),
        (new(".rebut/config.toml"), "belongs to rebut"),
        (new(".claude/debate/x"), "belongs to rebut"),
        (new("up/x"), "leads through the symlink up"),
        (change("link.rs"), "is a symlink"),
        (change("logo.png"), "is binary"),
        (with_mode("120000"), "symbolic link"),
        (with_mode("160000"), "submodule"),
        (with_mode("104755"), "unsupported file mode"),
        (
            "diff --git a/link.rs b/link.rs\ndeleted file mode 120000\n--- a/link.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
                .into(),
            "symbolic link",
        ),
        ("diff --git a/README.md b/README.md\nold mode 100644\nnew mode 120000\n".into(), "symbolic link"),
        (
            "diff --git a/x b/x\nnew file mode 100644\nindex 0000000..1\nGIT binary patch\nliteral 3\nKc${NkU|;|M00aO5\n\n"
                .into(),
            "binary data is not supported",
        ),
        (
            "diff --git a/README.md b/.git/config\nsimilarity index 100%\nrename from README.md\nrename to .git/config\n"
                .into(),
            "belongs to git",
        ),
        (format!("{}\0", new("x")), "not text"),
    ] {
        let why = bench.tries(&[], &patch).await.unwrap_err();
        assert!(why.contains(expected), "{patch}: {why}");
    }
    assert_eq!(fs::read_to_string(bench.ground.root().join("outside")).unwrap(), "old\n");
}

#[tokio::test]
async fn files_are_made_deleted_renamed_and_made_to_run() {
    let bench = Bench::repository();
    let patch = "diff --git a/src/pool.rs b/src/the pool.rs\nsimilarity index 95%\nrename from src/pool.rs\nrename to src/the pool.rs\n\
                 --- a/src/pool.rs\t\n+++ b/src/the pool.rs\t\n@@ -4,3 +4,3 @@\n line 4\n-line 5\n+line five\n line 6\n\
                 diff --git a/run.sh b/run.sh\nnew file mode 100755\n--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1 @@\n+#!/bin/sh\n\
                 diff --git a/README.md b/README.md\ndeleted file mode 100644\n--- a/README.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-# Pool\n\
                 diff --git a/.gitignore b/.gitignore\nold mode 100644\nnew mode 100755\n";
    let recorded = bench.tries(&[], patch).await.unwrap();
    assert!(recorded.contains("rename from src/pool.rs\nrename to src/the pool.rs\n"), "{recorded}");
    assert!(recorded.contains("old mode 100644\nnew mode 100755\n"), "{recorded}");
    apply_to_workspace(&bench.ground.ws(), &[recorded]).unwrap();
    let mode = |path: &str| fs::metadata(bench.ground.ws().join(path)).unwrap().permissions().mode() & 0o111;
    assert_ne!(mode("run.sh"), 0);
    assert!(!bench.ground.ws().join("README.md").exists());
}

#[tokio::test]
async fn a_file_with_carriage_returns_keeps_them() {
    let ground = Ground::repository();
    ground.write("dos.txt", "one\r\ntwo\r\nthree\r\n");
    let bench = Bench::over(ground);
    let patch = "--- a/dos.txt\n+++ b/dos.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    let recorded = bench.tries(&[], patch).await.unwrap();
    assert!(recorded.contains("-two\r\n+2\r\n three\r\n"), "{recorded:?}");
    apply_to_workspace(&bench.ground.ws(), &[recorded]).unwrap();
    assert_eq!(fs::read_to_string(bench.ground.ws().join("dos.txt")).unwrap(), "one\r\n2\r\nthree\r\n");
}

#[tokio::test]
async fn bytes_that_are_no_text_stay_as_they_are_where_the_patch_is_not_beside_them() {
    let ground = Ground::repository();
    let content = [b"caf\xe9\n".as_slice(), numbered(1..=9).as_bytes()].concat();
    ground.write("latin.txt", &content);
    let bench = Bench::over(ground);
    let at = |number: u32| format!("--- a/latin.txt\n+++ b/latin.txt\n@@ @@\n-line {number}\n+LINE\n");
    let recorded = bench.tries(&[], &at(5)).await.unwrap();
    apply_to_workspace(&bench.ground.ws(), &[recorded]).unwrap();
    assert!(fs::read(bench.ground.ws().join("latin.txt")).unwrap().starts_with(b"caf\xe9\nline 1\n"));
    // Two lines away, fewer lines around the change are recorded; beside it, none can be.
    assert!(bench.tries(&[], &at(2)).await.unwrap().contains("@@ -2,3 +2,3 @@"));
    let why = bench.tries(&[], &at(1)).await.unwrap_err();
    assert!(why.contains("not UTF-8"), "{why}");
}

#[tokio::test]
async fn a_secret_beside_a_change_is_not_recorded() {
    let key = format!("sk-{}-api03-{}", "ant", "Zx9".repeat(30));
    let ground = Ground::repository();
    ground.write("conf.py", format!("one = 1\ntwo = 2\nANTHROPIC_API_KEY = \"{key}\"\nthree = 3\nfour = 4\n"));
    let bench = Bench::over(ground);
    let at = |line: &str| format!("--- a/conf.py\n+++ b/conf.py\n@@ @@\n-{line}\n+changed = 0\n");
    let recorded = bench.tries(&[], &at("one = 1")).await.unwrap();
    assert!(!recorded.contains(&key) && recorded.contains("-one = 1"), "{recorded}");
    let why = bench.tries(&[], &at("two = 2")).await.unwrap_err();
    assert!(why.contains("secret") && !why.contains(&key), "{why}");
}

#[tokio::test]
async fn later_patches_and_citations_speak_of_what_the_earlier_ones_made() {
    let bench = Bench::repository();
    let first = bench
        .tries(
            &[],
            "diff --git a/README.md b/GUIDE.md\nrename from README.md\nrename to GUIDE.md\n\
             diff --git a/src/new.rs b/src/new.rs\nnew file mode 100644\n--- /dev/null\n+++ b/src/new.rs\n@@ -0,0 +1,2 @@\n+fn new() {}\n+fn newer() {}\n",
        )
        .await
        .unwrap();
    let one = vec![first.clone()];
    let second =
        bench.tries(&one, "--- a/src/new.rs\n+++ b/src/new.rs\n@@ -2 +2 @@\n-fn newer() {}\n+fn newest() {}\n").await;
    let two = vec![first, second.unwrap()];
    let line = r#"{"file": "src/new.rs", "lines": 2, "quote": "fn newest() {}"}"#;
    assert_eq!(bench.result(&two, line).await, CheckResult::Verified);
    assert_eq!(bench.result(&one, line).await, CheckResult::Mismatch);
    assert_eq!(bench.result(&[], line).await, CheckResult::Missing);
    assert_eq!(bench.result(&two, "See `GUIDE.md:1`.").await, CheckResult::Verified);
    assert_eq!(bench.result(&two, "See `README.md:1`.").await, CheckResult::Missing);
    assert_eq!(bench.result(&two, "See `src/pool.rs:20`.").await, CheckResult::Verified);
    // Somebody who takes the debate up again knows nothing but the revisions.
    let again =
        Bench { examiner: Examiner::over(Arc::clone(&bench.pin) as _, &bench.ground.ws(), Allowed::default()), ..bench };
    assert_eq!(again.result(&two, line).await, CheckResult::Verified);
    apply_to_workspace(&again.ground.ws(), &two).unwrap();
    assert_eq!(fs::read_to_string(again.ground.ws().join("src/new.rs")).unwrap(), "fn new() {}\nfn newest() {}\n");
}

#[tokio::test]
async fn revisions_that_do_not_apply_leave_citations_unchecked_with_the_reason() {
    let bench = Bench::repository();
    let wrong = vec!["--- a/nothing.rs\n+++ b/nothing.rs\n@@ -1 +1 @@\n-a\n+b\n".to_owned()];
    let found = bench.checks(&wrong, "See `src/pool.rs:20`.").await.remove(0);
    assert_eq!(found.result, CheckResult::Unchecked);
    assert!(found.detail.contains("revision 1 does not apply"), "{}", found.detail);
    assert!(bench.tries(&wrong, &fifth("@@ -4,3 +4,3 @@")).await.unwrap_err().contains("revision 1"));
}

/// Where the workspace is too large for a copy, seats go on reading it as it is.
#[tokio::test]
async fn who_quotes_the_live_workspace_behind_a_revision_has_invented_nothing() {
    let ground = Ground::repository();
    let began = std::time::SystemTime::now() + Duration::from_hours(1);
    let live = Live::over(&ground.ws(), None, began, LIMITS.file_bytes).unwrap();
    let bench = Bench::over(ground);
    let examiner = Examiner::over_live(live, &bench.ground.ws(), Allowed::default());
    let pinned = Bench { examiner, ..bench };
    let one = vec![pinned.tries(&[], &fifth("@@ -4,3 +4,3 @@")).await.unwrap()];
    assert_eq!(pinned.result(&one, "src/pool.rs:5 reads \"line five\"").await, CheckResult::Verified);
    assert_eq!(pinned.result(&one, "src/pool.rs:5 reads \"line 5\"").await, CheckResult::ChangedSince);
    assert_eq!(pinned.result(&one, "src/pool.rs:5 reads \"line fifty\"").await, CheckResult::Mismatch);
    assert_eq!(pinned.result(&one, "src/none.rs:5 reads \"line 5\"").await, CheckResult::Missing);
    let kept =
        Bench { examiner: Examiner::over(Arc::clone(&pinned.pin) as _, &pinned.ground.ws(), Allowed::default()), ..pinned };
    assert_eq!(kept.result(&one, "src/pool.rs:5 reads \"line 5\"").await, CheckResult::Mismatch);
}

#[tokio::test]
async fn patches_are_tried_on_a_live_folder_and_never_on_nothing() {
    let ground = Ground::plain();
    ground.write("src/pool.rs", numbered(1..=20));
    let examiner = Examiner::of_folder(&ground.ws(), None, 64 * 1024, Allowed::default()).unwrap();
    let trial = || Trial { revisions: Vec::new(), patch: fifth("@@ -4,3 +4,3 @@") };
    let tried = examiner.try_patch(trial(), &CancellationToken::new()).await.unwrap();
    assert!(matches!(&tried, Tried::Applies { patch } if patch.ends_with(CANONICAL)), "{tried:?}");
    assert_eq!(fs::read_to_string(ground.ws().join("src/pool.rs")).unwrap(), numbered(1..=20));
    let nothing = Examiner::over_nothing("there is no workspace", None);
    let tried = nothing.try_patch(trial(), &CancellationToken::new()).await.unwrap();
    assert!(matches!(&tried, Tried::Fails { why } if why.contains("there is no workspace")), "{tried:?}");
}

/// A command of the person's that looks for the line that the patch brings.
fn looks_for_five(run_on: RunOn, base: usize) -> Allowed {
    let words = ["grep", "-q", "line five", "src/pool.rs"].map(str::to_owned).to_vec();
    let command = NamedCommand { words, env: Vec::new(), limit: Duration::from_mins(1) };
    let named = [("test".to_owned(), command)].into();
    Allowed { commands: Some(AllowedCommands { named, run_on, base }), sources: None }
}

const RUNS: &str = r#"{"run": "test"}"#;

#[tokio::test]
async fn a_command_is_run_again_in_what_a_revision_has_made() {
    let bench = Bench::repository();
    let examiner = Examiner::over_pin(Arc::clone(&bench.pin), &bench.ground.ws(), looks_for_five(RunOn::Revised, 0));
    let bench = Bench { examiner, ..bench };
    let revisions = vec![bench.tries(&[], &fifth("@@ -4,3 +4,3 @@")).await.unwrap()];
    for (revisions, expected) in [
        (&[][..], CheckResult::Mismatch),
        (&revisions[..], CheckResult::Verified),
        (&[], CheckResult::Mismatch),
        (&revisions, CheckResult::Verified),
    ] {
        assert_eq!(bench.result(revisions, RUNS).await, expected, "{}", revisions.len());
    }
}

/// The first patch is what is reviewed, and the second is what a model made of it.
#[tokio::test]
async fn a_command_runs_before_the_revisions_and_says_nothing_of_them() {
    let bench = Bench::repository();
    let examiner = Examiner::over_pin(Arc::clone(&bench.pin), &bench.ground.ws(), looks_for_five(RunOn::Unrevised, 1));
    let bench = Bench { examiner, ..bench };
    let given = bench.tries(&[], &fifth("@@ -4,3 +4,3 @@")).await.unwrap();
    let back = "--- a/src/pool.rs\n+++ b/src/pool.rs\n@@ -5 +5 @@\n-line five\n+line 5\n";
    let revised = bench.tries(std::slice::from_ref(&given), back).await.unwrap();
    assert_eq!(bench.result(&[], RUNS).await, CheckResult::Mismatch);
    assert_eq!(bench.result(std::slice::from_ref(&given), RUNS).await, CheckResult::Verified);
    let found = bench.checks(&[given, revised], RUNS).await.remove(0);
    let detail = "before the revisions the command succeeds; --allow-checks=revised runs it on them";
    assert_eq!((found.result, found.detail.as_str()), (CheckResult::Unchecked, detail));
}

#[tokio::test]
async fn a_command_that_would_run_in_the_workspace_itself_says_nothing_of_a_revision() {
    let bench = Bench::repository();
    let examiner = Examiner::over(Arc::clone(&bench.pin) as _, &bench.ground.ws(), looks_for_five(RunOn::Revised, 0));
    let bench = Bench { examiner, ..bench };
    assert_eq!(bench.result(&[], RUNS).await, CheckResult::Mismatch);
    let revisions = vec![bench.tries(&[], &fifth("@@ -4,3 +4,3 @@")).await.unwrap()];
    let found = bench.checks(&revisions, RUNS).await.remove(0);
    assert_eq!(found.result, CheckResult::Unchecked, "{}", found.detail);
    assert!(found.detail.contains("without the revisions"), "{}", found.detail);
}
