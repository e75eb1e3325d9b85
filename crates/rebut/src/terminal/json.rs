//! JSON lines for programs. Nothing in them reaches a terminal as a control sequence.

use std::borrow::Cow;
use std::fmt::Write;

use rebut_core::debate::Event;
use rebut_core::report::is_harmful;
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

/// JSON with harmful characters escaped. They only occur in strings, so its meaning doesn't change.
pub(super) fn escaped(json: &str) -> Cow<'_, str> {
    if !json.contains(is_harmful) {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if is_harmful(c) {
            // Writing to a string cannot fail. Each of them is one unit of UTF-16.
            let _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    Cow::Owned(text)
}
