//! The structured tail of a statement: lines after `--- claims`.

use super::{Claim, ClaimId};

/// What the tail says.
#[derive(Debug, Default)]
pub(super) struct Tail {
    pub(super) claims: Vec<Claim>,
    pub(super) concessions: Vec<Concession>,
}

/// A concession of the tail.
#[derive(Debug)]
pub(super) struct Concession {
    /// What is said to stand in the prose.
    pub(super) quote: String,
    /// The claims that it concedes.
    pub(super) claims: Vec<ClaimId>,
}

/// Splits a statement at the last line `--- claims`: the prose before it, and the lines after it.
pub(super) fn split(text: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    let mut found = None;
    for line in text.split_inclusive('\n') {
        if is_heading(line) {
            found = Some((at, at + line.len()));
        }
        at += line.len();
    }
    let (start, end) = found?;
    let body = text[..start].trim();
    // The tail is sometimes put into a fence of its own.
    let body = body.strip_suffix("```").map_or(body, str::trim_end);
    Some((body, &text[end..]))
}

/// Reads the tail's lines, and gives what stands behind the list. A line that is none of ours goes on with the one before
/// it; behind the last line that is one of ours, a blank line ends the list.
pub(super) fn read(text: &str) -> (Tail, &str) {
    let (lines, behind) = text.split_at(end(text));
    let mut items: Vec<(Key, String)> = Vec::new();
    for line in lines.lines() {
        let (line, bare) = unlisted(line);
        match keyed(bare) {
            Some((key, value)) => items.push((key, value.to_owned())),
            None if bare.is_empty() => {}
            None => {
                if let Some((_, value)) = items.last_mut() {
                    value.push(' ');
                    value.push_str(line);
                }
            }
        }
    }
    let mut tail = Tail::default();
    for (key, value) in items {
        let value = value.trim();
        match key {
            Key::Claim if !value.is_empty() => tail.claims.push(Claim { text: value.to_owned(), ..Claim::default() }),
            Key::Evidence if !is_none(value) => {
                if let Some(claim) = tail.claims.last_mut() {
                    claim.evidence.push(value.to_owned());
                }
            }
            Key::Attacks => {
                if let Some(claim) = tail.claims.last_mut() {
                    claim.attacks.extend(ids(value));
                }
            }
            Key::Concede if !is_none(value) => tail.concessions.push(concession(value)),
            _ => {}
        }
    }
    (tail, behind.trim())
}

/// Where the list ends.
fn end(text: &str) -> usize {
    let mut at = 0;
    let (mut begun, mut end) = (false, None);
    for line in text.split_inclusive('\n') {
        let (bare_line, bare) = unlisted(line);
        at += line.len();
        if keyed(bare).is_some() {
            (begun, end) = (true, None);
        } else if begun && end.is_none() && bare_line.is_empty() {
            end = Some(at);
        }
    }
    end.unwrap_or(text.len())
}

/// A line without the marks of code around it, and without those of a list.
fn unlisted(line: &str) -> (&str, &str) {
    let line = line.trim();
    // Marks around all of it, or those of a fence: one that closes code at its end belongs to the code.
    let around = line.len() > 1 && line.starts_with('`') && line.ends_with('`') && !line[1..line.len() - 1].contains('`');
    let line = if around || line.starts_with("```") { line.trim_matches('`').trim() } else { line };
    (line, line.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '*' | '.' | ')' | ' ')))
}

#[derive(Clone, Copy, Debug)]
enum Key {
    Claim,
    Evidence,
    Attacks,
    Concede,
}

fn keyed(line: &str) -> Option<(Key, &str)> {
    let (word, value) = line.split_once(':')?;
    let key = match word.trim().trim_matches('*').to_ascii_lowercase().as_str() {
        "claim" => Key::Claim,
        "evidence" => Key::Evidence,
        "attacks" | "attack" | "against" => Key::Attacks,
        "concede" | "concession" => Key::Concede,
        _ => return None,
    };
    Some((key, value.trim_start_matches('*').trim()))
}

fn is_heading(line: &str) -> bool {
    let line = line.trim().trim_matches(['*', '`', '#', ' ']);
    line.strip_prefix("---").is_some_and(|rest| rest.trim_matches(['-', ' ', ':']).eq_ignore_ascii_case("claims"))
}

fn is_none(value: &str) -> bool {
    let value = value.trim_matches(['.', '"', '(', ')', ' ']);
    value.is_empty() || value == "-" || value.eq_ignore_ascii_case("none") || value.eq_ignore_ascii_case("n/a")
}

/// The ids of claims in a text.
fn ids(text: &str) -> impl Iterator<Item = ClaimId> {
    text.split(|c: char| c.is_whitespace() || c == ',' || c == ';')
        .filter_map(|word| ClaimId::read(word.trim_matches(['(', ')', '[', ']'])))
}

/// `C1.2 "I concede that …"`: the ids stand outside of the quotation marks.
fn concession(value: &str) -> Concession {
    let marks = ['"', '\u{201c}', '\u{201d}'];
    match (value.find(marks), value.rfind(marks)) {
        (Some(open), Some(close)) if open < close => {
            let outside = format!("{} {}", &value[..open], &value[close..].trim_start_matches(marks));
            Concession { quote: unquoted(&value[open..close]).to_owned(), claims: ids(&outside).collect() }
        }
        _ => Concession { quote: unquoted(value).to_owned(), claims: Vec::new() },
    }
}

fn unquoted(value: &str) -> &str {
    value.trim_matches(['"', '\u{201c}', '\u{201d}', ' '])
}
