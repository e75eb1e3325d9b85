//! OpenAI Chat Completions: `POST /v1/chat/completions`.

use serde_json::{Value, json};

use super::api::{Api, Asked, Event, Finish, Said, joined, list, since_model, string, text_of, there};

pub(super) const API: Api = Api { read, error, whole, events };

fn read(_path: &str, body: &Value) -> Asked {
    let messages = list(&body["messages"]);
    Asked {
        model: string(&body["model"]),
        effort: string(&body["reasoning_effort"]).or_else(|| string(&body["reasoning"]["effort"])),
        prompt: joined(messages.iter().map(|message| text_of(&message["content"]))),
        question: since_model(messages, |message| message["role"] == "assistant"),
        offered: list(&body["tools"]).iter().filter_map(|tool| string(&tool["function"]["name"])).collect(),
        results: messages
            .iter()
            .filter(|message| message["role"] == "tool")
            .map(|message| text_of(&message["content"]))
            .collect(),
        stream: body["stream"] == true,
        schema: there(&body["response_format"]["json_schema"]["schema"]),
        answer_tool: None,
        strict: body["response_format"]["json_schema"]["strict"] == true,
        seed: body["seed"].as_u64(),
    }
}

/// An error as both of the vendor's APIs write it.
pub(super) fn error(status: u16, message: &str) -> Value {
    let code = match status {
        401 => "invalid_api_key",
        404 => "model_not_found",
        429 => "rate_limit_exceeded",
        _ => "server_error",
    };
    json!({ "error": { "message": message, "type": "invalid_request_error", "param": null, "code": code } })
}

fn whole(said: &Said, asked: &Asked) -> Value {
    let mut message = json!({ "role": "assistant", "content": said.text });
    match (&said.call, said.finish) {
        (Some(_), _) => message["tool_calls"] = json!([call(said)]),
        (None, Finish::Refused) => message["refusal"] = json!(said.text),
        _ => {}
    }
    let choice = json!({ "index": 0, "message": message, "finish_reason": finish_reason(said) });
    let mut whole = envelope(asked, "chat.completion", &[choice]);
    whole["usage"] = usage();
    whole
}

fn events(said: &Said, asked: &Asked) -> Vec<Event> {
    let chunk = |delta: Value, finish: Value| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
        envelope(asked, "chat.completion.chunk", &[choice])
    };
    let mut events = vec![chunk(json!({ "role": "assistant", "content": "" }), Value::Null)];
    let key = if said.finish == Finish::Refused { "refusal" } else { "content" };
    events.extend(said.pieces().into_iter().map(|piece| chunk(json!({ key: piece }), Value::Null)));
    if said.is_cut() {
        return events.iter().map(Event::data).collect();
    }
    if said.call.is_some() {
        let mut call = call(said);
        call["index"] = json!(0);
        events.push(chunk(json!({ "tool_calls": [call] }), Value::Null));
    }
    events.push(chunk(json!({}), finish_reason(said)));
    let mut last = envelope(asked, "chat.completion.chunk", &[]);
    last["usage"] = usage();
    events.push(last);
    let done = Event { name: None, data: "[DONE]".to_owned() };
    events.iter().map(Event::data).chain([done]).collect()
}

fn envelope(asked: &Asked, object: &str, choices: &[Value]) -> Value {
    json!({ "id": "chatcmpl-stand-in", "object": object, "created": 0, "model": asked.model, "choices": choices })
}

fn usage() -> Value {
    json!({ "prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18 })
}

fn call(said: &Said) -> Value {
    let Some(call) = &said.call else { return Value::Null };
    let function = json!({ "name": call.name, "arguments": call.arguments.to_string() });
    json!({ "id": said.call_id(), "type": "function", "function": function })
}

fn finish_reason(said: &Said) -> Value {
    match (said.finish, &said.call) {
        (Finish::Refused, _) => json!("content_filter"),
        (Finish::Length, _) => json!("length"),
        (_, Some(_)) => json!("tool_calls"),
        _ => json!("stop"),
    }
}
