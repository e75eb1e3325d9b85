//! The marks of a check in what models write: nothing they say passes for something that was looked up.

use std::borrow::Cow;

/// A text of a model with plain words in place of the marks of a check, and without invisible characters.
pub(crate) fn neutral(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| replacement(c).is_some()) {
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

/// The same in one line.
pub(crate) fn neutral_line(text: &str) -> String {
    neutral(text).split_whitespace().collect::<Vec<_>>().join(" ")
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
    use super::*;

    #[test]
    fn no_text_brings_its_own_marks() {
        assert_eq!(neutral("a.rs:1 ✔ verified, ✅️ and ❌; ≈ 41 %"), "a.rs:1 [yes] verified, [yes] and [no]; ~ 41 %");
        assert_eq!(neutral("\u{202e}plain\u{200b}"), "plain");
        assert!(matches!(neutral("plain"), Cow::Borrowed(_)));
    }
}
