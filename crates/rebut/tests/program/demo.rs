//! `rebut demo` on a machine without tools, keys, servers and network.

use crate::machine;
use crate::review::git;

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
