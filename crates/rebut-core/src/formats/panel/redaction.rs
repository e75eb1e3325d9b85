//! Takes the words of redacted entries out of all later text: their titles and URLs, and longer runs of words that others
//! repeat. The entry itself is replaced as a whole.
//!
//! Everything is compared word by word as it is written. What was said before the redacted entry stays, and so do the
//! sources that an entry which was not redacted lists as well.

use super::Said;

use std::collections::BTreeSet;
use std::ops::Range;

pub(super) const REDACTED: &str = "[REDACTED]";
/// The weight of a run of words that is taken out: eight words, or 24 characters of a script without spaces.
const RUN: usize = 24;
/// The weight of a word; a character of a script without spaces weighs 1.
const WORD: usize = 3;
/// The shortest title that is taken out, in characters: shorter ones are common words.
const SHORTEST_TITLE: usize = 12;

#[derive(Clone, Debug, Default)]
pub struct Redactor {
    runs: BTreeSet<Vec<String>>,
    titles: BTreeSet<String>,
    /// Places of sources; those on the web without the scheme, since any address that contains one is taken out as a whole.
    addresses: BTreeSet<String>,
}

impl Redactor {
    /// What the redaction of an entry takes out. `free` is what others said or list as well.
    pub(super) fn of(said: &Said, free: &[String]) -> Self {
        let known: BTreeSet<Vec<String>> = free.iter().flat_map(|text| runs(&tokens(text))).collect();
        let frameworks = said.frameworks.iter().map(|framework| framework.description.as_str());
        let quotes = said.sources.iter().filter_map(|source| source.evidence.quote.as_deref());
        let texts = [said.content.as_str(), said.in_one_sentence.as_str()].into_iter().chain(frameworks).chain(quotes);
        let titles = said.sources.iter().map(|source| source.title.trim().to_owned());
        let titles = titles.filter(|title| title.chars().count() >= SHORTEST_TITLE);
        let addresses = said.sources.iter().map(|source| bare(&source.place()).to_owned());
        let own = |name: &String| !free.iter().any(|text| text.contains(name.as_str()));
        Self {
            runs: texts.flat_map(|text| runs(&tokens(text))).filter(|run| !known.contains(run)).collect(),
            titles: titles.filter(own).collect(),
            addresses: addresses.filter(own).collect(),
        }
    }

    pub(super) fn with(mut self, other: Self) -> Self {
        self.runs.extend(other.runs);
        self.titles.extend(other.titles);
        self.addresses.extend(other.addresses);
        self
    }

    pub fn redact(&self, text: &str) -> String {
        let whole = |range: &Range<usize>| {
            let (before, after) = (text[..range.start].chars().next_back(), text[range.end..].chars().next());
            ![before, after].into_iter().flatten().any(char::is_alphanumeric)
        };
        let found = |name: &'_ String| text.match_indices(name.as_str()).map(|(at, name)| at..at + name.len()).collect();
        let places = |names: &BTreeSet<String>| -> Vec<Range<usize>> {
            names.iter().flat_map::<Vec<Range<usize>>, _>(found).filter(whole).collect()
        };
        let addresses = places(&self.addresses).into_iter().map(|range| whole_address(text, range));
        replaced(text, self.repeated(text).into_iter().chain(places(&self.titles)).chain(addresses).collect())
    }

    /// The same for text of the engine, which names sources: only runs of words are taken out.
    pub fn redact_quotes(&self, text: &str) -> String {
        replaced(text, self.repeated(text))
    }

    fn repeated(&self, text: &str) -> Vec<Range<usize>> {
        if self.runs.is_empty() {
            return Vec::new();
        }
        let tokens = tokens(text);
        let places = (0..tokens.len()).filter_map(|from| {
            let run = run(&tokens, from)?;
            self.runs.contains(&words(run)).then(|| run[0].range.start..run[run.len() - 1].range.end)
        });
        places.collect()
    }
}

/// An address without its scheme and the slash at its end.
fn bare(address: &str) -> &str {
    let address = ["https://", "http://"].iter().find_map(|scheme| address.strip_prefix(scheme)).unwrap_or(address);
    address.strip_prefix("www.").unwrap_or(address).trim_end_matches('/')
}

/// The whole address around a part of it: to the next space, quotation mark or bracket on either side.
fn whole_address(text: &str, part: Range<usize>) -> Range<usize> {
    let ends = |c: char| c.is_whitespace() || "\"'`<>()[]{}*,;".contains(c);
    let start = text[..part.start].rfind(ends).map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let end = text[part.end..].find(ends).map_or(text.len(), |at| part.end + at);
    let end = part.end + text[part.end..end].trim_end_matches(['.', ':', '!', '?', '…']).len();
    start..end
}

/// How many words a text has; three characters of a script without spaces count as one.
pub(super) fn word_count(text: &str) -> usize {
    tokens(text).iter().map(|token| token.weight).sum::<usize>() / WORD
}

fn replaced(text: &str, mut ranges: Vec<Range<usize>>) -> String {
    ranges.sort_by_key(|range| range.start);
    let mut shown = String::new();
    let mut at = 0;
    for range in ranges {
        if range.start >= at {
            // What overlaps is one gap.
            if range.start > at || shown.is_empty() {
                shown.push_str(&text[at..range.start]);
                shown.push_str(REDACTED);
            }
        }
        at = at.max(range.end);
    }
    shown.push_str(&text[at..]);
    shown
}

/// A word, or one character of a script without spaces.
struct Token {
    range: Range<usize>,
    word: String,
    weight: usize,
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut goes_on = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        if is_unspaced(c) {
            tokens.push(Token { range: at..end, word: c.to_string(), weight: 1 });
            goes_on = false;
        } else if !c.is_alphanumeric() {
            goes_on = false;
        } else if let Some(last) = tokens.last_mut().filter(|_| goes_on) {
            last.range.end = end;
            last.word.extend(c.to_lowercase());
        } else {
            tokens.push(Token { range: at..end, word: c.to_lowercase().collect(), weight: WORD });
            goes_on = true;
        }
    }
    tokens
}

/// Whether a character is of a script that has no spaces between words: Han, kana, Thai, Lao, Burmese, Khmer.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// The shortest run from this token on that is long enough.
fn run(tokens: &[Token], from: usize) -> Option<&[Token]> {
    let mut weight = 0;
    for (token, to) in tokens[from..].iter().zip(from + 1..) {
        weight += token.weight;
        if weight >= RUN {
            return Some(&tokens[from..to]);
        }
    }
    None
}

fn runs(tokens: &[Token]) -> Vec<Vec<String>> {
    (0..tokens.len()).map_while(|from| run(tokens, from)).map(words).collect()
}

fn words(run: &[Token]) -> Vec<String> {
    run.iter().map(|token| token.word.clone()).collect()
}
