//! gemini: the answer in pieces, then the result with the models that took part.

use serde_json::{Value, json};

use super::Spoken;

pub(super) fn put(captured: Vec<Value>, spoken: &Spoken<'_>) -> Vec<Value> {
    let mut lines = Vec::new();
    let mut said = false;
    for mut line in captured {
        match line["type"].as_str() {
            Some("init") => line["model"] = json!(spoken.model),
            Some("message") if line["role"] == "assistant" => {
                if !said {
                    if spoken.activity.is_some() {
                        lines.push(json!({ "type": "tool_use", "tool_name": "read_file", "tool_id": "read_file-1" }));
                    }
                    for piece in &spoken.pieces {
                        line["content"] = json!(piece);
                        lines.push(line.clone());
                    }
                }
                said = true;
                continue;
            }
            Some("result") => {
                let usage = line["stats"]["models"].as_object().and_then(|models| models.values().next()).cloned();
                line["stats"]["models"] = json!({ spoken.model: usage });
            }
            _ => {}
        }
        lines.push(line);
    }
    lines
}
