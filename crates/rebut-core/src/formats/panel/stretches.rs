//! Words, names, figures and runs of words in a text: what a veil is made of, and what it is held against.

use std::collections::BTreeSet;

use super::figures::{number_of, numbers as worths};

/// The same of a name.
const TELLING_NAME: usize = 4;
/// Words that say nothing by themselves.
const COMMON: [&str; 118] = [
    "the", "and", "for", "that", "this", "with", "not", "but", "are", "was", "were", "has", "have", "had", "its", "his",
    "her", "their", "they", "them", "you", "your", "our", "who", "what", "when", "where", "which", "why", "how", "can",
    "could", "will", "would", "shall", "should", "may", "might", "must", "does", "did", "done", "been", "being", "from",
    "into", "onto", "over", "under", "than", "then", "there", "here", "these", "those", "all", "any", "each", "every",
    "some", "such", "more", "most", "less", "least", "many", "much", "few", "one", "two", "also", "only", "just", "very",
    "too", "out", "off", "about", "after", "before", "because", "between", "both", "either", "neither", "nor", "while",
    "whether", "without", "within", "against", "through", "same", "other", "another", "even", "still", "yet", "now", "well",
    "say", "says", "said", "see", "seq", "make", "makes", "made", "think", "know", "means", "point", "source", "sources",
    "claim", "entry", "evidence", "argument",
];
/// Units behind which a number is a figure.
const UNITS: [&str; 9] = ["%", "million", "billion", "trillion", "bn", "times", "hours", "minutes", "dollars"];

/// The word for `%`, which is taken for it.
const PERCENT: &str = "percent";

/// A stretch of words, by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) from: usize,
    pub(super) to: usize,
}

impl Place {
    pub(super) fn range(self, tokens: &[Token]) -> &[Token] {
        &tokens[self.from..self.to]
    }

    pub(super) fn words(self, tokens: &[Token]) -> Vec<String> {
        self.range(tokens).iter().map(|token| token.word.clone()).collect()
    }

    /// One word with each telling word beside it; nothing for a longer stretch.
    pub(super) fn neighbours(self, tokens: &[Token]) -> Vec<(String, String)> {
        if self.to - self.from != 1 {
            return Vec::new();
        }
        let beside = [self.from.checked_sub(1), Some(self.to)].into_iter().flatten().filter_map(|at| tokens.get(at));
        let telling = beside.filter(|token| tells(&token.word));
        telling.map(|token| (tokens[self.from].word.clone(), token.word.clone())).collect()
    }

    pub(super) fn longer(self) -> Self {
        Self { to: self.to + 1, ..self }
    }
}

/// Which words of a text stand together: by sentence, and in quotation marks.
pub(super) struct Company {
    sentences: Vec<usize>,
    quoted: Vec<bool>,
}

impl Company {
    pub(super) fn of(text: &str, tokens: &[Token]) -> Self {
        let (mut sentence, mut quoted, mut from) = (0, false, 0);
        let mut company = Self { sentences: Vec::new(), quoted: Vec::new() };
        for token in tokens {
            for c in text[from..token.start].chars() {
                match c {
                    '.' | '!' | '?' | '\n' => (sentence, quoted) = (sentence + 1, quoted && c != '\n'),
                    '"' => quoted = !quoted,
                    '“' | '„' | '«' => quoted = true,
                    '”' | '»' => quoted = false,
                    _ => {}
                }
            }
            from = token.end;
            company.sentences.push(sentence);
            company.quoted.push(quoted);
        }
        company
    }

    pub(super) fn is_quoted(&self, at: usize) -> bool {
        self.quoted[at]
    }

    pub(super) fn is_one_sentence(&self, one: usize, other: usize) -> bool {
        self.sentences[one] == self.sentences[other]
    }
}

/// A word of a text, in lower case, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) word: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Token {
    pub(super) fn weight(&self) -> usize {
        if self.word == "%" {
            0
        } else if self.word.chars().next().is_some_and(unspaced) {
            1
        } else {
            2
        }
    }
}

/// Whether a character belongs to a script that puts no spaces between words.
fn unspaced(c: char) -> bool {
    matches!(u32::from(c), 0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0xFF66..=0xFF9F | 0x20000..=0x3FFFF)
}

/// The words of a text: of scripts without spaces every character is one.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    each_word(text, |start, end| {
        let word = text[start..end].to_lowercase();
        let word = if word == PERCENT { "%".to_owned() } else { word };
        tokens.push(Token { word, start, end });
    });
    tokens
}

/// The words of a text that are among these, each at its place, and nothing in the places of all others. Pages are long, so
/// that no word of them is kept.
pub(super) fn known_words<'v>(text: &str, vocabulary: &BTreeSet<&'v str>) -> Vec<Option<&'v str>> {
    let mut words = Vec::new();
    let mut lower = String::new();
    let begin: BTreeSet<(Option<u8>, usize)> =
        vocabulary.iter().copied().chain([PERCENT]).map(|word| (word.bytes().next(), word.len())).collect();
    each_word(text, |start, end| {
        let word = &text[start..end];
        lower.clear();
        if word.is_ascii() {
            // Most words are told from all of them by how they begin and how long they are.
            let first = word.bytes().next().map(|byte| byte.to_ascii_lowercase());
            if !begin.contains(&(first, word.len())) {
                words.push(None);
                return;
            }
            lower.push_str(word);
            lower.make_ascii_lowercase();
        } else {
            lower.push_str(&word.to_lowercase());
        }
        let own = if lower == PERCENT { "%" } else { lower.as_str() };
        words.push(vocabulary.get(own).copied());
    });
    words
}

/// Where each word of a text begins and ends.
fn each_word(text: &str, mut found: impl FnMut(usize, usize)) {
    let mut start = None;
    for (at, c) in text.char_indices() {
        let alone = if c.is_ascii() { c == '%' } else { unspaced(c) };
        if !alone && if c.is_ascii() { c.is_ascii_alphanumeric() } else { c.is_alphanumeric() } {
            start = start.or(Some(at));
            continue;
        }
        if let Some(from) = start.take() {
            found(from, at);
        }
        if alone {
            found(at, at + c.len_utf8());
        }
    }
    if let Some(from) = start {
        found(from, text.len());
    }
}

pub(super) fn weight(tokens: &[Token]) -> usize {
    tokens.iter().map(Token::weight).sum()
}

/// Every run of at least this weight that is no longer than it must be.
pub(super) fn runs(tokens: &[Token], least: usize) -> impl Iterator<Item = Vec<String>> {
    (0..tokens.len()).filter_map(move |from| {
        let mut sum = 0;
        let length = tokens[from..].iter().position(|token| {
            sum += token.weight();
            sum >= least
        })?;
        Some(tokens[from..=from + length].iter().map(|token| token.word.clone()).collect())
    })
}

/// Whether a word says something by itself.
pub(super) fn tells(word: &str) -> bool {
    let mut chars = word.chars();
    chars.clone().any(|c| c.is_ascii_digit()) || chars.any(unspaced) || (word.len() > 2 && !COMMON.contains(&word))
}

/// How much of a run is more than common words.
pub(super) fn telling(run: &[String]) -> usize {
    run.iter().filter(|word| tells(word)).map(|word| if word.chars().any(unspaced) { 1 } else { 2 }).sum()
}

/// A short text as a whole, where one of its words was not heard before, or where it is more than one common word.
pub(super) fn whole(tokens: &[Token], known: &impl Fn(&str) -> bool) -> std::option::IntoIter<Vec<String>> {
    let words: Vec<String> = tokens.iter().map(|token| token.word.clone()).collect();
    let fresh = words.iter().any(|word| tells(word) && !known(word));
    (fresh || telling(&words) >= TELLING_NAME).then_some(words).into_iter()
}

/// Figures with what they count: `41 %`, `73 deployments`, `nine of ten`.
pub(super) fn figures(tokens: &[Token]) -> impl Iterator<Item = Place> {
    let number = |word: &str| number_of(word).is_some();
    (0..tokens.len().saturating_sub(1)).filter_map(move |from| {
        let (first, second) = (&tokens[from].word, &tokens[from + 1].word);
        let third = tokens.get(from + 2).map(|token| &token.word);
        let digits = first.chars().all(|c| c.is_ascii_digit());
        if number(first) && matches!(second.as_str(), "of" | "in") && third.is_some_and(|third| number(third)) {
            return Some(Place { from, to: from + 3 });
        }
        let counted = UNITS.contains(&second.as_str()) || (first.len() > 1 && tells(second) && !number(second));
        (digits && counted).then_some(Place { from, to: from + 2 })
    })
}

/// A number of a text, and what it may be worth.
pub(super) struct Number {
    pub(super) place: Place,
    pub(super) worth: Vec<String>,
}

/// Words behind which a number counts nothing.
const REFERS: [&str; 7] = ["seq", "seqs", "round", "rounds", "entry", "line", "lines"];

/// The numbers of a text of two digits or more, in digits or in words, whatever they count: `87`, `87.0`, `eighty-seven`. Those
/// of entries, lines and addresses are none.
pub(super) fn numbers(text: &str, tokens: &[Token]) -> Vec<Number> {
    let mut found: Vec<Number> = Vec::new();
    let between = |at: usize| tokens.get(at).map(|next| &text[tokens[at - 1].end..next.start]);
    let mut at = 0;
    while at < tokens.len() {
        let from = at;
        at += 1;
        let before = text[..tokens[from].start].chars().next_back();
        let refers = from.checked_sub(1).is_some_and(|before| REFERS.contains(&tokens[before].word.as_str()));
        let written = digits(&tokens[from].word).map(|first| {
            let mut written = first;
            // What parts the digits of a number is one mark.
            while let Some(mark) = between(at).filter(|mark| matches!(*mark, "." | "," | "'" | "’" | "\u{a0}" | "\u{202f}"))
            {
                let Some(more) = digits(&tokens[at].word) else { break };
                written.push_str(if mark.len() == 1 { mark } else { "" });
                written.push_str(&more);
                at += 1;
            }
            written
        });
        let written = written.or_else(|| {
            let number: u32 = number_of(&tokens[from].word)?.parse().ok()?;
            let next = between(at).filter(|mark| matches!(*mark, " " | "-")).and_then(|_| number_of(&tokens[at].word));
            let ones = next
                .and_then(|next| next.parse::<u32>().ok())
                .filter(|ones| (1..10).contains(ones) && number.is_multiple_of(10));
            let ones = ones.filter(|_| (20..100).contains(&number));
            at += usize::from(ones.is_some());
            Some((number + ones.unwrap_or(0)).to_string())
        });
        let Some(written) = written.filter(|_| !refers && !matches!(before, Some(':' | '/' | '#' | '_' | '@' | '='))) else {
            continue;
        };
        let worth: Vec<String> = worths(&written).into_iter().filter(|worth| worth.len() > 1).collect();
        if !worth.is_empty() {
            found.push(Number { place: Place { from, to: at }, worth });
        }
    }
    found
}

/// A word of digits alone, full-width ones among them, in plain ones.
fn digits(word: &str) -> Option<String> {
    word.chars()
        .map(|c| match c {
            '0'..='9' => Some(c),
            '０'..='９' => char::from_digit(u32::from(c) - u32::from('０'), 10),
            _ => None,
        })
        .collect()
}

/// The telling words of the sentence in which a stretch stands, without its own.
pub(super) fn together<'t>(text: &'t str, tokens: &'t [Token], place: Place) -> impl Iterator<Item = String> + 't {
    // A full stop within a number ends no sentence.
    let ends = |from: usize, to: usize| {
        let between = &text[from..to];
        between.contains(['!', '?', '\n']) || between.split_once('.').is_some_and(|(_, rest)| !rest.is_empty())
    };
    let before = (1..=place.from).rev().find(|at| ends(tokens[at - 1].end, tokens[*at].start)).unwrap_or(0);
    let after = (place.to..tokens.len()).find(|at| ends(tokens[at - 1].end, tokens[*at].start)).unwrap_or(tokens.len());
    let own = (before..after).filter(move |at| !(place.from..place.to).contains(at));
    own.map(|at| &tokens[at].word).filter(|word| tells(word)).cloned()
}

/// Whether a word begins a sentence, where every word has a capital.
pub(super) fn begins_sentence(text: &str, tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| &text[tokens[before].end..tokens[at].start]);
    before.is_none_or(|between| between.contains(['.', '!', '?', ':', '\n', '"', '“', '„', '«']))
}

/// Proper names: words with a capital. At the start of a sentence every word has one; what was said before tells there
/// whether it is a name.
pub(super) fn names<'t>(text: &'t str, tokens: &'t [Token]) -> impl Iterator<Item = Place> + 't {
    let capital = move |at: usize| {
        let own = &text[tokens[at].start..tokens[at].end];
        own.chars().next().is_some_and(char::is_uppercase) && own.chars().count() > 2 && tells(&tokens[at].word)
    };
    (0..tokens.len()).filter(move |at| capital(*at)).map(|from| Place { from, to: from + 1 })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    #[test]
    fn a_number_is_read_however_it_is_written() {
        let read = |text: &str| -> Vec<String> {
            numbers(text, &tokens(text)).into_iter().flat_map(|number| number.worth).collect()
        };
        for text in ["87", "87 %", "87.0 percent", "87,0 %", "８７ percent", "Eighty-seven", "eighty seven of them", "(87)"]
        {
            assert_eq!(read(text), ["87"], "{text}");
        }
        assert!(read("1,200").contains(&"1200".to_owned()) && read("1\u{a0}200") == ["1200"]);
        for text in ["seq 87", "docs/a.md:87", "line 87", "8 or 7", "eight", "v87"] {
            assert_eq!(read(text), Vec::<String>::new(), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(11), ..ProptestConfig::default() })]

        #[test]
        fn words_are_known_by_the_same_rules_by_which_they_are_read(
            text in "(\\PC|[A-Z]{1,3}|[0-9%]| percent| PerCent|審査| ){0,40}",
            other in "(\\PC|[a-z]{1,3}| ){0,20}",
        ) {
            let all = tokens(&text);
            let vocabulary: BTreeSet<&str> = all.iter().map(|token| token.word.as_str()).collect();
            let read: Vec<&str> = known_words(&text, &vocabulary).into_iter().flatten().collect();
            prop_assert_eq!(&read, &all.iter().map(|token| token.word.as_str()).collect::<Vec<_>>());
            for (word, token) in known_words(&other, &vocabulary).into_iter().zip(tokens(&other)) {
                prop_assert_eq!(word, vocabulary.get(token.word.as_str()).copied());
            }
        }
    }
}
