//! Debates that outlive a call: clients that give up, go away, come back, or take their word back.

use rebut_fakes::{Mark, Script};
use rmcp::service::ServiceError;
use serde_json::json;

use super::{Client, block_on, duel, endless, text, with};
use crate::detached::until_it_is;
use crate::{machine, until};

#[test]
fn a_client_that_gives_up_after_a_moment_gets_its_debate() {
    let env = with(&Script::duel(1).everywhere("delay_ms", 400));
    block_on(async {
        let client = Client::of(&env).await;
        let gave_up = client.impatiently("debate_start", duel(&json!({}))).await;
        assert!(matches!(gave_up, Err(ServiceError::Timeout { .. })), "{gave_up:?}");
        until_it_is(&env, "completed");
        assert_eq!(client.told("debate_status", json!({ "id": "last" })).await["status"], "completed");
        let result = client.told("debate_result", json!({ "id": "last" })).await;
        assert!(result["said"].as_str().unwrap().contains("## Verdict"), "{result}");
        client.close().await;
    });
}

#[test]
fn a_debate_survives_its_server() {
    let env = endless();
    block_on(async {
        let mut client = Client::of(&env).await;
        let standing = client.told("debate_start", duel(&json!({ "wait_seconds": 0 }))).await;
        assert_eq!(standing["status"], "running");
        client.server.kill().await.unwrap();
        let client = Client::of(&env).await;
        let found = client.told("debate_status", json!({ "id": "last" })).await;
        assert_eq!((&found["id"], &found["status"]), (&standing["id"], &json!("running")));
        // It hears what it is told, and goes on later.
        assert_eq!(client.told("debate_cancel", json!({ "id": "last" })).await["status"], "cancelled");
        client.close().await;
    });
    env.write("seats.toml", Script::duel(1).to_toml());
    let _ = env.rebut(["resume", "last"]).exits(0).shows("## Verdict");
}

#[test]
fn two_clients_hold_debates_at_once_and_see_each_others() {
    let env = with(&Script::duel(1).everywhere("delay_ms", 100));
    block_on(async {
        let (one, other) = tokio::join!(Client::of(&env), Client::of(&env));
        let (first, second) =
            tokio::join!(one.told("debate_start", duel(&json!({}))), other.told("debate_start", duel(&json!({}))));
        assert_eq!((first["status"].as_str(), second["status"].as_str()), (Some("completed"), Some("completed")));
        assert_ne!(first["id"], second["id"]);
        let seen = one.told("debate_result", json!({ "id": second["id"] })).await;
        assert_eq!(seen["id"], second["id"]);
        tokio::join!(one.close(), other.close());
    });
}

#[test]
fn a_cancelled_call_stops_no_debate_whatever_the_reason() {
    for reason in [None, Some("the person pressed escape".to_owned())] {
        let env = endless();
        block_on(async {
            let client = Client::of(&env).await;
            let handle = client.begin("debate_start", duel(&json!({}))).await;
            until_it_is(&env, "running");
            handle.cancel(reason).await.unwrap();
            let standing = client.told("debate_status", json!({ "id": "last", "wait_seconds": 1 })).await;
            assert_eq!(standing["status"], "running", "{standing}");
            assert_eq!(client.told("debate_cancel", json!({ "id": "last" })).await["status"], "cancelled");
            client.close().await;
        });
    }
}

#[test]
fn a_debate_is_told_with_the_error_of_its_last_worker_and_of_none_before() {
    let env = with(&Script::duel(1)).set("REBUT_FAULT", "full:3");
    let _ = env.duel(&["--rounds", "1", "--detach"]).exits(0);
    until_it_is(&env, "interrupted");
    let next = |env: &rebut_fakes::TestEnv| {
        block_on(async {
            let client = Client::of(env).await;
            let standing = client.told("debate_status", json!({ "id": "last" })).await;
            client.close().await;
            standing["next"].as_str().unwrap().to_owned()
        })
    };
    let told = next(&env);
    assert!(told.contains("Its last error: ") && told.contains("no storage space"), "{told}");
    // A kill leaves no word, here or in a worker.
    let id = env.debate().id;
    for (fault, more) in [("kill-after:6", &["--detach"][..]), ("kill-after:8", &[])] {
        let _ = env.rebut_with("REBUT_FAULT", fault, ["resume", "last"].iter().chain(more));
        until_it_is(&env, "interrupted");
        assert_eq!(next(&env), format!("It was interrupted. The user can continue it with: rebut resume {id}"), "{fault}");
    }
}

#[test]
fn a_debate_is_stopped_by_name() {
    let env = endless();
    block_on(async {
        let client = Client::of(&env).await;
        let standing = client.told("debate_start", duel(&json!({ "wait_seconds": 0 }))).await;
        let stopped = client.told("debate_cancel", json!({ "id": standing["id"] })).await;
        assert_eq!(stopped["status"], "cancelled");
        let again = client.told("debate_cancel", json!({ "id": standing["id"] })).await;
        assert_eq!(again["status"], "cancelled", "what is stopped stays so");
        let result = client.call("debate_result", json!({ "id": "last" })).await;
        assert_eq!(result.is_error, Some(true));
        assert!(text(&result).contains("There is no result yet"), "{}", text(&result));
        client.close().await;
    });
}

#[test]
fn what_was_said_is_told_while_the_debate_goes_on() {
    let env = endless();
    block_on(async {
        let client = Client::of(&env).await;
        let handle = client.begin("debate_start", duel(&json!({}))).await;
        until_it_is(&env, "running");
        loop {
            let standing = client.told("debate_status", json!({ "id": "last" })).await;
            // The call that waits is told of it.
            let is_told = client.heard.lock().unwrap().iter().any(|news| news.contains("running"));
            if is_told && standing["under_way"] == json!(["round-1/challenger"]) {
                assert_eq!(standing["answered"], 1);
                let said = standing["said"].as_str().unwrap();
                assert!(said.contains("Round 1 — proposer") && !said.contains("Round 1 — challenger"), "{said}");
                break;
            }
        }
        assert_eq!(client.told("debate_cancel", json!({ "id": "last" })).await["status"], "cancelled");
        drop(handle);
        client.close().await;
    });
}

#[test]
fn the_last_debate_is_the_clients_own_and_not_that_of_another_project() {
    let env = with(&Script::duel(1));
    let elsewhere = env.workspace().join("elsewhere");
    std::fs::create_dir_all(elsewhere.join(".git")).unwrap();
    std::fs::copy(env.workspace().join("seats.toml"), elsewhere.join("seats.toml")).unwrap();
    block_on(async {
        let (one, other) = (Client::of(&env).await, Client::of(&env).await);
        let first = one.told("debate_start", duel(&json!({}))).await;
        let second = other.told("debate_start", duel(&json!({ "folder": elsewhere }))).await;
        let last =
            |client| async move { Client::told(client, "debate_status", json!({ "id": "last" })).await["id"].clone() };
        assert_eq!((last(&one).await, last(&other).await), (first["id"].clone(), second["id"].clone()));
        // One that has begun nothing is told of the newest in its folder.
        let third = Client::of(&env).await;
        assert_eq!(last(&third).await, first["id"]);
        let _ = tokio::join!(one.close(), other.close(), third.close());
    });
}

#[test]
fn what_only_looks_ends_with_the_call_that_asked_for_it() {
    let env = machine();
    // A tool that never tells its version keeps doctor waiting.
    let mark = Mark::new();
    let silent = format!("#!/bin/sh\nexport {}={}\nexec /bin/sleep 3600\n", Mark::NAME, mark.value);
    env.install_script("claude", &silent);
    block_on(async {
        let client = Client::of(&env).await;
        let handle = client.begin("providers", json!({})).await;
        let is_looking = || !mark.survivors().is_empty();
        until("looking", is_looking);
        handle.cancel(None).await.unwrap();
        until("over", || !is_looking());
        client.close().await;
    });
}
