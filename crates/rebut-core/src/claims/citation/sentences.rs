//! The sentences of a passage, and what the last of them says of a block of code behind it.

use std::ops::Range;

use super::attach::{Mark, Said};
use super::proposals::leads_elsewhere;
use super::references::behind_an_end;
use super::words::words;
use super::work;

/// The path that a block of code behind this passage is the quote of: the last one, with only a few words behind it.
pub(super) fn heads_a_block(text: &str, within: Range<usize>, marks: &[Mark]) -> Option<usize> {
    let (at, path, range) = marks.iter().enumerate().rev().find_map(|(at, mark)| match &mark.said {
        Said::Path(range) => Some((at, mark, range)),
        _ => None,
    })?;
    let quoted_behind = marks[at + 1..].iter().any(|mark| matches!(mark.said, Said::Quote(_)));
    let tail = &text[path.span.end..within.end];
    // `(src/pool.rs:6-8): the code does`
    let behind = tail.trim_start_matches([')', ']', '`', '*', ' ']);
    let opened = behind.starts_with(':') && !tail.trim_end().ends_with(['.', '!', '?', ';']);
    let ends_open = tail.trim_end().ends_with(':') || words(tail).count() == 0 || opened;
    let sentence = sentences(text, within, marks).into_iter().last()?;
    let before = &text[sentence.start.min(path.span.start)..path.span.start];
    let elsewhere = leads_elsewhere(before, tail);
    (ends_open && !quoted_behind && !elsewhere && words(tail).count() <= 12).then_some(range.end - 1)
}

/// The sentences of a passage. A full stop inside a mark ends none.
pub(super) fn sentences(text: &str, within: Range<usize>, marks: &[Mark]) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = within.start;
    let mut marks = marks.iter().map(|mark| &mark.span).peekable();
    let mut brackets = 0_usize;
    for (at, c) in text[within.clone()].char_indices().map(|(at, c)| (within.start + at, c)) {
        while marks.next_if(|span| span.end <= at).is_some() {}
        if marks.peek().is_some_and(|span| span.contains(&at)) {
            continue;
        }
        match c {
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets = brackets.saturating_sub(1),
            _ => {}
        }
        if !matches!(c, '.' | '!' | '?' | ';' | '。') {
            continue;
        }
        let behind = at + c.len_utf8();
        let next_mark = marks.peek().map(|span| span.start);
        if let Some(end) = behind_an_end(text, behind, within.end, next_mark).filter(|_| c != ';') {
            sentences.push(start..end);
            start = end;
            continue;
        }
        let rest = &text[behind..within.end];
        let next = rest.trim_start();
        work::read(rest.len() - next.len());
        let ends = match c {
            '。' => true,
            ';' => rest.len() > next.len() && brackets == 0 && !goes_on_about_it(next),
            '.' | '?' if next.starts_with("It ") => !goes_on_about_it(next),
            _ => rest.len() > next.len() && !next.starts_with(char::is_lowercase),
        };
        if ends {
            brackets = 0;
            sentences.push(start..at + c.len_utf8());
            start = at + c.len_utf8();
        }
    }
    sentences.push(start..within.end);
    sentences
}

/// Whether what stands behind a semicolon still speaks of the place before it: `; it says`, `; that line`.
fn goes_on_about_it(next: &str) -> bool {
    let near = super::attach::beginning(next, 40);
    let mut words = words(near);
    let (first, second) = (words.next(), words.next());
    match (first.as_deref(), second.as_deref()) {
        (Some("neither" | "both"), Some(_)) => true,
        (Some("it"), Some(verb)) => matches!(verb, "reads" | "says" | "states" | "contains" | "does"),
        (Some("that" | "this" | "the" | "there"), Some(what)) => {
            matches!(what, "line" | "lines" | "file" | "place" | "is" | "citation")
        }
        _ => false,
    }
}
