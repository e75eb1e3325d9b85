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

    pub(super) fn is(&self, name: &str) -> bool {
        matches!(self, Self::Fault(fault) if fault == name)
    }

    /// What is done for a request that is no prompt.
    pub(super) fn request(&self, method: &str) -> Vec<Step> {
        match self {
            Self::Capture(messages) => replay(messages, method).unwrap_or_else(|| vec![Step::result(&json!({}))]),
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
            None => steps.push(Step::Reply(message.clone())),
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
    let initialized =
        |capabilities: &Value| Step::result(&json!({ "protocolVersion": version, "agentCapabilities": capabilities }));
    let refused = |code: i64, message: &str| vec![Step::error(code, message)];
    match (method, fault) {
        ("initialize", "silent") | ("session/new", "silent-session") => Vec::new(),
        ("initialize", "garbage") => noise().into_iter().chain([initialized(&json!({}))]).collect(),
        ("initialize", _) => vec![initialized(&json!({ "sessionCapabilities": { "close": {}, "title": {} } }))],
        ("session/new", "no-session") => refused(-32603, "Internal error: the session store is locked"),
        ("session/new", "signed-out") => refused(-32000, "Authentication required"),
        ("session/new", "no-modes") => vec![Step::result(&json!({ "sessionId": SESSION }))],
        ("session/new", _) => vec![Step::result(&offer())],
        _ => vec![Step::result(&json!({}))],
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

/// What is done for a prompt, one [step](steps) after the other.
const PROMPTS: [(&str, &str); 23] = [
    ("answers", "answer; stop end_turn"),
    ("no-modes", "answer; stop end_turn"),
    ("strange-session", "say answer; stop end_turn"),
    ("empty", "stop end_turn"),
    ("two-parts", "used 10; say I look.; read src/a.rs; say It ; say is so.; used 17; stop end_turn"),
    ("echoes", "echo; stop end_turn"),
    ("hang", "say I think; await-cancel; stop cancelled"),
    ("mute", "await-cancel; stop cancelled"),
    ("ignores-cancel", "say I think"),
    ("late-answer", "say first, ; await-cancel; say last; stop end_turn"),
    ("shows-life", "say I think; show-life"),
    ("tries-again", "stream-error title; stream-error build; stream-error build; await-cancel; stop end_turn"),
    ("tries-once", "stream-error build; say answer; stop end_turn"),
    ("starts-over", "begin m-1; begin m-1; begin m-2; await-cancel; stop end_turn"),
    ("dies", "say I thi; complain fatal: out of memory; exit 3"),
    ("dies-idle", "say answer; stop end_turn; exit 0"),
    ("floods", "say I think; flood"),
    ("forks", "fork; say answer; stop end_turn"),
    ("garbage", "noise; say answer; noise; stop end_turn"),
    ("refusal", "say I ; stop refusal"),
    ("max_tokens", "say I ; stop max_tokens"),
    ("max_turn_requests", "say I ; stop max_turn_requests"),
    ("cancelled", "say I ; stop cancelled"),
];

fn fault_prompt(fault: &str, nth: usize) -> Vec<Step> {
    let mut parts = fault.splitn(3, ':');
    match (parts.next().unwrap_or_default(), parts.next(), parts.next()) {
        ("asks", Some(kind), path) => {
            let mut call =
                json!({ "toolCallId": "call_1", "kind": kind, "title": format!("{kind} it"), "status": "pending" });
            let mut told = call.clone();
            told["sessionUpdate"] = json!("tool_call");
            call["locations"] = path.iter().map(|path| json!({ "path": path })).collect();
            vec![Step::update(&told), Step::permission(&call), Step::TellDecision, Step::stop("end_turn")]
        }
        ("error", Some(code), message) => {
            vec![Step::error(code.parse().expect("a code is a number"), message.unwrap_or_default())]
        }
        _ => {
            let (_, deeds) = PROMPTS.iter().find(|(name, _)| *name == fault).expect("a case of this name");
            deeds.split(';').flat_map(|deed| steps(deed.trim_start(), nth)).collect()
        }
    }
}

/// What a word of [`PROMPTS`] means, with what follows it.
fn steps(deed: &str, nth: usize) -> Vec<Step> {
    let (word, rest) = deed.split_once(' ').unwrap_or((deed, ""));
    let step = match word {
        "answer" => Step::Answer(format!("answer {nth}")),
        "say" => Step::chunk(rest),
        "begin" => Step::message(rest, "It is s"),
        "used" => Step::update(&json!({ "sessionUpdate": "usage_update", "used": number(rest), "size": 1000 })),
        "read" => Step::update(&json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "title": rest, "kind": "read" })),
        "echo" => Step::Echo,
        "await-cancel" => Step::AwaitCancel,
        "show-life" => Step::ShowLife,
        "stream-error" => stream_error(rest),
        "complain" => Step::Complain(rest.to_owned()),
        "flood" => Step::Flood,
        "fork" => Step::ForkAway,
        "noise" => return noise(),
        "stop" => Step::stop(rest),
        "exit" => Step::Exit(number(rest)),
        _ => panic!("there is no deed `{word}`"),
    };
    vec![step]
}

fn number(text: &str) -> u8 {
    text.parse().expect("a number")
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
