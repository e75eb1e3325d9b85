//! Patches applied to the working tree: all or none, and nothing staged.

use std::fs;
use std::os::unix::fs::symlink;

use rebut_engine::workspace::{ApplyError, apply_to_workspace};

use crate::ground::{Ground, numbered};

/// The difference that an edit of the working tree makes, as a patch; the tree is put back.
fn patch(ground: &Ground, edit: impl FnOnce()) -> String {
    edit();
    ground.git(&["add", "-A"]);
    let patch = ground.git(&["diff", "--cached", "-M", "HEAD"]) + "\n";
    ground.git(&["commit", "-q", "-m", "step"]);
    patch
}

/// Two patches, of which the second builds on the first, and the tree as it was before both.
fn two(ground: &Ground) -> [String; 2] {
    let first = patch(ground, || {
        ground.write("src/pool.rs", numbered((1..=20).filter(|number| *number != 9)));
        ground.write("src/new.rs", "fn new() {}\n");
        ground.git(&["mv", "README.md", "READ ME.md"]);
    });
    let second = patch(ground, || {
        ground.write("src/pool.rs", numbered((1..=20).filter(|number| ![9, 11].contains(number))));
        ground.write("src/new.rs", "fn newer() {}\n");
        ground.write("READ ME.md", "# Pools\n");
        fs::remove_file(ground.ws().join(".gitignore")).unwrap();
    });
    ground.git(&["reset", "-q", "--hard", "HEAD~2"]);
    [first, second]
}

#[test]
fn patches_are_applied_in_order_and_nothing_is_staged_or_committed() {
    let ground = Ground::repository();
    let patches = two(&ground);
    let head = ground.git(&["rev-parse", "HEAD"]);
    let index = ground.state().0;
    let files = apply_to_workspace(&ground.ws(), &patches).unwrap();
    assert_eq!(files, [".gitignore", "READ ME.md", "README.md", "src/new.rs", "src/pool.rs"]);
    let read = |path: &str| fs::read_to_string(ground.ws().join(path)).unwrap();
    assert_eq!(read("src/pool.rs"), numbered((1..=20).filter(|number| ![9, 11].contains(number))));
    assert_eq!((read("src/new.rs").as_str(), read("READ ME.md").as_str()), ("fn newer() {}\n", "# Pools\n"));
    assert!(!ground.ws().join("README.md").exists() && !ground.ws().join(".gitignore").exists());
    assert_eq!((ground.git(&["rev-parse", "HEAD"]), ground.state().0), (head, index));
    assert_eq!(ground.git(&["diff", "--cached"]), "");
}

#[test]
fn where_the_second_does_not_fit_the_first_is_not_applied_either() {
    let ground = Ground::repository();
    let patches = two(&ground);
    ground.write("src/pool.rs", numbered((1..=20).filter(|number| *number != 12)));
    let before = ground.state();
    let error = apply_to_workspace(&ground.ws(), &patches).unwrap_err();
    assert!(matches!(&error, ApplyError::MovedOn { said, .. } if said.contains("src/pool.rs")), "{error}");
    assert_eq!(ground.state(), before);
    assert!(!ground.ws().join("src/new.rs").exists());
}

#[test]
fn outside_of_a_repository_and_below_its_top_patches_are_applied_too() {
    let change = "--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-old\n+new\n".to_owned();
    let plain = Ground::plain();
    let repository = Ground::repository();
    for folder in [plain.ws(), repository.ws().join("below")] {
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("f.txt"), "old\n").unwrap();
        assert_eq!(apply_to_workspace(&folder, std::slice::from_ref(&change)).unwrap(), ["f.txt"]);
        assert_eq!(fs::read_to_string(folder.join("f.txt")).unwrap(), "new\n");
    }
}

#[test]
fn no_patch_reaches_out_of_the_workspace_or_into_what_is_gits_or_ours() {
    let ground = Ground::repository();
    fs::write(ground.root().join("outside"), "old\n").unwrap();
    symlink("..", ground.ws().join("up")).unwrap();
    for path in [
        "../outside",
        "/etc/motd",
        "up/outside",
        ".git/config",
        "sub/.GIT/config",
        ".rebut/x",
        "sub/.Rebut/x",
        ".claude/debate/x",
        "a//b",
    ] {
        let patch = format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-old\n+new\n");
        let new = format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+new\n");
        for patch in [patch, new] {
            assert!(apply_to_workspace(&ground.ws(), &[patch]).is_err(), "{path}");
        }
    }
    let link = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n";
    assert!(matches!(apply_to_workspace(&ground.ws(), &[link.to_owned()]), Err(ApplyError::Refused(_))));
    assert!(matches!(apply_to_workspace(&ground.ws(), &[]), Err(ApplyError::Nothing)));
    assert_eq!(fs::read_to_string(ground.root().join("outside")).unwrap(), "old\n");
    assert!(!ground.ws().join("l").exists());
}
