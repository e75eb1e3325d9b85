//! A workspace that is read where it is.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rebut_core::evidence::Evidence;
use rebut_core::evidence::check::Cited;
use rebut_engine::checks::{Allowed, Examiner};
use rebut_engine::workspace::pin::{Files, Live, ReadError, Why};

use crate::ground::{Ground, LIMITS, git, paths, pipe};

#[test]
fn a_live_folder_lists_the_same_files_and_says_what_changed_since() {
    let ground = Ground::repository();
    ground.write("new.rs", "new\n");
    symlink("../home", ground.ws().join("out")).unwrap();
    ground.write("image", b"\0");
    let hour = Duration::from_hours(1);
    let before = Live::over(&ground.ws(), None, SystemTime::now() - hour, LIMITS.file_bytes).unwrap();
    let after = Live::over(&ground.ws(), None, SystemTime::now() + hour, LIMITS.file_bytes).unwrap();
    assert_eq!(paths(&after), paths(&ground.pin()));
    assert!(after.live().is_some());
    let changed = |live: &Live, path: &[u8]| live.read(live.find(path).unwrap()).unwrap().changed_since;
    assert!(!changed(&after, b"new.rs"));
    assert!(changed(&before, b"new.rs"));
    // A time that was set back does not hide a change.
    let file = fs::File::options().write(true).open(ground.ws().join("new.rs")).unwrap();
    file.set_modified(SystemTime::now() - 2 * hour).unwrap();
    assert!(changed(&before, b"new.rs"));
    symlink("README.md", ground.ws().join("link")).unwrap();
    let before = Live::over(&ground.ws(), None, SystemTime::now() - hour, LIMITS.file_bytes).unwrap();
    let link = before.find(b"link").unwrap();
    assert!(before.content(link).unwrap().changed_since && before.read(link).unwrap().changed_since);
    assert!(matches!(after.lookup(b"out/x"), Err(ReadError::Outside)));
    assert!(matches!(after.read(after.find(b"image").unwrap()), Err(ReadError::Left(Why::Binary))));
    assert!(after.find(b".env").is_none());
}

#[test]
fn a_live_file_that_turns_into_something_else_is_a_result() {
    let ground = Ground::repository();
    for name in ["gone", "piped", "linked", "grown", "folder"] {
        ground.write(name, "before\n");
    }
    let live = Live::over(&ground.ws(), None, SystemTime::now(), LIMITS.file_bytes).unwrap();
    assert_eq!(live.listing().unwrap().files, 8);
    for name in ["gone", "piped", "linked", "folder"] {
        fs::remove_file(ground.ws().join(name)).unwrap();
    }
    pipe(&ground.ws().join("piped"));
    symlink("/etc/passwd", ground.ws().join("linked")).unwrap();
    fs::create_dir(ground.ws().join("folder")).unwrap();
    fs::File::options().write(true).open(ground.ws().join("grown")).unwrap().set_len(2 << 30).unwrap();
    let error = |path: &[u8]| live.read(live.find(path).unwrap()).unwrap_err();
    assert!(matches!(error(b"gone"), ReadError::Missing));
    assert!(matches!(error(b"linked"), ReadError::Missing));
    assert!(matches!(error(b"folder"), ReadError::Missing));
    assert!(matches!(error(b"piped"), ReadError::Left(Why::Special)));
    assert!(matches!(error(b"grown"), ReadError::Left(Why::TooLarge)));
    fs::remove_dir_all(ground.ws()).unwrap();
    assert!(matches!(error(b"README.md"), ReadError::Missing));
}

fn told(examiner: &Examiner, path: &str) -> String {
    let target = Evidence::file(path, None);
    let found = examiner.examine_now(vec![Cited::mentioned(target)]);
    format!("{}: {}", found[0].result, found[0].detail)
}

/// Live and kept.
fn both(ground: &Ground) -> [Examiner; 2] {
    let live = Examiner::of_folder(&ground.ws(), None, LIMITS.file_bytes, Allowed::default()).unwrap();
    [live, Examiner::over_pin(Arc::new(ground.pin()), &ground.ws(), Allowed::default())]
}

#[test]
fn what_lies_in_a_repository_of_its_own_is_not_called_missing() {
    let ground = Ground::repository();
    ground.write("nested/in.txt", "in\n");
    git(&ground.ws().join("nested"), &["init", "-q"]);
    git(&ground.ws(), &["worktree", "add", "-q", "wt"]);
    for examiner in both(&ground) {
        let own = "unchecked: it is in a nested repository, which is not searched";
        assert_eq!((told(&examiner, "nested/in.txt").as_str(), told(&examiner, "./wt/README.md").as_str()), (own, own));
        assert_eq!(told(&examiner, "nest/in.txt"), "missing: no such file");
    }
}

#[test]
fn what_git_may_track_and_cannot_say_is_not_called_missing() {
    let ground = Ground::repository();
    ground.write("target/kept.rs", "fn kept() {}\n");
    git(&ground.ws(), &["add", "-f", "target/kept.rs"]);
    fs::write(ground.ws().join(".git/HEAD"), "no reference\n").unwrap();
    for examiner in both(&ground) {
        let nobody = "unchecked: git does not answer, so it may or may not belong to the workspace";
        assert_eq!(told(&examiner, "target/kept.rs"), nobody);
        assert!(told(&examiner, "target/none.rs").starts_with("missing: "));
        assert!(told(&examiner, ".git/config").starts_with("out_of_scope: "));
        assert!(told(&examiner, "README.md").starts_with("verified: "));
    }
}

/// Whoever reads the folder itself reads what is ignored too, and has not invented it.
#[test]
fn what_is_ignored_and_stands_there_is_told_as_that() {
    let ground = Ground::repository();
    fs::write(ground.ws().join(".git/info/exclude"), "own.txt\n").unwrap();
    ground.write("own.txt", "own\n");
    let ignored = "it is ignored or new, and not among the files that citations are checked against";
    let live = || Live::over(&ground.ws(), None, SystemTime::now(), LIMITS.file_bytes).unwrap();
    let read =
        Examiner::over_live(live().for_seats(&ground.root().join("debate/live")).unwrap(), &ground.ws(), Allowed::default());
    let [alone, pinned] = both(&ground);
    for path in ["own.txt", "./target/debug/out"] {
        assert_eq!(told(&read, path), format!("unchecked: {ignored}"));
        assert_eq!(told(&alone, path), format!("missing: {ignored}"));
        assert_eq!(told(&pinned, path), "missing: no such file");
    }
    for examiner in [&read, &alone, &pinned] {
        assert_eq!(told(examiner, "target/debug/none"), "missing: no such file");
    }
}

#[test]
fn links_in_a_circle_are_told_as_that() {
    let ground = Ground::repository();
    symlink("loop", ground.ws().join("loop")).unwrap();
    for examiner in both(&ground) {
        let told = told(&examiner, "loop/x.txt");
        assert_eq!(told, "unchecked: the symlinks in the path lead in a circle; nothing was read");
    }
}
