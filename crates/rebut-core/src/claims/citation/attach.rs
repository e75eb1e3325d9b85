//! Which words near a path are said to stand there.
//!
//! A quote that is taken for evidence and is none makes an honest speaker a liar, so a quote counts only where the
//! sentence ties it to the path: it stands beside it, or a word like "reads" leads from one to the other. What is denied
//! or proposed ("should read", "there is no") is not said to stand there.

use std::ops::Range;

use super::{Citation, Target};

/// Something in a passage that matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Where it stands, marks included.
    pub(super) span: Range<usize>,
    /// What it is.
    pub(super) said: Said,
}

/// What a mark is; ranges of words are without their marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// These citations.
    Path(Range<usize>),
    /// Words in quotation marks.
    Quote(Range<usize>),
    /// Words in backticks.
    Code(Range<usize>),
}

/// Words that lead from a path to what stands there.
const READING: [&str; 34] = [
    "reads",
    "read",
    "says",
    "states",
    "contains",
    "shows",
    "has",
    "holds",
    "is",
    "defines",
    "declares",
    "calls",
    "returns",
    "documents",
    "notes",
    "writes",
    "where",
    "with",
    "sets",
    "uses",
    "does",
    "as",
    "checks",
    "acquires",
    "drops",
    "runs",
    "spawns",
    "opens",
    "logs",
    "matches",
    "imports",
    "exports",
    "literally",
    "the",
];

/// Words that may stand between a quote and the path behind it.
const PLACING: [&str; 14] =
    ["in", "at", "from", "see", "of", "on", "per", "line", "lines", "the", "file", "is", "stands", "appears"];

/// Words by which something is denied or only proposed.
const DENYING: [&str; 43] = [
    "not",
    "no",
    "never",
    "cannot",
    "without",
    "lacks",
    "lack",
    "missing",
    "absent",
    "nowhere",
    "instead",
    "rather",
    "should",
    "would",
    "could",
    "replace",
    "replacing",
    "rename",
    "add",
    "adding",
    "added",
    "introduce",
    "introducing",
    "become",
    "becomes",
    "propose",
    "proposes",
    "suggest",
    "suggests",
    "need",
    "needs",
    "create",
    "creating",
    "new",
    "move",
    "extract",
    "don't",
    "doesn't",
    "isn't",
    "wouldn't",
    "nothing",
    "kein",
    "nicht",
];

/// The shortest quote that is looked up; less stands everywhere.
const SHORTEST_QUOTE: usize = 3;
/// The shortest piece of code that is a quote and not a name.
const SHORTEST_CODE: usize = 6;
/// How many words may stand between a path and what it is said to hold.
const NEAR: usize = 8;

/// Gives every path the words that are said to stand there.
pub(super) fn attach(text: &str, within: Range<usize>, marks: &[Mark], citations: &mut [Citation]) {
    for sentence in sentences(text, within, marks) {
        let inside: Vec<&Mark> =
            marks.iter().filter(|m| m.span.start >= sentence.start && m.span.start < sentence.end).collect();
        let paths: Vec<(usize, &Mark, &Range<usize>)> = inside
            .iter()
            .enumerate()
            .filter_map(|(at, mark)| match &mark.said {
                Said::Path(range) => Some((at, *mark, range)),
                _ => None,
            })
            .collect();
        if paths.is_empty() {
            continue;
        }
        let one_path = paths.iter().all(|(_, _, range)| place(citations, range) == place(citations, paths[0].2));
        for (at, mark) in inside.iter().enumerate() {
            let words = match &mark.said {
                Said::Path(_) => continue,
                Said::Quote(words) | Said::Code(words) => text[words.clone()].trim(),
            };
            let before = paths.iter().rev().find(|(place, ..)| *place < at);
            let after = paths.iter().find(|(place, ..)| *place > at);
            let is_code = matches!(mark.said, Said::Code(_));
            let Some((range, tie)) = tie(text, &sentence, mark, before, after) else { continue };
            let (quotes, symbols) = match kind(words, is_code, tie, one_path) {
                Some(Attached::Quote) => (Some(words), None),
                Some(Attached::Symbol) => (None, Some(words)),
                None => continue,
            };
            for citation in &mut citations[range.clone()] {
                citation.quotes.extend(quotes.map(str::to_owned));
                citation.symbols.extend(symbols.map(|name| name.trim_end_matches("()").to_owned()));
            }
        }
    }
}

/// How a mark is tied to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tie {
    /// Side by side.
    Beside,
    /// By a word like "reads".
    Reading,
    /// Only by the sentence.
    Loose,
}

enum Attached {
    Quote,
    Symbol,
}

type PathMark<'a> = (usize, &'a Mark, &'a Range<usize>);

/// The citations that a mark belongs to.
fn tie<'a>(
    text: &str,
    sentence: &Range<usize>,
    mark: &Mark,
    before: Option<&PathMark<'a>>,
    after: Option<&PathMark<'a>>,
) -> Option<(&'a Range<usize>, Tie)> {
    if let Some((_, path, range)) = after {
        let gap = &text[mark.span.end..path.span.start];
        let beside = !gap.trim_start().starts_with([',', '.', ';']) && {
            let between: Vec<String> = words(gap).collect();
            between.len() <= 4 && between.iter().all(|word| PLACING.contains(&word.as_str()))
        };
        if beside {
            let lead: Vec<String> = words(&text[sentence.start..mark.span.start]).collect();
            let denied = lead.iter().rev().take(4).any(|word| denies(word));
            return (!denied).then_some((*range, Tie::Beside));
        }
    }
    let (_, path, range) = before?;
    let between: Vec<String> = words(&text[path.span.end..mark.span.start]).collect();
    if between.iter().any(|word| denies(word)) || between.len() > NEAR {
        return None;
    }
    let tie = if between.len() <= 1 {
        Tie::Beside
    } else if between.iter().any(|word| READING.contains(&word.as_str())) {
        Tie::Reading
    } else {
        Tie::Loose
    };
    let lead_denies = words(&text[sentence.start..path.span.start]).any(|word| denies(&word));
    if lead_denies && tie != Tie::Beside { None } else { Some((*range, tie)) }
}

/// Whether the words are a quote or a name, or neither.
fn kind(words: &str, is_code: bool, tie: Tie, one_path: bool) -> Option<Attached> {
    let length = words.chars().count();
    let name = is_name(words);
    if is_code && name {
        return (one_path && length >= SHORTEST_QUOTE).then_some(Attached::Symbol);
    }
    let quote = match tie {
        _ if is_code => length >= SHORTEST_CODE && tie != Tie::Loose,
        Tie::Beside => length >= SHORTEST_QUOTE,
        Tie::Reading => length >= 12 && (words.split_whitespace().count() >= 3 || words.contains(is_code_mark)),
        Tie::Loose => false,
    };
    quote.then_some(Attached::Quote)
}

fn is_code_mark(c: char) -> bool {
    matches!(c, '(' | ')' | '{' | '}' | ';' | '=' | '<' | '>' | '_' | '[' | ']' | '#' | '&' | '|')
}

/// A name in code.
fn is_name(words: &str) -> bool {
    let name = words.trim_end_matches("()").trim_start_matches(['&', '.', '@', '$', '#']);
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '!'))
}

/// The path that a block of code behind this passage is the quote of: the last one, with only a few words behind it.
pub(super) fn heads_a_block(text: &str, within: Range<usize>, marks: &[Mark]) -> Option<usize> {
    let (at, path, range) = marks.iter().enumerate().rev().find_map(|(at, mark)| match &mark.said {
        Said::Path(range) => Some((at, mark, range)),
        _ => None,
    })?;
    let quoted_behind = marks[at + 1..].iter().any(|mark| matches!(mark.said, Said::Quote(_)));
    let tail = &text[path.span.end..within.end];
    let ends_open = tail.trim_end().ends_with(':') || words(tail).count() == 0;
    let sentence = sentences(text, within, marks).into_iter().last()?;
    let denied = words(&text[sentence]).any(|word| denies(&word));
    (ends_open && !quoted_behind && !denied && words(tail).count() <= 12).then_some(range.end - 1)
}

/// Whether the sentence around this place proposes or denies something.
pub(super) fn proposes(text: &str, at: usize) -> bool {
    let start = text[..at].rfind(['.', '!', '?', '\n', ';']).map_or(0, |end| end + 1);
    let start =
        text[..at].rfind(". ").map_or(start.min(at), |end| end + 2).max(text[..at].rfind('\n').map_or(0, |end| end + 1));
    words(&text[start..at]).any(|word| denies(&word))
}

fn denies(word: &str) -> bool {
    DENYING.contains(&word)
}

/// The words of a text, in small letters, without punctuation.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let word = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).replace('’', "'").to_lowercase();
    text.split(|c: char| c.is_whitespace() || matches!(c, '—' | '(' | ')' | '/')).map(word).filter(|word| !word.is_empty())
}

/// The sentences of a passage. A full stop inside a mark ends none.
fn sentences(text: &str, within: Range<usize>, marks: &[Mark]) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = within.start;
    let mut marks = marks.iter().map(|mark| &mark.span).peekable();
    for (at, c) in text[within.clone()].char_indices().map(|(at, c)| (within.start + at, c)) {
        while marks.next_if(|span| span.end <= at).is_some() {}
        if marks.peek().is_some_and(|span| span.contains(&at)) || !matches!(c, '.' | '!' | '?') {
            continue;
        }
        let rest = &text[at + c.len_utf8()..within.end];
        let next = rest.trim_start();
        let ends = rest.len() > next.len() && !next.starts_with(char::is_lowercase);
        if ends {
            sentences.push(start..at + c.len_utf8());
            start = at + c.len_utf8();
        }
    }
    sentences.push(start..within.end);
    sentences
}

/// The place that citations of one mark point at.
fn place<'a>(citations: &'a [Citation], range: &Range<usize>) -> Option<&'a str> {
    match &citations.get(range.start)?.target {
        Target::File { path, .. } => Some(path),
        Target::Page { url } => Some(url),
        _ => None,
    }
}
