//! Anthropic Messages: `POST /v1/messages`.

use serde_json::{Value, json};

use super::api::{ANSWER_TOOL, Api, Asked, Event, Finish, Said, joined, list, since_model, string, text_of, there};

pub(super) const API: Api = Api { read, error, whole, events };

fn read(_path: &str, body: &Value) -> Asked {
    let blocks = list(&body["messages"]).iter().flat_map(|message| list(&message["content"]));
    let results = blocks.filter(|block| block["type"] == "tool_result").map(|block| text_of(&block["content"]));
    let messages = list(&body["messages"]).iter().map(|message| text_of(&message["content"]));
    Asked {
        model: string(&body["model"]),
        effort: string(&body["output_config"]["effort"]),
        prompt: joined(std::iter::once(text_of(&body["system"])).chain(messages)),
        question: since_model(list(&body["messages"]), |message| message["role"] == "assistant"),
        offered: list(&body["tools"]).iter().filter_map(|tool| string(&tool["name"])).collect(),
        results: results.collect(),
        stream: body["stream"] == true,
        schema: there(&body["output_config"]["format"]["schema"]),
        answer_tool: list(&body["tools"])
            .iter()
            .find(|tool| tool["name"] == ANSWER_TOOL)
            .map(|tool| tool["input_schema"].clone()),
        strict: false,
        seed: None,
    }
}

fn error(status: u16, message: &str) -> Value {
    let kind = match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    json!({ "type": "error", "error": { "type": kind, "message": message } })
}

fn whole(said: &Said, asked: &Asked) -> Value {
    let mut message = head(asked);
    message["content"] = Value::Array(blocks(said));
    message["stop_reason"] = stop_reason(said);
    message["usage"]["output_tokens"] = json!(7);
    message
}

fn events(said: &Said, asked: &Asked) -> Vec<Event> {
    let mut events = vec![json!({ "type": "message_start", "message": head(asked) }), json!({ "type": "ping" })];
    for (index, block) in blocks(said).iter().enumerate() {
        let (start, deltas): (Value, Vec<Value>) = if block["type"] == "text" {
            let deltas = said.pieces().into_iter().map(|piece| json!({ "type": "text_delta", "text": piece }));
            (json!({ "type": "text", "text": "" }), deltas.collect())
        } else {
            let mut start = block.clone();
            start["input"] = json!({});
            let input = block["input"].to_string();
            (start, vec![json!({ "type": "input_json_delta", "partial_json": input })])
        };
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": start }));
        let delta = |delta: &Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
        events.extend(deltas.iter().map(delta));
        if said.is_cut() {
            // Half of the words, and neither the end of the block nor that of the message.
            events.pop();
            return events.iter().map(Event::named).collect();
        }
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let delta = json!({ "stop_reason": stop_reason(said), "stop_sequence": null });
    events.push(json!({ "type": "message_delta", "delta": delta, "usage": { "output_tokens": 7 } }));
    events.push(json!({ "type": "message_stop" }));
    events.iter().map(Event::named).collect()
}

fn head(asked: &Asked) -> Value {
    json!({
        "id": "msg_stand_in", "type": "message", "role": "assistant", "model": asked.model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": { "input_tokens": 11, "output_tokens": 1 },
    })
}

fn blocks(said: &Said) -> Vec<Value> {
    let text = (!said.text.is_empty()).then(|| json!({ "type": "text", "text": said.text }));
    let call = said
        .call
        .as_ref()
        .map(|call| json!({ "type": "tool_use", "id": said.call_id(), "name": call.name, "input": call.arguments }));
    text.into_iter().chain(call).collect()
}

fn stop_reason(said: &Said) -> Value {
    match (said.finish, &said.call) {
        (Finish::Refused, _) => json!("refusal"),
        (Finish::Length, _) => json!("max_tokens"),
        (_, Some(_)) => json!("tool_use"),
        _ => json!("end_turn"),
    }
}
