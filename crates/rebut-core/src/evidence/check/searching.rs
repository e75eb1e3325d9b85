//! A text in which quotes are searched for, whatever white space and marks of emphasis they have, and found by lines.

use std::ops::Range;

use super::super::Lines;

/// Searching in cited lines up to this size costs nothing.
const FREE: usize = 64 * 1024;
/// How many lines a quote in parts may span: words from anywhere in a file are no quote.
const FARTHEST: u32 = 40;
/// Of a quote that occurs very often, this many places are compared to find the nearest.
const COMPARED: usize = 1_000;
/// How many bytes all searches for one statement may go over.
const MOST_SEARCHED: usize = 1024 * 1024 * 1024;
/// How many bytes are compared for one statement to find the nearest text.
const MOST_COMPARED: usize = 32 * 1024 * 1024;

/// How much may still be searched and compared.
#[derive(Clone, Debug)]
pub struct SearchBudget {
    pub(super) search: usize,
    pub(super) compare: usize,
}

/// Too much was searched already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too much was searched for this statement already")]
pub struct Exhausted;

impl Default for SearchBudget {
    fn default() -> Self {
        Self { search: MOST_SEARCHED, compare: MOST_COMPARED }
    }
}

impl SearchBudget {
    /// A budget of this many bytes to search.
    pub fn of(bytes: usize) -> Self {
        Self { search: bytes, ..Self::default() }
    }

    pub fn search(&mut self, bytes: usize) -> Result<(), Exhausted> {
        self.search = self.search.checked_sub(bytes).ok_or(Exhausted)?;
        Ok(())
    }
}

/// A form of a text, in which lines are still known.
#[derive(Debug)]
pub(super) struct Searchable {
    text: String,
    /// Where each line begins.
    starts: Vec<usize>,
}

impl Searchable {
    /// The form that `add` makes of each line.
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

    /// The lines from the first part to the last, all of them in order; in or nearest to `near`, else the first ones.
    pub(super) fn find(
        &self,
        parts: &[String],
        near: Option<Lines>,
        budget: &mut SearchBudget,
    ) -> Result<Option<Lines>, Exhausted> {
        let Some((first, others)) = parts.split_first().filter(|(first, _)| !first.is_empty()) else { return Ok(None) };
        let from = |at: usize, budget: &mut SearchBudget| -> Result<Option<Lines>, Exhausted> {
            let end = self.end_of(others, at + first.len(), budget)?;
            let found = end.map(|end| Lines::new(self.line(at), self.line(end - 1)));
            Ok(found.filter(|found| others.is_empty() || found.last - found.first <= FARTHEST))
        };
        if let Some(near) = near {
            let lines = self.range(near);
            if lines.len() > FREE {
                budget.search(lines.len())?;
            }
            let reach = lines.start..self.text.ceil_char_boundary(lines.end + first.len());
            let here = whole(&self.text, reach, first).next().filter(|at| *at < lines.end);
            if let Some(at) = here
                && let Some(found) = from(at, budget)?
            {
                return Ok(Some(found));
            }
        }
        budget.search(self.text.len())?;
        let most = if near.is_some() { COMPARED } else { 1 };
        let places: Vec<usize> = whole(&self.text, 0..self.text.len(), first).take(most).collect();
        let nearest = near.and_then(|near| places.iter().copied().min_by_key(|at| self.line(*at).abs_diff(near.first)));
        for at in nearest.into_iter().chain(places.first().copied()) {
            if let Some(found) = from(at, budget)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Where the last of these parts ends, each after the one before it.
    fn end_of(&self, parts: &[String], from: usize, budget: &mut SearchBudget) -> Result<Option<usize>, Exhausted> {
        let mut end = from;
        for part in parts {
            let found = whole(&self.text, end..self.text.len(), part).next();
            budget.search(found.unwrap_or(self.text.len()) - end)?;
            match found {
                Some(at) => end = at + part.len(),
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

/// A text with one space for white space, and plain quotation marks.
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

/// The same with white space only between words, and without backticks and `**`. `spaced` says whether white space came
/// before; whether it comes after is returned.
pub(super) fn loosen_into(into: &mut String, text: &str, mut spaced: bool) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut plain = String::with_capacity(text.len());
    squeeze_into(&mut plain, text);
    spaced |= text.starts_with(char::is_whitespace);
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

/// Where words occur that are not parts of longer ones.
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
