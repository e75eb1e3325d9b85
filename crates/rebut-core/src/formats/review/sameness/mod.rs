//! Whether two findings are the same one: a critic that looks again, or another critic, says it in other words.
//!
//! Two things must agree, and neither is enough: **where** a finding points and **what** it says.
//!
//! - Findings with places are the same if a place of one lies within `NEAR` lines of a place of the other, and their
//!   texts reach `AT_ONE_PLACE`: their likeness, what it says that the places share lines, and a bonus or a malus by whether
//!   they name the same kind of trouble (`kinds`). The same words about another place are another finding, and so is another matter at the same place.
//! - Findings without places, as most about proposals are, must be alike by `WITHOUT_PLACES` and share at least
//!   `SHARED` words that are not said of everything, or one less if one of them says nothing else: these words stand in
//!   for the place.
//! - Where only one has a place, they are two. To take one finding for two costs a round; to take two for one loses a
//!   finding.
//! - Texts that say the opposite of each other (`opposed`) are never the same, however alike they are.
//!
//! The bars and word lists were made with the labelled pairs of `tests/sameness/pairs.json`; where several bars did as well
//! there, those of `tests/sameness` that came later decided. What unseen findings can expect stands in `docs/review.md`.

mod kinds;
mod opposition;
mod words;

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::claims::citation::{self, Target};

use kinds::Kinds;
use opposition::{Said, opposed};
use words::Words;

/// How many lines two places may lie apart and still be the same one: critics point at the line or at the statement.
const NEAR: u32 = 3;
/// What two texts about one place must reach to be about one matter.
const AT_ONE_PLACE: f64 = 0.5;
/// What it adds that the places share lines, and what it adds that one of them holds the other and more: one critic points at
/// the line, the next at the statement around it. Two that point at the very same lines do so for any matter there.
const SHARED_LINES: f64 = 0.06;
const ONE_HOLDS_THE_OTHER: f64 = 0.1;
/// Texts of so few words say all they say in each of them.
const FEW_WORDS: usize = 2;
/// How alike two texts without places must be.
const WITHOUT_PLACES: f64 = 0.45;
/// How many words that are not said of everything two texts without places must share.
const SHARED: usize = 3;

/// Lines of a file that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The path.
    pub path: String,
    /// The first line, counted from 1.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

/// A finding, as far as it can be compared.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// What it says.
    pub text: &'a str,
    /// Where it points, in one version of the artifact for all findings that are compared.
    pub anchors: &'a [Anchor],
}

/// A finding that is made ready to be compared with many others: its words are taken apart once.
#[derive(Clone, Debug)]
pub struct Matter {
    /// Where it points, as in [`Subject`].
    pub anchors: Vec<Anchor>,
    words: Words,
    names: BTreeSet<String>,
    kinds: Kinds,
    said: Said,
}

impl Matter {
    /// The matter of a finding.
    pub fn new(text: &str, anchors: Vec<Anchor>) -> Self {
        Self { anchors, words: Words::of(text), names: names(text), kinds: Kinds::of(text), said: Said::of(text) }
    }

    /// Whether two findings are the same one. What costs least is asked first: most pairs have nothing to do with each
    /// other.
    pub fn is_same(&self, other: &Self) -> bool {
        let (a, b) = (&self.words, &other.words);
        let pairs = || self.anchors.iter().flat_map(|place| other.anchors.iter().map(move |other| (place, other)));
        let placed = !self.anchors.is_empty();
        if placed == other.anchors.is_empty() || (placed && !pairs().any(|(place, other)| place.is_near(other))) {
            return false;
        }
        // Next to each other, and not at the same lines, the same is often wrong with two things.
        if placed && !pairs().any(|(place, other)| place.overlaps(other)) && self.names_another_thing(other) {
            return false;
        }
        let shared = a.shared_rare(b);
        let nothing_else = a.rare_beside(b).min(b.rare_beside(a)) == 0;
        let hinges = if placed {
            shared >= 2 || (shared == 1 && (nothing_else || self.kinds.meet(&other.kinds)))
        } else {
            shared + usize::from(nothing_else) >= SHARED
        };
        if a != b && !hinges {
            return false;
        }
        let likeness = a.likeness(b);
        let alike = if placed {
            let closeness = pairs().map(|(place, other)| place.closeness(other)).fold(0.0, f64::max);
            likeness + self.kinds.bonus(&other.kinds) + closeness >= AT_ONE_PLACE
        } else {
            likeness >= WITHOUT_PLACES
        };
        let too_short = a.len().min(b.len()) <= FEW_WORDS && !a.holds(b) && !b.holds(a);
        (a == b || alike) && !too_short && !opposed(&self.said, &other.said, likeness)
    }
}

impl Matter {
    /// Whether each names something, `f3` and `f5`, that the other does not.
    fn names_another_thing(&self, other: &Self) -> bool {
        !self.names.is_subset(&other.names) && !other.names.is_subset(&self.names)
    }
}

/// The names of the code that a text speaks of: words in ticks, and words that only code has.
fn names(text: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let words = |passage: &str| -> Vec<String> {
        passage.split(|c: char| !is_name(c)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let looks_like_code = |word: &String| {
        let letter = word.starts_with(|c: char| c.is_alphabetic());
        letter && (word.contains('_') || word.ends_with(|c: char| c.is_ascii_digit()))
    };
    let mut names = BTreeSet::new();
    for (at, passage) in text.split('`').enumerate() {
        // A place says where, and no name.
        let passage = if at % 2 == 1 && citation::find(passage).is_empty() {
            passage.to_owned()
        } else {
            words::without_places(passage)
        };
        names.extend(words(&passage).into_iter().filter(|word| at % 2 == 1 || looks_like_code(word)));
    }
    names
}

/// Whether two findings are the same one.
pub fn same(one: &Subject<'_>, other: &Subject<'_>) -> bool {
    let matter = |subject: &Subject<'_>| Matter::new(subject.text, subject.anchors.to_vec());
    matter(one).is_same(&matter(other))
}

/// How alike two texts are, from 0 to 1, whatever their case, punctuation, order and common words.
pub fn likeness(one: &str, other: &str) -> f64 {
    Words::of(one).likeness(&Words::of(other))
}

/// The lines that a place names: `src/a.rs:10`, `src/a.rs:10-20`, `src/a.rs#L10-L20`, `line 10 of src/a.rs`; none if it names
/// no lines.
pub fn anchor_of(place: &str) -> Option<Anchor> {
    citation::find(&with_its_path_marked(place)).into_iter().find_map(|citation| match citation.target {
        Target::File { path, lines: Some(lines) } => Some(Anchor { path, first: lines.first, last: lines.last }),
        _ => None,
    })
}

/// The same with a path that has spaces in it marked as one word, as `src/my pool.rs:3 "the words"` is written by whoever
/// fills in the field for a place. In running text, where such a path begins cannot be told.
pub(super) fn with_its_path_marked(text: &str) -> Cow<'_, str> {
    let words_begin = text.find(['"', '“', '„', '«']).unwrap_or(text.len());
    let (place, words) = text.split_at(words_begin);
    let place = place.trim();
    let Some((path, lines)) = place.rsplit_once(':') else { return Cow::Borrowed(text) };
    let first = path.split_whitespace().next().unwrap_or_default();
    let is_path = first != path && first.contains(['/', '\\']) && !path.contains(['`', '\'', ':', ',', ';', '(']);
    let is_lines = lines.starts_with(|c: char| c.is_ascii_digit()) && lines.chars().all(|c| c.is_ascii_digit() || c == '-');
    if is_path && is_lines { Cow::Owned(format!("`{place}` {words}").trim_end().to_owned()) } else { Cow::Borrowed(text) }
}

impl Anchor {
    /// What it says for two findings being one that their places share lines.
    fn closeness(&self, other: &Self) -> f64 {
        match self.overlaps(other) {
            true if self.is_within(other) != other.is_within(self) => SHARED_LINES + ONE_HOLDS_THE_OTHER,
            true => SHARED_LINES,
            false => 0.0,
        }
    }

    fn is_within(&self, other: &Self) -> bool {
        other.first <= self.first && self.last <= other.last
    }

    /// Whether two places share lines.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.first <= other.last && other.first <= self.last && same_file(&self.path, &other.path)
    }

    /// Whether another place is in the same file, and overlaps this one or lies next to it.
    pub fn is_near(&self, other: &Self) -> bool {
        self.first <= other.last.saturating_add(NEAR)
            && other.first <= self.last.saturating_add(NEAR)
            && same_file(&self.path, &other.path)
    }
}

/// Whether two paths name one file: equal, or one is the end of the other, as critics leave folders out.
fn same_file(one: &str, other: &str) -> bool {
    let bare = |path: &str| path.trim_start_matches("./").replace('\\', "/");
    let (one, other) = (bare(one), bare(other));
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|folders| folders.ends_with('/'));
    one == other || ends(&one, &other) || ends(&other, &one)
}

#[cfg(test)]
mod tests;
