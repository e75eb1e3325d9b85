//! The form in which a conclusion speaks of the record: a sentence on what was found, struck or ruled names the entry that it
//! means, and the record of that entry holds it. What holds of all of them, or of none, the engine writes itself.
//!
//! Words can be read in many ways. A form can be kept or not, and whoever does not keep it is told how to.

use std::ops::Range;

use super::at_large::{is_bound, is_cited, speaks_at_large};
use super::contradiction::{bound, words};
use super::record::{AGAINST, Record, Thing, rests_on_redacted, seqs, stray};

/// What is said to whoever speaks of the record at large.
const NAME_IT: &str = "it speaks of sources, or of what was found, struck or ruled, and does not name the entry that it means; \
                       write `seq N` in it. What holds of all sources, of none, or of so many is written beneath your words, \
                       and not by you";

/// Words that say one thing of an entry, by how they begin. The second part needs a word of the record beside it: a topic can
/// have such words as well.
const SURE: [(&str, Thing); 5] = [
    ("fabricat", Thing::Fabricated),
    ("redact", Thing::Redacted),
    ("unreliab", Thing::Unreliable),
    ("penal", Thing::Penalised),
    ("unchecked", Thing::Unchecked),
];
const LIKELY: [(&str, Thing); 11] = [
    ("verified", Thing::Verified),
    ("genuine", Thing::Verified),
    ("authentic", Thing::Verified),
    ("unverified", Thing::Unchecked),
    ("invented", Thing::Fabricated),
    ("made-up", Thing::Fabricated),
    ("fake", Thing::Fabricated),
    ("bogus", Thing::Fabricated),
    ("warned", Thing::Warned),
    ("withdrew", Thing::Withdrawn),
    ("withdrawn", Thing::Withdrawn),
];
/// Words that speak of the record without saying what it holds; the second part beside a word of the record.
const CHECKS: [&str; 2] = ["verifier", "fact-check"];
const SPEAKS: [&str; 4] = ["verification", "real", "wrong", "false"];
/// Words that stand behind what was struck where it was not struck from the record: `struck a balance`.
const STRUCK_BY: [&str; 10] = ["a", "an", "the", "me", "us", "at", "upon", "one", "that", "this"];
/// Words that speak of all, or of so many.
const GENERAL: [&str; 16] = [
    "no",
    "none",
    "nobody",
    "nothing",
    "all",
    "every",
    "each",
    "any",
    "only",
    "apart",
    "except",
    "besides",
    "beyond",
    "otherwise",
    "zero",
    "single",
];

/// What is wrong with the form of a text, and which sentence it is.
pub(super) fn misworded(record: &Record, text: &str) -> Option<String> {
    let (sentence, why) = sentences(text).into_iter().find_map(|range| {
        let sentence = text[range].trim();
        Some((sentence, objection(record, sentence)?))
    })?;
    Some(format!("\"{}\": {why}", super::turn::sentence(sentence)))
}

/// A text without the sentences that do not keep the form, and how many there were.
pub(super) fn kept(record: &Record, text: &str) -> (String, usize) {
    let mut shown = String::new();
    let mut left_out = 0;
    for range in sentences(text) {
        if objection(record, text[range.clone()].trim()).is_some() {
            left_out += 1;
        } else {
            shown.push_str(&text[range]);
        }
    }
    (shown.trim().to_owned(), left_out)
}

/// Why a sentence does not keep the form.
fn objection(record: &Record, sentence: &str) -> Option<String> {
    if let Some(why) = stray(record, sentence).or_else(|| rests_on_redacted(record, sentence)) {
        return Some(why);
    }
    let words = words(sentence);
    let starts = |stems: &[&str]| words.iter().any(|word| stems.iter().any(|stem| word.starts_with(stem)));
    let named = seqs(sentence);
    if let Some(seq) = named.iter().find(|seq| record.redacted.contains(seq))
        && !starts(&["redact", "struck", "fabricat", "penal"])
        && !starts(&AGAINST)
    {
        return Some(format!("seq {seq} was redacted, and a sentence that names it says so"));
    }
    let of_the_record =
        words.iter().any(|word| word.starts_with("seq")) || (0..words.len()).any(|at| is_cited(record, &words, at));
    let thing = |clause: &[String], at: usize| {
        let word = clause[at].as_str();
        let sure = SURE.iter().find(|(stem, _)| word.starts_with(stem)).map(|(_, thing)| *thing);
        if let Some(thing) = sure.or_else(|| is_struck(clause, at).then_some(Thing::Redacted)) {
            let free = record.topic_words().any(|known| stem(&known) == stem(word));
            return (!free || is_bound(record, clause, at)).then_some(thing);
        }
        let (_, thing) = LIKELY.iter().filter(|_| of_the_record).find(|(known, _)| word == *known)?;
        (!is_of_topic(record, word) || is_bound(record, clause, at)).then_some(*thing)
    };
    let speaks = |at: usize| {
        let word = words[at].as_str();
        let checks = CHECKS.iter().any(|stem| word.starts_with(stem)) || made_up(&words, at);
        let of_sources = of_the_record && SPEAKS.contains(&word);
        (checks && !record.topic_words().any(|known| stem(&known) == stem(word)))
            || (of_sources && (!is_of_topic(record, word) || is_bound(record, &words, at)))
            || thing(&words, at).is_some()
    };
    if clauses(&words).into_iter().any(|clause| speaks_at_large(record, clause, !named.is_empty())) {
        return Some(NAME_IT.to_owned());
    }
    if !(0..words.len()).any(speaks) {
        return None;
    }
    if named.is_empty() {
        return Some(NAME_IT.to_owned());
    }
    let mut meant = named;
    for clause in clauses(&words) {
        let own = seqs(&clause.join(" "));
        if !own.is_empty() {
            meant = own;
        }
        for (at, thing) in (0..clause.len()).filter_map(|at| Some((at, thing(clause, at)?))) {
            if is_general(clause, at) {
                return Some(NAME_IT.to_owned());
            }
            let neither = clause[..at].iter().any(|word| word == "neither");
            let denied = neither
                || bound(clause, at).is_some_and(|(before, definite)| {
                    let word = clause[before].as_str();
                    !definite && (matches!(word, "not" | "never" | "without") || word.ends_with("n't"))
                });
            if denied {
                if let Some(seq) = meant.iter().find(|seq| record.holds_wholly(**seq, thing)) {
                    return Some(format!("the record says of seq {seq} that it {}", thing.told()));
                }
            } else if !meant.iter().any(|seq| record.holds(*seq, thing, is_object(clause, at))) {
                let seqs: Vec<String> = meant.iter().map(ToString::to_string).collect();
                return Some(format!("the record does not say of seq {} that it {}", seqs.join(", "), thing.told()));
            }
        }
    }
    None
}

/// Whether something was done to what a word is said of: `exposed the fabricated source`. Then the entry that did it can be
/// the one that is named.
fn is_object(clause: &[String], at: usize) -> bool {
    bound(clause, at).is_some_and(|(before, definite)| definite && !clause[before].starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether something was struck from the record here, and no balance.
fn is_struck(clause: &[String], at: usize) -> bool {
    let next = clause.get(at + 1).map_or("", String::as_str);
    clause[at] == "struck" && !STRUCK_BY.contains(&next)
}

/// Whether somebody made something up here; one makes up for something as well.
fn made_up(words: &[String], at: usize) -> bool {
    let up = words[at + 1..].iter().take(3).position(|word| word == "up").map(|up| at + 1 + up);
    let behind = up.and_then(|up| words.get(up + 1)).map_or("", String::as_str);
    words[at] == "made" && up.is_some() && !matches!(behind, "for" | "of" | "his" | "her" | "their" | "its" | "ground")
}

/// Whether a word begins as one of the topic does.
fn is_of_topic(record: &Record, word: &str) -> bool {
    record.topic_words().any(|known| word.get(..word.len().min(6)).is_some_and(|begins| known.starts_with(begins)))
}

/// A word without its ending. A fabric is nothing fabricated.
fn stem(word: &str) -> &str {
    let endings = ["'s", "ing", "ed", "es", "s", "e"];
    endings.iter().find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.len() > 3)).unwrap_or(word)
}

/// Whether a clause speaks of all, of none or of so many.
fn is_general(clause: &[String], at: usize) -> bool {
    let counts = |at: usize| {
        let number = super::figures::number_of(&clause[at]).is_some();
        let refers = at > 0 && clause[at - 1].starts_with("seq");
        number && !refers && clause[at] != "one"
    };
    clause.iter().any(|word| GENERAL.contains(&word.as_str())) || at.checked_sub(1).is_some_and(counts)
}

/// The clauses of a sentence; a list of entries stands in one.
fn clauses(words: &[String]) -> Vec<&[String]> {
    let refers = |at: Option<usize>| {
        let word = at.and_then(|at| words.get(at));
        word.is_some_and(|word| word.starts_with("seq") || word.starts_with(|c: char| c.is_ascii_digit()))
    };
    let mut clauses = Vec::new();
    let mut from = 0;
    for (at, word) in words.iter().enumerate() {
        let parts = matches!(word.as_str(), "," | "and" | "but" | "while" | "whereas" | "though" | "although" | "which");
        let lists = refers(at.checked_sub(1)) && refers(Some(at + 1));
        if parts && !lists {
            clauses.push(&words[from..at]);
            from = at + 1;
        }
    }
    clauses.push(&words[from..]);
    clauses
}

/// Where the sentences of a text stand, with what is between them. A full stop within a number or a path ends none.
pub(super) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let next = text[end..].chars().next();
        let ends = c == '\n' || (matches!(c, '.' | '!' | '?') && next.is_none_or(char::is_whitespace));
        if ends {
            found.push(from..end);
            from = end;
        }
    }
    if from < text.len() {
        found.push(from..text.len());
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::super::record::OnRecord;
    use super::*;

    /// Seq 8 is fabricated, redacted and penalised by a ruling at 11 after the challenge at 9; seq 12 is unreliable, warned
    /// of and withdrawn; 2 and 3 are verified.
    fn record() -> Record {
        let held = [
            (2, vec![Thing::Verified]),
            (3, vec![Thing::Verified]),
            (8, vec![Thing::Fabricated, Thing::Redacted, Thing::Penalised]),
            (12, vec![Thing::Unreliable, Thing::Warned, Thing::Withdrawn]),
        ];
        Record {
            redacted: BTreeSet::from([8]),
            entries: 30,
            held: held.into_iter().map(|(seq, things)| (seq, things.into_iter().collect())).collect(),
            about: BTreeMap::from([(11, 8)]),
            answers: BTreeMap::from([(9, 8)]),
            debaters: BTreeMap::from([("anna".to_owned(), OnRecord::default()), ("ben".to_owned(), OnRecord::default())]),
            topic: "Does review pay?".to_owned(),
        }
    }

    #[test]
    fn what_speaks_of_the_record_at_large_does_not_keep_the_form() {
        for text in [
            "No source was fabricated, and nobody could answer seq 2.",
            "Neither anna nor ben fabricated a source.",
            "Fabricated sources: none.",
            "Fabricated: 0.",
            "Redactions: none.",
            "Fabrication did not occur.",
            "Neither side resorted to fabricated sources.",
            "No one cited a fabricated source.",
            "In the end no debater used fabricated evidence.",
            "Not a single citation proved fabricated.",
            "No sources failed verification.",
            "The verifier found nothing wrong.",
            "The sources were all genuine.",
            "The penalty against anna weighs heavily.",
            "Apart from seq 8, no source was fabricated.",
            "Anna had three fabricated sources, seq 8 among them.",
            "Ben, unlike anna, had no fabricated source.",
        ] {
            assert_eq!(objection(&record(), text).as_deref(), Some(NAME_IT), "{text}");
        }
    }

    #[test]
    fn what_is_said_of_sources_at_large_names_an_entry_whatever_it_says_of_them() {
        for text in [
            "Every cited source checks out, and no issues with sources were found.",
            "Nothing had to be struck from the record.",
            "Nothing was ever struck.",
            "Anna's sources are sound throughout.",
            "Both debaters cited only existing sources.",
            "Anna's citations exist and are accurate.",
            "Nobody had an entry removed.",
            "Her evidence was never thrown out.",
            "No page was missing.",
            "Both were honest about their sources.",
            "The fact-check came back clean.",
            "Nobody made anything up.",
            "Every source checks out, and seq 2 was never answered.",
            "Apart from seq 12, every source checks out.",
        ] {
            assert_eq!(objection(&record(), text).as_deref(), Some(NAME_IT), "{text}");
        }
        for text in [
            "The sources of seqs 2 and 3 hold in every word.",
            "Anna gave no evidence that review slows a team down.",
            "Anna's seq 12 has no source that holds.",
            "Ben struck a balance that made up for it.",
            "Neither side spoke of data entry, with no reference to cost.",
            "A good source would have helped her.",
        ] {
            assert_eq!(objection(&record(), text), None, "{text}");
        }
    }

    #[test]
    fn a_word_of_the_topic_is_free_where_it_is_not_said_of_the_record() {
        let on = |topic: &str, text: &str| objection(&Record { topic: topic.to_owned(), ..record() }, text);
        for (topic, text) in [
            ("Are fabricated sources a danger for review?", "No source was fabricated."),
            ("Are fabricated sources a danger for review?", "No fabricated sources were found."),
            ("Are fabricated sources a danger for review?", "Anna's sources were never fabricated."),
            ("Should fabric makers automate?", "No source was fabricated by anyone."),
            ("Should fabric makers automate?", "Nobody fabricated anything."),
            ("Is formal verification worth its cost?", "All sources were verified."),
            ("Does the redaction law with its penalties help?", "No entry was redacted and nobody was penalised."),
            ("Should penalised drivers walk?", "Nobody was penalised."),
            ("Should penalised drivers walk?", "Anna was penalised."),
            ("Does open source pay?", "Every source checks out."),
        ] {
            assert_eq!(on(topic, text).as_deref(), Some(NAME_IT), "{topic}: {text}");
        }
        for (topic, text) in [
            ("Are fabricated sources a danger for review?", "Fabricated sources are a danger, as ben says."),
            ("Do penalties deter?", "Anna argued that penalties deter (seq 2)."),
            ("Do penalties deter?", "The source of seq 2 shows that penalties deter."),
            ("Does open source pay?", "Open source pays, and ben has shown it."),
        ] {
            assert_eq!(on(topic, text), None, "{topic}: {text}");
        }
    }

    #[test]
    fn what_the_record_of_a_named_entry_does_not_hold_is_told() {
        for (text, why) in [
            ("Seq 8 was not fabricated.", "the record says of seq 8 that it has a fabricated source"),
            ("Seq 8 was never redacted.", "the record says of seq 8 that it was redacted"),
            ("Seq 8 was struck and seq 3 was redacted.", "the record does not say of seq 3 that it was redacted"),
            ("Ben's seq 9 was struck from the record.", "the record does not say of seq 9 that it was redacted"),
            ("Seq 9 has a fabricated source.", "the record does not say of seq 9 that it has a fabricated source"),
            ("The source of seq 3 was fabricated.", "the record does not say of seq 3 that it has a fabricated source"),
            ("The source of seq 12 was verified.", "the record does not say of seq 12 that it has a verified source"),
            ("Seq 2 earned a penalty.", "the record does not say of seq 2 that it was penalised"),
            ("Anna's seq 8 stands unrefuted.", "seq 8 was redacted, and a sentence that names it says so"),
            ("Seq 8 is what I rest on.", "seq 8 was redacted, and a sentence that names it says so"),
            ("As seq 99 shows, it is so.", "there is no entry with seq 99"),
        ] {
            assert_eq!(objection(&record(), text).as_deref(), Some(why), "{text}");
        }
    }

    #[test]
    fn what_names_its_entry_and_what_is_about_something_else_is_kept() {
        for text in [
            "Anna's source at seq 8 was fabricated and redacted, and she did not withdraw it.",
            "Ben showed at seq 9 that the source of seq 8 was fabricated.",
            "The ruling at seq 11 penalised anna.",
            "It was penalised for seq 8.",
            "The fabricated source, seq 8, sinks her case.",
            "The redacted seq 8 does not count.",
            "Ben did not rest on the fabricated seq 8.",
            "Neither seq 2 nor seq 3 was fabricated.",
            "Seqs 2 and 3 were verified, and nobody answered them.",
            "Anna withdrew the source of seq 12 after she was warned.",
            "With seq 8 gone, anna has little left.",
            "Ben argued better, at 3.5 faults an hour (docs/review.md:3).",
            "All of ben's arguments hold, and nobody answered seq 2.",
            "He was warned that review costs time.",
            "It is a real gain.",
        ] {
            assert_eq!(objection(&record(), text), None, "{text}");
        }
        let topic = Record { topic: "Should verification replace fabricated tests?".to_owned(), ..record() };
        for text in ["Verification pays.", "Nobody needs fabricated tests."] {
            assert_eq!(objection(&topic, text), None, "{text}");
        }
    }

    #[test]
    fn what_does_not_keep_the_form_is_left_out_and_all_else_stays() {
        let text = "Ben argued better. No source was fabricated.\nSeq 8 was redacted. Nobody answered seq 2.";
        assert_eq!(
            kept(&record(), text),
            ("Ben argued better.\nSeq 8 was redacted. Nobody answered seq 2.".to_owned(), 1).clone()
        );
        assert!(misworded(&record(), text).is_some_and(|why| why.starts_with("\"No source was fabricated.\": it speaks")));
        assert_eq!(misworded(&record(), "Ben argued better."), None);
    }
}
