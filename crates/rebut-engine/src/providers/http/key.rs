//! A secret key: it goes into one header and nowhere else.

use std::fmt;

use reqwest::header::HeaderValue;
use serde_json::Value;

use crate::providers::cli::output::change_texts;

/// What is shorter can be found by trying, and occurs in every text.
const SHORTEST_SECRET: usize = 4;

/// Words that people set as a key for local servers. They are not secrets.
const STAND_INS: [&str; 12] =
    ["none", "null", "empty", "dummy", "fake", "test", "local", "ollama", "llamacpp", "vllm", "lmstudio", "lm-studio"];

/// A key, or none where the user's own server needs none.
#[derive(Clone, Default)]
pub(super) struct Key(String);

impl Key {
    /// A key as a variable holds it; `None` if it holds nothing that can be sent.
    pub(super) fn read(text: &str) -> Option<Self> {
        let key = text.trim();
        let can_be_sent = !key.is_empty() && key.chars().all(|c| c.is_ascii_graphic());
        can_be_sent.then(|| Self(key.to_owned()))
    }

    /// The header's value: the key after a word such as `Bearer `.
    pub(super) fn header(&self, before: &str) -> Option<HeaderValue> {
        if self.0.is_empty() {
            return None;
        }
        let mut value = HeaderValue::from_str(&format!("{before}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// The text without the key: a server may send back what it was sent.
    pub(super) fn scrub(&self, text: &str) -> String {
        if self.is_secret() { text.replace(&self.0, "[redacted]") } else { text.to_owned() }
    }

    /// The same for every text in a JSON value, before anything of it is kept, cut or shown.
    pub(super) fn scrub_all(&self, value: &mut Value) {
        change_texts(value, &|text| self.scrub(text));
    }

    /// How many bytes at the end of a text may begin the key.
    fn undecided(&self, text: &str) -> usize {
        let most = if self.is_secret() { self.0.len().min(text.len()) } else { 0 };
        let ends = (1..=most).rev().find(|length| text.as_bytes().ends_with(&self.0.as_bytes()[..*length]));
        ends.unwrap_or(0)
    }

    fn is_secret(&self) -> bool {
        self.0.len() >= SHORTEST_SECRET && !STAND_INS.iter().any(|word| self.0.eq_ignore_ascii_case(word))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key([redacted])")
    }
}

/// A text that comes in pieces, passed on without the key, wherever the pieces were cut.
#[derive(Debug)]
pub(super) struct Scrubber<'a> {
    key: &'a Key,
    held: String,
}

impl<'a> Scrubber<'a> {
    pub(super) fn new(key: &'a Key) -> Self {
        Self { key, held: String::new() }
    }

    /// Adds a piece and returns the text that can be shown now. What may begin the key is held back.
    pub(super) fn take(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let sure = self.held.len() - self.key.undecided(&self.held);
        let later = self.held.split_off(sure);
        self.key.scrub(&std::mem::replace(&mut self.held, later))
    }

    pub(super) fn end(self) -> String {
        self.key.scrub(&self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_shown() {
        let key = Key::read(" abc-123-def-456\n").unwrap();
        assert_eq!(format!("{key:?}"), "Key([redacted])");
        let header = key.header("Bearer ").unwrap();
        assert_eq!(header.to_str().unwrap(), ["Bearer", "abc-123-def-456"].join(" "));
        assert!(!format!("{header:?}").contains("abc"));
    }

    #[test]
    fn a_key_is_taken_out_of_a_stream_wherever_it_is_cut() {
        let text = "begin abc-123-def-456 abc-123-dex ab12 and ab12";
        for secret in ["abc-123-def-456", "ab12"] {
            let key = Key::read(secret).unwrap();
            for cut in 0..text.len() {
                let mut scrubber = Scrubber::new(&key);
                let passed_on = [scrubber.take(&text[..cut]), scrubber.take(&text[cut..]), scrubber.end()].concat();
                assert_eq!(passed_on, key.scrub(text), "{secret} cut at {cut}");
                assert!(!passed_on.contains(secret), "{passed_on}");
            }
        }
    }
}
