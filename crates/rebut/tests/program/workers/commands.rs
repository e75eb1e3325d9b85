//! Every command, the page and the protocol with debates in a database: what they do in a folder they do there.

use rebut_fakes::{Script, ScriptLine, TestEnv, postgres};
use serde_json::json;

use super::{Shared, ended, left};
use crate::detached::until_it_is;
use crate::mcp::{Client, block_on, duel};
use crate::review::{self, with_a_compromise};
use crate::{machine, machine_for};

impl Shared {
    /// Another machine that keeps its debates in the same database.
    fn elsewhere(&self) -> TestEnv {
        machine().set("REBUT_STORE", postgres().url()).set("REBUT_STORE_SCHEMA", &self.schema)
    }

    /// The ids of all debates, oldest first.
    fn ids(&self) -> Vec<String> {
        self.sql("SELECT id FROM debates ORDER BY created").lines().map(str::to_owned).collect()
    }
}

#[test]
fn a_debate_is_read_and_removed() {
    let shared = Shared::of(machine_for(&Script::duel(1)));
    let env = &shared.env;
    let _ = env.duel(&["--rounds", "1"]).exits(0);
    let id = &shared.ids()[0];
    assert!(!env.kept().iter().any(|file| file.ends_with("journal.jsonl")), "no journal is in the folder");
    let _ = env.rebut(["list"]).exits(0).shows("completed");
    for machine in [env, &shared.elsewhere()] {
        for command in [["show", id].as_slice(), &["show", id, "--verify"], &["watch", id], &["replay", id], &["export", id]]
        {
            let _ = machine.rebut(command).exits(0);
        }
    }
    let _ = env.rebut(["resume", id]).exits(0);
    let _ = env.rebut(["cancel", "last"]).exits(2).says("has already ended");
    let _ = env.rebut(["rm", id]).exits(0);
    assert_eq!(shared.sql("SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM blobs)"), "0|0");
    let _ = env.rebut(["show", "last"]).exits(2);
}

/// The second machine has neither the workspace nor the state folder of the first.
#[test]
fn a_debate_of_another_machine_is_judged_again_forked_and_compared() {
    let shared = Shared::of(machine_for(&Script::duel(2).judged("verdict/2/judge-2", "challenger")));
    shared.env.write("src/pool.rs", "one\ntwo\n");
    let _ = shared.env.duel(&["--rounds", "1"]).exits(0);
    let elsewhere = shared.elsewhere();
    let parent = &shared.ids()[0];
    std::fs::remove_dir_all(shared.env.state()).unwrap();
    let script = format!("script:{}#other", shared.env.workspace().join("debate.toml").display());
    let _ = elsewhere.rebut(["rejudge", parent, "--judge", &script]).exits(0).shows("**Firm: the challenger");
    assert_eq!(shared.sql("SELECT count(*) FROM events WHERE line LIKE '%verdict/2/judge-2%answered%'"), "2");
    let _ = elsewhere.rebut(["fork", parent, "--after", "round-1/challenger", "--rounds", "2"]).exits(0);
    let fork = &shared.ids()[1];
    let _ = elsewhere.rebut(["show", parent]).exits(0).shows("Forks: ");
    let _ = elsewhere.rebut(["show", "--verify", fork]).exits(0);
    let _ = elsewhere.rebut(["compare", parent, fork]).exits(0).shows("after round-1/challenger");
    assert_eq!(shared.sql("SELECT count(*) FROM (SELECT hash FROM debate_blobs GROUP BY hash HAVING count(*) = 2) b"), "1");
    let _ = shared.env.rebut(["fork", parent, "--after", "round-1/challenger", "--detach"]).exits(0);
    until_it_is(&shared.env, "completed");
}

#[test]
fn a_run_is_watched_and_cancelled_from_another_machine() {
    let shared = Shared::of(machine_for(&Script::duel(1).instead("round-1/challenger", [ScriptLine::hang()])));
    let mut run = shared.env.start_duel(&["--rounds", "1"]);
    let _ = run.wait_until_started("round-1/challenger");
    let id = &shared.ids()[0];
    let elsewhere = shared.elsewhere();
    let mut watching = elsewhere.start(["watch", id, "--json"]);
    let _ = watching.wait_until_started("round-1/challenger");
    let _ = elsewhere.rebut(["resume", id]).exits(1).says("is being run by another process");
    let _ = elsewhere.rebut(["cancel", id]).exits(0);
    let _ = run.end().exits(130);
    let _ = watching.end().exits(130);
    let _ = elsewhere.rebut(["list", "--all"]).exits(0).shows("cancelled");
}

#[test]
fn a_queued_debate_that_is_resumed_runs_here() {
    let shared = Shared::of(machine_for(&Script::duel(1)));
    let id = shared.queue(&["--rounds", "1"]);
    let _ = shared.env.rebut(["resume", &id]).exits(0);
    assert_eq!(shared.sql("SELECT queued IS NULL FROM debates"), "t");
    assert_eq!(shared.env.debate().status(), "completed");
}

#[test]
fn the_result_of_a_queued_review_comes_back_as_files_and_a_patch() {
    let shared = Shared::of(with_a_compromise());
    let _ = shared.env.rebut(review::arguments(&["--queue"])).exits(0);
    let mut worker = shared.worker();
    let _ = left(&mut worker);
    ended(worker);
    let id = &shared.ids()[0];
    let elsewhere = shared.elsewhere();
    let patch = elsewhere.rebut(["export", id, "--as", "patch"]).exits(0).stdout;
    assert!(patch.contains("+++ b/src/pool.rs"), "{patch}");
    let _ = elsewhere.rebut(["export", id, "--as", "sarif"]).exits(0).shows("\"2.1.0\"");
    let folder = shared.env.rebut(["list", "--json"]).exits(0).json()["folder"].as_str().unwrap().to_owned();
    let version = std::path::Path::new(&folder).join("final-artifact.md");
    assert!(!version.exists(), "the worker leaves documents to the machine with the workspace");
    let _ = shared.env.rebut(["resume", id]).exits(0);
    assert!(std::fs::read_to_string(version).unwrap().contains("conn.after(guard)"));
}

#[test]
fn a_debate_is_started_followed_and_cancelled_over_the_protocol() {
    let script = Script::duel(1);
    let shared = Shared::of(machine_for(&script.clone().instead("round-1/challenger", [ScriptLine::hang()])));
    let env = &shared.env;
    env.write("seats.toml", std::fs::read(env.workspace().join("debate.toml")).unwrap());
    block_on(async {
        let (client, other) = tokio::join!(Client::of(env), Client::of(env));
        let standing = client.told("debate_start", duel(&json!({ "wait_seconds": 0 }))).await;
        assert_eq!(standing["status"], "running");
        let found = other.told("debate_status", json!({ "id": "last" })).await;
        assert_eq!((&found["id"], &found["status"]), (&standing["id"], &json!("running")));
        assert_eq!(other.told("debate_cancel", json!({ "id": "last" })).await["status"], "cancelled");
        env.write("seats.toml", script.to_toml());
        let ended = client.told("debate_start", duel(&json!({}))).await;
        assert_eq!(ended["status"], "completed", "{ended}");
        let result = other.told("debate_result", json!({ "id": ended["id"] })).await;
        assert!(result["said"].as_str().unwrap().contains("## Verdict"), "{result}");
        let list = other.told("debate_list", json!({})).await;
        assert_eq!(list["debates"].as_array().unwrap().len(), 2);
        tokio::join!(client.close(), other.close());
    });
}
