//! Whether words contradict the record. Words can be read in many ways, so that this is asked about once; what must not be
//! wrong is compared in figures (`record.rs`).

use super::figures;
use super::record::{OnRecord, Record, rests_on_redacted, stray};

/// What can be denied or counted: the beginnings of words, what they are called, and how often it stands on record.
type Deniable = (&'static [&'static str], &'static str, fn(&OnRecord) -> usize);

const DENIABLE: [Deniable; 4] = [
    (&["fabricat", "invented", "made-up", "fake", "bogus"], "a fabricated source", |on| on.fabricated),
    (&["redact", "struck"], "a redaction", |on| on.redactions),
    (&["unreliab"], "an unreliable source", |on| on.unreliable),
    (&["penal"], "a penalty", |on| on.penalties),
];
/// Words that deny what they stand at.
const DENIALS: [&str; 12] =
    ["no", "none", "nothing", "without", "zero", "0", "neither", "never", "nobody", "not", "free", "didn't"];
/// Denials of all there is, which may stand before `of the sources`.
const UNIVERSAL: [&str; 6] = ["none", "neither", "nothing", "nobody", "one", "single"];
/// Words that may stand between a denial or a number and what it is about. Any other word breaks the bond: `no doubt that
/// the fabricated source` denies no source.
#[rustfmt::skip]
const BONDS: [&str; 46] = [
    "a", "an", "any", "single", "one", "of", "from", "source", "sources", "citation", "citations", "reference",
    "references", "entry", "entries", "evidence", "was", "were", "is", "are", "been", "be", "has", "have", "had",
    "found", "to", "debater", "debaters", "side", "sides", "earned", "received", "got", "drew", "such", "proven",
    "instance", "instances", "case", "cases", "ever", "that", "turned", "out", "being",
];
/// Words that say that something was not looked at.
const OPEN: [&str; 4] = ["uncheck", "unread", "unverif", "unfetched"];

/// How words contradict the record, if they do.
pub fn contradiction(record: &Record, text: &str) -> Option<String> {
    stray(record, text).or_else(|| rests_on_redacted(record, text)).or_else(|| {
        let open = words(text).iter().any(|word| OPEN.iter().any(|stem| word.starts_with(stem)));
        sentences(text).into_iter().find_map(|sentence| in_sentence(record, open, sentence))
    })
}

/// `open` tells whether the text says that something was not looked at.
fn in_sentence(record: &Record, open: bool, sentence: &str) -> Option<String> {
    let mut last: Vec<&str> = Vec::new();
    let words = words(sentence);
    // What would be, were it otherwise, denies nothing.
    if words.iter().any(|word| matches!(word.as_str(), "if" | "would" | "could")) {
        return None;
    }
    for clause in clauses(&words, record) {
        let named: Vec<&str> =
            record.debaters.keys().map(String::as_str).filter(|name| clause_names(clause, name)).collect();
        // A clause that names nobody goes on about those of the clause before it.
        if !named.is_empty() {
            last = named;
        }
        let meant: Vec<(&str, &OnRecord)> = record
            .debaters
            .iter()
            .map(|(name, on)| (name.as_str(), on))
            .filter(|(name, _)| last.is_empty() || last.contains(name))
            .collect();
        let found = denied(clause, &meant)
            .or_else(|| counted(clause, &meant, record))
            .or_else(|| accused(clause, &meant))
            .or_else(|| all_verified(clause, &meant))
            .or_else(|| if open { None } else { unchecked(clause, &meant) });
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Nothing bad is said to be among sources that nobody could read, or they are called real.
fn unchecked(clause: &[String], meant: &[(&str, &OnRecord)]) -> Option<String> {
    let (name, on) = meant.iter().find(|(_, on)| on.unchecked > 0)?;
    let free = [DENIABLE[0].0, DENIABLE[2].0].into_iter().any(|stems| {
        places(clause, stems).any(|at| {
            bound(clause, at).is_some_and(|(before, definite)| {
                let word = clause[before].as_str();
                let denial = DENIALS.contains(&word) || word.ends_with("n't");
                (denial && !definite) || (definite && matches!(word, "none" | "neither" | "nothing"))
            })
        })
    });
    let real = on.verified == 0
        && clause.windows(2).any(|two| {
            ["real", "genuine", "authentic"].contains(&two[0].as_str())
                && ["source", "citation", "reference"].iter().any(|stem| two[1].starts_with(stem))
        });
    (free || real).then(|| {
        format!("{} of the sources of {name} are unchecked, so that nobody can say this of them; say that too", on.unchecked)
    })
}

/// The places of a clause that speak of something deniable.
fn places<'c>(clause: &'c [String], stems: &'static [&'static str]) -> impl Iterator<Item = usize> + 'c {
    (0..clause.len()).filter(move |at| stems.iter().any(|stem| clause[*at].starts_with(stem)))
}

/// The word that a place is bound to, walking back over words that bind, and whether `the` stood between.
pub(super) fn bound(clause: &[String], at: usize) -> Option<(usize, bool)> {
    let mut definite = false;
    for before in (0..at).rev() {
        let word = clause[before].as_str();
        if matches!(word, "the" | "these" | "those" | "their" | "its" | "her" | "his" | "our") {
            definite = true;
        } else if !BONDS.contains(&word) || (UNIVERSAL.contains(&word) && definite) {
            return Some((before, definite));
        }
    }
    None
}

fn denied(clause: &[String], meant: &[(&str, &OnRecord)]) -> Option<String> {
    for (stems, what, count) in DENIABLE {
        for at in places(clause, stems) {
            let Some((before, definite)) = bound(clause, at) else { continue };
            let word = clause[before].as_str();
            let denial = DENIALS.contains(&word) || word.ends_with("n't");
            // `not one of the sources` is of all of them, `without the redacted entry` is of one.
            let none = UNIVERSAL.contains(&word)
                && (!matches!(word, "one" | "single") || clause[..before].iter().rev().take(2).any(|word| word == "not"));
            let neither_nor = word == "neither" && clause.iter().any(|word| word == "nor");
            if !neither_nor
                && ((denial && !definite) || (definite && none))
                && let Some((name, _)) = meant.iter().find(|(_, on)| count(on) > 0)
            {
                return Some(format!("the record holds {what} of {name}, and these words deny it"));
            }
        }
    }
    None
}

/// `two redactions` where there were three.
fn counted(clause: &[String], meant: &[(&str, &OnRecord)], record: &Record) -> Option<String> {
    for (stems, _, count) in DENIABLE {
        for at in places(clause, stems) {
            // The nearest number that is bound to it.
            let number =
                (0..at).rev().take_while(|before| BONDS.contains(&clause[*before].as_str()) || is_number(&clause[*before]));
            // `seq 5` counts nothing.
            let refers = |before: usize| {
                before > 0
                    && matches!(clause[before - 1].as_str(), "seq" | "seqs" | "entry" | "entries" | "round" | "rounds")
            };
            let mut number = number.filter(|before| !refers(*before) && is_number(&clause[*before]));
            // Of `two of four` the first one counts.
            let part = |before: usize| {
                let of = before >= 2 && clause[before - 1] == "of" && is_number(&clause[before - 2]);
                if of { before - 2 } else { before }
            };
            let number = number.next().and_then(|before| number_of(&clause[part(before)])).filter(|said| *said > 1);
            let there: usize = meant.iter().map(|(_, on)| count(on)).sum();
            let struck: usize = meant.iter().map(|(_, on)| on.redactions).sum();
            let in_all: usize = record.debaters.values().map(count).sum();
            if let Some(said) = number.filter(|said| ![there, struck, in_all].contains(said)) {
                return Some(format!("you count {said} where you say \"{}\", and the record holds {there}", clause[at]));
            }
        }
    }
    None
}

fn number_of(word: &str) -> Option<usize> {
    if word == "zero" { Some(0) } else { figures::number_of(word)?.parse().ok() }
}

fn is_number(word: &str) -> bool {
    number_of(word).is_some()
}

/// Somebody is said to have fabricated, or to have been redacted or penalised, of whom nothing of that kind is on record.
/// Only where the words are bound to that one name.
fn accused(clause: &[String], meant: &[(&str, &OnRecord)]) -> Option<String> {
    let [(name, on)] = meant else { return None };
    let is_name = |word: &String| word.trim_end_matches("'s") == name.to_lowercase();
    for (stems, what, count) in DENIABLE.into_iter().filter(|_| clause.iter().any(is_name)) {
        for at in places(clause, &stems[..1]).filter(|_| count(on) == 0) {
            let subject = bound(clause, at).is_some_and(|(before, definite)| !definite && is_name(&clause[before]));
            let object =
                clause[at + 1..].iter().position(|word| matches!(word.as_str(), "of" | "by" | "from")).is_some_and(|of| {
                    let between = &clause[at + 1..at + 1 + of];
                    between.iter().all(|word| BONDS.contains(&word.as_str())) && clause.get(at + of + 2).is_some_and(is_name)
                });
            let denied = clause.iter().any(|word| DENIALS.contains(&word.as_str()) || word.ends_with("n't"));
            if (subject || object) && !denied {
                return Some(format!("the record holds no such thing as {what} of {name}, and your words say so"));
            }
        }
    }
    None
}

fn all_verified(clause: &[String], meant: &[(&str, &OnRecord)]) -> Option<String> {
    let says = |stems: &[&str]| clause.iter().any(|word| stems.iter().any(|stem| word.starts_with(stem)));
    let hedged = clause.iter().any(|word| {
        matches!(
            word.as_str(),
            "not" | "almost" | "nearly" | "but" | "except" | "apart" | "other" | "none" | "no" | "standing"
        )
    });
    let all = clause.iter().position(|word| matches!(word.as_str(), "all" | "every" | "each"))?;
    let subject = clause[all + 1..]
        .iter()
        .take(5)
        .any(|word| ["source", "citation", "reference"].iter().any(|stem| word.starts_with(stem)));
    if !subject || hedged || says(&["unverif"]) || !says(&["verif", "genuine", "authentic", "real"]) {
        return None;
    }
    let (name, _) = meant.iter().find(|(_, on)| on.fabricated + on.unreliable + on.unchecked > 0)?;
    Some(format!("not every source of {name} was verified, and your words say so"))
}

pub(super) fn sentences(text: &str) -> Vec<&str> {
    text.split(['.', '!', '?', ';', '\n']).filter(|sentence| !sentence.trim().is_empty()).collect()
}

/// Words in lower case; a comma is a word of its own.
pub(super) fn words(sentence: &str) -> Vec<String> {
    let spaced = sentence.to_lowercase().replace(',', " , ").replace('\u{2019}', "'");
    let words = spaced
        .split_whitespace()
        .map(|word| if word == "," { word } else { word.trim_matches(|c: char| !c.is_alphanumeric()) });
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The clauses of a sentence. `anna and ben` stand in one.
fn clauses<'w>(words: &'w [String], record: &Record) -> Vec<&'w [String]> {
    let is_name = |at: Option<usize>| {
        let word = at.and_then(|at| words.get(at));
        word.is_some_and(|word| record.debaters.keys().any(|name| clause_names(std::slice::from_ref(word), name)))
    };
    let mut clauses = Vec::new();
    let mut from = 0;
    for (at, word) in words.iter().enumerate() {
        let between_names = word == "and" && is_name(at.checked_sub(1)) && is_name(Some(at + 1));
        let parts = matches!(word.as_str(), "," | "and" | "but" | "while" | "whereas" | "though" | "although");
        if parts && !between_names {
            clauses.push(&words[from..at]);
            from = at + 1;
        }
    }
    clauses.push(&words[from..]);
    clauses
}

fn clause_names(clause: &[String], name: &str) -> bool {
    let name = name.to_lowercase();
    clause.iter().any(|word| word.trim_end_matches("'s") == name || word.strip_suffix('\'') == Some(&name))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn record() -> Record {
        let anna = OnRecord { fabricated: 1, redactions: 1, penalties: 1, rulings: 2, verified: 2, ..OnRecord::default() };
        let ben = OnRecord { verified: 4, ..OnRecord::default() };
        Record {
            debaters: BTreeMap::from([("anna".to_owned(), anna), ("ben".to_owned(), ben)]),
            redacted: BTreeSet::from([5]),
            entries: 30,
            ..Record::default()
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
            "Anna relied on seq 5, which decides it.",
            "As seq 99 shows, it is so.",
            "There were two redactions.",
            "Neither side earned a penalty.",
            "0 sources were fabricated.",
            "There were no made-up sources.",
            "Not one of the sources was fabricated.",
            "Not a single source was fabricated.",
            "The debate was free of fabricated sources.",
            "All citations were verified.",
            "Ben fabricated a source.",
            "It was the fabricated source of Ben that decided it.",
            "Ben's entry was redacted.",
            "Anna had three fabricated sources.",
            "Seq 5, although redacted, is the decisive argument.",
            "Ben argued well, and anna had no fabricated sources.",
            "As entry 99 shows, it is so.",
        ] {
            assert!(contradiction(&record(), text).is_some(), "{text}");
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
            "Ben left no doubt that the fabricated source of anna sinks her case.",
            "Without the redacted entry anna has one argument.",
            "Ben had zero fabricated sources and anna had one.",
            "Ben exposed the fabricated source.",
            "Anna fabricated a source, and Ben did not.",
            "Anna never recovered from the fabricated source at seq 5.",
            "It is no surprise that the penalty weighs on anna.",
            "The redacted seq 5 decides against anna.",
            "Of anna's three sources one was fabricated.",
            "One of three sources was fabricated.",
            "Without redactions, both cases would be equal.",
            "A debate with no fabricated sources would have been fairer.",
            "Neither fabricated sources nor conjectures can win a debate.",
            "Nobody can overlook the fabricated source.",
        ] {
            assert_eq!(contradiction(&record(), text), None, "{text}");
        }
    }

    #[test]
    fn two_names_are_counted_together() {
        let one = OnRecord { fabricated: 1, redactions: 1, ..OnRecord::default() };
        let record = Record {
            debaters: BTreeMap::from([("anna".to_owned(), one), ("ben".to_owned(), one)]),
            redacted: BTreeSet::from([5, 6]),
            entries: 30,
            ..Record::default()
        };
        for text in [
            "Anna and Ben had two fabricated sources, one each.",
            "anna and ben have two redactions between them.",
            "Of ben's two sources one was fabricated.",
            "Two of four sources were fabricated.",
            "anna had one redaction, ben one, two redactions in all.",
            "Four sources were cited and two were fabricated.",
        ] {
            assert_eq!(contradiction(&record, text), None, "{text}");
        }
        assert!(contradiction(&record, "Anna and ben had three fabricated sources.").is_some());
    }

    #[test]
    fn of_sources_that_nobody_could_read_nothing_good_can_be_said() {
        let on = OnRecord { unchecked: 20, ..OnRecord::default() };
        let record = Record { debaters: BTreeMap::from([("anna".to_owned(), on)]), entries: 30, ..Record::default() };
        for text in [
            "None of the sources was fabricated.",
            "No source was unreliable.",
            "Both sides cited real sources.",
            "Every source was verified.",
        ] {
            assert!(contradiction(&record, text).is_some(), "{text}");
        }
        for text in
            ["None was fabricated as far as they were read; 20 stayed unchecked.", "Anna's sources stayed unchecked."]
        {
            assert_eq!(contradiction(&record, text), None, "{text}");
        }
    }
}
