//! Commits of a repository that goes on while a debate is argued, that is cut off, or that git does not speak of.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rebut_core::claims::citation::{Citation, Target};
use rebut_engine::evidence::{Allowed, Examiner, Grounds};

use super::ground::{Ground, LIMITS, commit, git};

fn told(examiner: &Examiner, hash: &str, path: Option<&str>) -> String {
    let target = Target::Commit { hash: hash.to_owned(), path: path.map(str::to_owned) };
    let found = examiner.examine_now(vec![Citation::of(target)]);
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
    assert_eq!(told(&examiner, &head[..9], None), "verified: there was such a commit when the debate began");
    assert!(told(&examiner, &head, Some("README.md")).starts_with("changed_since: the commit was there"));
    assert_eq!(told(&examiner, "0123abcd", None), "missing: there is no such commit");
    assert_eq!(told(&live(&ground.ws()), &head, None), "missing: there is no such commit");
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
    assert_eq!(told(&examiner, &border, None), "verified: there is such a commit");
    // It seems to bring every file, and brought one.
    assert!(told(&examiner, &border, Some("README.md")).starts_with("unchecked: there is such a commit"));
    assert!(told(&examiner, &first, None).starts_with("unchecked: this is a shallow clone"));
    assert!(told(&live(&ground.ws()), &border, Some("README.md")).starts_with("mismatch: "));
}

#[test]
fn where_git_refuses_commits_are_unchecked_and_the_plan_says_so() {
    let ground = Ground::repository();
    let head = git(&ground.ws(), &["rev-parse", "HEAD"]).trim().to_owned();
    fs::write(ground.ws().join(".git/HEAD"), "no reference\n").unwrap();
    assert!(told(&live(&ground.ws()), &head, None).starts_with("unchecked: git says: fatal"));
    let grounds = Grounds::survey(&ground.ws(), None, LIMITS);
    let rebut_core::debate::Scope::Pinned(facts) = grounds.scope() else { panic!("{:?}", grounds.scope()) };
    assert!(facts.git_failed.as_deref().is_some_and(|said| said.contains("fatal")), "{facts:?}");
}

#[test]
fn where_there_are_submodules_no_commit_is_called_missing() {
    let ground = Ground::repository();
    assert_eq!(told(&live(&ground.ws()), "0123abcd", None), "missing: there is no such commit");
    ground.write(".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ../sub\n");
    let found = told(&live(&ground.ws()), "0123abcd", None);
    assert_eq!(found, "unchecked: there is no such commit here, and those of submodules are not looked up");
}
