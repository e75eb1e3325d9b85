//! What is read in an entry when it arrives: its sources, what its words name beside them, its figures and its addresses.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::addresses::{addresses, bare_addresses, same};
use super::figures::figures;
use super::record::seqs;
use super::rules::MOST_SOURCES;
use super::turn::Said;
use crate::claims::citation::{self, Citation, Target};
use crate::claims::telling;

/// What is read in an entry when it arrives: a later version of rebut reads no entry anew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// The sources that are looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Sourced>,
    /// Places that its words name beside them. They are looked at where it has no sources, save those of an entry that it
    /// speaks of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<Sourced>,
    /// The figures that it names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<String>,
    /// The addresses and other sources that it names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<String>,
}

/// A source, and how it is looked up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sourced {
    /// The source as it was named.
    pub url: String,
    /// What is looked up.
    pub citation: Citation,
}

/// A source of an entry that is to be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) seq: u64,
    pub(super) url: String,
    pub(super) citation: Citation,
    /// Whether it is only named in the text, and not among the sources.
    pub(super) in_text: bool,
}

impl Reading {
    /// Reads an entry: the sources that count, what its words cite beside them, its figures and its addresses.
    pub(super) fn of(entry: &Said) -> Self {
        let mut sources: Vec<Sourced> = Vec::new();
        let counted = &entry.sources[..entry.sources.len().min(MOST_SOURCES)];
        for cited in counted.iter().filter(|_| entry.kind.argues()) {
            let Some(mut citation) = citation::find(&cited.url).into_iter().next() else { continue };
            citation.span = 0..0;
            citation.with_text = true;
            citation.quotes.extend(cited.quote.iter().filter(|quote| !quote.trim().is_empty()).cloned());
            // With one source only, a figure can stand nowhere else, whatever else is quoted from it.
            if counted.len() == 1 && matches!(citation.target, Target::Page { .. }) {
                let fresh: Vec<String> =
                    telling(&entry.content).into_iter().filter(|told| !citation.quotes.contains(told)).collect();
                citation.quotes.extend(fresh);
            }
            if !sources.iter().any(|source| same(&source.url, &cited.url)) {
                sources.push(Sourced { url: cited.url.clone(), citation });
            }
        }
        let mut places: Vec<Sourced> = Vec::new();
        for mut citation in citation::find(&entry.content).into_iter().filter(|_| entry.kind.argues()) {
            citation.with_text = true;
            let place = Sourced { url: citation.target.to_string(), citation };
            if places.len() < MOST_SOURCES && !sources.iter().chain(&places).any(|known| known.is_same(&place)) {
                places.push(place);
            }
        }
        let mut named = addresses(&entry.content);
        named.extend(bare_addresses(&entry.content));
        named.extend(entry.sources.iter().map(|cited| cited.url.clone()));
        Self { sources, named: places, figures: figures(&entry.content), addresses: named }
    }

    /// What is to be looked at, for the entry of this seq: its sources, or, where it has none, what its words name. Whoever
    /// speaks of another's source, to rebut, to challenge or to correct it, does not cite it: `spoken_of` are the entries
    /// that it speaks of. What is not looked at does not make an entry sourced.
    ///
    /// Nor does anybody cite what was found to be bad before: `bad` are such places.
    pub(super) fn items(&self, seq: u64, spoken_of: &[&Self], bad: &[&Item]) -> Vec<Item> {
        let item = |source: &Sourced, in_text| {
            let Sourced { url, citation } = source.clone();
            Item { seq, url, citation, in_text }
        };
        if !self.sources.is_empty() {
            return self.sources.iter().map(|source| item(source, false)).collect();
        }
        let known = |place: &Sourced| {
            spoken_of.iter().any(|reading| reading.names(place))
                || bad.iter().any(|item| place.is_place(&item.url, &item.citation.target))
        };
        self.named.iter().filter(|place| !known(place)).map(|place| item(place, true)).collect()
    }

    /// Whether it names this place, as a source or in its words.
    fn names(&self, place: &Sourced) -> bool {
        self.sources.iter().chain(&self.named).any(|own| own.is_same(place))
    }
}

impl Sourced {
    /// Whether both are the same page, the same commit, or the same lines of a file.
    fn is_same(&self, other: &Self) -> bool {
        self.is_place(&other.url, &other.citation.target)
    }

    fn is_place(&self, url: &str, target: &Target) -> bool {
        let same_place = match (&self.citation.target, target) {
            (Target::Commit { hash, .. }, Target::Commit { hash: other, .. }) => {
                hash.starts_with(other.as_str()) || other.starts_with(hash.as_str())
            }
            (one, other) => one == other,
        };
        same_place || same(&self.url, url)
    }
}

impl Said {
    /// The entries that it speaks of: what it rebuts, challenges, corrects or names by its seq.
    ///
    /// Seldom does anybody need to know, and a long text takes its time.
    pub(super) fn speaks_of(&self) -> BTreeSet<u64> {
        let named = seqs(&self.content).into_iter();
        named.chain(self.rebuttal_to_seq).chain(self.target_seq).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::entry::EntryType;
    use super::super::turn::Cited;
    use super::*;

    /// A point with these sources.
    pub(in super::super) fn said(content: &str, urls: &[&str]) -> Said {
        let cited = |url: &&str| Cited { url: (*url).to_owned(), title: "t".into(), quote: None };
        Said {
            kind: EntryType::NewPoint,
            content: content.into(),
            in_one_sentence: "x".into(),
            frameworks: Vec::new(),
            sources: urls.iter().map(cited).collect(),
            rebuttal_to_seq: None,
            target_seq: None,
            claim: None,
        }
    }

    /// What is looked up of an entry.
    pub(in super::super) fn items(seq: u64, entry: &Said) -> Vec<Item> {
        Reading::of(entry).items(seq, &[], &[])
    }

    #[test]
    fn the_figures_of_an_entry_with_one_source_must_stand_in_it() {
        assert_eq!(items(1, &said("It took 41 %.", &["https://example.com/a"]))[0].citation.quotes, ["41 %"]);
        let mut quoting = said("It took 41 %.", &["https://example.com/a"]);
        quoting.sources[0].quote = Some("a long wait".into());
        assert_eq!(items(1, &quoting)[0].citation.quotes, ["a long wait", "41 %"], "a quotation does not stand for it");
        let two = items(1, &said("It took 41 %.", &["https://example.com/a", "https://example.com/b"]));
        assert!(two.iter().all(|item| item.citation.quotes.is_empty()));
    }

    #[test]
    fn at_most_five_sources_count_and_each_once() {
        let urls: Vec<String> = (0..7).map(|n| format!("https://example.com/{n}")).collect();
        let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
        assert_eq!(items(1, &said("x", &urls)).len(), 5);
        let beside = said("See https://example.com/0 and src/pool.rs:8.", &urls[..1]);
        assert_eq!(items(1, &beside).len(), 1, "who names sources is held to them");
    }

    #[test]
    fn another_line_of_a_file_is_looked_up_and_that_of_an_entry_spoken_of_is_not() {
        let other = Reading::of(&said("It is so.", &["docs/a.md:3"]));
        let entry = said("By docs/a.md:3 and docs/a.md:9 it is not so.", &[]);
        let urls = |spoken_of: &[&Reading]| -> Vec<String> {
            Reading::of(&entry).items(4, spoken_of, &[]).into_iter().map(|item| item.url).collect()
        };
        assert_eq!(urls(&[&other]), ["docs/a.md:9"]);
        assert_eq!(urls(&[]), ["docs/a.md:3", "docs/a.md:9"], "that somebody cited it once does not matter");
        let mut spoken = said("As seq 7 says.", &[]);
        spoken.rebuttal_to_seq = Some(2);
        assert_eq!(spoken.speaks_of(), BTreeSet::from([2, 7]));
        assert_eq!(said("SOURCE CORRECTION for seq 5: no.", &[]).speaks_of(), BTreeSet::from([5]));
    }
}
