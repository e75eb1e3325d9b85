//! Text from models, diffs and pages is data: nothing in it reaches the terminal as a control sequence.

use std::borrow::Cow;
use std::fmt::Write;

pub(crate) use rebut_core::report::harmless;
use rebut_core::report::is_harmful;

/// JSON with the same characters escaped. They only occur in strings, so its meaning doesn't change.
pub(crate) fn escaped(json: &str) -> Cow<'_, str> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_means_the_same_when_it_is_escaped() {
        let value = serde_json::json!({ "a\u{202e}b": "\u{9b}31m\u{7f}\u{1b}[2J\u{2066}\n größe" });
        for json in [value.to_string(), format!("{value:#}")] {
            let safe = escaped(&json);
            assert!(!safe.contains(is_harmful), "{safe}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), value);
        }
    }
}
