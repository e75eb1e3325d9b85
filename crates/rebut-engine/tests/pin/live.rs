//! A workspace that is read where it is.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use rebut_engine::evidence::pin::{Files, Live, ReadError, Why};

use crate::ground::{Ground, LIMITS, paths, pipe};

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
    assert!(after.is_live());
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
    assert_eq!(live.facts().files, 8);
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
