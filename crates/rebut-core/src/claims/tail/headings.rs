//! Where the lists of claims of a statement begin.

use std::ops::Range;

use super::super::citation::{closes, opens};
use super::keys::{Key, keyed, unlisted};

/// A statement that has a tail.
pub(in super::super) struct Split<'a> {
    /// The prose before it.
    pub(in super::super) body: &'a str,
    /// Its lines.
    pub(in super::super) lines: &'a str,
    /// Whether a fence is open before the heading: the tail is sometimes put into one of its own.
    pub(in super::super) in_fence: bool,
}

/// Which lists of a statement are its tail.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Lists {
    /// All, read as one.
    All,
    /// The last line `--- claims`, where others may be of parts that are told apart.
    Last,
}

/// Splits a statement at its list of claims, at the first of several.
pub(in super::super) fn split(text: &str, lists: Lists) -> Option<Split<'_>> {
    let all = headings(text);
    // A line `--- claims` with nothing below it that could be told from prose is a list only where no other follows.
    let last = all.iter().rfind(|heading| heading.is_marked);
    let first =
        all.iter().find(|heading| heading.heads_items && !heading.in_fence && (lists == Lists::All || last.is_none()));
    let found = first.into_iter().chain(last).min_by_key(|heading| heading.span.start)?.span.clone();
    let (start, end) = (found.start, found.end);
    let body = text[..start].trim();
    let fence = open_fence(body).filter(|at| !body[*at..].contains('\n'));
    let body = fence.map_or(body, |at| body[..at].trim_end());
    Some(Split { body, lines: &text[end..], in_fence: fence.is_some() })
}

/// Where the fence stands that a text opens and does not close.
fn open_fence(text: &str) -> Option<usize> {
    let mut at = 0;
    let mut open = None;
    for line in text.split_inclusive('\n') {
        open = match open {
            Some((_, fence)) if closes(line.trim_start(), &fence) => None,
            None => opens(line, at..at + line.len()).map(|fence| (at, fence)),
            still => still,
        };
        at += line.len();
    }
    open.map(|(at, _)| at)
}

/// A line that may head a list of claims.
pub(super) struct Heading {
    pub(super) span: Range<usize>,
    /// Whether it is `--- claims`, and no heading of Markdown's.
    is_marked: bool,
    /// Whether a claim in the list's own form begins right below it.
    heads_items: bool,
    /// Whether it stands in a block of code that shows somebody else's list.
    in_fence: bool,
}

impl Heading {
    /// Whether a list stands below it, where another one stands before it.
    pub(super) fn heads_another(&self) -> bool {
        (self.is_marked || self.heads_items) && !self.in_fence
    }
}

/// The headings of a text, in order. One of Markdown's (`## Claims`) is one only where the list's own form follows.
pub(super) fn headings(text: &str) -> Vec<Heading> {
    let mut all: Vec<Heading> = Vec::new();
    let (mut at, mut is_next, mut fence) = (0, false, None);
    for line in text.split_inclusive('\n') {
        let span = at..at + line.len();
        at = span.end;
        fence = match fence {
            Some(open) if closes(line.trim_start(), &open) => None,
            None => opens(line, span.clone()),
            still => still,
        };
        let bare = line.trim().trim_matches(['*', '`', '#', ' ']);
        let words = bare.strip_prefix("---");
        let is_claims = words.unwrap_or(bare).trim_matches(['-', ' ', ':']).eq_ignore_ascii_case("claims");
        if is_claims && (words.is_some() || line.trim_start().starts_with('#')) {
            all.push(Heading { span, is_marked: words.is_some(), heads_items: false, in_fence: fence.is_some() });
            is_next = true;
        } else if is_next && !line.trim().is_empty() && opens(line, 0..line.len()).is_none() {
            let is_claim = keyed(unlisted(line).1).is_some_and(|found| found.key == Key::Claim && !found.by_id_alone);
            all.iter_mut().rev().take(1).for_each(|heading| heading.heads_items = is_claim);
            is_next = false;
        }
    }
    // Some put their own list into a block, and it is the last.
    if let Some(last) = all.iter_mut().rfind(|heading| heading.is_marked) {
        last.in_fence = false;
    }
    all
}
