//! A secret key: it goes into one header and nowhere else.

use std::borrow::Cow;
use std::fmt;

use reqwest::header::HeaderValue;

/// What is shorter is no secret.
const SHORTEST_SECRET: usize = 12;

/// A key. It shows itself to nobody.
#[derive(Clone)]
pub(super) struct Key(String);

impl Key {
    /// A key as a variable holds it; `None` where it holds nothing that can be sent.
    pub(super) fn read(text: &str) -> Option<Self> {
        let key = text.trim();
        let can_be_sent = !key.is_empty() && key.chars().all(|c| c.is_ascii_graphic());
        can_be_sent.then(|| Self(key.to_owned()))
    }

    /// The header's value: the key behind a word such as `Bearer `.
    pub(super) fn header(&self, before: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("{before}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// The text without the key: a server may send back what it was sent. A word like `none` or `ollama`, as servers of
    /// one's own take it for a key, is no secret and stays.
    pub(super) fn scrub<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.0.len() >= SHORTEST_SECRET && text.contains(&self.0) {
            text.replace(&self.0, "[redacted]").into()
        } else {
            text.into()
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key([redacted])")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_shows_itself_to_nobody() {
        let key = Key::read(" abc-123-def-456\n").unwrap();
        assert_eq!(format!("{key:?}"), "Key([redacted])");
        let header = key.header("Bearer ").unwrap();
        assert_eq!(header.to_str().unwrap(), "Bearer abc-123-def-456");
        assert!(!format!("{header:?}").contains("abc"));
        assert_eq!(key.scrub("no such key: abc-123-def-456!"), "no such key: [redacted]!");
    }

    #[test]
    fn a_word_that_stands_in_for_a_key_is_not_taken_out_of_texts() {
        assert_eq!(Key::read("ollama").unwrap().scrub("run it with ollama"), "run it with ollama");
    }

    #[test]
    fn what_cannot_stand_in_a_header_is_no_key() {
        assert!(["", "  ", "a b", "a\nb", "schlüssel", "a\u{7}"].iter().all(|text| Key::read(text).is_none()));
    }
}
