//! The protocol itself: schemas, resources, prompts, versions, and what is wrong.

use rebut_fakes::Script;
use rmcp::model::{GetPromptRequestParams, JsonObject, ProtocolVersion, ReadResourceRequestParams};
use serde_json::{Value, json};

use super::{Client, block_on, call, duel, text, with};
use crate::machine;

#[test]
fn the_tools_keep_to_the_schemas_that_they_name() {
    let env = with(&Script::duel(1));
    block_on(async {
        let client = Client::of(&env).await;
        let tools = client.service.list_all_tools().await.unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        let all = [
            "debate_start",
            "debate_status",
            "debate_result",
            "debate_cancel",
            "debate_choose",
            "debate_list",
            "verify",
            "providers",
        ];
        assert_eq!(names, all);
        let values = [
            ("debate_start", client.told("debate_start", duel(&json!({}))).await),
            ("debate_status", client.told("debate_status", json!({ "id": "last" })).await),
            ("debate_result", client.told("debate_result", json!({ "id": "last" })).await),
            ("debate_list", client.told("debate_list", json!({})).await),
            ("verify", client.told("verify", json!({ "text": "`seats.toml:1` and `no.rs:1`" })).await),
            ("providers", client.told("providers", json!({})).await),
        ];
        for (name, value) in values {
            let tool = tools.iter().find(|tool| tool.name == name).unwrap();
            let schema = Value::Object(tool.output_schema.as_ref().unwrap().as_ref().clone());
            let mut compiler = boon::Compiler::new();
            compiler.add_resource("schema.json", schema).unwrap();
            let mut schemas = boon::Schemas::new();
            let index = compiler.compile("schema.json", &mut schemas).unwrap();
            assert!(schemas.validate(&value, index).is_ok(), "{name}: {value}");
        }
        client.close().await;
    });
}

#[test]
fn transcripts_and_verdicts_are_resources_and_every_format_is_a_prompt() {
    let env = with(&Script::duel(1));
    block_on(async {
        let client = Client::of(&env).await;
        let standing = client.told("debate_start", duel(&json!({}))).await;
        let resources = client.service.list_all_resources().await.unwrap();
        assert_eq!(resources.len(), 2);
        for (resource, words) in resources.iter().zip(["# Debate", "## Verdict"]) {
            assert!(resource.uri.contains(standing["id"].as_str().unwrap()));
            let read = client.service.read_resource(ReadResourceRequestParams::new(resource.uri.clone())).await.unwrap();
            let read = serde_json::to_value(&read.contents[0]).unwrap();
            assert!(read["text"].as_str().unwrap().contains(words), "{read}");
        }
        let missing = client.service.read_resource(ReadResourceRequestParams::new("rebut://debates/../../etc/passwd")).await;
        assert!(missing.is_err());
        let prompts = client.service.list_all_prompts().await.unwrap();
        let names: Vec<&str> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
        assert_eq!(names, ["duel", "review", "ask", "cross", "panel"]);
        let topic: JsonObject = json!({ "topic": "codex vs gemini about retries" }).as_object().unwrap().clone();
        let filled = client.service.get_prompt(GetPromptRequestParams::new("duel").with_arguments(topic)).await.unwrap();
        let filled = serde_json::to_string(&filled).unwrap();
        assert!(filled.contains("codex vs gemini about retries") && filled.contains("debate_start"), "{filled}");
        client.close().await;
    });
}

#[test]
fn wrong_wishes_are_answered_with_what_to_mend() {
    let env = with(&Script::duel(1));
    block_on(async {
        let client = Client::of(&env).await;
        for (tool, arguments, words) in [
            ("debate_start", json!({}), "no topic given"),
            ("debate_start", json!({ "topic": "X?", "seats": 3 }), "unknown field `seats`"),
            (
                "debate_start",
                json!({ "topic": "X?", "web": null }),
                "`web` is not for duel; leave it out, or choose another",
            ),
            ("debate_start", json!({ "topic": "X?", "rounds": true }), "`rounds` takes {\"type\":\"integer\"}"),
            ("debate_start", json!({ "format": "chat" }), "unknown format `chat`, expected one of duel, review"),
            ("debate_start", json!({ "format": "ask", "topic": "X?", "options": ["yes, now"] }), "contains a comma"),
            ("debate_start", json!({ "format": "duel", "artifact": "X" }), "`artifact` is for a review"),
            ("debate_start", json!({ "format": "review", "artifact": "X", "topic": "HEAD" }), "can't be combined"),
            (
                "debate_start",
                json!({ "format": "cross", "from": "last", "topic": "Something else?" }),
                "'--from <ID>' cannot be used with '[QUESTION]...'",
            ),
            ("debate_start", json!({ "topic": "X?", "effort": "much" }), "invalid value 'much' for '--effort <EFFORT>'"),
            (
                "debate_start",
                json!({ "format": "review", "artifact": "X", "host": "bogus" }),
                "invalid value 'bogus' for '--host <TOOL>'",
            ),
            ("debate_start", json!({ "topic": "X?", "proposer": "nobody" }), "nobody"),
            ("debate_start", json!({ "topic": "X?", "folder": "/no/such/folder" }), "/no/such/folder"),
            ("debate_status", json!({ "id": "zzzz" }), "no debate matches `zzzz`"),
            ("debate_choose", json!({ "id": "last", "option": "A" }), "no debate in "),
        ] {
            let result = client.call(tool, arguments.clone()).await;
            assert_eq!(result.is_error, Some(true), "{arguments}");
            assert!(text(&result).contains(words), "{arguments}: {}", text(&result));
        }
        assert!(client.service.call_tool(call("debate_win", json!({}))).await.is_err());
        client.close().await;
    });
    assert!(env.debates().is_empty(), "nothing was begun");
}

#[test]
fn a_server_inside_a_tool_that_takes_a_seat_starts_nothing() {
    let env = with(&Script::duel(1)).set("REBUT_DEPTH", "1");
    block_on(async {
        let client = Client::of(&env).await;
        let result = client.call("debate_start", duel(&json!({}))).await;
        assert_eq!(result.is_error, Some(true));
        assert!(text(&result).contains("inside a tool that has a seat"), "{}", text(&result));
        client.close().await;
    });
}

#[test]
fn every_version_of_the_protocol_is_spoken_from_2024_on() {
    let env = with(&Script::duel(1));
    block_on(async {
        for version in [
            ProtocolVersion::V_2024_11_05,
            ProtocolVersion::V_2025_03_26,
            ProtocolVersion::V_2025_06_18,
            ProtocolVersion::V_2025_11_25,
            ProtocolVersion::V_2026_07_28,
        ] {
            let client = Client::speaking(&env, version.clone()).await;
            let list = client.told("debate_list", json!({})).await;
            assert_eq!(list["debates"], json!([]), "{version}");
            client.close().await;
        }
    });
}

#[test]
fn a_topic_may_be_long_and_does_nothing_to_a_terminal() {
    let env = with(&Script::duel(1));
    block_on(async {
        let client = Client::of(&env).await;
        let topic = format!("Should we \u{1b}[31m ship? {}", "why not, ".repeat(30_000));
        let result = client.call("debate_start", duel(&json!({ "topic": topic }))).await;
        assert_ne!(result.is_error, Some(true), "{}", text(&result));
        let list = client.call("debate_list", json!({})).await;
        let read = ReadResourceRequestParams::new(client.service.list_all_resources().await.unwrap()[0].uri.clone());
        let read = serde_json::to_string(&client.service.read_resource(read).await.unwrap()).unwrap();
        for told in [text(&result), text(&list), list.structured_content.as_ref().unwrap().to_string(), read] {
            assert!(!told.contains('\u{1b}') && !told.contains("\\u001b"), "no escape sequence reaches a client");
        }
        assert!(text(&list).chars().count() < 1_000, "a list is a list");
        let said = result.structured_content.unwrap()["said"].as_str().unwrap().to_owned();
        assert!(said.chars().count() < 25_000 && said.contains("characters are omitted; the resource"), "{}", &said[..200]);
        client.close().await;
    });
}

#[test]
fn who_can_take_a_seat_is_told_in_words_too() {
    let env = machine();
    env.install_idle("codex");
    block_on(async {
        let client = Client::of(&env).await;
        let result = client.call("providers", json!({})).await;
        assert!(text(&result).contains("claude: not available: claude is not installed"), "{}", text(&result));
        let mut types: Vec<String> = Vec::new();
        for provider in result.structured_content.unwrap()["providers"].as_array().unwrap() {
            types.push(provider["type"].as_str().unwrap().to_owned());
        }
        types.dedup();
        assert_eq!(types, ["tool", "service", "embedded"]);
        client.close().await;
    });
}
