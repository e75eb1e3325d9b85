//! Secrets are taken out of a text once, on arrival: what is journaled, shown or put into a prompt comes after this.
//!
//! | file | what it finds |
//! |---|---|
//! | `rules` | the table: keys of providers, bearer tokens, JWTs, passwords in URLs |
//! | `assignments` | what is told by its name: `…_API_KEY=`, `"token": "…"`, `password: …` |
//! | `pem` | private keys between their marks, also where an end is missing |
//! | `entropy` | what is told by chance alone: long mixtures of characters that are no word, path, hash or data |
//! | `shape` | how far a text looks like words, which the others ask before they take something for a secret |
//!
//! Each file gives places in the text and none changes it, so that their order does not matter. All of them go through
//! the text a fixed number of times, whatever it holds: the time grows with its length and no faster.

mod assignments;
mod entropy;
mod pem;
mod rules;
mod shape;

use std::borrow::Cow;
use std::ops::Range;

/// What stands in a secret's place.
const REDACTED: &str = "[redacted]";

/// How often a text is looked through at most. What is left beside a secret that was taken out can be told for the rest
/// of it only then; twice is enough for everything but texts made to be difficult, which must not take forever either.
const ROUNDS: usize = 8;

/// A place in a text, in bytes.
type Span = Range<usize>;

/// The text without secrets. What is redacted already stays as it is.
pub fn redact(text: &str) -> Cow<'_, str> {
    redact_with(text, |_| String::new())
}

/// The same with every line where it was: a secret of several lines leaves as many. For what is cited by line.
pub fn redact_keeping_lines(text: &str) -> Cow<'_, str> {
    redact_with(text, |secret| "\n".repeat(secret.matches('\n').count()))
}

/// The same for a difference: each of those lines keeps the mark that says whether it comes, goes or stays, so that a hunk
/// has as many lines as it says.
pub fn redact_diff(text: &str) -> Cow<'_, str> {
    redact_with(text, |secret| {
        let marks = secret.split('\n').skip(1).map(|line| line.chars().next().filter(|mark| "+- ".contains(*mark)));
        marks.flat_map(|mark| std::iter::once('\n').chain(mark)).collect()
    })
}

/// How many secrets were taken out of a text to make this of it.
pub fn taken_out(text: &str, redacted: &str) -> usize {
    redacted.matches(REDACTED).count().saturating_sub(text.matches(REDACTED).count())
}

/// Whether something was taken out of a text.
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
    let pem::Blocks { private, public } = pem::blocks(text);
    let mut found = private;
    found.extend(rules::find(text));
    found.extend(assignments::find(text));
    found.extend(entropy::find(text, &public));
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

/// Puts the sign into the place of each secret, and behind it what is left of its lines.
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
