//! Redacted words are taken out of whatever is shown after they were redacted. The entry itself is left out wherever it
//! stood; here is what is taken out where somebody else repeats it.
//!
//! Only what was new in the redacted entry can be hidden: whoever repeats an opponent's words in an entry that is struck
//! later hides none of them. What stands in the text of a source that was verified is free as well, however long it is;
//! what somebody says beside such a source is not. A single name or figure says little by itself: it is hidden in a
//! quotation, beside a word that stood beside it, or with another one in a sentence. Two names say little as well, unless
//! a word beside one of them is shared. A figure is the same however it is written, and whatever the word for its unit.
//!
//! Who says first, beside a false source, what an opponent is about to say does not take it from the record either: what
//! another debater says by a source that was verified, and not of the redacted entry, is free where it has neither a figure nor
//! a name of that entry.

use std::collections::{BTreeMap, BTreeSet};

use super::figures::number_of;
use super::stretches::{
    Company, Number, Place, Token, begins_sentence, figures, known_words, names, numbers, runs, telling, tells, together,
    tokens, weight, whole,
};

/// What stands where words were taken out.
pub const REDACTED: &str = "[REDACTED]";
/// What is said to whoever repeats such words; the answer is shown through the veil then.
pub(super) const REPEATS: &str =
    "it repeats words that were redacted; they stand as [REDACTED] in what you answered, so leave them out";
/// How much a run of words weighs that is taken for a quotation: four words, or eight characters of a script without spaces.
const RUN: usize = 8;
/// How much a run weighs that is a quotation even where its words are common.
const LONG_RUN: usize = 12;
/// How much of a run of four words must be more than common words: `a machine that reads` is nobody's.
const TELLING: usize = 6;
/// The same of somewhat longer runs that have a word which nobody else has used.
const LONGER_RUN: (usize, usize) = (10, 4);
/// The words that may not be shown any more.
#[derive(Clone, Debug, Default)]
pub struct Veil {
    /// What is hidden, by its first word.
    hidden: BTreeMap<String, BTreeSet<Vec<String>>>,
    /// Names and figures, which are hidden in company alone, by their first word.
    loose: BTreeMap<String, BTreeSet<Vec<String>>>,
    /// Names with a word that stood beside them.
    beside: BTreeSet<(String, String)>,
    /// Figures with the words of their sentence, and with whoever named them.
    company: BTreeMap<Vec<String>, BTreeSet<String>>,
    /// Words with a capital that begin no sentence.
    proper: BTreeSet<String>,
    /// The same figures by what their numbers may be worth.
    worth: BTreeMap<String, BTreeSet<Vec<String>>>,
}

/// What was redacted, and what is free.
#[derive(Clone, Debug, Default)]
pub struct Struck<'a> {
    /// The words of the entry.
    pub texts: Vec<&'a str>,
    /// What it named: frameworks, sources and their titles.
    pub named: Vec<&'a str>,
    /// Where it stands: what was heard before is free.
    pub at: u64,
    /// Who said it.
    pub author: &'a str,
    /// What the debate is about: a word of the topic ties nothing to it.
    pub topic: &'a str,
}

/// A text that is free for whatever was redacted behind it.
#[derive(Clone, Copy, Debug)]
pub struct Heard<'a> {
    /// The text.
    pub text: &'a str,
    /// The first place for which it is free: 0 for what is nobody's alone, and for what stands in verified sources.
    pub from: u64,
    /// The debater whose own words it holds, said by a verified source. They free what others have said, and of that only
    /// what has neither a figure nor a name; nobody where all of it is free.
    pub own: Option<&'a str>,
}

impl<'a> Heard<'a> {
    /// A text that is free from this place on.
    pub fn new(text: &'a str, from: u64) -> Self {
        Self { text, from, own: None }
    }
}

/// The veil of one entry, and what tells whether something heard is free for it.
struct OfOne<'a> {
    veil: Veil,
    at: u64,
    author: &'a str,
}

/// A text that was heard, as far as its words are among those of redacted entries.
struct Known<'a> {
    words: Vec<Option<&'a str>>,
    from: u64,
    own: Option<&'a str>,
}

impl Veil {
    /// A veil over an entry that was redacted, with all of this heard before.
    pub fn over(struck: &Struck<'_>, heard: &[&str]) -> Self {
        let heard: Vec<Heard<'_>> = heard.iter().map(|text| Heard::new(text, 0)).collect();
        Self::over_all(std::slice::from_ref(struck), &heard)
    }

    /// A veil over all entries that were redacted. What was heard is gone through once, however many they are.
    pub fn over_all(struck: &[Struck<'_>], heard: &[Heard<'_>]) -> Self {
        let own: Vec<String> = struck
            .iter()
            .flat_map(|struck| struck.texts.iter().chain(&struck.named))
            .flat_map(|text| tokens(text))
            .map(|token| token.word)
            .collect();
        let vocabulary: BTreeSet<&str> = own.iter().map(String::as_str).collect();
        // Whatever else was said can neither be hidden nor be free.
        let heard: Vec<Known<'_>> = heard
            .iter()
            .map(|heard| Known { words: known_words(heard.text, &vocabulary), from: heard.from, own: heard.own })
            .collect();
        let mut first: BTreeMap<&str, u64> = BTreeMap::new();
        for Known { words, from, .. } in heard.iter().filter(|heard| heard.own.is_none()) {
            for word in words.iter().flatten() {
                let known = first.entry(word).or_insert(*from);
                *known = (*from).min(*known);
            }
        }
        let mut veils: Vec<OfOne<'_>> = struck
            .iter()
            .map(|struck| {
                let known = |word: &str| first.get(word).is_some_and(|from| *from <= struck.at);
                OfOne { veil: Self::over_one(struck, &known), at: struck.at, author: struck.author }
            })
            .collect();
        free(&mut veils, &heard);
        veils.into_iter().fold(Self::default(), |veil, own| veil.with(own.veil))
    }

    /// Everything that can be hidden of an entry; `known` tells whether a word was heard before.
    fn over_one(struck: &Struck<'_>, known: &impl Fn(&str) -> bool) -> Self {
        let mut veil = Self::default();
        let fresh_word = |word: &String| tells(word) && !known(word);
        let [author, topic] = [struck.author, struck.topic]
            .map(|text| tokens(text).into_iter().map(|token| token.word).collect::<BTreeSet<String>>());
        for text in &struck.texts {
            let tokens = tokens(text);
            veil.add(runs(&tokens, LONG_RUN));
            veil.add(runs(&tokens, RUN).filter(|run| telling(run) >= TELLING));
            let fresh = |run: &Vec<String>| run.iter().any(fresh_word);
            let (longer, least) = LONGER_RUN;
            veil.add(runs(&tokens, longer).filter(|run| telling(run) >= least && fresh(run)));
            let inside = names(text, &tokens).filter(|name| !begins_sentence(text, &tokens, name.from));
            veil.proper.extend(inside.flat_map(|name| name.words(&tokens)));
            let names = names(text, &tokens).filter(|name| name.range(&tokens).iter().any(|token| fresh_word(&token.word)));
            let numbers = numbers(text, &tokens);
            for place in figures(&tokens) {
                let number = numbers.iter().find(|number| number.place.from == place.from);
                for worth in number.iter().flat_map(|number| &number.worth) {
                    veil.worth.entry(worth.clone()).or_default().insert(place.words(&tokens));
                }
                let company = veil.company.entry(place.words(&tokens)).or_default();
                company.extend(together(text, &tokens, place).filter(|word| !topic.contains(word)));
                company.extend(author.iter().cloned());
            }
            for place in figures(&tokens).chain(names) {
                veil.add_loose(place.words(&tokens));
                veil.beside.extend(place.neighbours(&tokens));
                for wider in [place.from.checked_sub(1).map(|from| Place { from, ..place }), Some(place.longer())] {
                    let wider = wider.filter(|wider| wider.to <= tokens.len());
                    let beside = |wider: &Place| {
                        let own = wider.range(&tokens);
                        let side = if wider.to > place.to { own.last() } else { own.first() };
                        side.is_some_and(|token| fresh_word(&token.word))
                    };
                    veil.add(wider.filter(beside).into_iter().map(|wider| wider.words(&tokens)));
                }
            }
            if weight(&tokens) < RUN {
                veil.add(whole(&tokens, known));
            }
        }
        for name in &struck.named {
            let bare = name.split_once("://").map_or(*name, |(_, rest)| rest);
            for text in [*name, bare] {
                veil.add(whole(&tokens(text), known));
            }
        }
        veil
    }

    /// This veil and another one.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        for (first, runs) in other.hidden {
            self.hidden.entry(first).or_default().extend(runs);
        }
        for (first, runs) in other.loose {
            self.loose.entry(first).or_default().extend(runs);
        }
        self.beside.extend(other.beside);
        for (figure, words) in other.company {
            self.company.entry(figure).or_default().extend(words);
        }
        self.proper.extend(other.proper);
        for (worth, figures) in other.worth {
            self.worth.entry(worth).or_default().extend(figures);
        }
        self
    }

    /// Whether nothing is hidden.
    pub fn is_empty(&self) -> bool {
        self.hidden.is_empty() && self.loose.is_empty()
    }

    /// Whether a text repeats hidden words.
    pub fn covers(&self, text: &str) -> bool {
        !self.found(text).is_empty()
    }

    /// The text with hidden words taken out.
    pub fn over_text(&self, text: &str) -> String {
        let mut shown = String::new();
        let mut from = 0;
        for (start, end) in self.found(text) {
            shown.push_str(&text[from..start]);
            shown.push_str(REDACTED);
            from = end;
        }
        shown.push_str(&text[from..]);
        shown
    }

    fn add(&mut self, runs: impl Iterator<Item = Vec<String>>) {
        for run in runs {
            if let Some(first) = run.first() {
                self.hidden.entry(first.clone()).or_default().insert(run);
            }
        }
    }

    fn add_loose(&mut self, run: Vec<String>) {
        if let Some(first) = run.first() {
            self.loose.entry(first.clone()).or_default().insert(run);
        }
    }

    /// The stretches of the text that are hidden, in order and apart from each other.
    fn found(&self, text: &str) -> Vec<(usize, usize)> {
        if self.is_empty() {
            return Vec::new();
        }
        let tokens = tokens(text);
        let words: Vec<String> = tokens.iter().map(|token| token.word.clone()).collect();
        let longest = |map: &BTreeMap<String, BTreeSet<Vec<String>>>, at: usize| {
            let runs = map.get(&words[at]).into_iter().flatten();
            runs.filter(|run| words[at..].starts_with(run)).map(Vec::len).max()
        };
        let mut places: Vec<Place> = Vec::new();
        let mut loose: Vec<Place> = Vec::new();
        for at in 0..words.len() {
            places.extend(longest(&self.hidden, at).map(|length| Place { from: at, to: at + length }));
            loose.extend(longest(&self.loose, at).map(|length| Place { from: at, to: at + length }));
        }
        places.extend(self.retold(text, &tokens));
        loose.retain(|one| !places.iter().any(|place| place.from <= one.from && one.to <= place.to));
        if !loose.is_empty() {
            let company = Company::of(text, &tokens);
            let others: Vec<Place> = places.iter().chain(&loose).copied().collect();
            // A figure says what it counts; a name needs a word that it shares with what was redacted.
            let shared = |one: &Place| one.neighbours(&tokens).iter().any(|pair| self.beside.contains(pair));
            let tells = |one: &Place| one.to - one.from > 1 || !loose.contains(one) || shared(one);
            // Somebody who says the figure of what was redacted, and a word of it, says what was redacted.
            let retold = |one: &Place| {
                let known = self.company.get(&words[one.from..one.to]);
                known.is_some_and(|known| together(text, &tokens, *one).any(|word| known.contains(&word)))
            };
            let told = |one: &&Place| {
                company.is_quoted(one.from)
                    || retold(one)
                    || others.iter().any(|other| {
                        let apart = other.to <= one.from || one.to <= other.from;
                        apart
                            && company.is_one_sentence(one.from, other.from)
                            && words[other.from..other.to] != words[one.from..one.to]
                            && (tells(one) || tells(other))
                    })
            };
            let told: Vec<Place> = loose.iter().filter(told).copied().collect();
            places.extend(told);
        }
        places.sort_by_key(|place| place.from);
        let mut found: Vec<(usize, usize)> = Vec::new();
        for place in places {
            let (start, end) = (tokens[place.from].start, tokens[place.to - 1].end);
            match found.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => found.push((start, end)),
            }
        }
        found
    }

    /// Numbers that are worth what a hidden figure is, beside a word that stood with it.
    fn retold(&self, text: &str, tokens: &[Token]) -> Vec<Place> {
        if self.worth.is_empty() {
            return Vec::new();
        }
        let hidden = |figure: &&Vec<String>| figure.first().and_then(|first| self.loose.get(first)?.get(*figure)).is_some();
        let told = |number: &Number| {
            let figures = number.worth.iter().filter_map(|worth| self.worth.get(worth)).flatten().filter(hidden);
            let known: BTreeSet<&String> = figures.filter_map(|figure| self.company.get(figure)).flatten().collect();
            !known.is_empty() && together(text, tokens, number.place).any(|word| known.contains(&word))
        };
        numbers(text, tokens).into_iter().filter(told).map(|number| number.place).collect()
    }

    /// Whether a run has a figure or a name.
    fn is_telling(&self, run: &[String]) -> bool {
        let name = |word: &String| run.len() == 1 || self.proper.contains(word);
        run.iter().any(|word| number_of(word).is_some() || word.contains(|c: char| c.is_ascii_digit()) || name(word))
    }
}

/// Takes out of each veil what was heard before its entry.
fn free(veils: &mut [OfOne<'_>], heard: &[Known<'_>]) {
    // Runs by their first two words, of which few have the same: with the veil that they belong to.
    type Runs<'r> = BTreeMap<(&'r str, &'r str), Vec<(usize, &'r [String])>>;
    let mut runs: Runs<'_> = BTreeMap::new();
    for (place, OfOne { veil, .. }) in veils.iter().enumerate() {
        for run in veil.hidden.values().chain(veil.loose.values()).flatten() {
            let word = |at: usize| run.get(at).map_or("", String::as_str);
            runs.entry((word(0), word(1))).or_default().push((place, run));
        }
    }
    let mut freed: Vec<BTreeSet<Vec<String>>> = vec![BTreeSet::new(); veils.len()];
    for Known { words, from, own } in heard {
        for (at, first) in words.iter().enumerate().filter_map(|(at, word)| Some((at, (*word)?))) {
            let second = words.get(at + 1).copied().flatten().unwrap_or_default();
            // Of one word, and of more.
            for key in [Some((first, "")), Some((first, second)).filter(|_| !second.is_empty())].into_iter().flatten() {
                for (place, run) in runs.get(&key).into_iter().flatten() {
                    let OfOne { veil, at: struck, author } = &veils[*place];
                    let may = own.is_none_or(|own| own != *author && !veil.is_telling(run));
                    if may && from <= struck && begins(&words[at..], run) {
                        freed[*place].insert(run.to_vec());
                    }
                }
            }
        }
    }
    for (OfOne { veil, .. }, freed) in veils.iter_mut().zip(&freed) {
        for map in [&mut veil.hidden, &mut veil.loose] {
            for runs in map.values_mut() {
                runs.retain(|run| !freed.contains(run));
            }
            map.retain(|_, runs| !runs.is_empty());
        }
    }
}

/// Whether words begin with a run.
fn begins(words: &[Option<&str>], run: &[String]) -> bool {
    words.len() >= run.len() && run.iter().zip(words).all(|(own, word)| *word == Some(own.as_str()))
}

#[cfg(test)]
mod tests;
