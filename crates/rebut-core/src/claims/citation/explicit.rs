//! Citations of the list of claims, where every line names evidence and nothing else.
//!
//! The forms that the prompts teach: `path:first-last "words"`, `commit HASH path`, `grep "PATTERN" in path = 3`,
//! `run NAME`, and an address with a quote.

use super::find::find;
use super::path::{self, Standing, Written};
use super::pieces::{Kind, pieces};
use super::{Citation, Target};

/// The citations of one line of evidence.
pub(in super::super) fn find_in_evidence(evidence: &str) -> Vec<Citation> {
    let evidence = without_span(evidence.trim());
    if let Some(target) = search(evidence).or_else(|| command(evidence)).or_else(|| commit(evidence)) {
        return vec![unplaced(target, Vec::new())];
    }
    // A search in a form that is not ours says nothing that could be looked up, and its words are no quote.
    if evidence.strip_prefix("grep").is_some_and(|rest| rest.starts_with(char::is_whitespace)) {
        return Vec::new();
    }
    let quotes = quotes(evidence);
    let head = &evidence[..first_quote(evidence)];
    if let Some(target) = page(head) {
        return vec![unplaced(target, quotes)];
    }
    if let Some(Written { path, lines, symbol }) = alone(head) {
        let symbols: Vec<String> = symbol.into_iter().collect();
        let target = |lines| Target::File { path: path.clone(), lines };
        let targets = if lines.is_empty() { vec![target(None)] } else { lines.into_iter().map(Some).map(target).collect() };
        return targets
            .into_iter()
            .map(|target| Citation { symbols: symbols.clone(), ..unplaced(target, quotes.clone()) })
            .collect();
    }
    let found = find(evidence);
    // With one place, all quotes are said to stand there, whatever leads to them.
    let only_one = found.len() == 1;
    found
        .into_iter()
        .map(|citation| {
            let quotes = if only_one { quotes.clone() } else { citation.quotes };
            Citation { span: 0..0, quotes, ..citation }
        })
        .collect()
}

/// A line without the backticks around it, where they are around all of it.
fn without_span(evidence: &str) -> &str {
    match &pieces(evidence, 0..evidence.len())[..] {
        [only] => match &only.kind {
            Kind::Code(words) => evidence[words.clone()].trim(),
            _ => evidence,
        },
        _ => evidence,
    }
}

/// The same where evidence is written in sentences too: words count as said to stand at a place only if they directly
/// follow it, as in `path:3 "words"`. What is called for, denied or told of a place is no quote of it: `path:3 is not
/// wrapped in "catch_unwind"` is not false since `catch_unwind` does not stand there.
pub(crate) fn find_as_said(evidence: &str) -> Vec<Citation> {
    let mut found = find_in_evidence(evidence);
    if !says_what_stands_there(evidence.trim()) {
        for citation in &mut found {
            citation.quotes.clear();
            citation.symbols.clear();
        }
    }
    found
}

/// Words that may lead from a place to what stands there.
const LEADS: [&str; 6] = ["reads", "says", "states", "contains", "shows", "has"];

/// Words with which a sentence tells of what does not stand there, or should.
const DENIES: [&str; 26] = [
    "not", "t", "no", "never", "nowhere", "nothing", "none", "lacks", "lack", "lacking", "missing", "misses", "absent",
    "without", "cannot", "should", "must", "would", "could", "instead", "expected", "needs", "need", "gone", "removed",
    "nor",
];

/// Whether only a place and perhaps a leading word stand before the quotes, and nothing around them denies them.
fn says_what_stands_there(evidence: &str) -> bool {
    let quotes = first_quote(evidence);
    let head = evidence[..quotes].trim_end().trim_end_matches([':', ',']);
    let place = LEADS.iter().find_map(|lead| head.strip_suffix(lead)).filter(|place| place.ends_with(' ')).unwrap_or(head);
    let behind = pieces(evidence, quotes..evidence.len()).into_iter().filter(|piece| !is_quote(&piece.kind));
    let mut words = behind.flat_map(|piece| evidence[piece.span].split(|c: char| !c.is_alphanumeric()));
    let denied = words.any(|word| DENIES.contains(&word.to_lowercase().as_str()));
    (alone(place).is_some() || page(place).is_some()) && !denied
}

/// A path that stands alone before the quotes, perhaps with spaces in it.
fn alone(head: &str) -> Option<Written> {
    let head = head.trim().trim_end_matches([':', ',', '-', '—', '(']).trim().trim_matches('`');
    let words = head.split_whitespace().count();
    if head.contains("](") {
        return None;
    }
    path::read(head, Standing::Explicit).filter(|written| words == 1 || !written.lines.is_empty())
}

/// An address that stands alone before the quotes. What is named as evidence is looked at whatever it leads to: that a
/// page is on somebody's own machine is then found out, and said.
fn page(head: &str) -> Option<Target> {
    let url = head.trim().trim_end_matches([':', ',', '-', '—', '(']).trim().trim_matches(['<', '>', '`']);
    // Of another scheme is only said that it is not looked into: evidence that is named is never dropped.
    let address = url.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme) && scheme != "file");
    (address && !url.contains(char::is_whitespace)).then(|| Target::Page { url: url.to_owned() })
}

fn is_scheme(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

fn unplaced(target: Target, quotes: Vec<String>) -> Citation {
    Citation { quotes, ..Citation::of(target) }
}

fn quotes(evidence: &str) -> Vec<String> {
    let quoted = pieces(evidence, 0..evidence.len()).into_iter().filter_map(|piece| match piece.kind {
        Kind::Quote(words) => Some(evidence[words].trim().to_owned()),
        Kind::Code(words) => {
            let words = evidence[words].trim();
            (path::read(words, Standing::Marked).is_none() && words.len() > 2).then(|| words.to_owned())
        }
        _ => None,
    });
    quoted.filter(|quote| !quote.is_empty()).collect()
}

fn first_quote(evidence: &str) -> usize {
    pieces(evidence, 0..evidence.len())
        .into_iter()
        .find(|piece| is_quote(&piece.kind) && piece.span.start > 0)
        .map_or(evidence.len(), |piece| piece.span.start)
}

fn is_quote(kind: &Kind) -> bool {
    matches!(kind, Kind::Quote(_) | Kind::Code(_))
}

/// `grep "PATTERN"`, `grep "PATTERN" in src = 3`. A mark inside of the pattern has a backslash before it.
fn search(evidence: &str) -> Option<Target> {
    let rest = evidence.strip_prefix("grep")?.strip_prefix(char::is_whitespace)?.trim();
    let mark = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let rest = &rest[1..];
    let close = rest.match_indices(mark).map(|(at, _)| at).find(|at| !rest[..*at].ends_with('\\'))?;
    let (pattern, rest) = (rest[..close].replace(&format!("\\{mark}"), &mark.to_string()), rest[close + 1..].trim());
    if pattern.is_empty() {
        return None;
    }
    let (place, count) = match rest.find(['=', ':', '→']) {
        Some(at) => {
            let (place, count) = rest.split_at(at);
            let count = count.trim_start_matches(['=', ':', '→']).split_whitespace().next()?;
            (place, Some(count.parse().ok()?))
        }
        None => (rest, None),
    };
    let place = place.trim();
    let place = place.strip_prefix("in ").unwrap_or(place).trim().trim_matches(['`', '"']);
    // Patterns of paths and comparisons other than "as many as" are not ours.
    if place.contains(['*', '?', '>', '<', '!', '~', '≥', '≤']) {
        return None;
    }
    let path = (!place.is_empty()).then(|| place.to_owned());
    Some(Target::Search { pattern, path, count })
}

/// `run NAME`: a command that the person allows, by its name alone.
fn command(evidence: &str) -> Option<Target> {
    let name = evidence.strip_prefix("run")?.strip_prefix(char::is_whitespace)?.trim().trim_matches(['`', '"']);
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    plain.then(|| Target::Command { name: name.to_owned() })
}

/// `commit HASH`, `commit HASH path`.
fn commit(evidence: &str) -> Option<Target> {
    let rest = evidence.strip_prefix("commit")?.strip_prefix(char::is_whitespace)?;
    let mut words = rest.split_whitespace().map(|word| word.trim_matches(['`', ',', '"', '(', ')', ':']));
    let hash = words.next().filter(|word| (7..=40).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let path = words.find_map(|word| path::read(word, Standing::Explicit)).map(|written| written.path);
    Some(Target::Commit { hash: hash.to_lowercase(), path })
}
