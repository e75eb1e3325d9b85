//! Observers of a debate, and the user who makes its choices.

use futures_util::future::BoxFuture;
use rebut_core::debate::{Choice, Debate, Event, StepKey};

use crate::providers::Progress;
use crate::redact::redact;
use crate::session::Notice;

/// Observes a debate: the terminal, a stream of JSON, files that are rendered.
pub trait Observer: Send {
    /// Something happened. It is in the journal, and `debate` holds it already.
    fn event(&mut self, debate: &Debate, seq: u64, event: &Event);

    /// A call goes on. Nothing of this is in the journal.
    fn progress(&mut self, key: &StepKey, progress: &Progress) {
        let _ = (key, progress);
    }

    /// Calls are under way, and nothing has happened for a moment.
    fn idle(&mut self, debate: &Debate) {
        let _ = debate;
    }

    /// The debate goes no further for now, or a fault ended the run.
    fn stopped(&mut self, debate: &Debate) {
        let _ = debate;
    }

    /// The session has something to say to the user.
    fn notice(&mut self, notice: &Notice) {
        let _ = notice;
    }
}

/// No observer.
impl Observer for () {
    fn event(&mut self, _: &Debate, _: u64, _: &Event) {}
}

/// Asks the user.
pub trait User: Sync {
    /// The option that the user chooses; `None` takes the recommendation.
    fn choose<'a>(&'a self, choice: &'a Choice) -> BoxFuture<'a, Option<String>>;
}

/// Who makes the choices that a format leaves to the user.
#[derive(Clone, Copy)]
pub enum Chooser<'p> {
    /// The recommendation is taken.
    Recommendation,
    /// The user is asked.
    User(&'p dyn User),
    /// The debate stops at a choice, and waits there until it is made.
    Later,
}

/// The end of a text that is still arriving, without secrets.
#[derive(Clone, Debug, Default)]
pub struct Tail {
    text: String,
    bytes: u64,
}

impl Tail {
    /// How much of the end is kept: more than the longest secret that is told by its form on one line.
    const KEPT: usize = 2_000;
    /// How long a private key gets: twice the largest that is in use.
    const LONGEST_KEY: usize = 16_000;

    /// Takes more text in.
    pub fn push(&mut self, text: &str) {
        self.bytes += text.len() as u64;
        self.text.push_str(text);
        if self.text.len() > 2 * Self::KEPT {
            let mut from = self.text.len() - Self::KEPT;
            // A private key is known by its beginning as long as its end has not come.
            if let Some(begin) = self.text.rfind("-----BEGIN ")
                && !self.text[begin..].contains("-----END ")
                && self.text.len() - begin < Self::LONGEST_KEY
            {
                from = from.min(begin);
            }
            while !self.text.is_char_boundary(from) {
                from += 1;
            }
            self.text.drain(..from);
        }
    }

    /// How many bytes have arrived.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The last words, at most so many characters, on one line and without secrets.
    pub fn last_words(&self, most: usize) -> String {
        // A word that is still arriving could be the beginning of a secret, too short yet to be known for one.
        let before = self.text.trim_end_matches(|sign: char| sign.is_ascii_graphic());
        let arriving = self.text[before.len()..].trim_start_matches(|sign: char| sign.is_ascii_uppercase());
        let is_plain = arriving.bytes().all(|byte| byte.is_ascii_lowercase() || b".,;:!?".contains(&byte));
        let safe = redact(if is_plain { &self.text } else { before });
        let words: Vec<&str> = safe.split_whitespace().collect();
        let line = words.join(" ");
        let skip = line.chars().count().saturating_sub(most);
        line.chars().skip(skip).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_arrives_in_pieces_is_never_shown() {
        let mut tail = Tail::default();
        tail.push(&format!("the key is sk-{}-{}", "ant", "a1b2".repeat(3)));
        tail.push(&format!("{} and more", "c3d4".repeat(3)));
        assert_eq!(tail.last_words(80), "the key is [redacted] and more");
    }

    #[test]
    fn no_piece_of_a_secret_is_shown_while_it_arrives() {
        let mut tail = Tail::default();
        tail.push("the key is ");
        for piece in format!("sk-{}-{}", "ant", "a1b2".repeat(6)).chars() {
            tail.push(piece.encode_utf8(&mut [0; 4]));
            assert!(["the key is", "the key is s", "the key is sk"].contains(&tail.last_words(80).as_str()));
        }
    }

    #[test]
    fn a_private_key_that_is_longer_than_what_is_kept_is_not_shown() {
        let mut tail = Tail::default();
        tail.push(&format!("it is -----BEGIN {} KEY-----\n", "RSA PRIVATE"));
        for _ in 0..100 {
            tail.push(&format!("{}\n", "aB3+".repeat(16)));
            assert!(["it is [redacted]", "[redacted]"].contains(&tail.last_words(80).as_str()));
        }
    }

    #[test]
    fn only_the_end_is_kept() {
        let mut tail = Tail::default();
        for _ in 0..10_000 {
            tail.push("wörter ");
        }
        assert!(tail.text.len() <= 2 * Tail::KEPT);
        assert_eq!(tail.bytes(), 80_000);
        assert_eq!(tail.last_words(6), "wörter");
    }
}
