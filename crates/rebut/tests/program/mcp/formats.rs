//! Every kind of debate, held over the protocol.

use rebut_fakes::Script;
use rebut_fakes::panel::{PanelScript, SOURCE_FILE, offices};
use rmcp::model::ProtocolVersion;
use serde_json::{Value, json};

use super::{Client, block_on, duel, text, with};
use crate::machine;
use crate::review::{with_a_compromise, with_tools};

#[test]
fn a_short_debate_is_answered_directly_as_text_and_as_a_value() {
    let env = with(&Script::duel(1));
    block_on(async {
        let client = Client::of(&env).await;
        let info = client.service.peer_info().unwrap().server_info.clone().unwrap();
        assert_eq!((info.name.as_str(), info.version.as_str()), ("rebut", env!("CARGO_PKG_VERSION")));
        let result = client.call("debate_start", duel(&json!({}))).await;
        assert!(text(&result).contains("## Verdict"), "{}", text(&result));
        let standing = result.structured_content.unwrap();
        assert_eq!((standing["status"].as_str(), standing["ended"].as_bool()), (Some("completed"), Some(true)));
        let result = client.told("debate_result", json!({ "id": standing["id"] })).await;
        assert!(result["said"].as_str().unwrap().contains("The challenger"));
        assert_eq!(standing["said"], result["said"], "a model that is given the value alone reads the verdict in it");
        let list = client.told("debate_list", json!({})).await;
        assert_eq!(list["debates"][0]["status"], "completed");
        client.close().await;
    });
}

#[test]
fn several_are_asked_and_their_answers_crossed() {
    let env = machine();
    env.write("seats.toml", crate::cross::script(2, 1).to_toml());
    block_on(async {
        let client = Client::of(&env).await;
        let wish = |more: Value| {
            let mut wish = json!({ "moderator": "script:seats.toml#chair" });
            wish.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            wish
        };
        let partners = json!(["script:seats.toml#north", "script:seats.toml#south"]);
        let asked =
            json!({ "format": "ask", "topic": "Should we replace our REST gateway with gRPC?", "partners": partners });
        let asked = client.told("debate_start", wish(asked)).await;
        assert_eq!((asked["format"].as_str(), asked["ended"].as_bool()), (Some("ask"), Some(true)), "{asked}");
        let crossed = client.told("debate_start", wish(json!({ "format": "cross", "from": "last", "rounds": 1 }))).await;
        assert_eq!((crossed["format"].as_str(), crossed["ended"].as_bool()), (Some("cross"), Some(true)), "{crossed}");
        client.close().await;
    });
}

#[test]
fn a_panel_is_held_over_the_protocol() {
    let panel = PanelScript { debaters: 2, rounds: 1 };
    let env = machine();
    env.write("seats.toml", panel.script().to_toml());
    env.write("lineup.toml", panel.lineup("seats.toml"));
    env.write(SOURCE_FILE.0, SOURCE_FILE.1);
    let offices = offices("seats.toml");
    let models: Vec<String> = offices.chunks(2).map(|pair| format!("{} = {:?}\n", &pair[0][2..], pair[1])).collect();
    env.user_config(format!("[panel]\nmin_rounds = 1\n\n[panel.models]\n{}", models.concat()));
    block_on(async {
        let client = Client::of(&env).await;
        let wish = json!({
            "format": "panel", "topic": "Should AI code review replace human review?", "debaters": "lineup.toml", "max_rounds": 1,
        });
        let standing = client.told("debate_start", wish).await;
        assert_eq!(
            (standing["format"].as_str(), standing["status"].as_str()),
            (Some("panel"), Some("completed")),
            "{standing}"
        );
        client.close().await;
    });
}

#[test]
fn a_panels_lineup_is_chosen_over_the_protocol() {
    let (env, arguments) = crate::panel::with_a_lineup_to_propose(&[]);
    env.write("../elsewhere/lineup.toml", "");
    block_on(async {
        let client = Client::of(&env).await;
        let quoted: Vec<String> = arguments.iter().map(|word| format!("\"{word}\"")).collect();
        let standing = client.told("debate_start", json!({ "arguments": quoted.join(" ") })).await;
        assert_eq!((standing["status"].as_str(), standing["answered"].as_u64()), (Some("waiting"), Some(1)), "{standing}");
        assert!(standing["choice"]["question"].as_str().unwrap().contains("1. anna"), "{standing}");
        assert_eq!((&standing["ended"], &standing["choice"]["recommended"]), (&json!(false), &json!("approve")));
        let next = standing["next"].as_str().unwrap();
        assert!(next.starts_with("It is waiting for the user's choice: ask them, then call debate_choose"), "{next}");
        assert_eq!(client.told("debate_list", json!({})).await["debates"][0]["status"], "waiting");
        for option in ["replace", " Replace", "REPLACE"] {
            let outside = json!({ "id": "last", "option": option, "text": " ../elsewhere/lineup.toml" });
            let refused = client.call("debate_choose", outside).await;
            assert!(text(&refused).contains("is outside the folders of this client"), "{option}: {}", text(&refused));
        }
        let ended = client.told("debate_choose", json!({ "id": "last", "option": "approve", "wait_seconds": 45 })).await;
        assert_eq!(ended["status"], "completed", "{ended}");
        client.close().await;
    });
}

#[test]
fn a_dry_run_shows_the_plan_and_starts_nothing() {
    let env = with(&Script::duel(1));
    block_on(async {
        let client = Client::of(&env).await;
        let planned = client.told("debate_start", duel(&json!({ "dry_run": true }))).await;
        assert_eq!((&planned["status"], &planned["id"]), (&json!("planned"), &json!("")));
        assert!(planned["said"].as_str().unwrap().contains("proposer"), "{planned}");
        client.close().await;
    });
    assert!(env.debates().is_empty());
}

#[test]
fn a_review_applies_and_fails_as_it_was_asked_to() {
    let env = with_a_compromise();
    block_on(async {
        let client = Client::of(&env).await;
        let wish = json!({
            "format": "review", "apply": true, "fail_on": "p1", "wait_seconds": 45,
            "critic": "script:seats.toml#critic", "judge": "script:seats.toml#judge", "author": "script:seats.toml#author",
        });
        let standing = client.told("debate_start", wish).await;
        assert_eq!(standing["status"], "completed", "{standing}");
        let result = client.told("debate_result", json!({ "id": "last" })).await;
        assert!(result["findings"].as_str().unwrap().contains("P1"), "{result}");
        client.close().await;
    });
}

#[test]
fn a_choice_is_made_over_the_protocol() {
    let env = with_a_compromise();
    block_on(async {
        let client = Client::of(&env).await;
        let wish = json!({
            "format": "review", "mode": "manual",
            "critic": "script:seats.toml#critic", "judge": "script:seats.toml#judge", "author": "script:seats.toml#author",
        });
        let standing = client.told("debate_start", wish).await;
        assert_eq!((standing["status"].as_str(), standing["choice"]["recommended"].as_str()), (Some("waiting"), Some("C")));
        let wrong = client.call("debate_choose", json!({ "id": "last", "option": "Q" })).await;
        assert_eq!(wrong.is_error, Some(true));
        client.told("debate_choose", json!({ "id": "last", "option": "C" })).await;
        client.until("completed").await;
        client.close().await;
    });
}

#[test]
fn what_a_host_wrote_is_critiqued_by_another_family() {
    for (client, host, critic) in [
        ("claude-code", "claude", "codex"),
        ("codex-mcp-client", "codex", "claude"),
        ("gemini-cli-mcp-client", "gemini", "claude"),
    ] {
        let (env, turns) = with_tools(&["claude", "codex", "gemini"]);
        block_on(async {
            let client = Client::called(client, &env, ProtocolVersion::V_2025_06_18).await;
            let wish = json!({ "format": "review", "artifact": "We rewrite the gateway this quarter.", "wait_seconds": 50 });
            let standing = client.told("debate_start", wish).await;
            assert_eq!(standing["status"], "completed", "{standing}");
            client.close().await;
        });
        assert!(turns.calls()[0].prompt.contains("We rewrite the gateway this quarter."));
        let called: Vec<String> = turns.calls().into_iter().map(|call| call.tool).collect();
        assert_eq!(called, [critic], "called from {host}");
    }
}
