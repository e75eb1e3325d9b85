//! What the stand-in agent does, one thing after another.

use serde_json::{Value, json};

/// Replaced by the session's id when it is said.
pub(super) const SESSION: &str = "THE-SESSION";

#[derive(Clone, Debug)]
pub(super) enum Step {
    Say(Value),
    SayBytes(Vec<u8>),
    Ask(Value),
    /// Says as text what the reply was; only after a question.
    TellDecision,
    /// The answer to the last request, whichever id it is given here.
    Reply(Value),
    Complain(String),
    Exit(u8),
    ForkAway,
    Flood,
    Echo,
    /// Answers the prompt in the form that it asks for, else with this.
    Answer(String),
    /// Sends updates without end that hold neither text nor actions.
    ShowLife,
    AwaitCancel,
}

impl Step {
    pub(super) fn update(update: &Value) -> Self {
        Self::Say(json!({ "method": "session/update", "params": { "sessionId": SESSION, "update": update } }))
    }

    pub(super) fn chunk(text: &str) -> Self {
        Self::message("msg_1", text)
    }

    pub(super) fn message(id: &str, text: &str) -> Self {
        let content = json!({ "type": "text", "text": text });
        Self::update(&json!({ "sessionUpdate": "agent_message_chunk", "messageId": id, "content": content }))
    }

    pub(super) fn result(result: &Value) -> Self {
        Self::Reply(json!({ "result": result }))
    }

    pub(super) fn error(code: i64, message: &str) -> Self {
        Self::Reply(json!({ "error": { "code": code, "message": message } }))
    }

    pub(super) fn stop(reason: &str) -> Self {
        let usage = json!({ "inputTokens": 11, "outputTokens": 7, "totalTokens": 18 });
        Self::result(&json!({ "stopReason": reason, "usage": usage }))
    }

    /// Asks for leave to use a tool; the ids of the options say the opposite of their kinds.
    pub(super) fn permission(call: &Value) -> Self {
        let options = json!([
            { "optionId": "allow", "name": "Never", "kind": "reject_once" },
            { "optionId": "reject", "name": "Once", "kind": "allow_once" },
            { "optionId": "deny", "name": "Always", "kind": "allow_always" },
        ]);
        let params = json!({ "sessionId": SESSION, "toolCall": call, "options": options });
        Self::Ask(json!({ "id": 0, "method": "session/request_permission", "params": params }))
    }
}
