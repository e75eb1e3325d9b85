//! Events as JSON lines, for programs.

use rebut_core::debate::Event;
use serde_json::{Value, json};

use super::Screen;

impl Screen {
    pub(crate) fn json_event(&self, seq: u64, event: &Event) {
        self.json(|| {
            let mut happening = json!(event.happening);
            // Whole pages would bury everything else; the journal has them.
            for page in happening.get_mut("pages").and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(text) = page["fetched"].as_object_mut().and_then(|fetched| fetched.remove("text")) {
                    page["fetched"]["bytes"] = json!(text.as_str().map_or(0, str::len));
                }
            }
            json!({ "type": "event", "seq": seq, "at": event.at, "happening": happening })
        });
    }
}
