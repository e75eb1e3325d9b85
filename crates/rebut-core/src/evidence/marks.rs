//! The marks of a check in what models write: nothing they say passes for something that was looked up.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The fields of evidence that are looked up as they are written, and made neutral where they are shown.
const LOOKED_UP: [&str; 8] = ["file", "quote", "commit", "url", "search", "in", "run", "value"];

/// What was read from an answer, with all its texts neutral.
pub(crate) fn neutral_content<T: Serialize + DeserializeOwned>(answer: &str, content: T) -> T {
    // JSON can write a mark as an escape.
    if !answer.contains(is_mark) && !answer.contains("\\u") {
        return content;
    }
    let neutral = serde_json::to_value(&content).map(neutral_value).and_then(serde_json::from_value);
    neutral.unwrap_or(content)
}

fn neutral_value(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(neutral(&text).into_owned()),
        Value::Array(items) => items.into_iter().map(neutral_value).collect(),
        Value::Object(fields) => {
            let neutral = |(key, value): (String, Value)| {
                let value = if LOOKED_UP.contains(&key.as_str()) { value } else { neutral_value(value) };
                (key, value)
            };
            Value::Object(fields.into_iter().map(neutral).collect())
        }
        other => other,
    }
}

/// A text with plain words in place of the marks of a check, and without invisible characters.
pub(crate) fn neutral(text: &str) -> Cow<'_, str> {
    if !text.contains(is_mark) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match replacement(c) {
            Some(words) => plain.push_str(words),
            None => plain.push(c),
        }
    }
    Cow::Owned(plain)
}

pub(crate) fn neutral_line(text: &str) -> String {
    neutral(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_mark(c: char) -> bool {
    replacement(c).is_some()
}

fn replacement(c: char) -> Option<&'static str> {
    match c {
        '✔' | '✅' | '☑' => Some("[yes]"),
        '✘' | '❌' | '☒' => Some("[no]"),
        '≈' => Some("~"),
        // Zero-width characters, the direction of text, and the sign that makes a mark an emoji.
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fe0f}' => Some(""),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_text_brings_its_own_marks() {
        assert_eq!(neutral("a.rs:1 ✔ verified, ✅️ and ❌; ≈ 41 %"), "a.rs:1 [yes] verified, [yes] and [no]; ~ 41 %");
        assert_eq!(neutral("\u{202e}plain\u{200b}"), "plain");
        assert!(matches!(neutral("plain"), Cow::Borrowed(_)));
    }

    #[test]
    fn every_text_of_an_answer_is_neutral_and_evidence_is_looked_up_as_it_is_written() {
        let answer = r#"{"claims": [{"text": "\u2714 checked", "evidence": [{"file": "a.md", "quote": "≈ 41 %"}]}]}"#;
        let content: Value = serde_json::from_str(answer).unwrap();
        let expected = json!({"claims": [{"text": "[yes] checked", "evidence": [{"file": "a.md", "quote": "≈ 41 %"}]}]});
        assert_eq!(neutral_content(answer, content), expected);
    }
}
