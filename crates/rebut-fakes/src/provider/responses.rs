//! OpenAI Responses: `POST /v1/responses`.

use serde_json::{Value, json};

use super::api::{Api, Asked, Event, Finish, Said, joined, list, since_model, string, text_of, there};
use super::chat::error;

pub(super) const API: Api = Api { read, error, whole, events };

fn read(_path: &str, body: &Value) -> Asked {
    let input = list(&body["input"]);
    let is_result = |item: &&Value| item["type"].as_str().is_some_and(|kind| kind.ends_with("_call_output"));
    let messages: Vec<String> = match &body["input"] {
        Value::String(text) => vec![text.clone()],
        _ => input.iter().map(|item| text_of(&item["content"])).collect(),
    };
    // Some tools have no name of their own, only a type; a namespace holds further tools.
    let name = |tool: &Value| string(&tool["name"]).or_else(|| string(&tool["type"]));
    Asked {
        model: string(&body["model"]),
        effort: string(&body["reasoning"]["effort"]),
        prompt: joined(string(&body["instructions"]).into_iter().chain(messages)),
        question: match &body["input"] {
            Value::String(text) => text.clone(),
            _ => since_model(input, |item| item["role"] == "assistant" || item["type"] == "function_call"),
        },
        offered: list(&body["tools"]).iter().flat_map(|tool| name(tool).into_iter().chain(inner(tool))).collect(),
        results: input.iter().filter(is_result).map(|item| text_of(&item["output"])).collect(),
        stream: body["stream"] == true,
        schema: there(&body["text"]["format"]["schema"]),
        answer_tool: None,
        strict: body["text"]["format"]["strict"] == true,
        seed: None,
    }
}

fn inner(tool: &Value) -> Vec<String> {
    list(&tool["tools"]).iter().filter_map(|tool| string(&tool["name"])).collect()
}

fn whole(said: &Said, asked: &Asked) -> Value {
    response(said, asked, "completed")
}

fn events(said: &Said, asked: &Asked) -> Vec<Event> {
    let mut begun = response(said, asked, "in_progress");
    begun["output"] = json!([]);
    begun["usage"] = Value::Null;
    let mut events = vec![
        json!({ "type": "response.created", "response": begun }),
        json!({ "type": "response.in_progress", "response": begun }),
    ];
    for (index, item) in items(said).into_iter().enumerate() {
        let id = item["id"].clone();
        let mut start = item.clone();
        start["status"] = json!("in_progress");
        if item["type"] == "message" {
            start["content"] = json!([]);
        }
        events.push(json!({ "type": "response.output_item.added", "output_index": index, "item": start }));
        if item["type"] == "message" {
            let part = item["content"][0].clone();
            let at = |kind: &str| json!({ "type": kind, "item_id": id, "output_index": index, "content_index": 0 });
            let mut added = at("response.content_part.added");
            added["part"] = json!({ "type": "output_text", "text": "", "annotations": [] });
            events.push(added);
            for piece in said.pieces() {
                let mut delta = at("response.output_text.delta");
                delta["delta"] = json!(piece);
                events.push(delta);
            }
            if said.is_cut() {
                return numbered(events);
            }
            let mut done = at("response.output_text.done");
            done["text"] = part["text"].clone();
            let mut closed = at("response.content_part.done");
            closed["part"] = part;
            events.extend([done, closed]);
        }
        events.push(json!({ "type": "response.output_item.done", "output_index": index, "item": item }));
    }
    let mut last = json!({ "type": "response.completed", "response": response(said, asked, "completed") });
    if said.finish == Finish::Length {
        last["type"] = json!("response.incomplete");
        last["response"]["status"] = json!("incomplete");
        last["response"]["incomplete_details"] = json!({ "reason": "max_output_tokens" });
    }
    events.push(last);
    numbered(events)
}

fn numbered(mut events: Vec<Value>) -> Vec<Event> {
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = json!(number);
    }
    events.iter().map(Event::named).collect()
}

fn response(said: &Said, asked: &Asked, status: &str) -> Value {
    json!({
        "id": format!("resp_stand_in_{}", said.turn), "object": "response", "created_at": 0, "status": status,
        "model": asked.model, "output": items(said), "error": null, "incomplete_details": null, "parallel_tool_calls": true,
        "usage": {
            "input_tokens": 11, "input_tokens_details": { "cached_tokens": 0 },
            "output_tokens": 7, "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 18,
        },
    })
}

fn items(said: &Said) -> Vec<Value> {
    let part = match said.finish {
        Finish::Refused => json!({ "type": "refusal", "refusal": said.text }),
        _ => json!({ "type": "output_text", "text": said.text, "annotations": [] }),
    };
    let message = (!said.text.is_empty()).then(
        || json!({ "id": "msg_stand_in", "type": "message", "role": "assistant", "status": "completed", "content": [part] }),
    );
    let call = said.call.as_ref().map(|call| match &call.arguments {
        Value::String(input) => json!({
            "id": "ctc_stand_in", "type": "custom_tool_call", "status": "completed", "call_id": said.call_id(),
            "name": call.name, "input": input,
        }),
        arguments => json!({
            "id": "fc_stand_in", "type": "function_call", "status": "completed", "call_id": said.call_id(),
            "name": call.name, "arguments": arguments.to_string(),
        }),
    });
    message.into_iter().chain(call).collect()
}
