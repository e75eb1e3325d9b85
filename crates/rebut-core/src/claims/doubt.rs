//! Words that call a citation false.

use std::ops::Range;

/// Single words that do.
#[rustfmt::skip]
const WORDS: [&str; 38] = [
    "false", "falsely", "invented", "invents", "invention", "fabricated", "fabricates", "fabrication", "hallucinated",
    "fictitious", "fictional", "bogus", "mismatch", "mismatched", "unverified", "nonexistent", "non-existent", "refuted",
    "debunked", "demolished", "exposed", "exposes", "caught", "hollow", "misquoted", "misquotes", "discounted",
    "disregarded", "nowhere", "erfunden", "erfundene", "erfundenen", "falsch", "widerlegt", "inventé",
    "inventée", "inventado", "inventato",
];

/// Several words that do.
#[rustfmt::skip]
const PHRASES: [&str; 44] = [
    "not exist", "doesn't exist", "don't exist", "not there", "isn't there", "no such", "no file", "not verified",
    "not say", "doesn't say", "not hold", "doesn't hold", "is wrong", "is missing", "was missing", "are missing",
    "cannot be found", "can't be found", "not be found", "not found", "not find", "couldn't find", "can't find",
    "past the end", "beyond the end", "behind the end", "out of range", "made up", "cannot be right", "can't be right",
    "not in the repository", "not in the repo", "not stand", "doesn't stand", "looked up and failed", "nicht gibt",
    "gibt es nicht", "existiert nicht", "steht nicht", "nicht vorhanden", "n'existe pas", "no existe", "non esiste",
    "não existe",
];

/// Words behind which such a doubt is itself denied: nobody showed it.
#[rustfmt::skip]
const UNSHOWN: [&str; 19] = [
    "not shown", "never shown", "hasn't shown", "not show", "didn't show", "never showed", "failed to show",
    "fails to show", "without showing", "not proved", "not proven", "never proved", "failed to prove", "not demonstrated",
    "not established", "not true that", "nicht gezeigt", "nicht bewiesen", "nicht belegt",
];

/// How many words before and behind a citation may call it false.
const NEAR: usize = 8;

/// Whether words near a place, in its own sentence, call it false.
pub(crate) fn is_doubted(text: &str, span: Range<usize>) -> bool {
    let (before, behind) = around(text, span);
    let (before, behind) = (words(before), words(behind));
    let unshown = holds_any(&joined(&before), &UNSHOWN);
    let near = [&before[before.len().saturating_sub(NEAR)..], &behind[..behind.len().min(NEAR)]];
    !unshown && near.into_iter().any(|near| says_so(&joined(near)))
}

/// Whether a sentence calls something that it speaks of false.
pub(crate) fn doubts(sentence: &str) -> bool {
    let words = joined(&words(sentence));
    says_so(&words) && !holds_any(&words, &UNSHOWN)
}

/// What stands before and behind a place in its own sentence, as far as it is looked at: a text may be one sentence from
/// its beginning to its end.
pub(crate) fn around(text: &str, span: Range<usize>) -> (&str, &str) {
    const REACH: usize = 400;
    let (from, to) = (span.start.saturating_sub(REACH), text.len().min(span.end + REACH));
    let from = (from..=span.start).find(|at| text.is_char_boundary(*at)).unwrap_or(span.start);
    let to = (span.end..=to).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(span.end);
    let before = text[from..span.start].rsplit(". ").next().unwrap_or_default();
    let behind = text[span.end..to].split(". ").next().unwrap_or_default();
    (before, behind)
}

fn says_so(words: &str) -> bool {
    words.split(' ').any(|word| WORDS.contains(&word)) || holds_any(words, &PHRASES)
}

fn holds_any(words: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        words.match_indices(phrase).any(|(at, _)| {
            let ends = words.as_bytes().get(at + phrase.len()).is_none_or(|byte| *byte == b' ');
            ends && (at == 0 || words.as_bytes()[at - 1] == b' ')
        })
    })
}

fn joined(words: &[String]) -> String {
    words.join(" ")
}

/// The words of a text in small letters. The mark of a failed check says what a word would.
fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '✘')));
    let words = parts.map(|word| word.trim_matches('-')).filter(|word| !word.is_empty());
    words.map(|word| if word.contains('✘') { "false".to_owned() } else { word.replace('’', "'").to_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubted(text: &str) -> bool {
        let at = text.find("a.rs:3").unwrap();
        is_doubted(text, at..at + 6)
    }

    #[test]
    fn a_citation_is_called_false_in_many_ways() {
        for text in [
            "The cited a.rs:3 was invented.",
            "The case hangs on a.rs:3, and the challenger demolished it.",
            "They cite a.rs:3, for which there is no file.",
            "The file behind a.rs:3 cannot be found.",
            "The citation a.rs:3 is marked ✘.",
            "Er weist nach, dass es a.rs:3 nicht gibt.",
            "a.rs:3 doesn’t exist.",
        ] {
            assert!(doubted(text), "{text}");
        }
        for text in [
            "a.rs:3 shows that the check which failed is the wrong one.",
            "The wait is not bounded, and nothing that exists helps: a.rs:3 shows it.",
            "The other side has not shown that a.rs:3 is false.",
            "It is false. Then a.rs:3 drops the lock.",
        ] {
            assert!(!doubted(text), "{text}");
        }
    }
}
