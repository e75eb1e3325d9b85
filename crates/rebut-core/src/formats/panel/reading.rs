//! What is read in an entry when it arrives: its sources, what its words name beside them, its figures and its addresses.

use serde::{Deserialize, Serialize};

use super::addresses::{addresses, bare_addresses, same};
use super::figures::figures;
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
    /// Places that its words name beside them. They are looked at where it has no sources and nobody has named them before.
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
            if places.len() < MOST_SOURCES && !sources.iter().chain(&places).any(|known| known.is_place_of(&place)) {
                places.push(place);
            }
        }
        let mut named = addresses(&entry.content);
        named.extend(bare_addresses(&entry.content));
        named.extend(entry.sources.iter().map(|cited| cited.url.clone()));
        Self { sources, named: places, figures: figures(&entry.content), addresses: named }
    }

    /// What is to be looked at, for the entry of this seq: its sources, or, where it has none, what its words name and
    /// nobody has named before. Whoever speaks of another's source, to challenge it or to correct it, does not cite it.
    pub(super) fn items(&self, seq: u64, heard: &[&Self]) -> Vec<Item> {
        let item = |source: &Sourced, in_text| {
            let Sourced { url, citation } = source.clone();
            Item { seq, url, citation, in_text }
        };
        if !self.sources.is_empty() {
            return self.sources.iter().map(|source| item(source, false)).collect();
        }
        let known = |place: &Sourced| heard.iter().any(|reading| reading.names(place));
        self.named.iter().filter(|place| !known(place)).map(|place| item(place, true)).collect()
    }

    /// Whether it names this place, as a source or in its words.
    fn names(&self, place: &Sourced) -> bool {
        self.sources.iter().chain(&self.named).any(|own| own.is_place_of(place))
            || self.addresses.iter().any(|url| same(url, &place.url))
    }

    /// Whether it rests on anything that can be looked up.
    pub(super) fn is_sourced(&self) -> bool {
        !self.sources.is_empty() || !self.named.is_empty()
    }
}

impl Sourced {
    /// Whether both are the same page, commit or file, whatever the lines.
    fn is_place_of(&self, other: &Self) -> bool {
        let same_place = match (&self.citation.target, &other.citation.target) {
            (Target::File { path, .. }, Target::File { path: other, .. }) => path == other,
            (Target::Commit { hash, .. }, Target::Commit { hash: other, .. }) => {
                hash.starts_with(other.as_str()) || other.starts_with(hash.as_str())
            }
            (one, other) => one == other,
        };
        same_place || same(&self.url, &other.url)
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
        Reading::of(entry).items(seq, &[])
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
}
