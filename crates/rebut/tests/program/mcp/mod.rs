//! `rebut mcp` with a client of the protocol's own making.
#![allow(deprecated, reason = "roots are what clients of today have")]

mod formats;
mod jobs;
mod protocol;
mod safety;
mod words;

use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rebut_fakes::{Script, ScriptLine, TestEnv};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest, Implementation,
    ListRootsResult, ProgressNotificationParam, ProtocolVersion, Root, RootsCapabilities,
};
use rmcp::service::{NotificationContext, PeerRequestOptions, RequestContext, RequestHandle, RunningService, ServiceError};
use rmcp::{ClientHandler, ErrorData, RoleClient, ServiceExt};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use crate::machine_for;

/// A client with a server of its own.
pub(crate) struct Client {
    service: RunningService<RoleClient, Listener>,
    server: Child,
    heard: Arc<Mutex<Vec<String>>>,
}

/// Writes down what the server tells of calls that go on.
struct Listener {
    heard: Arc<Mutex<Vec<String>>>,
    version: ProtocolVersion,
    /// The name that the client gives itself.
    name: &'static str,
    /// The folders that it says it works in; none where it has no roots.
    roots: Vec<String>,
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = (!self.roots.is_empty()).then(RootsCapabilities::default);
        let mut info = ClientConfig::new(capabilities, Implementation::new(self.name, "1.0.0"));
        info.protocol_version = self.version.clone();
        info
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(self.roots.iter().map(Root::new).collect()))
    }

    async fn on_progress(&self, news: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.heard.lock().unwrap().push(news.message.unwrap_or_default());
    }
}

impl Client {
    pub(crate) async fn of(env: &TestEnv) -> Self {
        Self::speaking(env, ProtocolVersion::V_2025_06_18).await
    }

    async fn speaking(env: &TestEnv, version: ProtocolVersion) -> Self {
        Self::called("claude-code", env, version).await
    }

    async fn called(name: &'static str, env: &TestEnv, version: ProtocolVersion) -> Self {
        Self::listening(env, Listener { heard: Arc::default(), version, name, roots: Vec::new() }).await
    }

    async fn with_roots(env: &TestEnv, roots: Vec<String>) -> Self {
        let (heard, version) = (Arc::default(), ProtocolVersion::V_2025_06_18);
        Self::listening(env, Listener { heard, version, name: "claude-code", roots }).await
    }

    async fn listening(env: &TestEnv, listener: Listener) -> Self {
        let mut command = Command::from(env.command(["mcp"]));
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let pipes = (server.stdout.take().unwrap(), server.stdin.take().unwrap());
        let heard = Arc::clone(&listener.heard);
        Self { service: listener.serve(pipes).await.unwrap(), server, heard }
    }

    pub(crate) async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        self.service.call_tool(call(tool, arguments)).await.unwrap()
    }

    /// A call that must succeed: its structured content.
    pub(crate) async fn told(&self, tool: &'static str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_ne!(result.is_error, Some(true), "{}", text(&result));
        result.structured_content.unwrap()
    }

    /// Follows the newest debate until it stands so.
    pub(crate) async fn until(&self, status: &str) -> Value {
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
        let options = PeerRequestOptions::with_timeout(Duration::from_millis(300));
        self.send(tool, arguments, options).await.await_response().await.map(drop)
    }

    /// Asks without waiting for the answer.
    async fn begin(&self, tool: &'static str, arguments: Value) -> RequestHandle<RoleClient> {
        self.send(tool, arguments, PeerRequestOptions::no_options()).await
    }

    async fn send(&self, tool: &'static str, wish: Value, options: PeerRequestOptions) -> RequestHandle<RoleClient> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(call(tool, wish)));
        self.service.send_cancellable_request(request, options).await.unwrap()
    }

    pub(crate) async fn close(self) {
        self.service.cancel().await.unwrap();
    }
}

fn call(tool: &'static str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    CallToolRequestParams::new(tool).with_arguments(arguments)
}

pub(crate) fn text(result: &CallToolResult) -> String {
    result.content.iter().filter_map(|block| block.as_text()).map(|text| text.text.clone()).collect()
}

pub(crate) fn duel(more: &Value) -> Value {
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
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap().block_on(future)
}
