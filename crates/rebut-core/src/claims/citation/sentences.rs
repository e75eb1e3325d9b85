//! The sentences of a passage, and what the last of them says of a block of code behind it.

use std::ops::Range;

use super::attach::{Mark, Said};
use super::proposals::{Leads, leads, title_leads};
use super::references::behind_an_end;
use super::words::words;
use super::work;

/// The path over a block of code.
#[derive(Clone, Copy)]
pub(super) struct Heading {
    /// Which citation it is.
    pub(super) at: usize,
    /// Whether the block is its quote. If not, nobody can tell.
    pub(super) quotes: bool,
}

/// The path that a block of code behind this passage is the quote of: the last one, with only a few words behind it.
pub(super) fn heads_a_block(text: &str, within: Range<usize>, marks: &[Mark]) -> Option<Heading> {
    let (at, path, range) = marks.iter().enumerate().rev().find_map(|(at, mark)| match &mark.said {
        Said::Path(range) => Some((at, mark, range)),
        _ => None,
    })?;
    if range.is_empty() {
        return None;
    }
    let quoted_behind = marks[at + 1..].iter().any(|mark| matches!(mark.said, Said::Quote(_)));
    let tail = &text[path.span.end..within.end];
    // `(src/pool.rs:6-8): the code does`
    let behind = tail.trim_start_matches([')', ']', '`', '*', ' ']);
    let opened = behind.starts_with(':') && !tail.trim_end().ends_with(['.', '!', '?', ';']);
    let ends_open = tail.trim_end().ends_with(':') || words(tail).count() == 0 || opened;
    let sentence = sentences(text, within, marks).into_iter().last()?;
    let before = &text[sentence.start.min(path.span.start)..path.span.start];
    // `… X. Compare what I would write:`
    let apart = if sentence.start >= path.span.end { title_leads(&text[sentence]) } else { Leads::There };
    let led = [apart, leads(before, tail)];
    let heads = ends_open && !quoted_behind && !led.contains(&Leads::Elsewhere) && words(tail).count() <= 12;
    heads.then(|| Heading { at: range.end - 1, quotes: !led.contains(&Leads::Perhaps) })
}

/// The sentences of a passage. A full stop inside a mark ends none, unless it ends a quotation and another sentence follows:
/// `It is "safe." See src/a.rs:9.`
pub(super) fn sentences(text: &str, within: Range<usize>, marks: &[Mark]) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = within.start;
    let ends_quoted = |at: usize| {
        let place = marks.partition_point(|mark| mark.span.end < at);
        marks
            .get(place)
            .is_some_and(|mark| mark.span.end == at && ends_a_sentence(text, within.end, mark, marks.get(place + 1)))
    };
    let mut spans = marks.iter().map(|mark| &mark.span).peekable();
    let mut brackets = 0_usize;
    for (at, c) in text[within.clone()].char_indices().map(|(at, c)| (within.start + at, c)) {
        while spans.next_if(|span| span.end <= at).is_some() {}
        if spans.peek().is_some_and(|span| span.contains(&at)) {
            continue;
        }
        if c.is_whitespace() && ends_quoted(at) {
            brackets = 0;
            sentences.push(start..at);
            start = at;
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
        let next_mark = spans.peek().map(|span| span.start);
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
            '.' if ends_with_an_abbreviation(&text[start..at]) => false,
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

/// The sentences of a passage, each with the marks in it.
pub(super) fn marked_sentences<'m>(text: &str, within: Range<usize>, marks: &'m [Mark]) -> Vec<(Range<usize>, &'m [Mark])> {
    let mut left = marks;
    let with_marks = |sentence: Range<usize>| {
        let (inside, behind) = left.split_at(left.partition_point(|mark| mark.span.start < sentence.end));
        left = behind;
        (sentence, inside)
    };
    sentences(text, within, marks).into_iter().map(with_marks).collect()
}

/// Whether a quotation ends with its sentence: the stop stands inside of it, and another sentence begins behind it. A path
/// that follows without a word more is where the quotation stands.
fn ends_a_sentence(text: &str, end: usize, mark: &Mark, next: Option<&Mark>) -> bool {
    let Said::Quote(words) = &mark.said else { return false };
    let stopped = text[words.clone()].trim_end().ends_with(['.', '!', '?']);
    let rest = text[mark.span.end..end].trim_start();
    let path =
        next.filter(|next| matches!(next.said, Said::Path(_)) && text[mark.span.end..next.span.start].trim().is_empty());
    let begins = match path {
        Some(path) => text[path.span.end..end].trim_start_matches('`').starts_with(|c: char| c.is_whitespace()),
        None => rest.starts_with(char::is_uppercase),
    };
    stopped && begins
}

/// Whether the full stop behind a text ends a word and no sentence: `cf.`, `e.g.`.
pub(super) fn ends_with_an_abbreviation(text: &str) -> bool {
    const SHORT: [&str; 9] = ["cf", "e.g", "i.e", "vs", "approx", "resp", "z.b", "bzw", "vgl"];
    let start = text.char_indices().rev().nth(8).map_or(0, |(at, _)| at);
    let near = text[start..].to_lowercase();
    SHORT.iter().any(|short| {
        let lead = near.strip_suffix(short);
        lead.is_some_and(|lead| !lead.ends_with(char::is_alphanumeric))
    })
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

#[cfg(test)]
mod tests {
    use super::super::find;

    #[test]
    fn a_sentence_between_a_place_and_a_block_can_propose_it() {
        let text = "`src/a.rs:9` is simple. Compare what I would write:\n\n```rust\nmem::drop(guard);\n```";
        assert_eq!(quotes(text), [[""; 0]]);
        let text = "`src/a.rs:9` is simple. It never unlocks:\n\n```rust\nmem::drop(guard);\n```";
        assert_eq!(quotes(text), [["mem::drop(guard);"]]);
    }

    fn quotes(text: &str) -> Vec<Vec<String>> {
        find(text).into_iter().map(|citation| citation.quotes).collect()
    }

    #[test]
    fn a_stop_inside_of_a_quotation_ends_the_sentence_where_another_begins() {
        for text in [
            "The docs call it \"thread safe.\" src/a.rs:9 shows otherwise.",
            "The PR says \"no races!\" See src/a.rs:9.",
            "He said \"yes, it is.\" The line src/a.rs:9 shows it.",
        ] {
            assert_eq!(quotes(text), [[""; 0]], "{text}");
        }
        assert_eq!(quotes("He said \"yes.\" src/a.rs:9 says \"drop(guard);\""), [["drop(guard);"]]);
        for text in ["\"It is thread safe.\" docs/a.md:9", "docs/a.md:9 says \"It is thread safe.\" and more."] {
            assert_eq!(quotes(text), [["It is thread safe."]], "{text}");
        }
    }
}
