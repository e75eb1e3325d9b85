//! The rules of the debate that can be checked without judgement. What breaks one becomes a ruling; nothing is refused.

use std::collections::BTreeSet;

use super::addresses::{bare, same};
use super::entry::EntryType;
use super::figures::{numbers, values};
use super::reading::Reading;
use super::turn::Said;

/// What an argument without a source begins with.
pub const CONJECTURE: &str = "[CONJECTURE]";
/// What a correction begins with.
pub const CORRECTION: &str = "SOURCE CORRECTION for seq ";
/// Behind this a ruling names what a closing has brought in.
pub(super) const NAMES: &str = ", and this one names ";
/// The most sources of one entry that count.
pub const MOST_SOURCES: usize = 5;

/// What an entry is measured against.
#[derive(Clone, Debug, Default)]
pub(super) struct Before {
    /// The debater's own entries.
    pub(super) own: BTreeSet<u64>,
    /// Every figure that was named before, by value.
    pub(super) figures: BTreeSet<String>,
    /// Every address that was named before.
    pub(super) addresses: Vec<String>,
}

/// The rules that an entry breaks, each in words that can stand in a ruling. `sourced` tells whether anything that it names
/// is looked up.
pub(super) fn breaches(entry: &Said, reading: &Reading, sourced: bool, before: &Before) -> Vec<String> {
    let mut found = Vec::new();
    let content = entry.content.as_str();
    let (body, corrected) = match correction(content) {
        Some((seq, rest)) => (rest, Some(seq)),
        None => (content, None),
    };
    let conjecture = body.trim_start().starts_with(CONJECTURE) || content.starts_with(CONJECTURE);
    let sourced = sourced || !entry.sources.is_empty();
    match entry.kind {
        EntryType::Conjecture if !conjecture => {
            found.push(format!("a conjecture begins with {CONJECTURE}; it is read as one"));
        }
        EntryType::Rebuttal if conjecture && !sourced => {
            found.push("a conjecture is never the only basis of a rebuttal".to_owned());
        }
        EntryType::OpeningStatement | EntryType::NewPoint | EntryType::Rebuttal if !sourced && !conjecture => {
            found.push(format!("an argument names a source or begins with {CONJECTURE}; this one does neither"));
        }
        EntryType::ClosingStatement => found.extend(new_in_closing(reading, corrected.is_some(), before)),
        _ => {}
    }
    if entry.sources.len() > MOST_SOURCES {
        let count = entry.sources.len();
        found.push(format!("at most {MOST_SOURCES} sources an entry count; of {count} the first {MOST_SOURCES} do"));
    }
    match corrected {
        Some(seq) if !before.own.contains(&seq) => {
            found.push(format!("only one's own entries can be corrected, and seq {seq} is none of them"));
        }
        None if content.contains("SOURCE CORRECTION") => {
            found.push(format!("a correction stands at the start of an entry, as \"{CORRECTION}N: …\""));
        }
        _ => {}
    }
    found
}

impl Said {
    /// Whether it is a guess, by its type or by its first word.
    pub(super) fn is_conjecture(&self) -> bool {
        let body = correction(&self.content).map_or(self.content.as_str(), |(_, rest)| rest);
        self.kind == EntryType::Conjecture || body.trim_start().starts_with(CONJECTURE)
    }
}

/// The entry that a text corrects, and what follows.
pub(super) fn correction(content: &str) -> Option<(u64, &str)> {
    let (seq, rest) = content.trim_start().strip_prefix(CORRECTION)?.split_once(':')?;
    Some((seq.trim().parse().ok()?, rest))
}

/// `corrects` tells whether it corrects an entry, which can take another source.
fn new_in_closing(reading: &Reading, corrects: bool, before: &Before) -> Vec<String> {
    let mut found = Vec::new();
    let mut fresh: Vec<&str> = Vec::new();
    for url in reading.addresses.iter().filter(|_| !corrects) {
        let known = before
            .addresses
            .iter()
            .map(String::as_str)
            .chain(fresh.iter().copied())
            .any(|known| same(known, url) || same(bare(known), bare(url)));
        if !known {
            fresh.push(url);
        }
    }
    if !fresh.is_empty() {
        found.push(format!("a closing brings in no new source{NAMES}{}", fresh.join(", ")));
    }
    let known = |figure: &str| values(figure).iter().any(|value| before.figures.contains(value));
    let new = reading.figures.iter().filter(|figure| !known(figure));
    let new: Vec<&str> = new.map(String::as_str).collect();
    if !new.is_empty() {
        found.push(format!("a closing brings in no new figure{NAMES}{}", new.join(", ")));
    }
    found
}

impl Before {
    /// Takes the figures and addresses of an entry in.
    pub(super) fn take(&mut self, reading: &Reading) {
        self.figures.extend(reading.figures.iter().flat_map(|figure| [values(figure), numbers(figure)].concat()));
        self.addresses.extend(reading.addresses.iter().cloned());
    }
}

#[cfg(test)]
mod tests {
    use super::super::turn::Cited;
    use super::*;

    fn said(kind: EntryType, content: &str, sources: usize) -> Said {
        let cited = |n| Cited { url: format!("https://example.com/{n}"), title: "t".into(), quote: None };
        Said {
            kind,
            content: content.into(),
            in_one_sentence: "x".into(),
            frameworks: Vec::new(),
            sources: (0..sources).map(cited).collect(),
            rebuttal_to_seq: None,
            target_seq: None,
            claim: None,
        }
    }

    fn count(entry: &Said) -> usize {
        breaches(entry, &Reading::of(entry), false, &Before { own: BTreeSet::from([4]), ..Before::default() }).len()
    }

    #[test]
    fn an_argument_names_a_source_or_is_a_conjecture() {
        assert_eq!(count(&said(EntryType::NewPoint, "It is so.", 1)), 0);
        assert_eq!(count(&said(EntryType::NewPoint, "It is so.", 0)), 1);
        assert_eq!(count(&said(EntryType::NewPoint, "[CONJECTURE] It is so.", 0)), 0);
        assert_eq!(count(&said(EntryType::Conjecture, "[CONJECTURE] It is so.", 0)), 0);
        assert_eq!(count(&said(EntryType::Conjecture, "It is so.", 0)), 1);
        assert_eq!(count(&said(EntryType::Rebuttal, "[CONJECTURE] No.", 0)), 1);
        assert_eq!(count(&said(EntryType::Rebuttal, "[CONJECTURE] No.", 1)), 0);
        assert_eq!(count(&said(EntryType::OpeningStatement, "I say.", 0)), 1);
        assert_eq!(count(&said(EntryType::SourceChallenge, "It is not there.", 0)), 0);
    }

    #[test]
    fn more_than_five_sources_do_not_count() {
        assert_eq!(count(&said(EntryType::NewPoint, "It is so.", 5)), 0);
        assert_eq!(count(&said(EntryType::NewPoint, "It is so.", 6)), 1);
    }

    #[test]
    fn a_correction_has_its_form_and_its_place() {
        assert_eq!(count(&said(EntryType::NewPoint, "SOURCE CORRECTION for seq 4: it is B.", 1)), 0);
        assert_eq!(count(&said(EntryType::NewPoint, "SOURCE CORRECTION for seq 5: it is B.", 1)), 1);
        assert_eq!(count(&said(EntryType::NewPoint, "By the way: SOURCE CORRECTION seq 4", 1)), 1);
        assert_eq!(correction("SOURCE CORRECTION for seq 4: it is B.").map(|(seq, _)| seq), Some(4));
    }

    #[test]
    fn a_closing_brings_in_neither_figures_nor_sources() {
        let mut before = Before::default();
        before.take(&Reading::of(&said(EntryType::NewPoint, "It took 41 % (https://example.com/x).", 1)));
        let closing = |text: &str, sources| {
            let entry = said(EntryType::ClosingStatement, text, sources);
            breaches(&entry, &Reading::of(&entry), false, &before)
        };
        assert_eq!(closing("It took 41 percent, as https://example.com/x shows (seq 12).", 1), Vec::<String>::new());
        assert_eq!(closing("See example.com/x again.", 0), Vec::<String>::new());
        assert_eq!(closing("It was 7 of 9, says www.example.com/z (doi:10.1/2).", 0).len(), 2);
        assert_eq!(closing("As seqs 2, 3 and 12 show, and entries 12 to 14.", 0), Vec::<String>::new());
        assert_eq!(closing("It took 9 hours, ninety percent of a day.", 0).len(), 1);
        assert_eq!(closing("It took 43 %.", 0), ["a closing brings in no new figure, and this one names 43 %"]);
        assert_eq!(
            closing("See https://example.com/y.", 0),
            ["a closing brings in no new source, and this one names https://example.com/y"]
        );
        assert_eq!(closing("All is said.", 2).len(), 1);
        let corrected = "SOURCE CORRECTION for seq 4: it is https://example.com/y. All is said.";
        let entry = said(EntryType::ClosingStatement, corrected, 2);
        before.own.insert(4);
        assert_eq!(breaches(&entry, &Reading::of(&entry), true, &before), Vec::<String>::new());
    }
}
