//! Words on what was cited, by their form. What can be said of sources is said in too many ways for a list; whether an entry
//! is named beside them is one question.

use super::contradiction::bound;
use super::record::{Record, seqs};

/// What can be cited and counted.
const NOUNS: [&str; 3] = ["source", "citation", "reference"];
/// What an entry is called.
const ENTRY: &str = "entry";
/// What is cited as well, and is mostly said of something else: such words count where all or none is said of them.
const LOOSE_NOUNS: [&str; 3] = ["page", "evidence", "record"];
/// Words behind which evidence is evidence of something, and nothing is said of the record: `no evidence that it pays`.
const OF_SOMETHING: [&str; 9] = ["that", "for", "on", "of", "to", "against", "about", "from", "whether"];
/// Words that speak of all, of none or of two.
#[rustfmt::skip]
const WHOLE: [&str; 34] = [
    "no", "none", "nobody", "nothing", "nowhere", "all", "every", "each", "any", "only", "both", "neither", "never",
    "always", "throughout", "everything", "everybody", "everyone", "anything", "anybody", "anyone", "zero", "single",
    "without", "entirely", "wholly", "fully", "completely", "consistently", "apart", "except", "besides", "otherwise",
    "ever",
];
/// Words before one thing of many.
const ONE: [&str; 7] = ["a", "an", "another", "one", "some", "which", "what"];
/// Words that are said of people in a debate and name none of them.
const PEOPLE: [&str; 7] = ["nobody", "none", "neither", "everybody", "everyone", "anybody", "anyone"];

/// Whether a clause speaks of what was cited at large. `named` tells whether its sentence names an entry; of all or none a
/// clause must say so itself.
pub(super) fn speaks_at_large(record: &Record, clause: &[String], named: bool) -> bool {
    let whole = clause.iter().any(|word| WHOLE.contains(&word.as_str()));
    let own = !seqs(&clause.join(" ")).is_empty();
    let meant = own || (named && !whole);
    !meant && (0..clause.len()).any(|at| is_cited(record, clause, at) && (whole || is_definite(clause, at)))
}

/// Whether a word at this place says what it says of an entry, a source or somebody who debates: `no source was fabricated`,
/// `anna was penalised`. A word of the topic is free elsewhere: `penalties deter`.
pub(super) fn is_bound(record: &Record, clause: &[String], at: usize) -> bool {
    let (before, _) = bound(clause, at).unwrap_or((0, false));
    let between = (before..at).chain([at + 1]).any(|near| near < clause.len() && is_cited(record, clause, near));
    let word = clause[before].as_str();
    let is_name = |name: &String| word.trim_end_matches("'s") == name.to_lowercase();
    let person = PEOPLE.contains(&word) || record.debaters.keys().any(is_name);
    let one = word == "no" && clause.get(before + 1).is_some_and(|next| next == "one");
    between || (before < at && (person || one || word.starts_with(|c: char| c.is_ascii_digit())))
}

/// Whether a word is one for what was cited, and not a word of the topic in its place there: `open source`.
pub(super) fn is_cited(record: &Record, clause: &[String], at: usize) -> bool {
    let word = clause[at].as_str();
    let next = clause.get(at + 1).map_or("", String::as_str);
    let before = at.checked_sub(1).map_or("", |before| clause[before].as_str());
    let cited = match singular(word) {
        "reference" => next != "to",
        ENTRY => before != "data",
        "evidence" => !OF_SOMETHING.contains(&next),
        "record" => matches!(before, "the" | "on"),
        noun => NOUNS.contains(&noun) || LOOSE_NOUNS.contains(&noun) || noun.starts_with("fact-check"),
    };
    cited && !is_of_topic(record, clause, at)
}

/// Whether a word stands beside the same word as in the topic, and nothing is said of all or none.
fn is_of_topic(record: &Record, clause: &[String], at: usize) -> bool {
    let topic: Vec<String> = record.topic_words().collect();
    let beside = |words: &[String], at: usize, other: usize| {
        let near = words.get(other).filter(|word| word.len() > 3).map(|word| singular(word).to_owned());
        near.map(|near| (near, other < at))
    };
    let near = |words: &[String], at: usize| {
        [at.checked_sub(1), Some(at + 1)]
            .into_iter()
            .flatten()
            .filter_map(|other| beside(words, at, other))
            .collect::<Vec<_>>()
    };
    let general = |word: &String| WHOLE.contains(&word.as_str()) || word == "not" || word.ends_with("n't");
    let own = near(clause, at);
    !clause.iter().any(general)
        && topic.iter().enumerate().any(|(place, word)| {
            singular(word) == singular(&clause[at]) && near(&topic, place).iter().any(|word| own.contains(word))
        })
}

/// Whether certain ones are meant: several, or one that is told from others.
fn is_definite(clause: &[String], at: usize) -> bool {
    let word = clause[at].as_str();
    if LOOSE_NOUNS.contains(&singular(word)) {
        return false;
    }
    let one = |back: usize| at.checked_sub(back).is_some_and(|before| ONE.contains(&clause[before].as_str()));
    singular(word) != word || !(one(1) || one(2))
}

/// A word without the ending of its plural.
fn singular(word: &str) -> &str {
    match word {
        "entries" => ENTRY,
        _ => word.trim_end_matches("'s").strip_suffix('s').unwrap_or(word),
    }
}
