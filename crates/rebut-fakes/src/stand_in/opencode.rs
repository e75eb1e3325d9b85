//! opencode: the whole text as a part, then the step's end. No model is reported.

use serde_json::{Value, json};

use super::Spoken;

pub(super) fn put(captured: Vec<Value>, spoken: &Spoken<'_>) -> Vec<Value> {
    let mut lines = Vec::new();
    for mut line in captured {
        if line["type"] == "text" {
            if spoken.activity.is_some() {
                let mut used = line.clone();
                used["type"] = json!("tool_use");
                used["part"] = json!({ "type": "tool", "tool": "read" });
                lines.push(used);
            }
            line["part"]["text"] = json!(spoken.text());
        }
        lines.push(line);
    }
    lines
}
