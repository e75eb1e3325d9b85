//! Commits of a repository that goes on while a debate is argued, that is cut off, or that git does not speak of.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use rebut_core::evidence::Evidence;
use rebut_core::evidence::check::Cited;
use rebut_engine::checks::{Allowed, Examiner, Snapshot};

use super::ground::{Ground, LIMITS, commit, git};

fn told(examiner: &Examiner, hash: &str, path: Option<&str>) -> String {
    let target = Evidence { file: path.map(str::to_owned), ..Evidence::commit(hash.to_owned()) };
    let found = examiner.examine_now(vec![Cited::mentioned(target)]);
    format!("{}: {}", found[0].result, found[0].detail)
}

fn live(folder: &Path) -> Examiner {
    Examiner::of_folder(folder, None, LIMITS.file_bytes, Allowed::default()).unwrap()
}

#[test]
fn a_commit_that_is_amended_away_and_cleaned_up_was_there_when_the_debate_began() {
    let ground = Ground::repository();
    let head = git(&ground.ws(), &["rev-parse", "HEAD"]).trim().to_owned();
    let pin = Arc::new(ground.pin());
    ground.write("README.md", "# Another pool\n");
    git(&ground.ws(), &["commit", "-q", "--amend", "-a", "-m", "amended"]);
    git(&ground.ws(), &["reflog", "expire", "--expire=now", "--all"]);
    git(&ground.ws(), &["gc", "-q", "--prune=now"]);
    let examiner = Examiner::over_pin(pin, &ground.ws(), Allowed::default());
    assert_eq!(told(&examiner, &head[..9], None), "verified: commit existed when the debate began");
    // What it changed and said is gone with it.
    let gone = "changed_since: the commit existed when the debate began and is gone";
    assert_eq!(told(&examiner, &head[..9], Some("README.md")), gone);
    let found = examiner.examine_now(vec![Cited::mentioned(Evidence::commit(head.clone()).quoting("all"))]);
    assert_eq!(format!("{}: {}", found[0].result, found[0].detail), gone);
    assert_eq!(told(&examiner, "0123abcd", None), "missing: no such commit");
    assert_eq!(told(&live(&ground.ws()), &head, None), "missing: no such commit");
}

#[test]
fn a_shallow_clone_calls_no_commit_missing_and_its_border_touches_nothing_for_certain() {
    let ground = Ground::repository();
    let first = git(&ground.ws(), &["rev-parse", "HEAD"]).trim().to_owned();
    ground.write("src/pool.rs", "fn pool() { second }\n");
    commit(&ground.ws());
    let clone = ground.root().join("clone");
    let from = format!("file://{}", ground.ws().display());
    git(&ground.root(), &["clone", "-q", "--depth=1", &from, clone.to_str().unwrap()]);
    let border = git(&clone, &["rev-parse", "HEAD"]).trim().to_owned();
    let examiner = live(&clone);
    assert_eq!(told(&examiner, &border, None), "verified: commit exists");
    // It seems to bring every file, and brought one.
    assert!(told(&examiner, &border, Some("README.md")).starts_with("unchecked: what it changes is cut off"));
    assert!(told(&examiner, &first, None).starts_with("unchecked: this is a shallow clone"));
    assert!(told(&live(&ground.ws()), &border, Some("README.md")).starts_with("mismatch: "));
}

#[test]
fn where_git_refuses_commits_are_unchecked_and_the_plan_says_so() {
    let ground = Ground::repository();
    let head = git(&ground.ws(), &["rev-parse", "HEAD"]).trim().to_owned();
    fs::write(ground.ws().join(".git/HEAD"), "no reference\n").unwrap();
    assert!(told(&live(&ground.ws()), &head, None).starts_with("unchecked: git says: fatal"));
    let snapshot = Snapshot::survey(&ground.ws(), None, LIMITS, &|_| false);
    let rebut_core::debate::Scope::Pinned(facts) = snapshot.scope() else { panic!("{:?}", snapshot.scope()) };
    assert!(facts.git_failed.as_deref().is_some_and(|said| said.contains("fatal")), "{facts:?}");
}

/// Many commits that differ in their message alone, in one go.
fn many_commits(ground: &Ground) -> Vec<String> {
    let mut stream = String::new();
    for number in 0..1200 {
        let message = format!("number {number}");
        let who = "committer n <n@example.org> 1767225600 +0000";
        write!(stream, "commit refs/heads/many\n{who}\ndata {}\n{message}\n\n", message.len()).unwrap();
    }
    fs::write(ground.root().join("stream"), stream).unwrap();
    let stream = fs::File::open(ground.root().join("stream")).unwrap();
    let mut import = std::process::Command::new("git");
    import.args(["fast-import", "--quiet", "--force"]).current_dir(ground.ws()).stdin(stream);
    assert!(import.status().unwrap().success());
    git(&ground.ws(), &["rev-list", "many"]).lines().map(str::to_owned).collect()
}

#[test]
fn a_hash_that_several_commits_begin_with_is_ambiguous_and_not_missing() {
    let ground = Ground::repository();
    let mut hashes = many_commits(&ground);
    hashes.sort();
    let two = hashes.windows(2).find(|two| two[0][..4] == two[1][..4]).expect("of 1200 two begin with the same four");
    let examiner = live(&ground.ws());
    assert_eq!(told(&examiner, &two[0][..4], None), "ambiguous: several commits begin with this");
    assert_eq!(told(&examiner, &two[0][..4], Some("README.md")), "ambiguous: several commits begin with this");
    assert_eq!(told(&examiner, &two[0], None), "verified: commit exists");
}

#[test]
fn commits_that_were_kept_are_told_where_the_repository_is_gone() {
    for in_one_process in [true, false] {
        let ground = Ground::repository();
        let head = git(&ground.ws(), &["rev-parse", "HEAD"]).trim().to_owned();
        let pin = Arc::new(ground.pin());
        let over = || Examiner::over_pin(Arc::clone(&pin), &ground.ws(), Allowed::default());
        let before = over();
        fs::remove_dir_all(ground.ws().join(".git")).unwrap();
        let examiner = if in_one_process { before } else { over() };
        assert_eq!(told(&examiner, &head[..9], None), "verified: commit existed when the debate began");
        assert!(told(&examiner, &head, Some("README.md")).starts_with("changed_since: "));
        assert!(told(&examiner, "0123abcd", None).starts_with("unchecked: git says: "));
        fs::remove_dir_all(ground.ws()).unwrap();
        assert_eq!(told(&over(), &head[..9], None), "verified: commit existed when the debate began");
    }
}

#[test]
fn a_commit_that_may_be_a_submodules_is_not_called_missing() {
    let ground = Ground::repository();
    let lib = Ground::repository();
    lib.write("src/lib.rs", "fn lib() {}\n");
    commit(&lib.ws());
    let theirs = git(&lib.ws(), &["rev-parse", "HEAD"]).trim().to_owned();
    let from = lib.ws().display().to_string();
    git(&ground.ws(), &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &from, "vendor/lib"]);
    commit(&ground.ws());
    let examiner = live(&ground.ws());
    let unchecked = "unchecked: no such commit here, and submodules are not searched for commits";
    assert_eq!(told(&examiner, &theirs[..9], None), unchecked);
    assert_eq!(told(&examiner, &theirs, Some("vendor/lib/src/lib.rs")), unchecked);
}

#[test]
fn what_is_quoted_from_a_commit_is_looked_up_in_its_message_its_changes_and_the_file() {
    let ground = Ground::repository();
    ground.write("src/pool.rs", "fn pool() {\n    drop(guard);\n}\n");
    git(&ground.ws(), &["add", "-A"]);
    git(&ground.ws(), &["commit", "-q", "-m", "Drop the guard\n\nSo that nobody waits for it."]);
    let head = git(&ground.ws(), &["rev-parse", "HEAD"]);
    let examiner = live(&ground.ws());
    let told = |quote: &str, path: Option<&str>| {
        let target = Evidence { file: path.map(str::to_owned), ..Evidence::commit(head[..9].to_owned()) };
        let found = examiner.examine_now(vec![Cited::mentioned(target.quoting(quote))]);
        format!("{}: {}", found[0].result, found[0].detail)
    };
    assert_eq!(told("Drop the guard", None), "verified: quote found in its message or its diff");
    assert_eq!(told("So that nobody waits", None), "verified: quote found in its message or its diff");
    assert_eq!(told("fn pool() { drop(guard); }", None), "verified: quote found in its message or its diff");
    assert!(told("fix the deadlock", None).starts_with("mismatch: the quote is neither in its message"));
    assert!(told("# Pool", None).starts_with("mismatch: "));
    assert!(told("fix the deadlock", Some("src/pool.rs")).starts_with("mismatch: "));
    // A file that the commit leaves alone is still a file of that commit.
    assert_eq!(told("# Pool", Some("README.md")), "verified: quote found, in that commit");
    assert_eq!(told("Drop the guard", Some("README.md")), "mismatch: quote not found, in that commit");
}

#[test]
fn a_quote_of_a_commit_is_in_its_diff_and_not_in_what_the_diff_leaves_out_nor_in_its_headers() {
    let ground = Ground::repository();
    let tls = |more: &str| format!("pub fn verify_peer() -> bool {{\n    start();\n{more}    true\n}}\n\nfn other() {{}}\n");
    ground.write("src/tls.rs", tls("    old_check();\n"));
    commit(&ground.ws());
    ground.write("src/tls.rs", tls("    new_check(cert);\n    log(cert);\n"));
    commit(&ground.ws());
    let head = git(&ground.ws(), &["rev-parse", "HEAD"]);
    let examiner = live(&ground.ws());
    let result = |quote: &str| {
        let commit = Evidence::commit(head[..9].to_owned());
        examiner.examine_now(vec![Cited::mentioned(commit.quoting(quote))])[0].result.to_string()
    };
    for quote in
        ["new_check(cert);", "old_check();", "src/tls.rs", "start();\n    new_check(cert);\n    log(cert);\n    true"]
    {
        assert_eq!(result(quote), "verified", "{quote}");
    }
    for quote in ["diff --git a/src/tls.rs", "fn other() {}", "start();\n    other_check(cert);"] {
        assert_eq!(result(quote), "mismatch", "{quote}");
    }
}

#[test]
fn git_is_asked_for_what_a_commit_says_once() {
    let ground = Ground::repository();
    let head = git(&ground.ws(), &["rev-parse", "HEAD"]).trim().to_owned();
    let examiner = live(&ground.ws());
    let asked = |quote: &str| {
        let commit = Evidence { file: Some("README.md".to_owned()), ..Evidence::commit(head.clone()) };
        let found = examiner.examine_now(vec![Cited::mentioned(commit.quoting(quote))]);
        format!("{}: {}", found[0].result, found[0].detail)
    };
    assert!(asked("no such words").starts_with("mismatch: "));
    // Whoever asked git now would hear nothing.
    fs::rename(ground.ws().join(".git"), ground.root().join("elsewhere")).unwrap();
    assert_eq!(asked("fn pool() {}"), "verified: quote found in its message or its diff");
    assert!(asked("no other words").starts_with("mismatch: "));
}

#[test]
fn a_merge_says_what_it_brings_to_the_branch_that_it_was_made_on() {
    let ground = Ground::repository();
    git(&ground.ws(), &["checkout", "-q", "-b", "side"]);
    ground.write("side.txt", "brought by the side\n");
    git(&ground.ws(), &["add", "side.txt"]);
    git(&ground.ws(), &["commit", "-q", "-m", "side"]);
    git(&ground.ws(), &["checkout", "-q", "-"]);
    ground.write("own.txt", "own\n");
    git(&ground.ws(), &["add", "own.txt"]);
    git(&ground.ws(), &["commit", "-q", "-m", "own"]);
    git(&ground.ws(), &["merge", "-q", "--no-ff", "-m", "joined", "side"]);
    let hash = git(&ground.ws(), &["rev-parse", "HEAD"]).trim().to_owned();
    let examiner = live(&ground.ws());
    let asked = |quote: &str| {
        let commit = Evidence::commit(hash.clone());
        let found = examiner.examine_now(vec![Cited::mentioned(commit.quoting(quote))]);
        format!("{}: {}", found[0].result, found[0].detail)
    };
    assert_eq!(asked("brought by the side"), "verified: quote found in its message or its diff");
    assert!(asked("brought by nobody at all").starts_with("mismatch: "));
}
