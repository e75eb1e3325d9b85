//! Scopes: what git has of them, and what is said where it has nothing.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use rebut_engine::workspace::{Reviewed, ScopeError, collect, review_folder, stat};

use crate::ground::{Ground, commit, git, numbered};

fn files_of(diff: &str) -> Vec<&str> {
    diff.lines().filter_map(|line| line.strip_prefix("diff --git ")).collect()
}

/// Paths that look like rebut's own.
const LOOK_ALIKES: [&str; 4] =
    [".claude/debate/y.sh", ".rebut/config.toml", "output/20260101T000000Z-x/payload.sh", "src/.rebut/run.sh"];

#[test]
fn what_rebut_is_known_to_have_written_is_left_out_and_listed() {
    let ground = Ground::repository();
    for path in LOOK_ALIKES {
        ground.write(path, "ours\n");
    }
    let own = ground.ws().join(LOOK_ALIKES[0]);
    let uncommitted = "uncommitted".parse().unwrap();
    let collect = |is_own: &dyn Fn(&Path) -> bool| collect(&uncommitted, &ground.ws(), &ground.ws(), 1 << 20, is_own);
    let found = collect(&|path| path == own).unwrap();
    assert_eq!(files_of(&found.diff), LOOK_ALIKES[1..].iter().map(|path| format!("a/{path} b/{path}")).collect::<Vec<_>>());
    assert_eq!(found.notes, ["left out because rebut wrote it: .claude/debate/y.sh"]);
    assert!(matches!(collect(&|_| true), Err(ScopeError::Nothing(_))));
}

#[test]
fn in_a_repository_without_a_commit_everything_is_new() {
    let ground = Ground::unborn();
    ground.write("a.rs", "a\n");
    ground.write("b.rs", "b\n");
    ground.git(&["add", "a.rs"]);
    assert_eq!(files_of(&ground.collect("uncommitted").unwrap().diff), ["a/a.rs b/a.rs", "a/b.rs b/b.rs"]);
    for scope in ["commit:HEAD", "base:main", "range:main..HEAD"] {
        assert!(matches!(ground.collect(scope), Err(ScopeError::NoCommit { .. })), "{scope}");
    }
}

#[test]
fn a_merge_is_compared_with_its_first_parent_and_says_so() {
    let ground = Ground::repository();
    ground.git(&["checkout", "-q", "-b", "side"]);
    ground.write("side.rs", "side\n");
    ground.commit("side");
    ground.git(&["checkout", "-q", "main"]);
    ground.write("main.rs", "main\n");
    ground.commit("main");
    ground.git(&["merge", "-q", "--no-edit", "side"]);
    let found = ground.collect("commit:HEAD").unwrap();
    assert_eq!(files_of(&found.diff), ["a/side.rs b/side.rs"]);
    assert_eq!(found.notes, ["HEAD is a merge; it is compared with its first parent"]);
}

#[test]
fn branches_without_a_common_commit_are_an_error_and_no_empty_diff() {
    let ground = Ground::repository();
    ground.git(&["checkout", "-q", "--orphan", "other"]);
    ground.commit("other");
    let error = ground.collect("base:main").unwrap_err();
    assert!(matches!(error, ScopeError::Unrelated { shallow: false, .. }), "{error}");
}

#[test]
fn a_broken_or_bare_repository_is_an_error_with_gits_own_words() {
    let ground = Ground::plain();
    ground.write(".git", "gitdir: /nowhere/at/all\n");
    let error = ground.collect("uncommitted").unwrap_err().to_string();
    assert!(error.contains("git says: fatal: not a git repository: /nowhere"), "{error}");
    let bare = Ground::plain();
    bare.git(&["init", "-q", "--bare"]);
    let error = bare.collect("uncommitted").unwrap_err().to_string();
    assert!(error.contains("is not a working tree"), "{error}");
}

#[test]
fn in_a_shallow_clone_a_missing_parent_is_an_error_that_says_what_to_do() {
    let ground = Ground::repository();
    ground.write("src/pool.rs", numbered(1..=21));
    ground.commit("second");
    let from = format!("file://{}", ground.ws().display());
    git(&ground.root(), &["clone", "-q", "--depth", "1", &from, "clone"]);
    let clone = ground.root().join("clone");
    let error = collect(&"commit:HEAD".parse().unwrap(), &clone, &clone, 1 << 20, &|_| false).unwrap_err();
    assert!(matches!(error, ScopeError::NoParent { .. }), "{error}");
    assert!(error.to_string().contains("git fetch --unshallow"), "{error}");
}

#[test]
fn in_a_worktree_its_own_changes_are_found_and_reviews_are_kept_in_its_own_place() {
    let ground = Ground::repository();
    let tree = ground.root().join("tree");
    ground.git(&["worktree", "add", "-q", "-b", "topic", tree.to_str().unwrap()]);
    fs::write(tree.join("README.md"), "# Topic\n").unwrap();
    let found = collect(&"uncommitted".parse().unwrap(), &tree, &tree, 1 << 20, &|_| false).unwrap();
    assert_eq!(files_of(&found.diff), ["a/README.md b/README.md"]);
    let kept = review_folder(&tree, None).unwrap();
    assert_eq!(kept, ground.ws().join(".git/worktrees/tree/review-loop"));
    assert_eq!(review_folder(&ground.ws(), None).unwrap(), ground.ws().join(".git/review-loop"));
    assert_eq!(review_folder(&ground.ws().join("src"), None).unwrap(), ground.ws().join(".git/review-loop"));
}

#[test]
fn a_submodules_change_is_shown() {
    let ground = Ground::repository();
    let lib = ground.root().join("lib");
    fs::create_dir(&lib).unwrap();
    git(&lib, &["init", "-q", "-b", "main"]);
    fs::write(lib.join("lib.rs"), "1\n").unwrap();
    commit(&lib, "lib one");
    ground.git(&["submodule", "--quiet", "add", lib.to_str().unwrap(), "lib"]);
    ground.commit("with lib");
    fs::write(ground.ws().join("lib/lib.rs"), "2\n").unwrap();
    let of_its_own = "the submodule lib has uncommitted changes, which are not part of it";
    let nothing = ground.collect("uncommitted").unwrap_err().to_string();
    assert!(nothing.contains("no uncommitted changes") && nothing.ends_with(of_its_own), "{nothing}");
    ground.write("b.rs", "b\n");
    assert_eq!(ground.collect("uncommitted").unwrap().notes, [of_its_own]);
    fs::remove_file(ground.ws().join("b.rs")).unwrap();
    commit(&ground.ws().join("lib"), "the pool is faster");
    let found = ground.collect("uncommitted").unwrap();
    assert_eq!(files_of(&found.diff), ["a/lib b/lib"]);
    assert!(found.diff.contains("+Subproject commit "), "{}", found.diff);
    assert!(found.notes[0].starts_with("the submodule lib moves from "), "{:?}", found.notes);
}

#[test]
fn a_file_with_a_filter_is_compared_as_it_is_on_disk_and_that_is_said() {
    let ground = Ground::repository();
    ground.write(".gitattributes", "*.bin filter=pointer\nother.txt filter=unknown\n");
    for (key, value) in [("clean", "sed s/.*/pointer/"), ("smudge", "sed s/pointer/content/"), ("required", "true")] {
        ground.git(&["config", &format!("filter.pointer.{key}"), value]);
    }
    ground.write("data.bin", "content\n");
    ground.write("other.txt", "one\n");
    ground.commit("with a filter");
    assert_eq!(ground.git(&["show", "HEAD:data.bin"]).trim(), "pointer", "the filter works");
    ground.write("data.bin", "other content\n");
    ground.write("other.txt", "two\n");
    let found = ground.collect("uncommitted").unwrap();
    assert!(found.diff.contains("-pointer\n+other content\n"), "{}", found.diff);
    let note = "compared as they are on disk, because git filters (Git LFS and the like) are not run: data.bin";
    assert_eq!(found.notes, [note]);
    ground.git(&["add", "data.bin", "other.txt"]);
    assert_eq!(ground.git(&["diff", "--cached", "--name-only"]).trim(), "other.txt");
}

#[test]
fn git_still_converts_ends_of_lines() {
    let ground = Ground::repository();
    ground.write(".gitattributes", "*.txt text eol=crlf\n");
    ground.write("a.txt", "one\r\ntwo\r\n");
    ground.commit("with carriage returns");
    ground.write("a.txt", "one\r\n2\r\n");
    ground.write("new.txt", "new\r\n");
    let diff = ground.collect("uncommitted").unwrap().diff;
    assert!(diff.contains(" one\n-two\n+2\n") && diff.contains("+new\n"), "{diff}");
}

#[test]
fn renames_are_told_and_odd_names_work() {
    let ground = Ground::repository();
    ground.git(&["mv", "src/pool.rs", "src/the pool.rs"]);
    ground.write("tab\there.rs", "x\n");
    ground.write("-", "dash\n");
    ground.write("empty.rs", "");
    let found = ground.collect("uncommitted").unwrap();
    assert!(found.diff.contains("rename from src/pool.rs\nrename to src/the pool.rs\n"), "{}", found.diff);
    assert!(found.diff.contains("+dash\n") && found.diff.contains("\"b/tab\\there.rs\""), "{}", found.diff);
    assert!(found.stat.contains("4 files changed"), "{}", found.stat);
}

#[test]
fn new_files_that_keys_are_kept_in_are_named_and_not_shown() {
    let ground = Ground::repository();
    ground.write("app/.env.local", "KEY=hidden-word\n");
    ground.write(".netrc", "hidden-word\n");
    ground.write("b.rs", "b\n");
    let found = ground.collect("uncommitted").unwrap();
    assert_eq!(files_of(&found.diff), ["a/b.rs b/b.rs"]);
    let named = "new files named like ones that hold keys, left out: .netrc, app/.env.local";
    assert_eq!(found.notes, [named]);
}

#[test]
fn a_repository_inside_is_named_and_not_part_of_it() {
    let ground = Ground::repository();
    ground.git(&["init", "-q", "nested"]);
    ground.write("nested/a.rs", "a\n");
    ground.write("b.rs", "b\n");
    let found = ground.collect("uncommitted").unwrap();
    assert_eq!(files_of(&found.diff), ["a/b.rs b/b.rs"]);
    assert_eq!(found.notes, ["nested repositories, left out: nested/"]);
}

#[test]
fn settings_of_the_person_do_not_change_the_form_of_a_diff() {
    let ground = Ground::repository();
    let plain = || {
        ground.write("src/pool.rs", numbered((1..=20).filter(|number| *number != 7)));
        ground.collect("uncommitted").unwrap().diff
    };
    let before = plain();
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.context", "0"),
        ("color.ui", "always"),
        ("diff.external", "/bin/false"),
        ("diff.renames", "false"),
        ("diff.submodule", "log"),
        ("diff.suppressBlankEmpty", "true"),
    ] {
        ground.git(&["config", key, value]);
    }
    assert_eq!(plain(), before);
}

/// What is reviewed is cited by line, and a hunk has as many lines as it says.
#[test]
fn what_is_taken_out_leaves_every_line_where_it_was() {
    let ground = Ground::repository();
    let key = format!("{}0001\n", "Mx7Qz".repeat(12)).repeat(20);
    let label = format!("{} PRIVATE KEY", "RSA");
    let text = format!("one\n-----BEGIN {label}-----\n{key}-----END {label}-----\nlast\n");
    ground.write("deploy.rs", &text);
    let file = ground.collect("file:deploy.rs").unwrap().diff;
    assert!(!file.contains("Mx7Qz"), "{file}");
    assert_eq!(file.lines().position(|line| line == "last"), text.lines().position(|line| line == "last"));
    let diff = ground.collect("uncommitted").unwrap().diff;
    assert!(!diff.contains("Mx7Qz") && diff.contains("@@ -0,0 +1,24 @@"), "{diff}");
    let hunk = diff.split_once("@@ -0,0 +1,24 @@\n").unwrap().1;
    assert_eq!(hunk.lines().filter(|line| line.starts_with('+')).count(), 24, "{diff}");
}

#[test]
fn too_much_is_an_error_and_not_a_part() {
    let ground = Ground::repository();
    ground.write("src/pool.rs", numbered(100..=200));
    let ws = ground.ws();
    for scope in ["uncommitted", "commit:HEAD", "file:src/pool.rs"] {
        let error = collect(&scope.parse().unwrap(), &ws, &ws, 100, &|_| false).unwrap_err();
        assert!(matches!(error, ScopeError::TooLarge { most: 100, .. }), "{scope}: {error}");
    }
}

#[test]
fn a_file_is_read_inside_of_the_workspace_only() {
    let ground = Ground::repository();
    fs::write(ground.root().join("secret"), "outside\n").unwrap();
    symlink("../secret", ground.ws().join("link")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, ground.ws().join("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    ground.write("bin", b"a\0b");
    ground.write("empty", "\n");
    for (path, expected) in [
        ("link", "outside the workspace"),
        ("../secret", "outside the workspace"),
        ("pipe", "not a regular file"),
        ("nothing", "there is no file"),
        ("bin", "is binary"),
        ("empty", "is empty"),
        (".git/config", "belongs to git"),
    ] {
        let error = ground.collect(&format!("file:{path}")).unwrap_err().to_string();
        assert!(error.contains(expected), "{path}: {error}");
    }
    let inside =
        collect(&"file:pool.rs".parse().unwrap(), &ground.ws().join("src"), &ground.ws(), 1 << 20, &|_| false).unwrap();
    assert_eq!((inside.scope.to_string().as_str(), inside.reviewed), ("file:src/pool.rs", Reviewed::WorkingTree));
}

#[test]
fn what_is_no_diff_has_no_statistics() {
    assert!(stat(b"no diff at all\n").is_err());
}
