//! Patches tried on what is reviewed, and what is looked up and read afterwards.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;
use std::time::Duration;

use rebut_core::claims::check::{CheckResult, Checked};
use rebut_core::claims::{Statement, citation::Citation};
use rebut_core::debate::{Trial, Tried};
use rebut_engine::evidence::pin::{Copy, Limits, Live, Pin, Survey};
use rebut_engine::evidence::{Allowed, Examiner, NamedCommand};
use rebut_engine::workspace::apply_to_workspace;
use tokio_util::sync::CancellationToken;

use crate::ground::{Ground, below, numbered};

const LIMITS: Limits = Limits { files: 1000, bytes: 1 << 20, file_bytes: 64 * 1024 };

/// A pinned workspace, and whoever tries patches on it.
struct Bench {
    ground: Ground,
    pin: Arc<Pin>,
    examiner: Examiner,
}

impl Bench {
    fn over(ground: Ground) -> Self {
        let blobs = ground.root().join("debate/blobs");
        let packed = Survey::of(&ground.ws(), None, LIMITS).unwrap().pack(&blobs).unwrap();
        let pin = Arc::new(Pin::open(&blobs.join(packed.hash)).unwrap());
        let examiner = Examiner::over(Arc::clone(&pin) as _, &ground.ws(), Allowed::default());
        Self { ground, pin, examiner }
    }

    fn repository() -> Self {
        Self::over(Ground::repository())
    }

    async fn tries(&self, revisions: &[String], patch: &str) -> Result<String, String> {
        let trial = Trial { revisions: revisions.to_vec(), patch: patch.to_owned() };
        match self.examiner.try_patch(trial, &CancellationToken::new()).await.unwrap() {
            Tried::Applies { patch } => Ok(patch),
            Tried::Fails { why } => Err(why),
        }
    }

    async fn checks(&self, revisions: &[String], text: &str) -> Vec<Checked> {
        let citations: Vec<Citation> = Statement::read(text).citations();
        assert!(!citations.is_empty(), "{text}");
        self.examiner.examine(citations, revisions, &CancellationToken::new()).await
    }

    async fn result(&self, revisions: &[String], text: &str) -> CheckResult {
        self.checks(revisions, text).await.remove(0).result
    }
}

/// A patch of the pool's fifth line, with this line before its hunk.
fn fifth(header: &str) -> String {
    format!("--- a/src/pool.rs\n+++ b/src/pool.rs\n{header}\n line 4\n-line 5\n+line five\n line 6\n")
}

const CANONICAL: &str =
    "@@ -2,7 +2,7 @@ line 1\n line 2\n line 3\n line 4\n-line 5\n+line five\n line 6\n line 7\n line 8\n";

#[tokio::test]
async fn a_patch_that_applies_is_recorded_as_it_really_is() {
    let bench = Bench::repository();
    let patch = bench.tries(&[], &fifth("@@ -4,3 +4,3 @@")).await.unwrap();
    assert!(patch.starts_with("diff --git a/src/pool.rs b/src/pool.rs\nindex "), "{patch}");
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
        (wrong.as_str(), "src/pool.rs, hunk 1: it expects `line 66` where line 6 of the file is `line 6` (git says: "),
        ("--- a/nothing.rs\n+++ b/nothing.rs\n@@ -1 +1 @@\n-a\n+b\n", "there is no file nothing.rs"),
        ("--- /dev/null\n+++ b/README.md\n@@ -0,0 +1 @@\n+x\n", "README.md is to be made, and is there already"),
        (
            "--- a/src/twice.rs\n+++ b/src/twice.rs\n@@ -3,1 +3,2 @@\n }\n+x\n",
            "hunk 1: its lines stand in the file 2 times, at 2, 4; give more lines around it",
        ),
        (
            "diff --git a/README.md b/G.md\nrename from README.md\nrename to G.md\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n",
            "different files",
        ),
        ("I would rename the line.\n", "it is no unified diff"),
        ("", "it is no unified diff"),
        ("--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-# Pool\n+# Pool\n", "changes nothing"),
        ("--- /dev/null\n+++ b/src\n@@ -0,0 +1 @@\n+x\n", "src cannot be made: it is a folder"),
        ("--- /dev/null\n+++ b/README.md/x\n@@ -0,0 +1 @@\n+x\n", "README.md/x cannot be made: README.md is no folder"),
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
        (change("../outside"), "no path of a file in the workspace"),
        (new("../outside"), "no path of a file in the workspace"),
        (change("src/../../outside"), "no path of a file in the workspace"),
        (change("/etc/motd"), "absolute path"),
        ("--- /etc/motd\n+++ /etc/motd\n@@ -1 +1 @@\n-old\n+new\n".to_owned(), "absolute path"),
        (new("C:/x"), "absolute path"),
        (change(".git/config"), "belongs to git"),
        (new(".git/hooks/pre-commit"), "belongs to git"),
        (new("sub/.GIT/config"), "belongs to git"),
        (new(".rebut/config.toml"), "belongs to rebut"),
        (new(".claude/debate/x"), "belongs to rebut"),
        (new("up/x"), "leads through the link up"),
        (change("link.rs"), "is a link"),
        (change("logo.png"), "is binary"),
        (with_mode("120000"), "symbolic link"),
        (with_mode("160000"), "submodule"),
        (with_mode("104755"), "no mode"),
        (
            "diff --git a/link.rs b/link.rs\ndeleted file mode 120000\n--- a/link.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
                .into(),
            "symbolic link",
        ),
        ("diff --git a/README.md b/README.md\nold mode 100644\nnew mode 120000\n".into(), "symbolic link"),
        (
            "diff --git a/x b/x\nnew file mode 100644\nindex 0000000..1\nGIT binary patch\nliteral 3\nKc${NkU|;|M00aO5\n\n"
                .into(),
            "no text",
        ),
        (
            "diff --git a/README.md b/.git/config\nsimilarity index 100%\nrename from README.md\nrename to .git/config\n"
                .into(),
            "belongs to git",
        ),
        (format!("{}\0", new("x")), "no text"),
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
    let line = "It is `fn newest() {}` (`src/new.rs:2`).";
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

fn laid_out(bench: &Bench) -> (Arc<Copy>, Examiner) {
    let tmp = bench.ground.root().join("tmp");
    fs::create_dir_all(&tmp).unwrap();
    let copy = Arc::new(bench.pin.lay_out(&tmp).unwrap());
    let examiner = bench.examiner.clone().with_copy(&copy);
    (copy, examiner)
}

#[tokio::test]
async fn the_copy_that_seats_read_moves_on_and_stays_read_only() {
    let bench = Bench::repository();
    let (copy, examiner) = laid_out(&bench);
    let bench = Bench { examiner, ..bench };
    let patch = format!(
        "{}--- a/README.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-# Pool\n--- /dev/null\n+++ b/deep/er/new.rs\n@@ -0,0 +1 @@\n+x\n",
        fifth("@@ -4,3 +4,3 @@")
    );
    let one = vec![bench.tries(&[], &patch).await.unwrap()];
    let read = |path: &str| fs::read_to_string(copy.path().join(path)).unwrap();
    let files = || below(copy.path()).iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
    assert_eq!(files(), [".gitignore", "deep/er/new.rs", "src/pool.rs"]);
    assert_eq!(read("src/pool.rs"), numbered(1..=20).replace("line 5", "line five"));
    let mode = |path: &str| fs::metadata(copy.path().join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(""), mode("deep"), mode("deep/er"), mode("src")), (0o500, 0o555, 0o555, 0o555));
    assert_eq!(mode("src/pool.rs") & 0o222, 0);
    // Patches that do not apply move nothing.
    bench.tries(&one, "--- a/src/pool.rs\n+++ b/src/pool.rs\n@@ -1 +1 @@\n-no\n+yes\n").await.unwrap_err();
    assert_eq!(read("deep/er/new.rs"), "x\n");
    // Another try on the first version starts from there, not from where the copy is.
    bench.tries(&[], "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-# Pool\n+# Pools\n").await.unwrap();
    assert_eq!(files(), [".gitignore", "README.md", "src/pool.rs"]);
    assert_eq!((read("README.md").as_str(), read("src/pool.rs")), ("# Pools\n", numbered(1..=20)));
    assert!(!copy.path().join("deep").exists());
    // A citation may name the file by where the copy has it.
    let cited = format!("It is `{}/README.md:1`.", copy.path().display());
    assert_eq!(bench.result(&[], &cited).await, CheckResult::Verified);
}

/// Modes hold neither root nor the owner; and all seats read one copy.
#[tokio::test]
async fn what_a_seat_has_made_of_the_copy_is_not_what_the_next_one_reads() {
    let ground = Ground::repository();
    ground.write("docs/a/b.md", "b\n");
    symlink("README.md", ground.ws().join("link.md")).unwrap();
    symlink("docs", ground.ws().join("handbook")).unwrap();
    let bench = Bench::over(ground);
    let (copy, examiner) = laid_out(&bench);
    let bench = Bench { examiner, ..bench };
    let at = |path: &str| copy.path().join(path);
    let open = |path: &str| fs::set_permissions(at(path), fs::Permissions::from_mode(0o755)).unwrap();
    let state = || {
        let told = |path: &std::path::PathBuf| {
            let there = fs::symlink_metadata(copy.path().join(path)).unwrap();
            let content = if there.is_symlink() {
                fs::read_link(copy.path().join(path)).unwrap().display().to_string()
            } else {
                fs::read_to_string(copy.path().join(path)).unwrap()
            };
            (path.clone(), there.permissions().mode(), content)
        };
        let folders = ["", "src", "docs", "docs/a"].map(|path| fs::metadata(at(path)).unwrap().permissions().mode());
        (below(copy.path()).iter().map(told).collect::<Vec<_>>(), folders)
    };
    let began = state();
    let harm: [&dyn Fn(); 9] = [
        &|| {
            // The size and the time of the last write are as they were.
            let there = fs::metadata(at("src/pool.rs")).unwrap();
            let _ = fs::remove_file(at("src/pool.rs"));
            fs::write(at("src/pool.rs"), numbered(1..=20).replace("line 5", "LINE 5")).unwrap();
            fs::File::options()
                .append(true)
                .open(at("src/pool.rs"))
                .unwrap()
                .set_modified(there.modified().unwrap())
                .unwrap();
        },
        &|| {
            fs::write(at("new.rs"), "new").unwrap();
            fs::create_dir_all(at("zz/deeper")).unwrap();
            fs::write(at("zz/deeper/x"), "x").unwrap();
        },
        &|| fs::remove_file(at("README.md")).unwrap(),
        &|| fs::set_permissions(at("README.md"), fs::Permissions::from_mode(0o644)).unwrap(),
        &|| {
            fs::remove_file(at("link.md")).unwrap();
            symlink("/etc/hosts", at("link.md")).unwrap();
        },
        &|| fs::rename(at("docs"), at("papers")).unwrap(),
        &|| {
            fs::remove_file(at("src/pool.rs")).unwrap();
            fs::create_dir(at("src/pool.rs")).unwrap();
        },
        &|| {
            open("docs/a");
            fs::remove_dir_all(at("docs")).unwrap();
            symlink("/etc", at("docs")).unwrap();
        },
        &|| {},
    ];
    for (number, harm) in harm.iter().enumerate() {
        for folder in ["", "src", "docs"] {
            open(folder);
        }
        harm();
        bench.examiner.put_copy_right().await.unwrap();
        assert_eq!(state(), began, "{number}");
    }
    // It is put right to the version that it was brought to.
    let one = vec![bench.tries(&[], &fifth("@@ -4,3 +4,3 @@")).await.unwrap()];
    open("src");
    fs::remove_file(at("src/pool.rs")).unwrap();
    bench.examiner.put_copy_right().await.unwrap();
    assert!(fs::read_to_string(at("src/pool.rs")).unwrap().contains("line five"));
    assert_eq!(bench.result(&one, "src/pool.rs:5 reads \"line five\"").await, CheckResult::Verified);
    open("");
    let whole = copy.path().to_owned();
    for folder in ["docs/a", "docs", "src"] {
        open(folder);
    }
    fs::remove_dir_all(&whole).unwrap();
    bench.examiner.put_copy_right().await.unwrap();
    assert_eq!(state().1, began.1);
    assert!(fs::read_to_string(at("src/pool.rs")).unwrap().contains("line five"));
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
async fn a_new_copy_catches_up_with_the_revisions_of_a_debate_that_is_taken_up_again() {
    let bench = Bench::repository();
    let one = vec![bench.tries(&[], &fifth("@@ -4,3 +4,3 @@")).await.unwrap()];
    let (copy, examiner) = laid_out(&bench);
    examiner.catch_up(&one).await.unwrap();
    let read = |path: &str| fs::read_to_string(copy.path().join(path)).unwrap();
    assert!(read("src/pool.rs").contains("line five"));
    examiner.catch_up(&[]).await.unwrap();
    assert_eq!(read("src/pool.rs"), numbered(1..=20));
    let gone = vec!["--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n".to_owned()];
    assert!(examiner.catch_up(&gone).await.unwrap_err().contains("revision 1 does not apply"));
    // The copy goes with its owner, whoever could still move it.
    let path = copy.path().to_owned();
    drop(copy);
    assert!(!path.exists());
    examiner.catch_up(&one).await.unwrap();
}

#[tokio::test]
async fn a_trial_that_is_cancelled_has_no_result_and_moves_nothing() {
    let bench = Bench::repository();
    let (copy, examiner) = laid_out(&bench);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let trial = Trial { revisions: Vec::new(), patch: fifth("@@ -4,3 +4,3 @@") };
    assert_eq!(examiner.try_patch(trial, &cancel).await, None);
    assert_eq!(fs::read_to_string(copy.path().join("src/pool.rs")).unwrap(), numbered(1..=20));
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
fn looks_for_five() -> Allowed {
    let words = ["grep", "-q", "line five", "src/pool.rs"].map(str::to_owned).to_vec();
    let command = NamedCommand { words, limit: Duration::from_mins(1) };
    Allowed { commands: Some([("test".to_owned(), command)].into()), sources: None }
}

const RUNS: &str = "It is mended.\n\n--- claims\nclaim: it is mended\nevidence: run test\n";

#[tokio::test]
async fn a_command_is_run_again_in_what_a_revision_has_made() {
    let bench = Bench::repository();
    let examiner = Examiner::over_pin(Arc::clone(&bench.pin), &bench.ground.ws(), looks_for_five());
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

#[tokio::test]
async fn a_command_that_would_run_in_the_workspace_itself_says_nothing_of_a_revision() {
    let bench = Bench::repository();
    let examiner = Examiner::over(Arc::clone(&bench.pin) as _, &bench.ground.ws(), looks_for_five());
    let bench = Bench { examiner, ..bench };
    assert_eq!(bench.result(&[], RUNS).await, CheckResult::Mismatch);
    let revisions = vec![bench.tries(&[], &fifth("@@ -4,3 +4,3 @@")).await.unwrap()];
    let found = bench.checks(&revisions, RUNS).await.remove(0);
    assert_eq!(found.result, CheckResult::Unchecked, "{}", found.detail);
    assert!(found.detail.contains("which is not what is debated by now"), "{}", found.detail);
}
