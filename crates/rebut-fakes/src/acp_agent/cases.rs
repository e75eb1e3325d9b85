//! The cases that the stand-in agent can play: captures of the real agents, and faults.

use std::path::Path;

use serde_json::{Value, json};

use super::step::{SESSION, Step};

/// What the stand-in plays: what a real agent said against a stand-in provider, or a fault. `asks:KIND:PATH` and
/// `error:CODE:MESSAGE` take what follows the colon.
pub(super) enum Case {
    Capture(Vec<(bool, Value)>),
    Fault(String),
}

impl Case {
    pub(super) fn named(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/acp_agent/captures");
        let captured = std::fs::read_to_string(folder.join(format!("{name}.jsonl")));
        captured.map_or_else(|_| Self::Fault(name.to_owned()), |text| Self::Capture(read_capture(&text)))
    }

    pub(super) fn dies_at_once(&self) -> Option<(u8, &'static str)> {
        match self {
            Self::Fault(fault) if fault == "dies-at-once" => Some((1, "Error: not logged in")),
            _ => None,
        }
    }

    pub(super) fn session_prefix(&self) -> &'static str {
        match self {
            Self::Fault(fault) if fault == "strange-session" => r"\u001b[2J ",
            _ => "",
        }
    }

    /// What is done for a request that is no prompt.
    pub(super) fn request(&self, method: &str) -> Vec<Step> {
        match self {
            Self::Capture(messages) => replay(messages, method).unwrap_or_else(|| vec![Step::Reply(json!({}))]),
            Self::Fault(fault) => fault_request(fault, method),
        }
    }

    pub(super) fn prompt(&self, nth: usize) -> Vec<Step> {
        match self {
            Self::Capture(messages) => replay(messages, "session/prompt").unwrap_or_default(),
            Self::Fault(fault) => fault_prompt(fault, nth),
        }
    }
}

/// The messages of a capture, each with whether the agent said it; the session's id is made a place to fill.
fn read_capture(text: &str) -> Vec<(bool, Value)> {
    let line = |line: &str| serde_json::from_str::<Value>(line).expect("a capture holds JSON lines");
    let session = text.lines().map(line).find_map(|line| line["msg"]["result"]["sessionId"].as_str().map(str::to_owned));
    let text = session.map_or_else(|| text.to_owned(), |session| text.replace(&session, SESSION));
    text.lines().map(line).map(|mut line| (line["dir"] == "<", line["msg"].take())).collect()
}

/// What the agent said from this request on: up to the reply, and for a prompt whatever came after it too.
fn replay(messages: &[(bool, Value)], method: &str) -> Option<Vec<Step>> {
    let at = messages.iter().position(|(said, message)| !said && message["method"] == method)?;
    let id = &messages[at].1["id"];
    let mut steps = Vec::new();
    for (said, message) in &messages[at + 1..] {
        let is_reply = *said && message["method"].is_null() && message["id"] == *id;
        match message["method"].as_str() {
            None if !said => {}
            Some("session/cancel") => steps.push(Step::AwaitCancel),
            Some(_) if !said => break,
            None if !is_reply => {}
            None if message["error"].is_object() => steps.push(Step::Refuse(message["error"].clone())),
            None => steps.push(Step::Reply(message["result"].clone())),
            Some(_) if message["id"].is_null() => steps.push(Step::Say(message.clone())),
            Some(_) => steps.push(Step::Ask(message.clone())),
        }
        if is_reply && method != "session/prompt" {
            break;
        }
    }
    Some(steps)
}

fn fault_request(fault: &str, method: &str) -> Vec<Step> {
    let version = if fault == "version-2" { 2 } else { 1 };
    match (method, fault) {
        ("initialize", "silent") | ("session/new", "silent-session") => Vec::new(),
        ("initialize", "garbage") => {
            let mut steps = noise();
            steps.push(Step::Reply(json!({ "protocolVersion": version, "agentCapabilities": {} })));
            steps
        }
        ("initialize", _) => {
            let capabilities = json!({ "sessionCapabilities": { "close": {}, "title": {} } });
            vec![Step::Reply(json!({ "protocolVersion": version, "agentCapabilities": capabilities }))]
        }
        ("session/new", "no-session") => {
            vec![Step::Refuse(json!({ "code": -32603, "message": "Internal error: the session store is locked" }))]
        }
        ("session/new", "signed-out") => vec![Step::Refuse(json!({ "code": -32000, "message": "Authentication required" }))],
        ("session/new", "no-modes") => vec![Step::Reply(json!({ "sessionId": SESSION }))],
        ("session/new", _) => vec![Step::Reply(offer())],
        _ => vec![Step::Reply(json!({}))],
    }
}

fn offer() -> Value {
    let modes = json!([{ "id": "agent" }, { "id": "default" }, { "id": "read-only" }]);
    let values = |values: &[&str]| -> Value { values.iter().map(|value| json!({ "value": value })).collect() };
    let grouped = json!([{ "group": "all", "options": values(&["small", "large"]) }]);
    json!({
        "sessionId": SESSION,
        "modes": { "currentModeId": "agent", "availableModes": modes },
        "configOptions": [
            { "id": "m", "category": "model", "type": "select", "currentValue": "small", "options": grouped },
            { "id": "e", "category": "thought_level", "currentValue": "low", "options": values(&["low", "high", "xhigh"]) },
        ],
    })
}

fn fault_prompt(fault: &str, nth: usize) -> Vec<Step> {
    let mut parts = fault.splitn(3, ':');
    match (parts.next().unwrap_or_default(), parts.next(), parts.next()) {
        ("asks", Some(kind), path) => {
            let call = json!({ "toolCallId": "call_1", "kind": kind, "title": format!("{kind} it"), "status": "pending" });
            let places: Vec<Value> = path.iter().map(|path| json!({ "path": path })).collect();
            let mut told = call.clone();
            told["sessionUpdate"] = json!("tool_call");
            let mut asked = call;
            asked["locations"] = json!(places);
            vec![Step::update(&told), Step::permission(&asked), Step::TellDecision, Step::stop("end_turn")]
        }
        ("error", Some(code), message) => {
            let code: i64 = code.parse().expect("a code is a number");
            vec![Step::Refuse(json!({ "code": code, "message": message.unwrap_or_default() }))]
        }
        ("empty", ..) => vec![Step::stop("end_turn")],
        ("two-parts", ..) => {
            let tool = json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "title": "src/a.rs", "kind": "read" });
            let used = |used: u64| Step::update(&json!({ "sessionUpdate": "usage_update", "used": used, "size": 1000 }));
            vec![
                used(10),
                Step::chunk("I look."),
                Step::update(&tool),
                Step::chunk("It "),
                Step::chunk("is so."),
                used(17),
                Step::stop("end_turn"),
            ]
        }
        ("hang", ..) => vec![Step::chunk("I think"), Step::AwaitCancel, Step::stop("cancelled")],
        ("echoes", ..) => vec![Step::Echo, Step::stop("end_turn")],
        ("shows-life", ..) => vec![Step::chunk("I think"), Step::ShowLife],
        ("mute", ..) => vec![Step::AwaitCancel, Step::stop("cancelled")],
        ("tries-again", ..) => {
            vec![
                stream_error("title"),
                stream_error("build"),
                stream_error("build"),
                Step::AwaitCancel,
                Step::stop("end_turn"),
            ]
        }
        ("tries-once", ..) => vec![stream_error("build"), Step::chunk("answer"), Step::stop("end_turn")],
        ("starts-over", ..) => {
            let message = |id: &str| {
                let content = json!({ "type": "text", "text": "It is s" });
                Step::update(&json!({ "sessionUpdate": "agent_message_chunk", "messageId": id, "content": content }))
            };
            vec![message("m-1"), message("m-1"), message("m-2"), Step::AwaitCancel, Step::stop("end_turn")]
        }
        ("strange-session", ..) => vec![Step::chunk("answer"), Step::stop("end_turn")],
        ("ignores-cancel", ..) => vec![Step::chunk("I think")],
        ("late-answer", ..) => vec![Step::chunk("first, "), Step::AwaitCancel, Step::chunk("last"), Step::stop("end_turn")],
        ("dies", ..) => vec![Step::chunk("I thi"), Step::Complain("fatal: out of memory".to_owned()), Step::Exit(3)],
        ("dies-idle", ..) => vec![Step::chunk("answer"), Step::stop("end_turn"), Step::Exit(0)],
        ("floods", ..) => vec![Step::chunk("I think"), Step::Flood],
        ("forks", ..) => vec![Step::ForkAway, Step::chunk("answer"), Step::stop("end_turn")],
        ("garbage", ..) => {
            let mut steps = noise();
            steps.push(Step::chunk("answer"));
            steps.extend(noise());
            steps.push(Step::stop("end_turn"));
            steps
        }
        (reason @ ("refusal" | "max_tokens" | "max_turn_requests" | "cancelled"), ..) => {
            vec![Step::chunk("I "), Step::stop(reason)]
        }
        ("answers" | "no-modes", ..) => vec![Step::Answer(format!("answer {nth}")), Step::stop("end_turn")],
        (other, ..) => panic!("there is no case `{other}`"),
    }
}

pub(super) fn signs_of_life() -> Vec<Value> {
    let update = |update: Value| json!({ "method": "session/update", "params": { "sessionId": SESSION, "update": update } });
    let nothing = json!({ "type": "text", "text": "" });
    vec![
        json!({ "method": "_keepalive", "params": {} }),
        update(json!({ "sessionUpdate": "usage_update", "used": 10, "size": 1000 })),
        update(json!({ "sessionUpdate": "agent_message_chunk", "messageId": "msg_1", "content": nothing })),
        update(json!({ "sessionUpdate": "agent_thought_chunk", "content": nothing })),
    ]
}

/// A line of opencode's log, which is all that it says of a provider that fails.
fn stream_error(agent: &str) -> Step {
    let small = agent == "title";
    let error = "AI_APICallError: something went wrong here";
    Step::Complain(format!(r#"level=ERROR message="stream error" small={small} agent={agent} error.error="{error}""#))
}

/// Noise: no JSON, no text, unknown notifications and questions, replies to nothing.
fn noise() -> Vec<Step> {
    vec![
        Step::SayBytes(b"npm warn something\n\n{\"id\":\n\xff\xfe\n[1,2]\n\"text\"\n".to_vec()),
        Step::Say(json!({ "method": "_auth/status_update", "params": {} })),
        Step::Say(json!({ "id": 999, "result": {} })),
        Step::update(&json!({ "sessionUpdate": "something_new", "x": 1 })),
        Step::Say(json!({ "method": "session/update", "params": null })),
        Step::Say(json!({ "id": "fs-1", "method": "fs/read_text_file", "params": { "path": "/etc/passwd" } })),
        Step::Complain("deprecated".to_owned()),
    ]
}
