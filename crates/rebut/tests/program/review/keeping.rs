//! Where reviews are kept, and what can be done with one that is kept.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rebut_fakes::{ScriptLine, TestEnv};

use super::{PATCH, agreement, early_drop_judged, folder, git, json_file, kept, repository, review, seats, text_file};

/// A repository whose one review ended with a compromise on paper.
fn reviewed() -> TestEnv {
    let script = early_drop_judged("P1").call("round-1/rewrite", ScriptLine::text(PATCH));
    let env = repository(&script);
    let _ = review(&env, &["--intensity", "quick"]).exits(0);
    env
}

/// The names of everything below a folder with their modes, but for folders' own contents.
fn modes(folder: &Path) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        found.push((path.display().to_string(), mode));
        if path.is_dir() {
            found.extend(modes(&path));
        }
    }
    found
}

#[test]
fn a_review_is_private_and_outside_of_version_control() {
    let env = reviewed();
    let folder = kept(&env);
    for (path, mode) in modes(&folder.path) {
        let expected = if Path::new(&path).is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{path}");
    }
    assert_eq!(fs::metadata(&folder.path).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(git(&env, &["status", "--porcelain"]), " M src/pool.rs\n");
    git(&env, &["add", "--all"]);
    assert_eq!(git(&env, &["diff", "--cached", "--name-only"]), "src/pool.rs\n");
}

#[test]
fn outside_of_git_reviews_are_kept_beside_other_state() {
    let env = folder(&seats().call("round-1/critique", agreement()));
    let _ = review(&env, &["We should use gRPC."]).exits(0);
    let debate = env.root().join("state/debate");
    let workspaces: Vec<_> = fs::read_dir(&debate).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(workspaces.len(), 1);
    let key = workspaces[0].to_str().unwrap();
    assert!(key.starts_with("workspace-"), "{key}");
    assert_eq!(env.debates_in(format!("state/debate/{key}/review-loop")).len(), 1);
    let _ = env.rebut(["show"]).exits(0).shows("Converged (agreement)");
}

#[test]
fn a_named_folder_keeps_the_reviews() {
    let env = repository(&seats().call("round-1/critique", agreement()));
    let named = env.root().join("named");
    let _ = review(&env, &["--state-dir", named.to_str().unwrap()]).exits(0);
    assert_eq!(env.debates_in("named").len(), 1);
    assert!(!env.workspace().join(".git/review-loop").exists());
    let _ = env.rebut(["list", "--state-dir", named.to_str().unwrap()]).exits(0).shows("a change to 1 file");
}

#[test]
fn a_kept_review_is_listed_shown_and_exported() {
    let env = reviewed();
    let folder = kept(&env);
    let _ = env.rebut(["list"]).exits(0).shows(&folder.id).shows("a change to 1 file (uncommitted)");
    let run = env.rebut(["show", folder.short()]).exits(0);
    let run = run.shows("## Round 1").shows("### Final Decision\n\n- Compromise").shows("### Judge Recommendation History");
    let _ = run.shows("1. [ ] Review the new version and apply it: rebut export ");
    let _ = env.rebut(["show", "--claims"]).exits(0).shows("| F1 | P1 | src/pool.rs:3 | the guard is dropped");
    let _ = env.rebut(["show", "--verify"]).exits(0).shows("journal intact");
    let _ = env.rebut(["replay"]).exits(0).shows("the guard is dropped before the wait");
    let _ = env.rebut(["export", "--as", "md"]).exits(0).shows("## Debate Summary").shows("## Time, tokens and cost");
    let state = env.rebut(["export", "--as", "json"]).exits(0).json();
    assert_eq!(state, folder.state());
    assert_eq!((&state["final_decision"], &state["findings"][0]["id"]), (&"Compromise".into(), &"F1".into()));
    assert_eq!(env.rebut(["show", "--json"]).exits(0).json(), state);
}

#[test]
fn what_is_printed_at_the_end_is_data_too() {
    let script = seats().call("round-1/critique", agreement());
    let env = repository(&script);
    let run = review(&env, &["--json"]).exits(0);
    let lines = run.json_lines();
    let result = lines.last().unwrap();
    assert_eq!((&result["type"], &result["exit"]), (&"result".into(), &0.into()));
    let debate = &result["debate"];
    assert_eq!(debate["final_decision"], "Converged (agreement)");
    for key in ["session_id", "target", "scope", "rounds", "judge_recommendation_history", "unresolved", "next_actions"] {
        assert!(!debate[key].is_null(), "{key}");
    }
    assert!(run.stderr.contains("### Final Decision"), "people's text goes to standard error");
}

#[test]
fn a_review_is_removed_with_all_its_files() {
    let env = reviewed();
    let folder = kept(&env);
    let _ = env.rebut(["rm", folder.short()]).exits(0);
    assert!(!folder.path.exists());
    assert_eq!(env.kept(), [""; 0]);
    let _ = env.rebut(["show"]).exits(2).says("there is no debate yet");
}

#[test]
fn files_that_were_deleted_are_rendered_again() {
    let env = reviewed();
    let folder = kept(&env);
    let before = folder.listing();
    let decision = text_file(&folder, "decision.json");
    for name in before.iter().filter(|name| *name != "journal.jsonl" && !name.starts_with("blobs/")) {
        fs::remove_file(folder.path.join(name)).unwrap();
    }
    let _ = env.rebut(["resume", "last"]).exits(0);
    assert_eq!(folder.listing(), before);
    assert_eq!(text_file(&folder, "decision.json"), decision);
    assert_eq!(json_file(&folder, "metadata.json")["status"], "closed");
}

#[test]
fn a_state_folder_in_the_work_tree_is_out_of_gits_sight() {
    let env = super::repository(&super::seats().call("round-1/critique", super::agreement()));
    let _ = super::review(&env, &["--state-dir", "state"]).exits(0);
    assert_eq!(super::git(&env, &["status", "--porcelain"]), " M src/pool.rs\n");
    // A folder with other files in it is not ignored as a whole, but what is kept there is, and no later review reads it.
    env.write("mine/notes.md", "x\n");
    for _ in 0..2 {
        let _ = super::review(&env, &["--state-dir", "mine"]);
    }
    assert!(!env.workspace().join("mine/.gitignore").exists());
    assert_eq!(super::git(&env, &["status", "--porcelain", "--untracked-files=all"]), " M src/pool.rs\n?? mine/notes.md\n");
    for kept in env.debates_in("workspace/mine") {
        assert!(!super::text_file(&kept, "artifact.diff").contains("journal.jsonl"));
    }
    let _ = env.rebut(["list", "--state-dir", "mine"]).exits(0).shows("a change to 2 files");
}
