//! A passage as pieces: words, code spans, links and quotes, each by its bytes in the whole text.

use std::ops::Range;

use super::glued::Seams;
use super::references::References;
use super::work;

/// The longest quote, code span or link that is looked for, in bytes: a mark without its partner must neither swallow
/// the passage nor make the search go over the passage's rest again and again.
const LONGEST: usize = 600;

/// A piece of a passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// All of it, marks included.
    pub(super) span: Range<usize>,
    /// What it is.
    pub(super) kind: Kind,
}

/// What a piece is; ranges are without the marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A run without white space.
    Word,
    /// Between backticks.
    Code(Range<usize>),
    /// `[label](target)`.
    Link { label: Range<usize>, target: Range<usize> },
    /// Between quotation marks.
    Quote(Range<usize>),
    /// `[1]`, or several of them: labels of sources that the text defines.
    Source,
}

/// The pieces of `text[within]`, in order, where no labels of sources are known.
pub(super) fn pieces(text: &str, within: Range<usize>) -> Vec<Piece> {
    pieces_with(text, within, &References::default())
}

/// The pieces of `text[within]`, in order.
pub(super) fn pieces_with(text: &str, within: Range<usize>, references: &References) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = within.start;
    let mut before = ' ';
    // The cells of a table need no white space around them.
    let row = text[within.clone()].trim_start().starts_with('|');
    let parts = |c: char| is_gap(c) || (row && c == '|');
    while let Some(c) = text[at..within.end].chars().next() {
        if parts(c) {
            at += c.len_utf8();
            before = c;
            continue;
        }
        let rest = at..within.end;
        let special = special(text, rest.clone(), c, before, references).map(|piece| (piece.span.end, piece));
        let (next, piece) = special.unwrap_or_else(|| word(text, rest, parts, references));
        at = next;
        before = text[..at].chars().next_back().unwrap_or(' ');
        pieces.push(piece);
    }
    pieces
}

fn special(text: &str, rest: Range<usize>, c: char, before: char, references: &References) -> Option<Piece> {
    match c {
        '`' => code(text, rest),
        '[' => link(text, rest.clone()).or_else(|| source(text, rest, references)),
        _ => quote(text, rest, c, before),
    }
}

/// What parts words: white space, and in languages without it their punctuation and the small words between others.
fn is_gap(c: char) -> bool {
    let hiragana = ('\u{3041}'..='\u{309f}').contains(&c);
    let punctuation = matches!(c, '。' | '、' | '，' | '；' | '：' | '！' | '？' | '（' | '）' | '・')
        || ('\u{3008}'..='\u{300b}').contains(&c)
        || ('\u{3010}'..='\u{301f}').contains(&c);
    c.is_whitespace() || hiragana || punctuation
}

/// `arr[1] = x`, `rows[1][2]`, `v[1].name`: an index, and no number of a source.
fn goes_on_as_code(behind: &str) -> bool {
    let next = behind.trim_start_matches(' ');
    next.starts_with('=')
        || behind.starts_with('(')
        || behind.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphabetic))
}

/// A word, and where what stands behind it begins.
fn word(text: &str, rest: Range<usize>, parts: impl Fn(char) -> bool, references: &References) -> (usize, Piece) {
    let until = |end: usize, next: usize| (next, Piece { span: rest.start..end, kind: Kind::Word });
    // Backticks without a partner are one word, however many they are.
    let ticks = text[rest.clone()].bytes().take_while(|byte| *byte == b'`').count();
    if ticks > 0 {
        return until(rest.start + ticks, rest.start + ticks);
    }
    let mut end = rest.start;
    let mut before = ' ';
    let mut seams = Seams::of_word_at(rest.start);
    // Where a row of labels ends that goes on as code: it is asked for once, and not from each of them.
    let mut indexed = 0;
    let mut is_source = |here: usize| {
        let labels = (here >= indexed).then(|| references.begin(&text[here..rest.end])).flatten();
        let end = labels.map(|length| here + length);
        let code = end.filter(|end| goes_on_as_code(&text[*end..rest.end]));
        indexed = code.unwrap_or(indexed);
        end.is_some() && code.is_none()
    };
    for (at, c) in text[rest.clone()].char_indices() {
        let here = rest.start + at;
        let ends = parts(c)
            || c == '`'
            || (at > 0 && c == '[' && link(text, here..rest.end).is_some())
            || (at > 0 && c == '[' && is_source(here))
            || (at > 0 && quote(text, here..rest.end, c, before).is_some());
        if ends && at > 0 {
            break;
        }
        if let Some(seam) = seams.before(text, here, c, rest.end).filter(|seam| seam.end > rest.start) {
            work::read(here - rest.start);
            return until(seam.end, seam.next);
        }
        end = here + c.len_utf8();
        before = c;
        // A long dash parts words without white space.
        if c == '—' {
            break;
        }
    }
    work::read(end - rest.start);
    match seams.at_end(text, end) {
        Some(seam) => until(seam.end, seam.next),
        None => until(end, end),
    }
}

fn code(text: &str, rest: Range<usize>) -> Option<Piece> {
    let length = text[rest.clone()].bytes().take_while(|byte| *byte == b'`').count();
    let start = rest.start + length;
    let end = rest.end.min(start + LONGEST);
    work::read(length + end.saturating_sub(start));
    let bytes = text.as_bytes();
    let mut at = start;
    while at < end {
        if bytes[at] != b'`' {
            at += 1;
            continue;
        }
        let run = bytes[at..rest.end].iter().take_while(|byte| **byte == b'`').count();
        if run == length {
            return Some(Piece { span: rest.start..at + run, kind: Kind::Code(start..at) });
        }
        at += run;
    }
    None
}

fn link(text: &str, rest: Range<usize>) -> Option<Piece> {
    let body = &text[rest.start..rest.end];
    work::read(body.len().min(LONGEST));
    let close = label_end(body)?;
    if !body[close..].starts_with("](") {
        return None;
    }
    let mut depth = 0_usize;
    let target_start = close + 2;
    for (at, c) in body[target_start..].char_indices().take_while(|(at, _)| *at <= LONGEST) {
        match c {
            '\n' => return None,
            '(' => depth += 1,
            ')' if depth == 0 => {
                let target = rest.start + target_start..rest.start + target_start + at;
                let label = rest.start + 1..rest.start + close;
                return Some(Piece { span: rest.start..target.end + 1, kind: Kind::Link { label, target } });
            }
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn source(text: &str, rest: Range<usize>, references: &References) -> Option<Piece> {
    let length = references.begin(&text[rest.clone()])?;
    Some(Piece { span: rest.start..rest.start + length, kind: Kind::Source })
}

/// Where the bracket closes that a text begins with. A label has brackets only in pairs.
fn label_end(body: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in body.char_indices().take_while(|(at, _)| *at <= LONGEST) {
        match c {
            '[' => depth += 1,
            ']' if depth <= 1 => return Some(at),
            ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn quote(text: &str, rest: Range<usize>, open: char, before: char) -> Option<Piece> {
    let close = match open {
        '"' => '"',
        '\u{201c}' | '\u{201e}' => '\u{201d}',
        '\u{ab}' => '\u{bb}',
        '\u{bb}' => '\u{ab}',
        '\u{2039}' => '\u{203a}',
        '\u{203a}' => '\u{2039}',
        '\u{201a}' => '\u{2018}',
        '「' => '」',
        '『' => '』',
        '\'' => '\'',
        '\u{2018}' => '\u{2019}',
        _ => return None,
    };
    let unspaced = matches!(open, '「' | '『');
    if before.is_alphanumeric() && !unspaced {
        return None;
    }
    let start = rest.start + open.len_utf8();
    let body = &text[start..rest.end];
    // Only French keeps its quotes apart from their marks.
    if body.starts_with(char::is_whitespace) && open != '\u{ab}' {
        return None;
    }
    work::read(body.len().min(LONGEST));
    let closes = |at: usize, c: char| {
        let after = body[at + c.len_utf8()..].chars().next();
        let matches = c == close || (open == '\u{201e}' && matches!(c, '\u{201c}' | '"'));
        // An apostrophe stands inside a word; a mark that closes does not.
        matches && (!matches!(close, '\'' | '\u{2018}' | '\u{2019}') || after.is_none_or(|c| !c.is_alphanumeric()))
    };
    let first = || body.char_indices().take_while(|(at, _)| *at <= LONGEST).find(|(at, c)| *at > 0 && closes(*at, *c));
    let nested = (open == '"').then(|| closed(body)).flatten().map(|at| (at, '"'));
    let (at, c) = nested.or_else(first)?;
    Some(Piece { span: rest.start..start + at + c.len_utf8(), kind: Kind::Quote(start..start + at) })
}

/// Where a quote ends that may have quotation marks of the same kind in it: `panic!("empty");`. A mark behind white space or
/// a sign of code, with something right behind it, opens an inner one; one behind a backslash is a letter like others.
fn closed(body: &str) -> Option<usize> {
    let near = body.char_indices().nth(LONGEST).map_or(body, |(end, _)| &body[..end]);
    let (mut depth, mut before) = (1_usize, '"');
    for (at, c) in near.char_indices() {
        if c == '"' && before != '\\' {
            // `"./lines"` goes on, and `".` at a sentence's end does not.
            let behind = near[at + 1..].trim_start_matches('.');
            let after = behind.chars().next();
            let led = before.is_whitespace() || matches!(before, '(' | '[' | '{' | '=' | '<' | '>' | ',' | ':' | '!');
            let goes_on = after.is_some_and(|c| !c.is_whitespace() && !matches!(c, ',' | ';' | ':' | ')' | ']' | '}'));
            if led && goes_on {
                depth += 1;
            } else {
                depth -= 1;
            }
            if depth == 0 {
                return (at > 0).then_some(at);
            }
        }
        before = c;
    }
    None
}
