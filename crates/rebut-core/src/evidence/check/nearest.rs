//! The lines of a file that are most like a quote that is not in it.

use std::collections::BTreeMap;

use super::super::Lines;
use super::FileText;
use super::searching::SearchBudget;

/// The least likeness, in percent, that is worth showing.
const LEAST: u8 = 50;

const COMPARED_LINES: usize = 12;
const COMPARED_BYTES: usize = 800;

/// The likeliest place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Nearest {
    pub lines: Lines,
    /// How alike, in percent.
    pub likeness: u8,
}

/// The lines that are most like the quote, if any are.
pub(super) fn nearest(file: &FileText, quote: &str, budget: &mut SearchBudget) -> Option<Nearest> {
    budget.compare = budget.compare.checked_sub(file.len())?;
    // The beginning of a long quote is enough to know its place by.
    let quote = beginning(quote.trim());
    let wanted = count(quote);
    let total: usize = wanted.iter().map(|(_, times)| times).sum();
    let height = quote.lines().count().max(1);
    let lines: Vec<Line> = file.lines().map(|line| Line::read(line, &wanted)).collect();
    let mut window = Window { has: vec![0; wanted.len()], wanted: &wanted, both: 0, length: 0 };
    lines.iter().take(height - 1).for_each(|line| window.take(line));
    let mut best: Option<(usize, u8)> = None;
    for at in 0..lines.len() {
        match lines.get(at + height - 1) {
            Some(line) => window.take(line),
            None if at > 0 => break,
            None => {}
        }
        // A quote may be a part of its line: extra words count less than missing ones.
        let around = window.length.saturating_sub(window.both).min(total);
        let likeness = 100 * 4 * window.both / (4 * total + around).max(1);
        let likeness = u8::try_from(likeness.min(99)).unwrap_or(99);
        if best.is_none_or(|(_, before)| likeness > before) {
            best = Some((at, likeness));
        }
        window.leave(&lines[at]);
    }
    let (at, likeness) = best.filter(|(_, likeness)| *likeness >= LEAST)?;
    let first = u32::try_from(at + 1).unwrap_or(u32::MAX);
    let last = u32::try_from(at + height).unwrap_or(u32::MAX).min(file.line_count());
    Some(Nearest { lines: Lines::new(first, last), likeness })
}

/// The first lines of a quote, up to some hundred bytes.
fn beginning(quote: &str) -> &str {
    let end = quote.match_indices('\n').map(|(at, _)| at).nth(COMPARED_LINES - 1).unwrap_or(quote.len());
    &quote[..quote.floor_char_boundary(end.min(COMPARED_BYTES))]
}

/// The words of a quote, sorted, and how often each occurs.
fn count(text: &str) -> Vec<(&str, usize)> {
    let mut counts = BTreeMap::new();
    for token in tokens(text) {
        *counts.entry(token).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}

/// A line: how many words it has, and which of the wanted ones, by their places.
struct Line {
    length: usize,
    wanted: Vec<usize>,
}

impl Line {
    fn read(line: &str, wanted: &[(&str, usize)]) -> Self {
        let mut read = Self { length: 0, wanted: Vec::new() };
        for token in tokens(line) {
            read.length += 1;
            read.wanted.extend(wanted.binary_search_by(|(known, _)| known.cmp(&token)));
        }
        read
    }
}

/// Some lines that follow each other, and how many words they share with the quote.
struct Window<'a> {
    wanted: &'a [(&'a str, usize)],
    has: Vec<usize>,
    both: usize,
    length: usize,
}

impl Window<'_> {
    fn take(&mut self, line: &Line) {
        self.length += line.length;
        for at in &line.wanted {
            self.both += usize::from(self.has[*at] < self.wanted[*at].1);
            self.has[*at] += 1;
        }
    }

    fn leave(&mut self, line: &Line) {
        self.length -= line.length;
        for at in &line.wanted {
            self.has[*at] -= 1;
            self.both -= usize::from(self.has[*at] < self.wanted[*at].1);
        }
    }
}

/// Words and single marks.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let end = if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (token, behind) = rest.split_at(end);
        rest = behind;
        Some(token)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str, quote: &str) -> Option<(String, u8)> {
        let found = nearest(&FileText::new(text.as_bytes()), quote, &mut SearchBudget::default())?;
        Some((found.lines.to_string(), found.likeness))
    }

    #[test]
    fn a_stale_quote_is_found_where_it_was_changed() {
        let text = "use std::fs;\n\nfn wait(limit: Duration) {\n    sleep(limit);\n}\n";
        assert_eq!(find(text, "fn wait(limit: u64) {"), Some(("3".into(), 84)));
        assert_eq!(find(text, "completely different words here"), None);
    }

    #[test]
    fn comparing_has_an_end() {
        let file = FileText::new(&vec![b'a'; 1024]);
        let mut budget = SearchBudget { compare: 1_500, ..SearchBudget::default() };
        assert!(nearest(&file, "b", &mut budget).is_none());
        assert_eq!(budget.compare, 476);
        assert!(nearest(&file, "b", &mut budget).is_none());
        assert_eq!(budget.compare, 476);
    }
}
