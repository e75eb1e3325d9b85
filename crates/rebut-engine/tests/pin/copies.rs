//! The read-only copy.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rebut_core::debate::{Trial, Tried};
use rebut_engine::checks::{Allowed, Examiner};
use rebut_engine::workspace::pin::{CopyError, Files, Pin};
use tokio_util::sync::CancellationToken;

use crate::ground::{Ground, again, as_nobody, files_below, part, write};

#[test]
fn a_copy_is_read_only_and_goes_with_its_owner() {
    let ground = Ground::repository();
    ground.write("bin/run.sh", "#!/bin/sh\n");
    fs::set_permissions(ground.ws().join("bin/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let pin = ground.pin();
    let tmp = ground.root().join("tmp");
    let copy = pin.lay_out(&tmp).unwrap();
    let mode = |path: &str| fs::symlink_metadata(copy.path().join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("src"), mode("")), (0o555, 0o500));
    // Whoever runs the tests may have a mask that takes the rights of others away.
    assert_eq!((mode("bin/run.sh") & 0o722, mode("README.md") & 0o722), (0o500, 0o400));
    assert!(!copy.path().join(".git").exists() && copy.missing().is_empty());
    let second = pin.lay_out(&tmp).unwrap();
    assert_ne!(copy.path(), second.path());
    assert!(copy.path().join("README.md").exists(), "a copy in use is not swept");
    second.close().unwrap();
    drop(copy);
    assert_eq!(fs::read_dir(&tmp).unwrap().count(), 0);
}

#[test]
fn a_copy_is_not_put_into_a_repository() {
    let ground = Ground::repository();
    let pin = ground.pin();
    let inside = ground.ws().join("tmp");
    fs::create_dir(&inside).unwrap();
    assert!(matches!(pin.lay_out(&inside), Err(CopyError::InRepository { repository, .. }) if repository == ground.ws()));
    let error = pin.lay_out(&ground.root().join("nothing")).unwrap_err().to_string();
    assert!(
        error.starts_with("can't use the folder for temporary files, ") && error.ends_with("set TMPDIR to one that exists"),
        "{error}"
    );
}

#[test]
fn a_damaged_pack_leaves_no_half_copy() {
    let ground = Ground::repository();
    ground.pin();
    let mut bytes = fs::read(ground.pack()).unwrap();
    bytes[10] ^= 1;
    fs::write(ground.pack(), bytes).unwrap();
    let tmp = ground.root().join("tmp");
    assert!(matches!(Pin::open(&ground.pack()).unwrap().lay_out(&tmp), Err(CopyError::Pin { .. })));
    assert_eq!(fs::read_dir(&tmp).unwrap().count(), 0);
}

#[test]
fn what_a_killed_process_left_is_swept_and_what_a_living_one_has_is_not() {
    if let Some(tmp) = part() {
        let ground = Ground::repository();
        let copy = ground.pin().lay_out(&tmp).unwrap();
        println!("\ncopy {}", copy.path().display());
        // The test kills this process; should it be gone itself, the end of input is the end of this.
        std::io::stdin().read_line(&mut String::new()).unwrap();
        return;
    }
    let ground = Ground::repository();
    let tmp = ground.root().join("tmp");
    let pin = ground.pin();
    let own = pin.lay_out(&tmp).unwrap();
    let test = "copies::what_a_killed_process_left_is_swept_and_what_a_living_one_has_is_not";
    let start = || {
        let mut child = again(&std::env::current_exe().unwrap(), test, &tmp)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let copy = lines.map_while(Result::ok).find_map(|line| line.strip_prefix("copy ").map(PathBuf::from));
        (child, copy.unwrap())
    };
    let (mut living, of_living) = start();
    let (mut killed, of_killed) = start();
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(of_killed.join("README.md").exists());
    for copy in [of_killed.as_path(), &of_living, own.path()] {
        age(copy);
    }
    let next = pin.lay_out(&tmp).unwrap();
    assert!(!of_killed.exists());
    assert!(of_living.join("README.md").exists() && own.path().join("README.md").exists());
    living.kill().unwrap();
    living.wait().unwrap();
    age(&of_living);
    drop((own, next));
    pin.lay_out(&tmp).unwrap().close().unwrap();
    assert!(!of_living.exists());
}

/// Makes a folder old enough to be swept.
fn age(folder: &Path) {
    let hour_ago = SystemTime::now() - Duration::from_hours(1);
    fs::File::open(folder).unwrap().set_modified(hour_ago).unwrap();
}

#[test]
fn what_others_put_in_the_way_is_not_followed() {
    let ground = Ground::repository();
    let tmp = ground.root().join("tmp");
    let precious = write(&ground.root().join("precious/file"), "precious");
    let link = tmp.join(format!("rebut-copy-{}", "0".repeat(32)));
    symlink(precious.parent().unwrap(), &link).unwrap();
    ground.pin().lay_out(&tmp).unwrap().close().unwrap();
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
    assert!(link.is_symlink());
}

#[test]
fn somebody_who_is_not_root_cannot_write_to_a_copy_and_can_remove_it() {
    if part().is_none() && rustix::process::geteuid().is_root() {
        return as_nobody("copies::somebody_who_is_not_root_cannot_write_to_a_copy_and_can_remove_it");
    }
    let ground = Ground::repository();
    let tmp = ground.root().join("tmp");
    let copy = ground.pin().lay_out(&tmp).unwrap();
    for path in ["README.md", "new", "src/new"] {
        let error = fs::write(copy.path().join(path), "x").unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied, "{path}");
    }
    assert!(fs::remove_file(copy.path().join("src/pool.rs")).is_err());
    copy.close().unwrap();
    assert_eq!(fs::read_dir(&tmp).unwrap().count(), 0);
}

#[test]
fn somebody_who_is_not_root_has_a_copy_moved_on_and_no_trial_leaves_anything() {
    if part().is_none() && rustix::process::geteuid().is_root() {
        return as_nobody("copies::somebody_who_is_not_root_has_a_copy_moved_on_and_no_trial_leaves_anything");
    }
    let ground = Ground::repository();
    let pin = Arc::new(ground.pin());
    let copy = Arc::new(pin.lay_out(&ground.root().join("tmp")).unwrap());
    let examiner = Examiner::over(pin, &ground.ws(), Allowed::default()).with_copy(&copy);
    let change = "--- a/src/pool.rs\n+++ b/src/pool.rs\n@@ -1 +1 @@\n-fn pool() {}\n+fn pools() {}\n\
                  --- /dev/null\n+++ b/src/deep/new.rs\n@@ -0,0 +1 @@\n+x\n";
    for (patch, applies) in [(change, true), ("no patch", false), ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", false)] {
        assert_eq!(matches!(tried(&examiner, patch), Tried::Applies { .. }), applies, "{patch}");
    }
    // Cancelled while it is tried.
    let trial = Trial { revisions: Vec::new(), patch: change.to_owned() };
    let cancelled = runtime().block_on(async {
        let cancel = CancellationToken::new();
        let mut work = Box::pin(examiner.try_patch(trial, &cancel));
        tokio::select! {
            biased;
            _ = &mut work => panic!("a trial takes more than one look"),
            () = tokio::task::yield_now() => cancel.cancel(),
        }
        work.await
    });
    assert_eq!(cancelled, None);
    assert_eq!(fs::read_to_string(copy.path().join("src/pool.rs")).unwrap(), "fn pools() {}\n");
    for path in ["src/pool.rs", "src/deep/other", "src/deep/new.rs"] {
        let error = fs::write(copy.path().join(path), "x").unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied, "{path}");
    }
    let path = copy.path().to_owned();
    drop(copy);
    assert!(!path.exists());
    // Where the test was started anew, the folder for temporary files is its own.
    if part().is_some() {
        let left = fs::read_dir(std::env::temp_dir()).unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(left.filter(|name| name.to_string_lossy().starts_with("rebut-copy-")).count(), 0);
    }
}

#[test]
fn a_folder_without_rights_in_a_copy_goes_with_it_and_fails_no_seat() {
    if part().is_none() && rustix::process::geteuid().is_root() {
        return as_nobody("copies::a_folder_without_rights_in_a_copy_goes_with_it_and_fails_no_seat");
    }
    let ground = Ground::repository();
    let tmp = ground.root().join("tmp");
    let precious = write(&ground.root().join("precious/file"), "precious");
    fs::set_permissions(precious.parent().unwrap(), fs::Permissions::from_mode(0o500)).unwrap();
    let close = |folder: &Path| fs::set_permissions(folder, fs::Permissions::from_mode(0o0)).unwrap();
    let leave = |folder: &Path| {
        let deep = folder.join("t/x");
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("f"), "f").unwrap();
        symlink(precious.parent().unwrap(), deep.join("link")).unwrap();
        close(&deep);
        close(&folder.join("t"));
    };
    // A command that may write, and is done.
    let pin = Arc::new(ground.pin());
    let copy = pin.lay_out_to_work_in(&tmp).unwrap();
    leave(copy.path());
    close(copy.path());
    copy.close().unwrap();
    assert_eq!(fs::read_dir(&tmp).unwrap().count(), 0);
    // A seat that gave itself the right to write: the next one finds the copy as it was.
    let copy = Arc::new(pin.lay_out(&tmp).unwrap());
    let examiner = Examiner::over(Arc::clone(&pin) as Arc<dyn Files>, &ground.ws(), Allowed::default()).with_copy(&copy);
    let src = copy.path().join("src");
    fs::set_permissions(&src, fs::Permissions::from_mode(0o700)).unwrap();
    leave(&src);
    close(&src);
    runtime().block_on(examiner.restore_copy()).unwrap();
    assert_eq!(files_below(copy.path()), [".gitignore", "README.md", "src/pool.rs"]);
    // Where it cannot be removed, that is said, with what is left.
    fs::set_permissions(&tmp, fs::Permissions::from_mode(0o500)).unwrap();
    let path = copy.path().to_owned();
    let left = Arc::into_inner(copy).unwrap().close().unwrap_err();
    fs::set_permissions(&tmp, fs::Permissions::from_mode(0o700)).unwrap();
    let told = format!("can't remove its copy of the workspace, {}: ", path.display());
    assert!(left.starts_with(&told) && path.exists(), "{left}");
    // The next sweep removes it.
    age(&path);
    pin.lay_out(&tmp).unwrap().close().unwrap();
    assert_eq!(fs::read_dir(&tmp).unwrap().count(), 0);
    let mode = fs::metadata(precious.parent().unwrap()).unwrap().permissions().mode();
    assert_eq!((mode & 0o777, fs::read_to_string(&precious).unwrap()), (0o500, "precious".to_owned()));
}

#[test]
fn a_trial_needs_no_git() {
    if part().is_none() {
        let dir = tempfile::tempdir().unwrap();
        let test = "copies::a_trial_needs_no_git";
        let output = again(&std::env::current_exe().unwrap(), test, dir.path()).env("PATH", dir.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let ground = Ground::plain();
    ground.write("a", "a\n");
    let examiner = Examiner::over(Arc::new(ground.pin()), &ground.ws(), Allowed::default());
    let tried = tried(&examiner, "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n");
    assert!(matches!(&tried, Tried::Applies { .. }), "{tried:?}");
}

fn tried(examiner: &Examiner, patch: &str) -> Tried {
    let trial = Trial { revisions: Vec::new(), patch: patch.to_owned() };
    runtime().block_on(examiner.try_patch(trial, &CancellationToken::new())).unwrap()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}
