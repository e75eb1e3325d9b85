//! `rebut mcp` with a client of the protocol's own making.

use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rebut_fakes::panel::{PanelScript, SOURCE_FILE, offices};
use rebut_fakes::{Script, ScriptLine, TestEnv};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest,
    GetPromptRequestParams, Implementation, JsonObject, ProgressNotificationParam, ProtocolVersion,
    ReadResourceRequestParams,
};
use rmcp::service::{NotificationContext, PeerRequestOptions, RunningService, ServiceError};
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use crate::detached::until_it_is;
use crate::review::with_a_compromise;
use crate::{machine, machine_for};

/// A client with a server of its own.
struct Client {
    service: RunningService<RoleClient, Listener>,
    server: Child,
    heard: Arc<Mutex<Vec<String>>>,
}

/// Writes down what the server tells of calls that go on.
struct Listener {
    heard: Arc<Mutex<Vec<String>>>,
    version: ProtocolVersion,
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        let mut info = ClientConfig::new(ClientCapabilities::default(), Implementation::new("claude-code", "1.0.0"));
        info.protocol_version = self.version.clone();
        info
    }

    async fn on_progress(&self, news: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.heard.lock().unwrap().push(news.message.unwrap_or_default());
    }
}

impl Client {
    async fn of(env: &TestEnv) -> Self {
        Self::speaking(env, ProtocolVersion::V_2025_06_18).await
    }

    async fn speaking(env: &TestEnv, version: ProtocolVersion) -> Self {
        let mut command = Command::from(env.command(["mcp"]));
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let pipes = (server.stdout.take().unwrap(), server.stdin.take().unwrap());
        let heard = Arc::default();
        let listener = Listener { heard: Arc::clone(&heard), version };
        Self { service: listener.serve(pipes).await.unwrap(), server, heard }
    }

    async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        self.service.call_tool(call(tool, arguments)).await.unwrap()
    }

    /// A call that must succeed: its structured content.
    async fn told(&self, tool: &'static str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_ne!(result.is_error, Some(true), "{}", text(&result));
        result.structured_content.unwrap()
    }

    /// Follows the newest debate until it stands so.
    async fn until(&self, status: &str) -> Value {
        loop {
            let standing = self.told("debate_status", json!({ "id": "last", "wait_seconds": 1 })).await;
            if standing["status"] == status {
                return standing;
            }
            assert_eq!(standing["status"], "running", "waited in vain for {status}");
        }
    }

    /// Asks and gives up after a moment that no debate fits into.
    async fn impatiently(&self, tool: &'static str, arguments: Value) -> Result<(), ServiceError> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(call(tool, arguments)));
        let options = PeerRequestOptions::with_timeout(Duration::from_millis(300));
        let handle = self.service.send_cancellable_request(request, options).await?;
        handle.await_response().await.map(drop)
    }

    async fn close(self) {
        self.service.cancel().await.unwrap();
    }
}

fn call(tool: &'static str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    CallToolRequestParams::new(tool).with_arguments(arguments)
}

fn text(result: &CallToolResult) -> String {
    result.content.iter().filter_map(|block| block.as_text()).map(|text| text.text.clone()).collect()
}

fn duel(more: &Value) -> Value {
    let mut wish = json!({
        "topic": "Should we replace our REST gateway with gRPC?", "rounds": 1,
        "proposer": "script:seats.toml#a", "challenger": "script:seats.toml#b", "judge": "script:seats.toml#c",
    });
    wish.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    wish
}

/// A machine whose duel hangs with its challenger until it is stopped.
fn endless() -> TestEnv {
    with(&Script::duel(1).instead("round-1/challenger", [ScriptLine::hang()]))
}

fn with(script: &Script) -> TestEnv {
    let env = machine_for(script);
    env.write("seats.toml", script.to_toml());
    env
}

/// Waits for the future; what it waits for without being asked goes on beside it.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap().block_on(future)
}

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
        assert!(result["conclusion"].as_str().unwrap().contains("The challenger"));
        assert_eq!(standing["said"], result["conclusion"], "a model that is given the value alone reads the verdict in it");
        let list = client.told("debate_list", json!({})).await;
        assert_eq!(list["debates"][0]["status"], "completed");
        client.close().await;
    });
}

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
            "verify_citations",
            "providers",
        ];
        assert_eq!(names, all);
        let values = [
            ("debate_start", client.told("debate_start", duel(&json!({}))).await),
            ("debate_status", client.told("debate_status", json!({ "id": "last" })).await),
            ("debate_result", client.told("debate_result", json!({ "id": "last" })).await),
            ("debate_list", client.told("debate_list", json!({})).await),
            ("verify_citations", client.told("verify_citations", json!({ "text": "`seats.toml:1` and `no.rs:1`" })).await),
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
fn a_client_that_gives_up_after_a_moment_gets_its_debate() {
    let env = with(&Script::duel(1).everywhere("delay_ms", 400));
    block_on(async {
        let client = Client::of(&env).await;
        let gave_up = client.impatiently("debate_start", duel(&json!({}))).await;
        assert!(matches!(gave_up, Err(ServiceError::Timeout { .. })), "{gave_up:?}");
        until_it_is(&env, "completed");
        // Every later call is answered within the limit.
        for _ in 0..3 {
            client.impatiently("debate_status", json!({ "id": "last" })).await.unwrap();
        }
        client.impatiently("debate_result", json!({ "id": "last" })).await.unwrap();
        client.close().await;
    });
}

#[test]
fn a_debate_survives_its_server() {
    let env = with(&Script::duel(1).everywhere("delay_ms", 200));
    block_on(async {
        let mut client = Client::of(&env).await;
        let standing = client.told("debate_start", duel(&json!({ "wait_seconds": 0 }))).await;
        assert_eq!(standing["status"], "running");
        client.server.kill().await.unwrap();
        let client = Client::of(&env).await;
        assert_eq!(client.until("completed").await["id"], standing["id"]);
        client.close().await;
    });
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
fn a_client_that_takes_its_call_back_stops_the_debate() {
    let env = endless();
    block_on(async {
        let client = Client::of(&env).await;
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(call("debate_start", duel(&json!({})))));
        let options = PeerRequestOptions::no_options();
        let handle = client.service.send_cancellable_request(request, options).await.unwrap();
        until_it_is(&env, "running");
        handle.cancel(Some("the person pressed escape".to_owned())).await.unwrap();
        until_it_is(&env, "cancelled");
        client.close().await;
    });
}

#[test]
fn a_debate_is_stopped_by_name() {
    let env = endless();
    block_on(async {
        let client = Client::of(&env).await;
        let standing = client.told("debate_start", duel(&json!({ "wait_seconds": 0 }))).await;
        let stopped = client.told("debate_cancel", json!({ "id": standing["id"] })).await;
        assert_eq!(stopped["status"], "cancelled");
        let result = client.call("debate_result", json!({ "id": "last" })).await;
        assert_eq!(result.is_error, Some(true));
        assert!(text(&result).contains("There is no result yet"), "{}", text(&result));
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
fn what_the_host_wrote_is_reviewed_as_an_artifact() {
    let script = Script::default().of_family("critic", "north").of_family("author", "south");
    let env = machine();
    let state = env.state();
    let env = env.set("REBUT_STATE_DIR", state);
    env.write("seats.toml", script.call("round-1/critique", crate::review::agreement()).to_toml());
    block_on(async {
        let client = Client::of(&env).await;
        let wish = json!({
            "format": "review", "artifact": "We rewrite the gateway this quarter.", "host": "gemini",
            "critic": "script:seats.toml#critic", "judge": "script:seats.toml#judge", "author": "script:seats.toml#author",
        });
        let standing = client.told("debate_start", wish).await;
        assert!(standing["ended"].as_bool().unwrap(), "{standing}");
        client.close().await;
    });
    assert!(env.debate().prompt("round-1/critique").contains("We rewrite the gateway this quarter."));
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
            ("debate_start", json!({}), "a duel needs a `topic`"),
            ("debate_start", json!({ "topic": "X?", "seats": 3 }), "unknown field `seats`"),
            ("debate_start", json!({ "topic": "X?", "effort": "much" }), "it takes"),
            ("debate_start", json!({ "topic": "X?", "proposer": "nobody" }), "nobody"),
            ("debate_start", json!({ "topic": "X?", "folder": "/no/such/folder" }), "/no/such/folder"),
            ("debate_status", json!({ "id": "zzzz" }), "no debate matches `zzzz`"),
            ("debate_choose", json!({ "id": "last", "option": "A" }), "there is no debate yet"),
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
        assert!(text(&result).contains("called from inside a tool that takes a seat"), "{}", text(&result));
        client.close().await;
    });
}

#[test]
fn every_version_of_the_protocol_is_spoken_from_2024_on() {
    let env = with(&Script::duel(1));
    block_on(async {
        for version in [ProtocolVersion::V_2024_11_05, ProtocolVersion::V_2025_03_26, ProtocolVersion::V_2025_06_18] {
            let client = Client::speaking(&env, version.clone()).await;
            let list = client.told("debate_list", json!({})).await;
            assert_eq!(list["debates"], json!([]), "{version}");
            client.close().await;
        }
    });
}

#[test]
fn what_was_said_is_told_while_the_debate_goes_on() {
    let env = endless();
    block_on(async {
        let client = Client::of(&env).await;
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(call("debate_start", duel(&json!({})))));
        let handle = client.service.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap();
        until_it_is(&env, "running");
        loop {
            let standing = client.told("debate_status", json!({ "id": "last" })).await;
            if standing["under_way"] == json!(["round-1/challenger"]) {
                assert_eq!(standing["answered"], 1);
                let said = standing["said"].as_str().unwrap();
                assert!(said.contains("Round 1 — proposer") && !said.contains("Round 1 — challenger"), "{said}");
                break;
            }
        }
        assert!(
            client.heard.lock().unwrap().iter().any(|news| news.contains("running")),
            "the call that waits is told of it"
        );
        handle.cancel(Some("no longer wanted".to_owned())).await.unwrap();
        until_it_is(&env, "cancelled");
        client.close().await;
    });
}

#[test]
fn a_call_that_is_taken_back_without_a_reason_leaves_the_debate_alone() {
    let env = with(&Script::duel(1).everywhere("delay_ms", 300));
    block_on(async {
        let client = Client::of(&env).await;
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(call("debate_start", duel(&json!({})))));
        let handle = client.service.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap();
        until_it_is(&env, "running");
        handle.cancel(None).await.unwrap();
        client.until("completed").await;
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
        assert!(text(&result).contains("claude: cannot take a seat: claude is not installed"), "{}", text(&result));
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
    env.write(".rebut/config.toml", format!("[panel]\nmin_rounds = 1\n\n[panel.models]\n{}", models.concat()));
    block_on(async {
        let client = Client::of(&env).await;
        let wish = json!({
            "format": "panel", "topic": "Should AI code review replace human review?", "debaters": "lineup.toml", "rounds": 1,
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
