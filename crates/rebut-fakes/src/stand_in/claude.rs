//! claude: lines of events, the text in pieces and then in one block, then the result.

use serde_json::{Value, json};

use super::Spoken;

pub(super) fn put(captured: Vec<Value>, spoken: &Spoken<'_>) -> Vec<Value> {
    let mut lines = Vec::new();
    for mut line in captured {
        if line["type"] == "assistant" && line["message"]["content"][0]["type"] == "text" {
            if let Some(activity) = spoken.activity {
                let mut used = line.clone();
                used["message"]["content"] =
                    json!([{ "type": "tool_use", "id": "toolu_1", "name": "Read", "input": { "file_path": activity } }]);
                lines.push(used);
            }
            for piece in &spoken.pieces {
                let delta = json!({ "type": "text_delta", "text": piece });
                let event = json!({ "type": "content_block_delta", "index": 0, "delta": delta });
                lines.push(json!({ "type": "stream_event", "event": event }));
            }
            line["message"]["content"][0]["text"] = json!(spoken.text());
            lines.push(line);
            continue;
        }
        match line["type"].as_str() {
            Some("system") if line["subtype"] == "init" => line["model"] = json!(spoken.model),
            Some("result") => {
                let usage = line["modelUsage"].as_object().and_then(|models| models.values().next()).cloned();
                line["result"] = json!(spoken.text());
                line["modelUsage"] = json!({ spoken.model: usage });
            }
            _ => {}
        }
        lines.push(line);
    }
    lines
}

/// Whether claude rejects the schema it is given: it only knows draft-07, and looks up the dialect that `$schema` names.
pub(super) fn refuses_schema(arguments: &[String]) -> bool {
    let schema = arguments.iter().skip_while(|argument| *argument != "--json-schema").nth(1);
    let schema = schema.map(|schema| serde_json::from_str::<Value>(schema).expect("--json-schema takes JSON"));
    schema.is_some_and(|schema| schema.get("$schema").is_some())
}
