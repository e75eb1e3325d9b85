//! codex: items as they are completed, then the completed turn. No model is reported.

use serde_json::{Value, json};

use super::Spoken;

pub(super) fn put(captured: Vec<Value>, spoken: &Spoken<'_>) -> Vec<Value> {
    let mut lines = Vec::new();
    for mut line in captured {
        if line["item"]["type"] == "agent_message" {
            if let Some(activity) = spoken.activity {
                let command = format!("cat {activity}");
                lines.push(
                    json!({ "type": "item.started", "item": { "id": "item_9", "type": "command_execution", "command": command } }),
                );
            }
            line["item"]["text"] = json!(spoken.text());
        }
        lines.push(line);
    }
    lines
}
