//! Concessions: verbatim quotes, checked against the text they are said to stand in.

mod by_id;
mod own;
mod spoken;

use std::collections::BTreeMap;

use super::{ClaimId, tail};
use by_id::ids_given_up;
use spoken::spoken_in;
pub(super) use spoken::{called_false_in, taken_back_in, withdrawn_in, words_with_dots};

/// The shortest quote that counts, in characters: less says nothing and stands everywhere.
const SHORTEST: usize = 8;

/// The most concessions of one statement that count. Nobody who argues makes so many, and everybody who reads the debate is
/// told of each.
pub(super) const MOST: usize = 50;

/// What a statement concedes.
#[derive(Debug, Default)]
pub(super) struct Conceded {
    /// Quotes that stand in its prose, each once.
    pub(super) quotes: Vec<String>,
    /// What its list of claims says to stand there, and does not.
    pub(super) unfounded: Vec<String>,
    /// The claims that it concedes by their ids, in the list or in the sentence itself, with the quote.
    pub(super) by_id: BTreeMap<ClaimId, String>,
}

/// What a statement concedes, by its prose and by its list of claims.
pub(super) fn conceded_in(body: &str, listed: Vec<tail::Concession>) -> Conceded {
    let plain = Plain::new(body);
    let spoken = spoken_in(body);
    let mut found = Found::default();
    for listed in listed.into_iter().take(MOST) {
        let quote = if listed.quote.is_empty() { said_of(&listed.claims, &spoken, &found) } else { Some(listed.quote) };
        let named = || listed.claims.iter().map(ClaimId::as_str).collect::<Vec<_>>().join(", ");
        match quote {
            Some(quote) if plain.holds(&quote) => found.add(&quote, listed.claims),
            quote => found.conceded.unfounded.push(quote.unwrap_or_else(named)),
        }
    }
    // A concession that was made and left out of the list was made all the same.
    for spoken in &spoken {
        found.add(spoken, ids_given_up(spoken));
    }
    found.conceded
}

/// The sentence that a line of the list means which names claims and nothing else: one that names them too, or the only one.
fn said_of(claims: &[ClaimId], spoken: &[String], found: &Found) -> Option<String> {
    let names = |sentence: &&String| words_with_dots(sentence).filter_map(ClaimId::read).any(|id| claims.contains(&id));
    let mut left = spoken.iter().filter(|sentence| found.like(&Plain::new(sentence)).is_none());
    let only = left.next().filter(|_| left.next().is_none());
    spoken.iter().find(names).or(only).cloned()
}

/// What is conceded so far.
#[derive(Default)]
struct Found {
    conceded: Conceded,
    known: Vec<Plain>,
}

impl Found {
    /// Adds words that stand in the prose. What is known already, in more words or in fewer, is no second concession.
    fn add(&mut self, quote: &str, claims: impl IntoIterator<Item = ClaimId>) {
        let words = Plain::new(quote);
        let at = match self.like(&words) {
            Some(at) => at,
            None if self.known.len() == MOST => return,
            None => {
                self.conceded.quotes.push(quote.to_owned());
                self.known.push(words);
                self.known.len() - 1
            }
        };
        for id in claims {
            self.conceded.by_id.entry(id).or_insert_with(|| self.conceded.quotes[at].clone());
        }
    }

    fn like(&self, words: &Plain) -> Option<usize> {
        self.known.iter().position(|known| known.is_part_of(words) || words.is_part_of(known))
    }
}

/// Whether the quote stands in the text word for word; white space, marks of emphasis and code, the style of quotation marks
/// and the mark at the quote's end do not matter.
pub fn stands_in(quote: &str, text: &str) -> bool {
    Plain::new(text).holds(quote)
}

/// A text in which words are looked for more than once, without what does not matter.
pub(super) struct Plain(String);

impl Plain {
    pub(super) fn new(text: &str) -> Self {
        Self(plain(text))
    }

    /// Whether the quote stands in it word for word.
    pub(super) fn holds(&self, quote: &str) -> bool {
        Self::new(quote).is_part_of(self)
    }

    /// Whether it stands in the other text word for word.
    pub(super) fn is_part_of(&self, text: &Self) -> bool {
        let words = self.0.trim_end_matches(['.', ',', ';', ':', '!', '?', '\u{2026}', ' ']);
        let whole_words = words.len() < self.0.len();
        let ends = |at: usize| text.0[at + words.len()..].chars().next().is_none_or(|c| !c.is_alphanumeric());
        words.chars().nth(SHORTEST - 1).is_some() && text.0.match_indices(words).any(|(at, _)| !whole_words || ends(at))
    }
}

fn plain(text: &str) -> String {
    let bare = text.replace(['*', '`', '_'], "");
    let words: Vec<&str> = bare.split_whitespace().collect();
    let plain = words.join(" ").replace(['\u{201c}', '\u{201d}'], "\"").replace(['\u{2018}', '\u{2019}'], "'");
    plain.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conceded(body: &str, tail: &str) -> (Vec<String>, String, Vec<String>) {
        let answer = if tail.is_empty() { body.to_owned() } else { format!("{body}\n\n--- claims\n{tail}") };
        let read = super::super::Statement::read(&answer);
        let ids: Vec<&str> = read.conceded.keys().map(ClaimId::as_str).collect();
        (read.concessions, ids.join(" "), read.unfounded_concessions)
    }

    #[test]
    fn who_attacks_a_claim_beside_a_concession_has_not_conceded_it() {
        for body in [
            "I concede P1.2; P1.1 is refuted by src/pool.rs:35.",
            "I concede that P1.2 is right and P1.1 is wrong.",
            "I concede P1.2 (P1.1 fails).",
        ] {
            assert_eq!(conceded(body, "").1, "P1.2", "{body}");
        }
        for body in ["For the sake of argument, I concede P1.1.", "I concede P1.1 only if P1.2 is withdrawn."] {
            assert_eq!(conceded(body, "").1, "", "{body}");
        }
        let (_, ids, unfounded) =
            conceded("Still, i concede that TLS is a stub.", "concede: P1.1 \"I concede that TLS is a stub.\"");
        assert_eq!((ids.as_str(), unfounded), ("P1.1", Vec::new()), "letters may differ in case");
    }

    #[test]
    fn a_concession_is_known_in_its_list_however_it_is_marked() {
        const QUOTE: &str = "concede: P1.1 \"I concede that TLS is a stub.\"";
        for (body, tail) in [
            ("I concede that TLS is a stub.", QUOTE),
            ("I concede that TLS is\na stub.", QUOTE),
            ("**I concede** that TLS is a stub.", QUOTE),
            ("I concede that `TLS` is a *stub*.", QUOTE),
            ("I concede that TLS is a stub, and go on.", QUOTE),
            ("I concede that TLS is a stub.", "concede: P1.1 I concede that TLS is a stub."),
            ("I concede that TLS is a stub.", "concede: P1.1"),
            ("I was wrong. I concede that P1.1 holds: TLS is a stub.", "concede: P1.1"),
            ("I concede P1.1: TLS is a stub.", ""),
            ("I concede the \"stub\" is real.", "concede: P1.1 \"I concede the \\\"stub\\\" is real.\""),
        ] {
            let (concessions, ids, unfounded) = conceded(body, tail);
            assert_eq!((ids.as_str(), unfounded), ("P1.1", Vec::new()), "{body}");
            assert!(concessions.iter().all(|quote| !quote.contains("**")), "{concessions:?}");
        }
    }

    #[test]
    fn what_is_said_twice_is_conceded_once() {
        let twice = "concede: P1.1 \"I concede that TLS is a stub.\"\nconcede: P1.2 \"I concede that TLS is a stub\"";
        let (concessions, ids, _) = conceded("I concede that TLS is a stub. I concede that TLS is a stub.", twice);
        assert_eq!((concessions.len(), ids.as_str()), (1, "P1.1 P1.2"));
    }

    #[test]
    fn a_list_that_names_a_claim_alone_needs_a_sentence_that_concedes() {
        assert_eq!(conceded("TLS is fine.", "concede: P1.1"), (Vec::new(), String::new(), vec!["P1.1".to_owned()]));
        let two = "I concede the lock. I concede the timeout.";
        assert_eq!(conceded(two, "concede: P1.1").2, ["P1.1"], "nobody can tell which is meant");
    }

    #[test]
    fn a_claim_that_a_concession_turns_against_is_not_conceded() {
        assert_eq!(conceded("I concede P1.1 and P1.2, but not P1.3.", "").1, "P1.1 P1.2");
        assert_eq!(conceded("I concede the lock, though P1.1 is false.", "").1, "");
        assert_eq!(conceded("P1.1 is false.", "").1, "");
    }
}
