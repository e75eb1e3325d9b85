//! A text as words are searched for in it: without what differs between a file and a quote of it, and yet by lines.

use std::ops::Range;

use super::super::citation::Lines;
use super::nearest::{Patience, Weary};

/// How many bytes of cited lines are searched for nothing. People cite some lines; those who cite all of a file have it
/// searched.
const FREE: usize = 64 * 1024;
/// How many places of the same words are compared by how near they are.
const COMPARED: usize = 1_000;

/// A text made of a file's lines.
#[derive(Debug)]
pub(super) struct Squeezed {
    text: String,
    /// Where each line of the file begins in it.
    starts: Vec<usize>,
}

impl Squeezed {
    /// What `add` makes of each line of a text that has so many.
    pub(super) fn new(text: &str, lines: usize, mut add: impl FnMut(&mut String, &str)) -> Self {
        let mut made = String::with_capacity(text.len());
        let mut starts = Vec::with_capacity(lines);
        for line in text.split_inclusive('\n') {
            starts.push(made.len());
            add(&mut made, line);
        }
        starts.truncate(lines);
        Self { text: made, starts }
    }

    /// The lines at which all parts stand, each behind the one before it: at the lines that are cited, else nearest to them.
    pub(super) fn in_order(
        &self,
        parts: &[Vec<String>],
        near: Option<Lines>,
        patience: &mut Patience,
    ) -> Result<Option<Lines>, Weary> {
        let Some((first, others)) = parts.split_first() else { return Ok(None) };
        for words in first {
            let from = |at: usize, patience: &mut Patience| -> Result<Option<Lines>, Weary> {
                let end = self.end_of(others, at + words.len(), patience)?;
                Ok(end.map(|end| Lines::new(self.line(at), self.line(end - 1))))
            };
            // What is found behind a later place is found behind the first one too: no other need be tried.
            let here = match near {
                Some(near) => begins_in(&self.text, self.range(near), words, patience)?,
                None => None,
            };
            if let Some(at) = here
                && let Some(found) = from(at, patience)?
            {
                return Ok(Some(found));
            }
            patience.search(self.text.len())?;
            let most = if near.is_some() { COMPARED } else { 1 };
            let places: Vec<usize> = whole(&self.text, 0..self.text.len(), words).take(most).collect();
            let nearest = near.and_then(|near| {
                places.iter().copied().min_by_key(|at| self.line(*at).abs_diff(near.first)).filter(|at| Some(*at) != here)
            });
            for at in nearest.into_iter().chain(places.first().copied()) {
                if let Some(found) = from(at, patience)? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    /// Where the last of these parts ends, each of them looked for behind the one before it.
    fn end_of(&self, parts: &[Vec<String>], from: usize, patience: &mut Patience) -> Result<Option<usize>, Weary> {
        let mut end = from;
        for part in parts {
            let mut next: Option<Range<usize>> = None;
            for words in part {
                // Of the ways in which a part may be written, the one that comes first counts.
                let until = next.as_ref().map_or(self.text.len(), |next| next.start + words.len());
                let until = ceil(&self.text, until.min(self.text.len()));
                let found = whole(&self.text, end..until, words).next().map(|at| at..at + words.len());
                patience.search(found.as_ref().map_or(until, |found| found.end) - end)?;
                next = found.or(next);
            }
            match next {
                Some(next) => end = next.end,
                None => return Ok(None),
            }
        }
        Ok(Some(end))
    }

    fn line(&self, at: usize) -> u32 {
        u32::try_from(self.starts.partition_point(|start| *start <= at)).unwrap_or(u32::MAX)
    }

    fn range(&self, lines: Lines) -> Range<usize> {
        let at = |line: u32| self.starts.get(line as usize).copied().unwrap_or(self.text.len());
        at(lines.first.saturating_sub(1))..at(lines.last)
    }
}

/// Where the words begin first in these bytes; they may go on behind them.
pub(super) fn begins_in(
    text: &str,
    lines: Range<usize>,
    words: &str,
    patience: &mut Patience,
) -> Result<Option<usize>, Weary> {
    if words.is_empty() {
        return Ok(None);
    }
    if lines.len() > FREE {
        patience.search(lines.len())?;
    }
    let reach = lines.start..ceil(text, (lines.end + words.len()).min(text.len()));
    Ok(whole(text, reach, words).next().filter(|at| *at < lines.end))
}

/// Words with single spaces and plain marks.
pub(super) fn squeeze(words: &str) -> String {
    let mut squeezed = String::with_capacity(words.len());
    squeeze_into(&mut squeezed, words);
    squeezed.trim().to_owned()
}

/// Adds a text with every run of white space as one space, and marks of typography as plain ones.
pub(super) fn squeeze_into(into: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            c if c.is_whitespace() => {
                if !into.ends_with(' ') && !into.is_empty() {
                    into.push(' ');
                }
            }
            '\u{201c}' | '\u{201d}' | '\u{201e}' => into.push('"'),
            '\u{2018}' | '\u{2019}' => into.push('\''),
            '\u{200b}' | '\u{feff}' => {}
            c => into.push(c),
        }
    }
}

/// Words with white space only where it parts two of them.
pub(super) fn loosen(words: &str) -> String {
    let mut loosened = String::with_capacity(words.len());
    loosen_into(&mut loosened, words, false);
    loosened
}

/// Adds a text with white space only where it parts two words. Gives whether it ends with white space, which the next one
/// begins with.
pub(super) fn loosen_into(into: &mut String, text: &str, mut spaced: bool) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut plain = String::with_capacity(text.len());
    squeeze_into(&mut plain, text);
    let starts_spaced = text.starts_with(char::is_whitespace);
    spaced |= starts_spaced;
    for c in plain.replace("**", "").chars().filter(|c| *c != '`') {
        if c == ' ' {
            spaced = true;
            continue;
        }
        if spaced && is_part(c) && into.ends_with(is_part) {
            into.push(' ');
        }
        spaced = false;
        into.push(c);
    }
    spaced
}

/// A line without the mark of a comment that it begins with: `/// Waits.`, ` * Waits.`, `# Waits.`
pub(super) fn without_comment_mark(line: &str) -> &str {
    const MARKS: [&str; 9] = ["//!", "///", "//", "/**", "/*", "*", "#", "--", ";;"];
    let bare = line.trim_start();
    let behind = MARKS.iter().filter_map(|mark| bare.strip_prefix(mark));
    // `*p = 0;` and `#include` are code.
    let mut behind = behind.filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
    behind.next().unwrap_or(line)
}

/// Where the words stand in `text[within]` as whole words.
fn whole<'a>(text: &'a str, within: Range<usize>, words: &'a str) -> impl Iterator<Item = usize> + 'a {
    let joins = |one: Option<char>, other: Option<char>| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        one.is_some_and(is_part) && other.is_some_and(is_part)
    };
    let start = within.start;
    text[within].match_indices(words).map(move |(at, _)| start + at).filter(move |at| {
        let before = text[..*at].chars().next_back();
        let after = text[at + words.len()..].chars().next();
        !joins(before, words.chars().next()) && !joins(words.chars().next_back(), after)
    })
}

/// The next place at which a character begins.
fn ceil(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}
