//! Neutral labels in what a judge reads, and the sides' own names in what it wrote.
//!
//! Ids are mapped by exact token (`P1.2` to `A1.2`), and only those that exist in the debate.

use std::collections::BTreeMap;

use super::Label;

/// The labels that two sides have on one ballot.
#[derive(Clone, Debug)]
pub struct Masks {
    /// The side that is shown as A, then the one shown as B: the word for it, and the letter of its ids.
    sides: [(&'static str, &'static str); 2],
    /// Every id of the debate, with its masked form.
    ids: BTreeMap<String, String>,
    back: BTreeMap<String, String>,
}

impl Masks {
    /// The first of these sides is shown as A. `ids` are those of claims (`P1.2`) and statements (`P1`).
    pub fn new(sides: [(&'static str, &'static str); 2], ids: impl IntoIterator<Item = String>) -> Self {
        let masked = |id: &String| {
            let labelled = sides.iter().zip(Label::BOTH);
            labelled
                .into_iter()
                .find_map(|((_, letter), label)| Some(format!("{}{}", label.as_str(), id.strip_prefix(letter)?)))
        };
        let ids: BTreeMap<String, String> = ids.into_iter().filter_map(|id| masked(&id).map(|to| (id, to))).collect();
        let back = ids.iter().map(|(id, masked)| (masked.clone(), id.clone())).collect();
        Self { sides, ids, back }
    }

    /// A text of the debate with labels for the sides' ids and words.
    pub fn mask(&self, text: &str) -> String {
        mapped(text, |token| {
            // Every id ends with a digit, and few words do.
            if token.ends_with(|c: char| c.is_ascii_digit()) {
                return self.ids.get(token).cloned();
            }
            let labelled = self.sides.iter().zip(Label::BOTH).find(|((word, _), _)| token.eq_ignore_ascii_case(word));
            labelled.map(|(_, label)| format!("Side {}", label.as_str()))
        })
    }

    /// A text of the judge with the debate's own ids and words: `[A]` becomes `the proposer`.
    pub fn unmask(&self, text: &str) -> String {
        let mut text = mapped(text, |token| self.back.get(token).cloned());
        for ((word, _), label) in self.sides.iter().zip(Label::BOTH) {
            let token = format!("[{}]", label.as_str());
            let mut parts = text.split(&token);
            let mut named = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                let before = named.trim_end_matches(['*', '_', '"', ' ']);
                let begins = before.is_empty() || before.ends_with(['.', '!', '?', ':', '\n']);
                named.push_str(if begins { "The " } else { "the " });
                named.push_str(word);
                named.push_str(part);
            }
            text = named;
        }
        text
    }

    /// An id as the judge reads it.
    pub fn masked_id<'a>(&'a self, id: &'a str) -> &'a str {
        self.ids.get(id).map_or(id, String::as_str)
    }
}

/// The text with every token replaced for which there is something else: a run of letters, digits and underscores, with
/// single dots inside, that is no part of a path.
fn mapped(text: &str, other: impl Fn(&str) -> Option<String>) -> String {
    let mut result = String::with_capacity(text.len());
    // Up to where the text is in the result, and up to where it was read.
    let (mut copied, mut at) = (0, 0);
    while let Some(start) = text[at..].find(is_word).map(|found| at + found) {
        at = start + token_length(&text[start..]);
        let token = &text[start..at];
        let Some(replaced) = other(token) else { continue };
        let is_in_path = text[..start].ends_with(['/', '\\']) || text[at..].starts_with(['/', '\\']);
        if token.contains('.') || !is_in_path {
            result.push_str(&text[copied..start]);
            result.push_str(&replaced);
            copied = at;
        }
    }
    result + &text[copied..]
}

fn token_length(text: &str) -> usize {
    let goes_on = |(at, c): &(usize, char)| is_word(*c) || *c == '.' && text[at + 1..].starts_with(is_word);
    text.char_indices().find(|place| !goes_on(place)).map_or(text.len(), |(at, _)| at)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masks() -> Masks {
        let ids = ["P1", "P1.2", "C1", "C1.1", "P2.10"].map(str::to_owned);
        Masks::new([("challenger", "C"), ("proposer", "P")], ids)
    }

    #[test]
    fn ids_and_words_are_masked_as_whole_tokens_and_nowhere_else() {
        for (text, masked) in [
            ("P1.2 rests on C1.1/P1.2, not on P2.1.", "B1.2 rests on A1.1/B1.2, not on P2.1."),
            ("As P1 says. (C1)", "As B1 says. (A1)"),
            ("src/P1/x.rs, P1.rs:3, XP1, P1_2, P2.10.", "src/P1/x.rs, P1.rs:3, XP1, P1_2, B2.10."),
            ("The Proposer's case; the challenger: proposers", "The Side B's case; the Side A: proposers"),
            ("größer als P1", "größer als B1"),
        ] {
            assert_eq!(masks().mask(text), masked);
        }
    }

    #[test]
    fn a_judges_words_come_back_in_the_debates_own() {
        for (text, shown) in [
            ("[B] shows it with B1.2; [A] does not (A1).", "The proposer shows it with P1.2; the challenger does not (C1)."),
            ("A1.9 is no id, and A is a letter.", "A1.9 is no id, and A is a letter."),
            ("So ist es. [A] hat recht, sagt [B].", "So ist es. The challenger hat recht, sagt the proposer."),
        ] {
            assert_eq!(masks().unmask(text), shown);
        }
    }
}
