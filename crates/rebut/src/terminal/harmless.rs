//! Text from models, diffs and pages is data: nothing in it reaches the terminal as a control sequence.

use std::borrow::Cow;
use std::fmt::Write;

use rebut_core::report::is_harmful;

/// The text with every control character and every mark that reorders text made visible. Newlines and tabs stay.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n").chars().map(|c| if is_harmful(c) { visible(c) } else { c }).collect())
}

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

/// The Unicode picture of a control character, else the replacement character.
fn visible(c: char) -> char {
    match u32::from(c) {
        code @ 0..=0x1f => char::from_u32(0x2400 + code).unwrap_or('\u{fffd}'),
        0x7f => '\u{2421}',
        _ => '\u{fffd}',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_reordering_are_made_visible() {
        assert_eq!(harmless("\u{1b}[2J\u{1b}]0;title\u{7}gone"), "␛[2J␛]0;title␇gone");
        assert_eq!(harmless("a\u{9b}31mred"), "a\u{fffd}31mred");
        assert_eq!(harmless("user\u{202e}txt.exe"), "user\u{fffd}txt.exe");
        assert_eq!(harmless("over\rwritten\r\nnext"), "over␍written\nnext");
    }

    #[test]
    fn json_means_the_same_when_it_is_escaped() {
        let value = serde_json::json!({ "a\u{202e}b": "\u{9b}31m\u{7f}\u{1b}[2J\u{2066}\n größe" });
        for json in [value.to_string(), format!("{value:#}")] {
            let safe = escaped(&json);
            assert!(!safe.contains(is_harmful), "{safe}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), value);
        }
    }

    #[test]
    fn ordinary_text_is_untouched() {
        let text = "Größe: 3 µs\n\t“naïve” — 日本語 🦀";
        assert!(matches!(harmless(text), Cow::Borrowed(same) if same == text));
    }
}
