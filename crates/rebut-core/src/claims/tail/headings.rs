//! Where the lists of claims of a statement begin.

use std::ops::Range;

use super::super::citation::{closes, opens};
use super::keys::{keyed, unlisted};

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
    // One with nothing below it that could be told from prose heads a list only where no other follows.
    let last = all.last();
    let first = all.iter().find(|heading| heading.heads_items && !heading.in_fence && lists == Lists::All);
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

/// A line `--- claims`.
pub(super) struct Heading {
    pub(super) span: Range<usize>,
    /// Whether an item of the list begins right below it.
    heads_items: bool,
    /// Whether it stands in a block of code that shows somebody else's list.
    in_fence: bool,
}

impl Heading {
    /// Whether a list stands below it, where another one stands before it.
    pub(super) fn heads_another(&self) -> bool {
        !self.in_fence
    }
}

/// The headings of a text, in order.
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
        let is_claims = |words: &str| words.trim_matches(['-', ' ', ':']).eq_ignore_ascii_case("claims");
        if bare.strip_prefix("---").is_some_and(is_claims) {
            all.push(Heading { span, heads_items: false, in_fence: fence.is_some() });
            is_next = true;
        } else if is_next && !line.trim().is_empty() && opens(line, 0..line.len()).is_none() {
            let first = unlisted(line).1;
            let is_item = keyed(first).is_some() || first.starts_with(['{', '[']);
            all.iter_mut().rev().take(1).for_each(|heading| heading.heads_items = is_item);
            is_next = false;
        }
    }
    // Some put their own list into a block, and it is the last.
    if let Some(last) = all.last_mut() {
        last.in_fence = false;
    }
    all
}
