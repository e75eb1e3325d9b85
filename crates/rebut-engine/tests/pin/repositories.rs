//! Every kind of repository, and what of it is kept.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;
use std::sync::Arc;
use std::time::SystemTime;

use rebut_core::debate::Scope;
use rebut_core::evidence::Evidence;
use rebut_core::evidence::check::Cited;
use rebut_engine::checks::{Allowed, Examiner, Snapshot};
use rebut_engine::workspace::pin::{Files, Kind, Limits, Live, Pin, ReadError, Source, Survey, Why};

use crate::ground::{Ground, LIMITS, commit, files_below, git, left_out, paths, text, write};

#[test]
fn a_repository_is_kept_as_it_stands_in_the_folder() {
    let ground = Ground::repository();
    ground.write("src/pool.rs", "fn pool() { edited }\n");
    ground.write("staged.rs", "staged\n");
    git(&ground.ws(), &["add", "staged.rs"]);
    ground.write("staged.rs", "staged, then edited\n");
    ground.write("src/new file.rs", "new\n");
    fs::remove_file(ground.ws().join("README.md")).unwrap();
    let pin = ground.pin();
    assert_eq!(paths(&pin), [".gitignore", "src/new file.rs", "src/pool.rs", "staged.rs"]);
    assert_eq!(text(&pin, "src/pool.rs"), "fn pool() { edited }\n");
    assert_eq!(text(&pin, "staged.rs"), "staged, then edited\n");
    let facts = pin.facts();
    assert_eq!(facts.commit, Some(git(&ground.ws(), &["rev-parse", "HEAD"])));
    assert_eq!((facts.files, facts.changed, facts.new), (4, Some(3), 1));
    assert_eq!(facts.bytes, pin.entries().iter().map(|entry| entry.size).sum::<u64>());
    assert_eq!((facts.source.clone(), facts.left_out.len()), (Source::Git, 0));
    assert!(pin.live().is_none());
}

#[test]
fn ignored_files_are_neither_in_the_pack_nor_in_the_copy() {
    let ground = Ground::repository();
    ground.write(".claude/debate/last-debate.json", "own");
    let pin = ground.pin();
    let bytes = fs::read(ground.pack()).unwrap();
    assert!(!bytes.windows(11).any(|window| window == b"hidden-word"));
    let copy = pin.lay_out(&ground.root().join("tmp")).unwrap();
    assert_eq!(files_below(copy.path()), [".gitignore", "README.md", "src/pool.rs"]);
}

#[test]
fn new_files_that_keys_are_kept_in_are_left_out_unless_they_are_tracked() {
    let ground = Ground::unborn();
    ground.write("a.rs", "a\n");
    ground.write("app/.envrc", "TRACKED=1\n");
    commit(&ground.ws());
    for private in [".env", "app/.env.local", ".ssh/id_one", ".ssh/id_two", ".netrc", ".docker/config.json"] {
        ground.write(private, "hidden-word\n");
    }
    ground.write(".env.example", "KEY=\n");
    ground.write("new.rs", "new\n");
    let pin = ground.pin();
    assert_eq!(paths(&pin), [".env.example", "a.rs", "app/.envrc", "new.rs"]);
    assert_eq!(pin.facts().new, 2);
    let private = [".docker/config.json", ".env", ".netrc", ".ssh", "app/.env.local"];
    assert_eq!(left_out(pin.facts(), Why::Private), private);
    let live = Live::over(&ground.ws(), None, SystemTime::now(), LIMITS.file_bytes).unwrap();
    assert_eq!(paths(&live), paths(&pin));
    let examiner = Examiner::over_pin(Arc::new(pin), &ground.ws(), Allowed::default());
    for path in [".env", ".ssh/id_two"] {
        assert_eq!(told(&examiner, path), "unchecked: it is named like a file that holds keys, and was left out");
    }
    assert!(told(&examiner, "app/.envrc").starts_with("verified: "));
    let snapshot = Snapshot::survey(&ground.ws(), None, LIMITS, &|_| false);
    let Scope::Pinned(facts) = snapshot.scope() else { panic!("{:?}", snapshot.scope()) };
    let left: Vec<_> = facts.left_out.iter().map(|left| (left.why.as_str(), left.count)).collect();
    assert_eq!((facts.files, left), (4, vec![("named like a file that holds keys", 5)]));
}

#[test]
fn what_git_keeps_in_a_bare_repository_is_no_workspace() {
    let ground = Ground::repository();
    let bare = ground.root().join("bare.git");
    git(&ground.root(), &["clone", "-q", "--bare", ground.ws().to_str().unwrap(), bare.to_str().unwrap()]);
    for folder in [bare.clone(), bare.join("refs"), ground.ws().join(".git"), ground.ws().join(".git/objects")] {
        let why = Survey::of(&folder, None, LIMITS).unwrap_err().to_string();
        assert!(why.contains("is a git repository without a working tree"), "{why}");
        assert!(Live::over(&folder, None, SystemTime::now(), LIMITS.file_bytes).is_err());
    }
    // A work tree of its own in it is one, and one that lies in a folder is not looked into.
    git(&bare, &["worktree", "add", "-q", "tree", "main"]);
    let survey = Survey::of(&bare.join("tree"), None, LIMITS).unwrap();
    assert_eq!(paths(&ground.pin_of(survey)), [".gitignore", "README.md", "src/pool.rs"]);
    git(
        &ground.root(),
        &["clone", "-q", "--bare", bare.to_str().unwrap(), ground.ws().join("data/one.git").to_str().unwrap()],
    );
    ground.write("data/other", "other\n");
    let pin = ground.pin_of(ground.survey());
    assert_eq!(paths(&pin), [".gitignore", "README.md", "data/other", "src/pool.rs"]);
    assert_eq!(left_out(pin.facts(), Why::Repository), ["data/one.git/"]);
    fs::remove_dir_all(ground.ws().join(".git")).unwrap();
    let pin = ground.pin_of(ground.survey());
    assert_eq!(paths(&pin), [".gitignore", "README.md", "data/other", "src/pool.rs"]);
    assert_eq!(left_out(pin.facts(), Why::Repository), ["data/one.git"]);
}

#[test]
fn a_plan_counts_what_is_laid_out_and_says_what_is_not() {
    let ground = Ground::repository();
    ground.write("logo.png", b"\x89PNG\0");
    ground.write("huge.txt", "x".repeat(70_000));
    symlink("/etc/passwd", ground.ws().join("out")).unwrap();
    symlink("round", ground.ws().join("round")).unwrap();
    symlink(ground.ws().canonicalize().unwrap().join("README.md"), ground.ws().join("src/read-me")).unwrap();
    let told = |scope: &Scope| {
        let Scope::Pinned(facts) = scope else { panic!("{scope:?}") };
        let left: Vec<_> = facts.left_out.iter().map(|left| format!("{} {}", left.count, left.why)).collect();
        (facts.files, left.join(", "))
    };
    let snapshot = Snapshot::survey(&ground.ws(), None, LIMITS, &|_| false);
    let left = "1 binary, 1 larger than evidence.max_file_bytes, 1 a symlink that leads out of the workspace, \
                1 a symlink that leads in a circle";
    assert_eq!(told(snapshot.scope()), (4, left.to_owned()));
    let kept = snapshot.pin(&ground.root().join("debate/blobs")).unwrap();
    assert_eq!(told(&kept), (4, left.to_owned()));
    let copy = Pin::open(&ground.pack()).unwrap().lay_out(&ground.root().join("tmp")).unwrap();
    assert_eq!(files_below(copy.path()).len(), 4);
}

/// Of a sparse checkout and of a commit git holds files that nobody sees in the folder.
#[test]
fn a_plan_says_that_a_workspace_is_too_large_as_the_debate_will() {
    let ground = Ground::repository();
    ground.write("large.txt", "x".repeat(3_000));
    commit(&ground.ws());
    let hash = git(&ground.ws(), &["rev-parse", "HEAD"]);
    git(&ground.ws(), &["update-index", "--skip-worktree", "large.txt"]);
    let Scope::Pinned(facts) = Snapshot::survey(&ground.ws(), None, LIMITS, &|_| false).scope().clone() else {
        panic!("it is kept")
    };
    for checked_out in [true, false] {
        if !checked_out {
            fs::remove_file(ground.ws().join("large.txt")).unwrap();
        }
        for (bytes, fits) in [(facts.bytes, true), (facts.bytes - 1, false)] {
            let limits = Limits { bytes, ..LIMITS };
            let snapshot = Snapshot::survey(&ground.ws(), None, limits, &|_| false);
            let planned = snapshot.scope().clone();
            let kept = snapshot.pin(&ground.root().join("debate/blobs")).unwrap();
            let of_commit = Snapshot::survey_commit(&ground.ws(), &hash, None, limits);
            if fits {
                assert!(matches!((&planned, &kept), (Scope::Pinned(_), Scope::Pinned(_))), "{planned:?} {kept:?}");
                assert!(matches!(of_commit.scope(), Scope::Pinned(_)), "{of_commit:?}");
            } else {
                assert!(matches!(&planned, Scope::Live { why } if why.contains("bytes of text")), "{planned:?}");
                assert_eq!(planned, kept);
                assert!(
                    matches!(of_commit.scope(), Scope::Nothing { why } if why.contains("bytes of text")),
                    "{of_commit:?}"
                );
            }
        }
    }
}

#[test]
fn a_last_debate_is_never_called_missing() {
    let ground = Ground::repository();
    let last = ".claude/debate/last-debate.json";
    ground.write(last, "{}");
    git(&ground.ws(), &["add", "-f", last]);
    commit(&ground.ws());
    let examiner = Examiner::over_pin(Arc::new(ground.pin()), &ground.ws(), Allowed::default());
    let expected = "unchecked: rebut wrote it for other tools; it is not pinned with the workspace";
    assert_eq!(told(&examiner, last), expected);
}

fn told(examiner: &Examiner, path: &str) -> String {
    let file = Evidence::file(path, None);
    let found = examiner.examine_now(vec![Cited::mentioned(file)]);
    format!("{}: {}", found[0].result, found[0].detail)
}

#[test]
fn nothing_that_happens_to_the_repository_afterwards_changes_the_pin() {
    let ground = Ground::repository();
    ground.write("src/pool.rs", "uncommitted\n");
    let pin = ground.pin();
    git(&ground.ws(), &["checkout", "-q", "--", "."]);
    ground.write("src/pool.rs", "amended\n");
    git(&ground.ws(), &["commit", "-q", "-a", "--amend", "-m", "other"]);
    git(&ground.ws(), &["reflog", "expire", "--expire=now", "--all"]);
    git(&ground.ws(), &["gc", "-q", "--prune=now"]);
    assert_eq!(text(&pin, "src/pool.rs"), "uncommitted\n");
    fs::remove_dir_all(ground.ws()).unwrap();
    let again = Pin::open(&ground.pack()).unwrap();
    assert_eq!(text(&again, "src/pool.rs"), "uncommitted\n");
    assert_eq!(text(&again, "README.md"), "# Pool\n");
}

#[test]
fn a_repository_without_a_commit_is_kept() {
    let ground = Ground::unborn();
    ground.write("added", "a");
    git(&ground.ws(), &["add", "added"]);
    ground.write("new", "n");
    let pin = ground.pin();
    assert_eq!(paths(&pin), ["added", "new"]);
    assert_eq!((pin.facts().commit.as_deref(), pin.facts().changed, pin.facts().new), (None, Some(1), 1));
}

#[test]
fn an_empty_repository_gives_an_empty_pin() {
    let pin = Ground::unborn().pin();
    assert_eq!((pin.entries().len(), pin.facts().files, pin.facts().bytes), (0, 0, 0));
}

#[test]
fn a_worktree_is_kept_with_its_own_files() {
    let ground = Ground::repository();
    let tree = ground.root().join("tree");
    git(&ground.ws(), &["worktree", "add", "-q", "-b", "side", tree.to_str().unwrap()]);
    write(&tree.join("README.md"), "# Side\n");
    write(&tree.join(".env"), "SECRET=x");
    assert!(tree.join(".git").is_file());
    let pin = ground.pin_of(Survey::of(&tree, None, LIMITS).unwrap());
    assert_eq!(paths(&pin), [".gitignore", "README.md", "src/pool.rs"]);
    assert_eq!(text(&pin, "README.md"), "# Side\n");
}

#[test]
fn a_repository_inside_the_workspace_that_git_does_not_know_is_named_and_left_out() {
    let ground = Ground::repository();
    git(&ground.ws(), &["worktree", "add", "-q", "-b", "side", "inner"]);
    let pin = ground.pin();
    assert_eq!(paths(&pin), [".gitignore", "README.md", "src/pool.rs"]);
    assert_eq!(left_out(pin.facts(), Why::Repository), ["inner/"]);
}

#[test]
fn a_part_of_a_repository_can_be_the_workspace() {
    let ground = Ground::repository();
    ground.write("src/deep/new.rs", "new\n");
    let pin = ground.pin_of(Survey::of(&ground.ws().join("src"), None, LIMITS).unwrap());
    assert_eq!(paths(&pin), ["deep/new.rs", "pool.rs"]);
    assert_eq!((pin.facts().changed, pin.facts().new), (Some(0), 1));
}

#[test]
fn submodules_are_walked_by_their_own_git() {
    let ground = Ground::repository();
    let library = ground.root().join("library");
    fs::create_dir(&library).unwrap();
    git(&library, &["init", "-q", "-b", "main"]);
    write(&library.join("lib.rs"), "lib\n");
    write(&library.join(".gitignore"), "*.log\n");
    commit(&library);
    for path in ["vendor/lib", "vendor/other"] {
        git(&ground.ws(), &["submodule", "--quiet", "add", library.to_str().unwrap(), path]);
    }
    commit(&ground.ws());
    git(&ground.ws(), &["submodule", "--quiet", "deinit", "-f", "vendor/other"]);
    ground.write("vendor/lib/lib.rs", "edited\n");
    ground.write("vendor/lib/new.rs", "new\n");
    ground.write("vendor/lib/run.log", "ignored there\n");
    let pin = ground.pin();
    let below: Vec<_> = paths(&pin).into_iter().filter(|path| path.starts_with("vendor")).collect();
    assert_eq!(below, ["vendor/lib/.gitignore", "vendor/lib/lib.rs", "vendor/lib/new.rs"]);
    assert_eq!(text(&pin, "vendor/lib/lib.rs"), "edited\n");
    assert_eq!((pin.facts().changed, pin.facts().new), (Some(1), 1));
    assert_eq!(left_out(pin.facts(), Why::Submodule), ["vendor/other"]);
}

#[test]
fn a_submodule_that_was_replaced_by_a_link_is_not_entered() {
    let ground = Ground::repository();
    let library = ground.root().join("library");
    fs::create_dir(&library).unwrap();
    git(&library, &["init", "-q", "-b", "main"]);
    write(&library.join("lib.rs"), "lib\n");
    commit(&library);
    git(&ground.ws(), &["submodule", "--quiet", "add", library.to_str().unwrap(), "lib"]);
    commit(&ground.ws());
    fs::remove_dir_all(ground.ws().join("lib")).unwrap();
    symlink(&library, ground.ws().join("lib")).unwrap();
    let pin = ground.pin();
    assert_eq!(left_out(pin.facts(), Why::Submodule), ["lib"]);
    assert!(pin.find(b"lib/lib.rs").is_none());
}

#[test]
fn files_that_a_sparse_checkout_leaves_out_are_taken_from_git() {
    let ground = Ground::repository();
    ground.write("docs/guide.md", "guide\n");
    ground.write("docs/run.sh", "#!/bin/sh\n");
    ground.write("docs/image", b"\x89PNG\0");
    ground.write("docs/large", "x".repeat(100_000));
    ground.write("docs/last.md", "last\n");
    fs::set_permissions(ground.ws().join("docs/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("guide.md", ground.ws().join("docs/link")).unwrap();
    commit(&ground.ws());
    git(&ground.ws(), &["sparse-checkout", "set", "src"]);
    assert!(!ground.ws().join("docs").exists());
    let pin = ground.pin();
    assert_eq!(text(&pin, "docs/guide.md"), "guide\n");
    assert_eq!(text(&pin, "docs/link"), "guide\n");
    assert_eq!(text(&pin, "docs/last.md"), "last\n");
    assert_eq!(pin.find(b"docs/run.sh").unwrap().kind, Kind::File { executable: true });
    assert_eq!(left_out(pin.facts(), Why::Binary), ["docs/image"]);
    assert_eq!(left_out(pin.facts(), Why::TooLarge), ["docs/large"]);
    assert_eq!(pin.find(b"docs/large").unwrap().size, 100_000);
    assert_eq!(pin.facts().changed, Some(0));

    // A live folder has no more than what is checked out.
    let live = Live::over(&ground.ws(), None, SystemTime::now(), LIMITS.file_bytes).unwrap();
    assert_eq!(paths(&live), paths(&pin));
    assert!(matches!(live.read(live.find(b"docs/guide.md").unwrap()), Err(ReadError::Left(Why::Unfetched))));
}

#[test]
fn a_partial_clone_fetches_nothing_and_says_what_it_has_not() {
    let ground = Ground::repository();
    ground.write("docs/guide.md", "guide\n");
    commit(&ground.ws());
    git(&ground.ws(), &["config", "uploadpack.allowFilter", "true"]);
    let clone = ground.root().join("clone");
    let url = format!("file://{}", ground.ws().display());
    git(&ground.root(), &["clone", "-q", "--filter=blob:none", "--sparse", &url, "clone"]);
    let missing = || git(&clone, &["rev-list", "--objects", "--missing=print", "HEAD"]).matches("\n?").count();
    let before = missing();
    assert!(before > 0);
    let pin = ground.pin_of(Survey::of(&clone, None, LIMITS).unwrap());
    assert_eq!(left_out(pin.facts(), Why::Unfetched), ["docs/guide.md", "src/pool.rs"]);
    assert_eq!(text(&pin, "README.md"), "# Pool\n");
    assert_eq!(missing(), before);
}

#[test]
fn a_shallow_clone_is_kept() {
    let ground = Ground::repository();
    ground.write("README.md", "# Second\n");
    commit(&ground.ws());
    let url = format!("file://{}", ground.ws().display());
    git(&ground.root(), &["clone", "-q", "--depth", "1", &url, "clone"]);
    let clone = ground.root().join("clone");
    assert!(clone.join(".git/shallow").exists());
    let pin = ground.pin_of(Survey::of(&clone, None, LIMITS).unwrap());
    assert_eq!(paths(&pin), [".gitignore", "README.md", "src/pool.rs"]);
    assert_eq!(pin.facts().commit, Some(git(&clone, &["rev-parse", "HEAD"])));
}

#[test]
fn a_file_with_conflicts_is_kept_once_and_with_its_marks() {
    let ground = Ground::repository();
    git(&ground.ws(), &["checkout", "-q", "-b", "side"]);
    ground.write("README.md", "# Side\n");
    commit(&ground.ws());
    git(&ground.ws(), &["checkout", "-q", "main"]);
    ground.write("README.md", "# Main\n");
    commit(&ground.ws());
    let merge = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=n@example.org", "merge", "-q", "side"])
        .current_dir(ground.ws())
        .output();
    assert!(!merge.unwrap().status.success());
    let pin = ground.pin();
    assert_eq!(paths(&pin), [".gitignore", "README.md", "src/pool.rs"]);
    assert!(text(&pin, "README.md").contains("<<<<<<<"));
}

/// Makes nonsense of the object of a file of the last commit.
fn break_object(ground: &Ground, path: &str) {
    let object = git(&ground.ws(), &["rev-parse", &format!("HEAD:{path}")]);
    let file = ground.ws().join(".git/objects").join(&object[..2]).join(&object[2..]);
    fs::remove_file(&file).unwrap();
    fs::write(&file, "no object").unwrap();
}

#[test]
fn an_object_that_is_broken_is_left_out_and_the_others_are_kept() {
    let ground = Ground::repository();
    ground.write("src/other.rs", "fn other() {}\n");
    commit(&ground.ws());
    let head = git(&ground.ws(), &["rev-parse", "HEAD"]);
    break_object(&ground, "README.md");
    let pin = ground.pin_of(Survey::of_commit(&ground.ws(), &head, None, LIMITS).unwrap());
    assert_eq!(left_out(pin.facts(), Why::Unfetched), ["README.md"]);
    assert_eq!(text(&pin, "src/other.rs"), "fn other() {}\n");
}
