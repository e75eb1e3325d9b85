//! The copy that seats read: it moves on with each version, and is what it was before each call.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;

use rebut_core::debate::Trial;
use rebut_core::evidence::check::CheckResult;
use rebut_engine::checks::Examiner;
use rebut_engine::workspace::pin::Copy;
use tokio_util::sync::CancellationToken;

use crate::bench::{Bench, fifth};
use crate::ground::{Ground, files_below, numbered};

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
    let files = || files_below(copy.path());
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
        let told = |path: &String| {
            let there = fs::symlink_metadata(copy.path().join(path)).unwrap();
            let content = if there.is_symlink() {
                fs::read_link(copy.path().join(path)).unwrap().display().to_string()
            } else {
                fs::read_to_string(copy.path().join(path)).unwrap()
            };
            (path.clone(), there.permissions().mode(), content)
        };
        let folders = ["", "src", "docs", "docs/a"].map(|path| fs::metadata(at(path)).unwrap().permissions().mode());
        (files_below(copy.path()).iter().map(told).collect::<Vec<_>>(), folders)
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
        bench.examiner.restore_copy().await.unwrap();
        assert_eq!(state(), began, "{number}");
    }
    // It is put right to the version that it was brought to.
    let one = vec![bench.tries(&[], &fifth("@@ -4,3 +4,3 @@")).await.unwrap()];
    open("src");
    fs::remove_file(at("src/pool.rs")).unwrap();
    bench.examiner.restore_copy().await.unwrap();
    assert!(fs::read_to_string(at("src/pool.rs")).unwrap().contains("line five"));
    assert_eq!(bench.result(&one, "src/pool.rs:5 reads \"line five\"").await, CheckResult::Verified);
    open("");
    let whole = copy.path().to_owned();
    for folder in ["docs/a", "docs", "src"] {
        open(folder);
    }
    fs::remove_dir_all(&whole).unwrap();
    bench.examiner.restore_copy().await.unwrap();
    assert_eq!(state().1, began.1);
    assert!(fs::read_to_string(at("src/pool.rs")).unwrap().contains("line five"));
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
