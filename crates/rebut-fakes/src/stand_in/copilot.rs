//! copilot: the answer in pieces, then whole with its model, then the result.

use serde_json::{Value, json};

use super::Spoken;

pub(super) fn put(captured: Vec<Value>, spoken: &Spoken<'_>) -> Vec<Value> {
    let mut lines = Vec::new();
    let mut said = false;
    for mut line in captured {
        match line["type"].as_str() {
            Some("assistant.message_start") if spoken.activity.is_some() => {
                lines.push(json!({ "type": "tool.execution_start", "data": { "toolName": "view" } }));
            }
            Some("assistant.message_delta") => {
                if !said {
                    for piece in &spoken.pieces {
                        line["data"]["deltaContent"] = json!(piece);
                        lines.push(line.clone());
                    }
                }
                said = true;
                continue;
            }
            Some("assistant.message") => {
                line["data"]["content"] = json!(spoken.text());
                line["data"]["model"] = json!(spoken.model);
            }
            _ => {}
        }
        lines.push(line);
    }
    lines
}
