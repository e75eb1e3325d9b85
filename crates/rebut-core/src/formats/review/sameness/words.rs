//! The words of a finding, made comparable: lower case, without code ticks, places and words that say nothing, cut to
//! their stems, and one word for what reviewers call by several.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::claims::citation::{self, Target};

/// How much a word counts that is said of everything.
const COMMON_WEIGHT: f64 = 0.35;

/// Words that say nothing.
const STOP: &str = "a an the of to in on at by for from with and or but as is are was were be been being it its this that \
    these those there here which who whom whose what when where while then than so such if into onto over under very can could \
    may might will would shall should must do does did done has have had having not no nor any some each every other another own \
    same all both more most much many few less only also just even still yet ever however because since due via per about between \
    among up out off down one two i we you they he she them their our your my s t d e g etc use used using make makes made get \
    gets give gives given take takes taken go goes let lets like instead rather thus hence therefore before after during across \
    through without within against";

/// Words that are said of everything: they make no two findings alike.
const COMMON: &str = "missing lack lacking error handling handle check function method code value result test add fix issue \
    problem bug risk proposal section new existing change public file line variable name should need possible potential data \
    user case wrong bad invalid incorrect consider describe discuss cover mention address define specify say leave out omit absent \
    insufficient evidence claim plan unclear explain need included ignore assume assumption document state nothing nobody \
    tell told said how why";

/// Words that reviewers use for each other; the first stands for all.
const ALIKE: [&str; 33] = [
    "evict remove delete drop purge clear",
    "unbounded unlimited infinite forever endless",
    "panic crash abort",
    "leak expose disclose reveal visible",
    "log print write",
    "memory ram heap",
    "temp temporary tmp",
    "auth authorization authorisation authenticate authenticated logged",
    "doc documentation documented",
    "verify check validate",
    "directory folder dir",
    "password passwd passphrase",
    "limit maximum max cap bound upper",
    "loop iteration iterate",
    "quadratic linear complexity",
    "interpolate concatenate splice",
    "close release free",
    "silent silently vanish lost lose",
    "alternative option",
    "entire whole complete completely",
    "timeline deadline",
    "instance node",
    "metric measure measurement kpi",
    "owner ownership",
    "retain retention keep",
    "fee cost price",
    "transition migration",
    "attempt retry",
    "array buffer slice list",
    "fail failure",
    "charge bill",
    "stale old outdated",
    "descriptive meaningful",
];

/// Words that are written in several ways.
const SPELLINGS: [(&str, &str); 4] =
    [("e-mail", "email"), ("cross-site scripting", "xss"), ("cross site scripting", "xss"), ("file name", "filename")];

/// Endings that do not change what a word means, the longest first.
const ENDINGS: [&str; 30] = [
    "ization", "isation", "ations", "ation", "ating", "ators", "ities", "ments", "ated", "ates", "ator", "able", "ance",
    "ence", "ment", "ings", "edly", "ions", "ate", "ing", "ied", "ies", "ion", "ers", "ed", "er", "ly", "es", "s", "e",
];

/// How many letters of a stem count.
const STEM: usize = 6;

/// The words of a text; equal if the same things are named, in whatever order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Words {
    all: BTreeSet<String>,
    /// Every run of three letters in them.
    runs: BTreeSet<[char; 3]>,
}

impl Words {
    pub(super) fn of(text: &str) -> Self {
        let mut plain = parts(&without_places(text)).to_lowercase();
        for (written, meant) in SPELLINGS {
            plain = plain.replace(written, meant);
        }
        let mut words = BTreeSet::new();
        // In ticks every word is a name, be it as short as a stop word.
        for (at, passage) in plain.split('`').enumerate() {
            let all = passage.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            words.extend(all.filter(|word| at % 2 == 1 || !LISTS.stop.contains(word)).map(meaning));
        }
        let letters: Vec<char> = words.iter().map(String::as_str).collect::<Vec<_>>().join(" ").chars().collect();
        let runs = letters.windows(3).filter_map(|run| run.try_into().ok()).collect();
        Self { all: words, runs }
    }

    /// How alike two texts are: mostly by the words that they share, a little by the letters, for words that are written
    /// in ways that no list knows.
    pub(super) fn likeness(&self, other: &Self) -> f64 {
        if self.all.is_empty() || other.all.is_empty() {
            return if self == other { 1.0 } else { 0.0 };
        }
        let (one, two) = (weight(self.all.iter()), weight(other.all.iter()));
        let both = weight(self.all.intersection(&other.all));
        let overlap = 2.0 * both / (one + two);
        let containment = both / one.min(two);
        0.45 * overlap + 0.35 * containment + 0.2 * self.letters(other)
    }

    /// How many words there are.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether all words of the other stand here.
    pub(super) fn holds(&self, other: &Self) -> bool {
        other.all.is_subset(&self.all)
    }

    /// How many words they share that are not said of everything.
    pub(super) fn shared_rare(&self, other: &Self) -> usize {
        self.all.intersection(&other.all).filter(|word| !is_common(word)).count()
    }

    /// How many words that are not said of everything stand here and not in the other.
    pub(super) fn rare_beside(&self, other: &Self) -> usize {
        self.all.difference(&other.all).filter(|word| !is_common(word)).count()
    }

    /// How many runs of three letters they share.
    fn letters(&self, other: &Self) -> f64 {
        let total = self.runs.len() + other.runs.len();
        if total == 0 { 0.0 } else { 2.0 * count(self.runs.intersection(&other.runs).count()) / count(total) }
    }
}

fn weight<'a>(words: impl Iterator<Item = &'a String>) -> f64 {
    words.map(|word| if is_common(word) { COMMON_WEIGHT } else { 1.0 }).sum()
}

pub(super) fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// The lists above, made ready once.
struct Lists {
    stop: BTreeSet<&'static str>,
    /// The stem of the word that stands for others, by their stems.
    alike: BTreeMap<String, String>,
    common: BTreeSet<String>,
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let groups = ALIKE.iter().flat_map(|group| {
        let first = group.split_whitespace().next().map(stem).unwrap_or_default();
        group.split_whitespace().map(move |word| (stem(word), first.clone()))
    });
    let mut alike = BTreeMap::new();
    for (word, first) in groups {
        alike.entry(word).or_insert(first);
    }
    let meant = |word: &str| alike.get(&stem(word)).cloned().unwrap_or_else(|| stem(word));
    let common = COMMON.split_whitespace().map(meant).collect();
    Lists { stop: STOP.split_whitespace().collect(), alike, common }
});

/// Whether a word, as [`meaning`] gives it, is said of everything.
fn is_common(word: &str) -> bool {
    LISTS.common.contains(word)
}

/// The stem of a word, or of the word that stands for it.
fn meaning(word: &str) -> String {
    let own = stem(word);
    LISTS.alike.get(&own).cloned().unwrap_or(own)
}

fn stem(word: &str) -> String {
    let long_enough = |rest: &&str| rest.chars().count() >= 3;
    let bare = ENDINGS.iter().find_map(|ending| word.strip_suffix(ending).filter(long_enough)).unwrap_or(word);
    // Both "escaped" and "unescaped" tell of escaping; which of them is right, opposition must tell.
    let bare = bare.strip_prefix("un").filter(|rest| rest.len() >= 4).unwrap_or(bare);
    let mut letters: Vec<char> = bare.chars().collect();
    if letters.len() > 3 && letters[letters.len() - 1] == letters[letters.len() - 2] {
        letters.pop();
    }
    letters.into_iter().take(STEM).collect()
}

/// A text without the places that it names: a finding that moved is the same one.
pub(super) fn without_places(text: &str) -> String {
    let mut plain = String::new();
    let mut from = 0;
    for found in citation::find(text) {
        let lined = matches!(found.target, Target::File { lines: Some(_), .. });
        if let Some(before) = text.get(from..found.span.start).filter(|_| lined && !found.span.is_empty()) {
            plain.push_str(before);
            plain.push(' ');
            from = found.span.end;
        }
    }
    plain.push_str(text.get(from..).unwrap_or_default());
    plain
}

/// Names in their parts: `userId`, `user_id`. Numbers behind "line" go: they are places too.
fn parts(text: &str) -> String {
    let mut parts = String::new();
    let mut before = ' ';
    for c in text.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            parts.push(' ');
        }
        parts.push(if c == '_' { ' ' } else { c });
        before = c;
    }
    let words: Vec<&str> = parts.split(' ').collect();
    let is_line = |word: &str| matches!(word.trim_start_matches('(').to_lowercase().as_str(), "line" | "lines");
    let kept = words.iter().enumerate().filter(|(at, word)| {
        let number = word.starts_with(|c: char| c.is_ascii_digit());
        !(number && *at > 0 && is_line(words[at - 1]))
    });
    kept.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
}
