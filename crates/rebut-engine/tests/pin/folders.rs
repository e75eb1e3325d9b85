//! Folders without git, folders that are no project, and limits.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::SystemTime;

use rebut_engine::workspace::pin::{Files, Kind, Limits, Live, PinError, ReadError, Source, Survey};

use crate::ground::{Ground, LIMITS, paths, write};

#[test]
fn a_folder_without_git_is_kept_under_the_usual_rules() {
    let ground = Ground::plain();
    ground.write(".gitignore", "*.log\n");
    ground.write(".ignore", "build/\n");
    ground.write(".env", "SECRET=x");
    ground.write("a.txt", "a");
    ground.write("sub/b.txt", "b");
    ground.write("sub/c.log", "c");
    // What is ignored above the folder says nothing about it.
    write(&ground.root().join(".gitignore"), "*");
    ground.write("build/out", "o");
    // What people commit although its name is hidden, and what they do not.
    for hidden in [".github/workflows/ci.yml", "sub/.editorconfig", ".env.example"] {
        ground.write(hidden, "on: push\n");
    }
    for private in [
        ".env.local",
        "sub/.env",
        ".ssh/id_ed25519",
        ".hg/store",
        "sub/.git/config",
        ".codex/debate/last-debate.json",
        "sub/.claude/debate/last-debate.json",
        ".cache.log",
    ] {
        ground.write(private, "private");
    }
    symlink(ground.root().join("home"), ground.ws().join("sub/home")).unwrap();
    write(&ground.root().join("home/private.txt"), "private");
    let pin = ground.pin();
    let kept = [
        ".env.example",
        ".github/workflows/ci.yml",
        ".gitignore",
        ".ignore",
        "a.txt",
        "sub/.editorconfig",
        "sub/b.txt",
        "sub/home",
    ];
    assert_eq!(paths(&pin), kept);
    assert_eq!(pin.find(b"sub/home").unwrap().kind, Kind::Symlink);
    assert!(matches!(pin.lookup(b"sub/home/private.txt"), Err(ReadError::Outside)));
    let facts = pin.facts();
    assert_eq!((facts.source.clone(), facts.commit.clone(), facts.changed), (Source::Folder, None, None));
}

#[test]
fn where_git_gives_no_answer_the_folder_is_walked_and_the_facts_say_so() {
    let ground = Ground::plain();
    ground.write(".git/HEAD", "no repository");
    ground.write("a.txt", "a");
    ground.write(".env", "SECRET=x");
    ground.write(".github/workflows/ci.yml", "on: push\n");
    ground.write(".gitignore", "/target\n");
    ground.write("target/out", "o");
    let pin = ground.pin();
    assert_eq!(paths(&pin), [".github/workflows/ci.yml", ".gitignore", "a.txt"]);
    assert!(matches!(&pin.facts().source, Source::FolderWithoutGit { said } if said.contains("git says")));
}

#[test]
fn the_home_folder_and_what_holds_it_are_no_project() {
    let ground = Ground::repository();
    for (workspace, home) in [("ws", "ws"), ("", "home"), ("ws", "ws/src")] {
        let survey = Survey::of(&ground.root().join(workspace), Some(&ground.root().join(home)), LIMITS);
        assert!(matches!(survey, Err(PinError::NoProject(_))), "{workspace} {home}");
    }
    assert!(matches!(Survey::of(Path::new("/"), None, LIMITS), Err(PinError::NoProject(_))));
    let live = Live::over(Path::new("/"), None, SystemTime::now(), 100);
    assert!(matches!(live, Err(PinError::NoProject(_))));
}

#[test]
fn a_folder_that_is_not_there_is_an_error_by_name() {
    let ground = Ground::plain();
    let error = Survey::of(&ground.root().join("nothing"), None, LIMITS).unwrap_err();
    assert!(error.to_string().contains("nothing"), "{error}");
}

#[test]
fn a_workspace_that_is_too_large_is_found_out_and_leaves_nothing_behind() {
    let ground = Ground::repository();
    let few = Limits { files: 2, ..LIMITS };
    assert!(matches!(Survey::of(&ground.ws(), None, few), Err(PinError::TooMany { most: 2 })));
    let plain = Ground::plain();
    for name in ["a", "b", "c"] {
        plain.write(name, name);
    }
    assert!(matches!(Survey::of(&plain.ws(), None, few), Err(PinError::TooMany { most: 2 })));
    assert!(Survey::of(&plain.ws(), None, Limits { files: 3, ..LIMITS }).is_ok());
    let small = Limits { bytes: 20, ..LIMITS };
    let blobs = ground.root().join("debate/blobs");
    let packed = Survey::of(&ground.ws(), None, small).unwrap().pack(&blobs);
    assert!(matches!(packed, Err(PinError::TooLarge { most: 20 })), "{packed:?}");
    assert_eq!(fs::read_dir(&blobs).unwrap().count(), 0);
}

#[test]
fn what_is_not_kept_does_not_count_towards_the_limit() {
    let ground = Ground::plain();
    ground.write("a.txt", "four");
    ground.write("image", vec![0; 50_000]);
    ground.write("large", "x".repeat(70_000));
    let limits = Limits { bytes: 4, ..LIMITS };
    let pin = ground.pin_of(Survey::of(&ground.ws(), None, limits).unwrap());
    assert_eq!((pin.facts().files, pin.facts().bytes), (3, 4));
}
