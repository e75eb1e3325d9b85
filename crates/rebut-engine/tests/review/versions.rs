//! The version that is reviewed, pinned: a commit, the working tree, or what a difference from elsewhere speaks of.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use rebut_core::debate::Scope;
use rebut_engine::checks::Snapshot;
use rebut_engine::workspace::pin::{Entry, Files, Kind, Limits, Pin, Survey, Why};
use rebut_engine::workspace::{DiffState, Reviewed, diff_state};

use crate::ground::{Ground, commit, git, numbered};

const LIMITS: Limits = Limits { files: 1000, bytes: 1 << 20, file_bytes: 64 * 1024 };

fn pin_of(ground: &Ground, hash: &str) -> Pin {
    let blobs = ground.root().join("debate/blobs");
    let packed = Survey::of_commit(&ground.ws(), hash, None, LIMITS).unwrap().pack(&blobs).unwrap();
    Pin::open(&blobs.join(packed.hash)).unwrap()
}

fn text(files: &dyn Files, path: &str) -> String {
    let entry = files.lookup(path.as_bytes()).unwrap();
    String::from_utf8(files.read(entry).unwrap().bytes).unwrap()
}

#[test]
fn a_commit_is_pinned_as_it_was_whatever_the_folder_holds_now() {
    let ground = Ground::repository();
    ground.write("run.sh", "#!/bin/sh\n");
    fs::set_permissions(ground.ws().join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("src/pool.rs", ground.ws().join("link")).unwrap();
    ground.write("logo.png", b"\x89PNG\0");
    ground.write("large.txt", "x".repeat(70_000));
    ground.write("media.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n");
    ground.write(".codex/debate/last-debate.json", "ours\n");
    let hash = ground.commit("all kinds");
    ground.write("src/pool.rs", "changed\n");
    ground.write("later.rs", "later\n");
    fs::remove_file(ground.ws().join("README.md")).unwrap();
    let pin = pin_of(&ground, &hash);
    let paths: Vec<&str> = pin.entries().iter().map(Entry::path).collect();
    let expected = [".gitignore", "README.md", "large.txt", "link", "logo.png", "media.bin", "run.sh", "src/pool.rs"];
    assert_eq!(paths, expected);
    assert_eq!(text(&pin, "src/pool.rs"), numbered(1..=20));
    assert_eq!(text(&pin, "link"), numbered(1..=20));
    assert!(text(&pin, "media.bin").starts_with("version https://git-lfs"));
    let kind = |path: &str| pin.find(path.as_bytes()).unwrap().kind;
    assert_eq!(kind("run.sh"), Kind::File { executable: true });
    assert_eq!(
        (kind("link"), kind("logo.png"), kind("large.txt")),
        (Kind::Symlink, Kind::Left(Why::Binary), Kind::Left(Why::TooLarge))
    );
    assert_eq!((pin.facts().commit.as_deref(), pin.facts().changed, pin.facts().new), (Some(hash.as_str()), Some(0), 0));
}

#[test]
fn a_submodule_is_pinned_as_the_commit_has_it() {
    let ground = Ground::repository();
    let lib = ground.root().join("lib");
    fs::create_dir(&lib).unwrap();
    git(&lib, &["init", "-q", "-b", "main"]);
    fs::write(lib.join("lib.rs"), "one\n").unwrap();
    commit(&lib, "one");
    ground.git(&["submodule", "--quiet", "add", lib.to_str().unwrap(), "lib"]);
    let hash = ground.commit("with lib");
    fs::write(ground.ws().join("lib/lib.rs"), "two\n").unwrap();
    commit(&ground.ws().join("lib"), "two");
    assert_eq!(text(&pin_of(&ground, &hash), "lib/lib.rs"), "one\n");
    ground.git(&["submodule", "--quiet", "deinit", "-f", "lib"]);
    let pin = pin_of(&ground, &hash);
    assert!(pin.find(b"lib/lib.rs").is_none());
    assert_eq!(pin.facts().count(Why::Submodule), 1);
}

#[test]
fn a_commit_that_is_too_large_or_unknown_is_no_ground_and_never_the_folder_instead() {
    let ground = Ground::repository();
    let hash = ground.git(&["rev-parse", "HEAD"]);
    let few = Limits { files: 1, ..LIMITS };
    let snapshot = Snapshot::of_review(&Reviewed::Commit(hash.clone()), &ground.ws(), None, few, &|_| false);
    assert!(matches!(snapshot.scope(), Scope::Nothing { why } if why.contains("too large")), "{snapshot:?}");
    let small = Limits { bytes: 10, ..LIMITS };
    let kept = Snapshot::survey_commit(&ground.ws(), &hash, None, small).pin(&ground.root().join("debate/blobs")).unwrap();
    assert!(matches!(&kept, Scope::Nothing { why } if why.contains("too large")), "{kept:?}");
    for unknown in ["", "--all", "HEAD", "0123456789012345678901234567890123456789"] {
        let snapshot = Snapshot::survey_commit(&ground.ws(), unknown, None, LIMITS);
        assert!(matches!(snapshot.scope(), Scope::Nothing { why } if why.contains("git can't list")), "{unknown}");
    }
    assert!(matches!(
        Snapshot::of_review(&Reviewed::WorkingTree, &ground.ws(), None, few, &|_| false).scope(),
        Scope::Live { .. }
    ));
}

#[test]
fn a_difference_from_elsewhere_is_found_to_be_applied_to_be_applied_or_neither() {
    let ground = Ground::repository();
    ground.write("src/pool.rs", numbered((1..=20).filter(|number| *number != 9)));
    ground.write("logo.png", b"\x89PNG\0");
    ground.git(&["add", "-A"]);
    let diff = ground.git(&["diff", "HEAD"]) + "\n";
    assert!(diff.contains("Binary files"), "{diff}");
    assert_eq!(diff_state(&ground.ws(), diff.as_bytes()), DiffState::Applied);
    ground.git(&["reset", "-q", "--hard"]);
    let before = ground.state();
    let DiffState::ToBeApplied { revision } = diff_state(&ground.ws(), diff.as_bytes()) else {
        panic!("it applies");
    };
    assert!(revision.starts_with("diff --git a/src/pool.rs") && !revision.contains("logo.png"), "{revision}");
    ground.write("src/pool.rs", "something else\n");
    let stands = diff_state(&ground.ws(), diff.as_bytes());
    assert!(matches!(&stands, DiffState::Neither { why } if why.contains("src/pool.rs")), "{stands:?}");
    assert!(matches!(Reviewed::from(stands), Reviewed::Unknown { .. }));
    assert!(matches!(diff_state(&ground.ws(), b"no diff"), DiffState::Neither { .. }));
    ground.git(&["reset", "-q", "--hard"]);
    assert_eq!(ground.state().1, before.1);
}

#[test]
fn a_difference_is_looked_at_outside_of_a_repository_and_below_its_top_as_well() {
    let diff = "--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-old\n+new\n";
    let plain = Ground::plain();
    plain.write("f.txt", "new\n");
    assert_eq!(diff_state(&plain.ws(), diff.as_bytes()), DiffState::Applied);
    let ground = Ground::repository();
    ground.write("below/f.txt", "old\n");
    let below = ground.ws().join("below");
    assert!(matches!(diff_state(&below, diff.as_bytes()), DiffState::ToBeApplied { .. }));
}

#[test]
fn a_difference_with_a_secret_is_not_kept_as_a_revision() {
    let ground = Ground::repository();
    let key = format!("sk-{}-api03-{}", "ant", "Zx9".repeat(30));
    let diff = format!("--- /dev/null\n+++ b/new.env\n@@ -0,0 +1 @@\n+ANTHROPIC_API_KEY={key}\n");
    let stands = diff_state(&ground.ws(), diff.as_bytes());
    assert!(matches!(&stands, DiffState::Neither { why } if why.contains("secrets")), "{stands:?}");
}
