//! `rebut demo` on a machine without tools, keys, servers and network.

use rebut_fakes::Script;

use crate::review::git;
use crate::{machine, machine_for};

#[test]
fn the_demo_is_a_whole_debate_with_one_false_citation() {
    let env = machine().set("REBUT_OUTPUT_STATEMENTS", "false");
    let run = env.rebut(["demo"]).exits(0);
    assert_eq!(run.stderr, "");
    assert_eq!(run.stdout.matches('✘').count(), 1, "{run}");
    let run = run.shows("✘ config/database.toml:4 \"max_connections = 200\": quote not found");
    let _ = run.shows("✔ Firm: challenger (script:answers#south) wins · 7 of 8 citations verified, 1 false");
    // Its folder is not the user's, and it is found from theirs all the same.
    let _ =
        env.rebut(["show", "last"]).exits(0).shows("✔ src/pool.rs:31-34 \"if connection.ping().is_err() {\": quote found");
    let _ = env.rebut(["list"]).exits(0).shows(&env.debate().id);
    let _ = env.rebut(["resume", &env.debate().id, "--rounds", "3"]).exits(0).shows("9 of 10 citations verified, 1 false");
}

#[test]
fn the_last_debate_is_the_one_of_this_workspace_and_not_the_demo() {
    let env = machine_for(&Script::duel(1));
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let id = env.debate().id;
    let _ = env.rebut(["demo"]).exits(0);
    let _ = env.rebut(["export", "last", "--as", "json"]).exits(0).shows(&id);
}

/// A repository around the state folder is not what the citations are looked up in, and does not see the demo.
#[test]
fn the_demo_has_its_own_files_within_a_repository() {
    let env = machine().set("REBUT_OUTPUT_STATEMENTS", "false");
    env.install("git");
    git(&env, &["init", "--quiet"]);
    let run = env.rebut(["--state-dir", "state", "demo"]).exits(0);
    let _ = run.shows("citations against 5 files of this folder").shows("7 of 8 citations verified, 1 false");
    assert_eq!(git(&env, &["status", "--short"]), "");
}
