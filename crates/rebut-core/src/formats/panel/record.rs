//! What stands on record of a debate, in figures: what was found of sources, what was redacted and ruled. The engine writes
//! it under every conclusion, and compares the chair's own figures with it.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contradiction::{sentences, words};
use super::entry::LogEntry;
use super::figures::is_unit;
use super::verification::SourceStatus;

/// What the figures of the record begin with, under a conclusion.
pub(super) const ON_RECORD: &str = "On record: ";
/// What stands before the objection to a conclusion that goes against the record, under it.
pub(super) const OBJECTION: &str = "The chair's words go against the record: ";
/// Words with which something is praised or relied on.
const RELIED_ON: [&str; 12] =
    ["decid", "decis", "convinc", "persua", "strongest", "carrie", "best", "wins", "won", "shows", "prove", "demonstrat"];
/// Words with which it counts against somebody instead.
pub(super) const AGAINST: [&str; 14] = [
    "against", "not", "no", "lost", "loses", "cost", "sink", "hurt", "damag", "cannot", "nothing", "weaken", "without",
    "gone",
];

/// What stands on record, as far as words can contradict it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Every debater with what stands on record.
    pub debaters: BTreeMap<String, OnRecord>,
    /// Entries that were redacted.
    pub redacted: BTreeSet<u64>,
    /// How many entries the log has.
    pub entries: u64,
    /// What stands on record of each entry.
    pub held: BTreeMap<u64, BTreeSet<Thing>>,
    /// Entries of the offices that are about another one: results, rulings and redactions.
    pub about: BTreeMap<u64, u64>,
    /// Entries of debaters that answer another one: challenges and rebuttals.
    pub answers: BTreeMap<u64, u64>,
    /// The topic, whose words are nobody's.
    pub topic: String,
}

/// What can stand on record of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Thing {
    /// A source of it is fabricated.
    Fabricated,
    /// A source of it is unreliable.
    Unreliable,
    /// A source of it supports its claim.
    Verified,
    /// A source of it could not be read.
    Unchecked,
    /// It was redacted.
    Redacted,
    /// Its author was penalised for it.
    Penalised,
    /// Its author was warned because of it.
    Warned,
    /// Its author has corrected it.
    Withdrawn,
}

impl Thing {
    /// What was found of a source.
    pub(super) fn found(status: SourceStatus) -> Self {
        match status {
            SourceStatus::Verified => Self::Verified,
            SourceStatus::Unreliable => Self::Unreliable,
            SourceStatus::Fabricated => Self::Fabricated,
            SourceStatus::Unchecked => Self::Unchecked,
        }
    }

    /// The thing in words, behind `that it`.
    pub(super) fn told(self) -> &'static str {
        match self {
            Self::Fabricated => "has a fabricated source",
            Self::Unreliable => "has an unreliable source",
            Self::Verified => "has a verified source",
            Self::Unchecked => "has an unchecked source",
            Self::Redacted => "was redacted",
            Self::Penalised => "was penalised",
            Self::Warned => "was warned of",
            Self::Withdrawn => "was withdrawn or corrected",
        }
    }
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

/// What the chair takes to stand on record of a debater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Sources that support their claim.
    pub verified: usize,
    /// Sources that do not.
    pub unreliable: usize,
    /// Sources that are not there.
    pub fabricated: usize,
    /// Sources that nobody could read.
    pub unchecked: usize,
    /// Entries that were redacted.
    pub redactions: usize,
    /// Penalties.
    pub penalties: usize,
}

impl Counts {
    /// Where these figures differ from the record, in words; none where they agree.
    pub(super) fn differ(&self, on: &OnRecord) -> Option<String> {
        let pairs = [
            ("verified", self.verified, on.verified),
            ("unreliable", self.unreliable, on.unreliable),
            ("fabricated", self.fabricated, on.fabricated),
            ("unchecked", self.unchecked, on.unchecked),
            ("redactions", self.redactions, on.redactions),
            ("penalties", self.penalties, on.penalties),
        ];
        let wrong = pairs.into_iter().filter(|(_, said, there)| said != there);
        let wrong: Vec<String> = wrong.map(|(what, said, there)| format!("{what} is {there} and not {said}")).collect();
        (!wrong.is_empty()).then(|| wrong.join(", "))
    }
}

impl Record {
    /// Whether this stands on record of an entry, or of the one that it is about: what was ruled or found of another is told
    /// by its own seq. An entry that answers another one `told` of it at most, and what stands on record of that other one is
    /// not its own.
    pub(super) fn holds(&self, seq: u64, thing: Thing, told: bool) -> bool {
        let of = |seq: &u64| self.held.get(seq).is_some_and(|held| held.contains(&thing));
        let answered = self.answers.get(&seq).filter(|_| told);
        of(&seq) || self.about.get(&seq).is_some_and(of) || answered.is_some_and(of)
    }

    /// Writes down which other entry an entry is about.
    pub(super) fn relate(&mut self, entry: &LogEntry) {
        let Some(of) = entry.spoken_of() else { return };
        let map = if entry.kind.writer().is_some() { &mut self.about } else { &mut self.answers };
        map.insert(entry.seq, of);
    }

    /// Whether it does of the entry itself, and nothing else was found beside it.
    pub(super) fn holds_wholly(&self, seq: u64, thing: Thing) -> bool {
        let Some(held) = self.held.get(&seq) else { return false };
        let beside = [Thing::Unreliable, Thing::Unchecked, Thing::Fabricated];
        held.contains(&thing) && (thing != Thing::Verified || !beside.iter().any(|other| held.contains(other)))
    }

    /// Writes down that this stands on record of an entry.
    pub(super) fn hold(&mut self, seq: u64, thing: Thing) {
        self.held.entry(seq).or_default().insert(thing);
    }

    /// The words of the topic, in lower case.
    pub(super) fn topic_words(&self) -> impl Iterator<Item = String> {
        words(&self.topic).into_iter()
    }

    /// The whole record in one line.
    pub fn line(&self) -> String {
        let sum = |count: fn(&OnRecord) -> usize| self.debaters.values().map(count).sum::<usize>();
        format!(
            "{ON_RECORD}verified {}, unreliable {}, fabricated {}, unchecked {}; redactions {}.",
            sum(|on| on.verified),
            sum(|on| on.unreliable),
            sum(|on| on.fabricated),
            sum(|on| on.unchecked),
            sum(|on| on.redactions),
        )
    }
}

/// The topic as the first words of a debate tell it.
pub(super) fn topic_of(setup: &LogEntry) -> String {
    let told = setup.content.split_once("Topic: ").map_or("", |(_, rest)| rest);
    told.rsplit_once(" Debaters: ").map_or(told, |(topic, _)| topic).to_owned()
}

/// An entry that is named and is not there.
pub(super) fn stray(record: &Record, text: &str) -> Option<String> {
    let stray = seqs(text).into_iter().find(|seq| *seq >= record.entries)?;
    Some(format!("there is no entry with seq {stray}"))
}

/// A redacted entry that is praised or relied on. Whoever only speaks of it does not rest on it.
pub(super) fn rests_on_redacted(record: &Record, text: &str) -> Option<String> {
    for sentence in sentences(text) {
        let says = |stems: &[&str]| words(sentence).iter().any(|word| stems.iter().any(|stem| word.starts_with(stem)));
        let named = seqs(sentence).into_iter().find(|seq| record.redacted.contains(seq));
        if let Some(seq) = named.filter(|_| says(&RELIED_ON) && !says(&AGAINST)) {
            return Some(format!("seq {seq} was redacted; nothing can rest on it"));
        }
    }
    None
}

/// Words behind `entry 4` that show that an entry is meant, and not `data entry 40 years ago`.
const SPEAKS_ON: [&str; 22] = [
    "and", "or", "to", "is", "was", "has", "had", "does", "did", "says", "said", "shows", "that", "which", "rests",
    "stands", "holds", "argues", "claims", "by", "in", "alone",
];

/// The entries that a text refers to: `seq 4`, `seqs 4, 7 and 9`, `[seq 4]`, `seq 4-7`, `entry 4`. A list goes on as long
/// as its numbers count nothing: `by seq 8, 41 of 60 faults` names one entry.
pub(super) fn seqs(text: &str) -> Vec<u64> {
    let text = text.replace(['[', '('], " ").replace([']', ')'], "; ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut found = Vec::new();
    let mut list = List::None;
    for (at, word) in words.iter().enumerate() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let lower = bare.to_lowercase();
        let joined = lower
            .strip_prefix("seq")
            .map(|rest| rest.trim_start_matches(['#', ':', '.', '-']))
            .filter(|rest| !rest.is_empty());
        let numbers = joined.unwrap_or(&lower);
        let numeric = numbers.starts_with(|c: char| c.is_ascii_digit())
            && numbers.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '–' | ',' | '/'));
        let next = words.get(at + 1).map(|next| next.to_lowercase());
        let stops = next.is_none() || word.ends_with([',', '.', ';', ':', '!', '?', '"', '”', '\'']);
        let next = next.unwrap_or_default();
        let counts = word.contains('%') || (!stops && (matches!(next.as_str(), "of" | "%") || is_unit(&next)));
        let joins = stops || matches!(next.as_str(), "and" | "or" | "to" | "&" | "–" | "-" | ";");
        let meant = match list {
            List::None => joined.is_some(),
            List::Seq => true,
            List::Entry => stops || next == ";" || SPEAKS_ON.contains(&next.trim_matches(|c: char| !c.is_alphanumeric())),
            List::Plural => !counts,
            List::Goes => joins && !counts,
        };
        list = match lower.as_str() {
            "seq" => List::Seq,
            "seqs" | "entries" => List::Plural,
            "entry" => List::Entry,
            "and" | "or" | "to" | "" => list,
            _ if numeric && meant => {
                let parts = numbers.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
                // A number beyond all numbers is no entry either.
                found.extend(parts.map(|part| part.parse().unwrap_or(u64::MAX)));
                if list == List::Plural { List::Plural } else { List::Goes }
            }
            _ => List::None,
        };
    }
    found
}

/// Where in a list of entries a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    None,
    /// Behind `seq`: whatever number follows is one.
    Seq,
    /// Behind `entry`, which can be a word of the topic.
    Entry,
    /// Behind `seqs` or `entries`.
    Plural,
    /// Behind a number, which may have been the only one.
    Goes,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_in_their_forms() {
        assert_eq!(seqs("See seq 4, [seq 7] and seqs 8, 9 and 10; in 2024 it was 12."), [4, 7, 8, 9, 10]);
        assert_eq!(seqs("seq4, seq 5-7, entry 8 and seq 99999999999999999999999"), [4, 5, 7, 8, u64::MAX]);
        assert_eq!(seqs("(seq 4, 7) and seqs 2 and 3 show it, as entry 5 says; Seq 6 too."), [4, 7, 2, 3, 5, 6]);
    }

    #[test]
    fn a_number_that_counts_something_is_no_reference() {
        assert_eq!(seqs("Shown by seq 8, 41 of 60 faults were found."), [8]);
        assert_eq!(seqs("By seq 8 and 41 % of all, and seq 9, 40 years on."), [8, 9]);
        assert_eq!(seqs("By seqs 8, 9 and 41 percent of all."), [8, 9]);
        assert_eq!(seqs("Data entry 40 years ago was slow. Data entry 40 clerks strong."), Vec::<u64>::new());
        assert_eq!(seqs("In seq 3, 12 teams agreed."), [3]);
    }

    #[test]
    fn a_redacted_entry_can_be_named_and_not_rested_on() {
        let record = Record { redacted: BTreeSet::from([5]), entries: 30, ..Record::default() };
        for text in [
            "Each side lost one entry: seq 5 and seq 9 count for nothing.",
            "Seq 5 collapsed and seq 9 fell with it.",
            "With seq 5 gone, anna has little left.",
            "Anna's seq 5 does not count.",
            "The redacted seq 5 decides against anna.",
        ] {
            assert_eq!(rests_on_redacted(&record, text), None, "{text}");
        }
        for text in
            ["Seq 5 decides it.", "Seq 5, although redacted, is the strongest argument.", "As seq 5 shows, it is so."]
        {
            assert!(rests_on_redacted(&record, text).is_some(), "{text}");
        }
        assert_eq!(stray(&record, "See seq 30.").as_deref(), Some("there is no entry with seq 30"));
        assert_eq!(stray(&record, "See seq 29."), None);
    }

    #[test]
    fn figures_of_the_chair_are_compared_with_the_record() {
        let on = OnRecord { verified: 2, unchecked: 20, rulings: 3, ..OnRecord::default() };
        let said = Counts { verified: 2, unchecked: 20, ..Counts::default() };
        assert_eq!(said.differ(&on), None);
        let said = Counts { verified: 22, ..Counts::default() };
        assert_eq!(said.differ(&on).as_deref(), Some("verified is 2 and not 22, unchecked is 20 and not 0"));
        let record = Record { debaters: BTreeMap::from([("anna".to_owned(), on)]), ..Record::default() };
        assert_eq!(record.line(), "On record: verified 2, unreliable 0, fabricated 0, unchecked 20; redactions 0.");
    }
}
