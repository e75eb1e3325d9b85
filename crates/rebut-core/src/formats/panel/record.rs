//! Whether words of the chair contradict the record: what was redacted, ruled and found stands in the log, and nobody can
//! conclude that it does not.

use std::collections::{BTreeMap, BTreeSet};

/// What stands on record, as far as words can contradict it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Every debater with what stands on record.
    pub debaters: BTreeMap<String, OnRecord>,
    /// Entries that were redacted.
    pub redacted: BTreeSet<u64>,
    /// How many entries the log has.
    pub entries: u64,
}

/// What stands on record of one debater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnRecord {
    /// Sources that were found to be fabricated.
    pub fabricated: usize,
    /// Sources that were found to be unreliable.
    pub unreliable: usize,
    /// Sources that nobody could read.
    pub unchecked: usize,
    /// Sources that support their claim.
    pub verified: usize,
    /// Entries that were redacted.
    pub redactions: usize,
    /// Rulings against this debater.
    pub rulings: usize,
    /// Of them, penalties.
    pub penalties: usize,
}

/// What can be denied: the beginnings of words, what they are called, and how often it stands on record.
type Deniable = (&'static [&'static str], &'static str, fn(&OnRecord) -> usize);

const DENIABLE: [Deniable; 4] = [
    (&["fabricat", "invented"], "a fabricated source", |on| on.fabricated),
    (&["redact", "struck"], "a redaction", |on| on.redactions),
    (&["unreliab"], "an unreliable source", |on| on.unreliable),
    (&["penal"], "a penalty", |on| on.penalties),
];
/// Words that deny what follows them in the same clause.
const DENIALS: [&str; 8] = ["no", "none", "nothing", "without", "zero", "neither", "never", "nobody"];
/// Words that take a part out of what is denied.
const EXCEPTIONS: [&str; 8] = ["but", "except", "apart", "other", "besides", "beyond", "only", "further"];
/// How far a denial reaches, in words.
const REACH: usize = 7;

/// How words contradict the record, if they do. `about` is the debater whom they are about where they name none.
pub fn contradiction(record: &Record, about: Option<&str>, text: &str) -> Option<String> {
    references(record, text).or_else(|| {
        sentences(text).into_iter().find_map(|sentence| {
            let words = words(sentence);
            let meant = meant(record, about, sentence);
            denied(&words, &meant).or_else(|| all_verified(&words, &meant)).or_else(|| counted(&words, &meant))
        })
    })
}

/// Whom a sentence is about, with what stands on record of them: those it names, else all.
fn meant<'a>(record: &'a Record, about: Option<&str>, sentence: &str) -> Vec<(&'a str, &'a OnRecord)> {
    let all = || record.debaters.iter().map(|(name, on)| (name.as_str(), on));
    let named: Vec<_> = all().filter(|(name, _)| names(sentence, name)).collect();
    if !named.is_empty() {
        return named;
    }
    all().filter(|(name, _)| about.is_none_or(|about| about == *name)).collect()
}

fn denied(words: &[String], meant: &[(&str, &OnRecord)]) -> Option<String> {
    if words.iter().any(|word| EXCEPTIONS.contains(&word.as_str())) {
        return None;
    }
    for (stems, what, count) in DENIABLE {
        let Some((name, _)) = meant.iter().find(|(_, on)| count(on) > 0) else { continue };
        let places = (0..words.len()).filter(|at| stems.iter().any(|stem| words[*at].starts_with(stem)));
        for at in places {
            let clause = words[..at].iter().rev().take(REACH).take_while(|word| *word != ",");
            let denies = clause.clone().any(|word| DENIALS.contains(&word.as_str()));
            // `not fabricated`, `not been redacted`; but not `did not withdraw the fabricated source`.
            let not = clause.take(2).any(|word| word == "not" || word.ends_with("n't"));
            if denies || not {
                return Some(format!("the record holds {what} of {name}, and your words deny it"));
            }
        }
    }
    None
}

fn all_verified(words: &[String], meant: &[(&str, &OnRecord)]) -> Option<String> {
    let says = |stem: &str| words.iter().any(|word| word.starts_with(stem));
    let all = words.iter().any(|word| matches!(word.as_str(), "all" | "every" | "each"));
    let hedged = words.iter().any(|word| matches!(word.as_str(), "not" | "almost" | "nearly"));
    let excepted = words.iter().any(|word| EXCEPTIONS.contains(&word.as_str()));
    if !(all && says("source") && says("verif")) || hedged || excepted || says("unverif") {
        return None;
    }
    let (name, _) = meant.iter().find(|(_, on)| on.fabricated + on.unreliable + on.unchecked > 0)?;
    Some(format!("not every source of {name} was verified, and your words say so"))
}

/// `two redactions` where there were three.
fn counted(words: &[String], meant: &[(&str, &OnRecord)]) -> Option<String> {
    const NUMBERS: [&str; 11] = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let countable: [Deniable; 2] =
        [(&["redaction"], "redactions", |on| on.redactions), (&["penalt"], "penalties", |on| on.penalties)];
    for pair in words.windows(2) {
        let said = pair[0].parse().ok().or_else(|| NUMBERS.iter().position(|number| *number == pair[0]));
        for (stems, _, count) in countable {
            let there: usize = meant.iter().map(|(_, on)| count(on)).sum();
            if pair[1].starts_with(stems[0]) && said.is_some_and(|said: usize| said != there) {
                return Some(format!("you count {} {}, and the record holds {there}", pair[0], pair[1]));
            }
        }
    }
    None
}

/// Entries that are named and are not there, or are redacted and are relied on.
fn references(record: &Record, text: &str) -> Option<String> {
    for sentence in sentences(text) {
        let lower = sentence.to_lowercase();
        let known = ["redact", "fabricat", "struck", "invented"].iter().any(|word| lower.contains(word));
        for seq in seqs(sentence) {
            if seq >= record.entries {
                return Some(format!("there is no entry with seq {seq}"));
            }
            if record.redacted.contains(&seq) && !known {
                return Some(format!("seq {seq} was redacted; nothing can rest on it"));
            }
        }
    }
    None
}

/// The entries that a text refers to: `seq 4`, `seqs 4, 7 and 9`, `[seq 4]`.
pub(super) fn seqs(text: &str) -> Vec<u64> {
    let mut found = Vec::new();
    let mut listing = false;
    for word in text.split(|c: char| c.is_whitespace() || matches!(c, '[' | ']' | '(' | ')')).filter(|word| !word.is_empty())
    {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let lower = bare.to_lowercase();
        match (lower.as_str(), bare.parse::<u64>()) {
            ("seq" | "seqs", _) => listing = true,
            ("and" | "or" | "to" | "", _) if listing => {}
            (_, Ok(seq)) if listing => found.push(seq),
            _ => listing = false,
        }
    }
    found
}

fn sentences(text: &str) -> Vec<&str> {
    text.split(['.', '!', '?', ';', '\n']).filter(|sentence| !sentence.trim().is_empty()).collect()
}

/// Words in lower case; a comma is a word of its own.
fn words(sentence: &str) -> Vec<String> {
    let spaced = sentence.to_lowercase().replace(',', " , ").replace('\u{2019}', "'");
    let words = spaced
        .split_whitespace()
        .map(|word| if word == "," { word } else { word.trim_matches(|c: char| !c.is_alphanumeric()) });
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn names(sentence: &str, name: &str) -> bool {
    let (sentence, name) = (sentence.to_lowercase(), name.to_lowercase());
    let mut from = 0;
    while let Some(at) = sentence[from..].find(&name) {
        let (start, end) = (from + at, from + at + name.len());
        let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '-');
        if edge(sentence[..start].chars().next_back()) && edge(sentence[end..].chars().next()) {
            return true;
        }
        from = end;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let anna = OnRecord { fabricated: 1, redactions: 1, penalties: 1, rulings: 2, verified: 2, ..OnRecord::default() };
        let ben = OnRecord { verified: 4, unchecked: 1, ..OnRecord::default() };
        Record {
            debaters: BTreeMap::from([("anna".to_owned(), anna), ("ben".to_owned(), ben)]),
            redacted: BTreeSet::from([5]),
            entries: 30,
        }
    }

    #[test]
    fn words_that_deny_what_stands_on_record_are_found() {
        for text in [
            "No fabricated sources were found.",
            "None of the sources was fabricated.",
            "The debate was held without a single redaction.",
            "Nothing was redacted.",
            "Anna's sources were not fabricated.",
            "All sources were verified.",
            "Every one of Ben's sources was verified.",
            "Anna relied on seq 5, which decides it.",
            "As seq 99 shows, it is so.",
            "There were two redactions.",
            "Neither side earned a penalty.",
        ] {
            assert!(contradiction(&record(), None, text).is_some(), "{text}");
        }
    }

    #[test]
    fn words_that_keep_to_the_record_are_none_of_it() {
        for text in [
            "Anna's source at seq 5 was fabricated and redacted, and she did not withdraw it.",
            "Ben has no fabricated sources.",
            "Ben earned no penalty, and his rebuttal at seq 8 was never answered.",
            "No debater but anna fabricated a source.",
            "There was one redaction and one penalty.",
            "Anna did not withdraw the fabricated source.",
            "It was close. Ben's seqs 7, 9 and 12 decide it.",
        ] {
            assert_eq!(contradiction(&record(), None, text), None, "{text}");
        }
        assert_eq!(contradiction(&record(), Some("ben"), "No fabricated source."), None);
        assert!(contradiction(&record(), Some("anna"), "No fabricated source.").is_some());
    }

    #[test]
    fn references_are_read_in_their_forms() {
        assert_eq!(seqs("See seq 4, [seq 7] and seqs 8, 9 and 10; in 2024 it was 12."), [4, 7, 8, 9, 10]);
    }
}
