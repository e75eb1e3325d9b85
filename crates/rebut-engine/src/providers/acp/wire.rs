//! JSON-RPC as ACP has it: one message a line. Pure; what the messages mean is not known here.

use serde_json::{Value, json};

use crate::providers::cli::output::json_in;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Message {
    /// It asks for something and waits for a reply with this id.
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    Reply {
        id: u64,
        result: Result<Value, RpcError>,
    },
    /// Anything else that the agent or its children print.
    Noise,
}

/// A request that an agent did not do.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RpcError {
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) data: Value,
}

pub(super) const NO_SUCH_METHOD: i64 = -32601;

pub(super) fn read(line: &str) -> Message {
    let Some(Value::Object(mut object)) = json_in(line) else { return Message::Noise };
    let result = object.remove("result");
    let mut take = |name: &str| object.remove(name).filter(|value| !value.is_null());
    let params = take("params").unwrap_or_default();
    match (take("method"), take("id")) {
        (Some(Value::String(method)), Some(id)) => Message::Request { id, method, params },
        (Some(Value::String(method)), None) => Message::Notification { method, params },
        (None, Some(id)) => match (id.as_u64(), take("error"), result) {
            (Some(id), Some(error), _) => Message::Reply { id, result: Err(RpcError::of(&error)) },
            (Some(id), None, Some(result)) => Message::Reply { id, result: Ok(result) },
            _ => Message::Noise,
        },
        _ => Message::Noise,
    }
}

pub(super) fn request(id: u64, method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

pub(super) fn notification(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

pub(super) fn reply(id: &Value, result: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string()
}

pub(super) fn no_such_method(id: &Value, method: &str) -> String {
    let error = json!({ "code": NO_SUCH_METHOD, "message": format!("Method not found: {method}") });
    json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string()
}

impl RpcError {
    fn of(error: &Value) -> Self {
        Self {
            code: error["code"].as_i64().unwrap_or_default(),
            message: error["message"].as_str().unwrap_or_default().to_owned(),
            data: error["data"].clone(),
        }
    }
}
