//! Redaction: secrets are removed from a text once, on arrival, before it is journaled, shown or put into a prompt.
//!
//! `rules` is the table of all rules. Each finds places in the text and none changes it, so that their order does not
//! matter. Each reads the text a fixed number of times: the time grows with its length and no faster.

mod assignments;
mod random;
mod rules;

use std::borrow::Cow;
use std::ops::Range;

/// What replaces a secret.
const REDACTED: &str = "[redacted]";

/// How often a text is searched at most: what is left next to a secret can be recognised only after that is removed. Twice
/// is enough for all but texts made to be difficult.
const ROUNDS: usize = 8;

/// A place in a text, in bytes.
type Span = Range<usize>;

/// The text without secrets. What is redacted already stays as it is.
pub fn redact(text: &str) -> Cow<'_, str> {
    redact_with(text, |_| String::new())
}

/// The same with all line numbers unchanged: a secret of several lines leaves as many.
pub fn redact_keeping_lines(text: &str) -> Cow<'_, str> {
    redact_with(text, |secret| "\n".repeat(secret.matches('\n').count()))
}

/// The same for a diff: each of those lines keeps its `+`, `-` or space, so that hunks keep their length.
pub fn redact_diff(text: &str) -> Cow<'_, str> {
    redact_with(text, |secret| {
        let marks = secret.split('\n').skip(1).map(|line| line.chars().next().filter(|mark| "+- ".contains(*mark)));
        marks.flat_map(|mark| std::iter::once('\n').chain(mark)).collect()
    })
}

/// How many secrets were removed from a text.
pub fn taken_out(text: &str, redacted: &str) -> usize {
    redacted.matches(REDACTED).count().saturating_sub(text.matches(REDACTED).count())
}

/// Whether a secret was removed from a text.
pub fn is_redacted(text: &str) -> bool {
    text.contains(REDACTED)
}

fn redact_with(text: &str, left: impl Fn(&str) -> String) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for _ in 0..ROUNDS {
        let spans = secrets(&text);
        if spans.is_empty() {
            break;
        }
        text = Cow::Owned(without(&text, &spans, &left));
    }
    text
}

/// Where secrets are, in order; places that touch are one.
fn secrets(text: &str) -> Vec<Span> {
    let mut found = rules::find(text);
    found.sort_unstable_by_key(|span| (span.start, span.end));
    let mut merged: Vec<Span> = Vec::with_capacity(found.len());
    for span in found {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

/// Replaces each secret, and adds what is left of its lines.
fn without(text: &str, spans: &[Span], left: impl Fn(&str) -> String) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut from = 0;
    for span in spans {
        safe.push_str(text.get(from..span.start).unwrap_or_default());
        safe.push_str(REDACTED);
        let secret = text.get(span.clone()).unwrap_or_default();
        safe.push_str(&left(secret));
        from = span.end;
    }
    safe.push_str(text.get(from..).unwrap_or_default());
    safe
}
