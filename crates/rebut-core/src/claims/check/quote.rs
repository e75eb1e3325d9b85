//! A quote as people write it, and where it stands in a file: in parts, with other punctuation, escaped, out of a diff.

use super::super::citation::Lines;
use super::FileText;
use super::nearest::{Patience, Weary};

/// Where a quote stands: all of its parts, where something was left out of it, in order.
pub(super) fn place(
    file: &FileText,
    quote: &str,
    near: Option<Lines>,
    patience: &mut Patience,
) -> Result<Option<Lines>, Weary> {
    let parts: Vec<Vec<String>> = parts(quote).into_iter().map(ways).collect();
    for find in [FileText::find_in_order, FileText::find_loosely, FileText::find_in_comments] {
        if let Some(at) = find(file, &parts, near, patience)? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Whether there is anything in a quote that could be looked up: one of omissions alone quotes nothing.
pub(super) fn says_something(quote: &str) -> bool {
    !parts(quote).is_empty()
}

/// The parts of a quote between marks of omission. Where any of them has letters or digits, those that have none prove
/// nothing.
pub(super) fn parts(quote: &str) -> Vec<&str> {
    let pieces: Vec<&str> = quote.split('…').flat_map(|part| part.split("...")).collect();
    let mut parts: Vec<&str> = Vec::with_capacity(pieces.len());
    for (at, piece) in pieces.iter().enumerate() {
        let mut part = piece.trim();
        // `[…]` leaves its brackets, and `// …` its mark; `[t]he` keeps its own.
        if at + 1 < pieces.len() {
            part = part.trim_end_matches(['[', ']']).trim_end_matches("//").trim_end_matches('#').trim_end();
        }
        if at > 0 && part.chars().nth(2) != Some(']') {
            part = part.trim_start_matches(['[', ']']).trim_start();
        }
        parts.push(part);
    }
    parts.retain(|part| !part.is_empty());
    let told = |part: &&str| part.chars().any(char::is_alphanumeric);
    if parts.iter().any(told) {
        parts.retain(told);
    }
    parts
}

/// The ways in which a part of a quote may stand in the file, as it is first.
fn ways(part: &str) -> Vec<String> {
    let others = [
        without_marks(part),
        without_signs(part),
        unescaped(part),
        with_breaks(part),
        without_brackets(part),
        with_other_case(part),
    ];
    [part.to_owned()].into_iter().chain(others.into_iter().flatten()).collect()
}

/// The quote without brackets around it, which may be those of who quotes.
fn without_brackets(part: &str) -> Option<String> {
    let bare = part.trim_matches(['[', ']']).trim();
    let inner = part.starts_with('[') && part.ends_with(']') && !bare.contains(['[', ']']);
    (inner && bare.chars().any(char::is_alphanumeric)).then(|| bare.to_owned())
}

/// The quote without punctuation at its end, which may belong to the sentence around it.
fn without_marks(part: &str) -> Option<String> {
    let bare = part.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    (bare.len() < part.len() && !bare.trim().is_empty()).then(|| bare.to_owned())
}

/// The quote without the signs of a diff before its lines: a line that a change adds is quoted as the diff shows it.
fn without_signs(part: &str) -> Option<String> {
    let signed = part.starts_with('+') && part.lines().all(|line| line.is_empty() || line.starts_with(['+', ' ']));
    let bare = |line: &str| line.strip_prefix(['+', ' ']).unwrap_or(line).to_owned();
    signed.then(|| part.lines().map(bare).collect::<Vec<_>>().join("\n"))
}

/// A sentence with its first letter in the other case, since it is quoted within another one: `"the pool keeps …"`, also as
/// `"[t]he pool keeps …"`.
fn with_other_case(part: &str) -> Option<String> {
    // The bracket that opens is gone already.
    let fitted = part.split_once(']').filter(|(letter, _)| letter.trim_start_matches('[').chars().count() == 1);
    let part = fitted.map_or_else(|| part.to_owned(), |(letter, rest)| format!("{}{rest}", letter.trim_start_matches('[')));
    let mut letters = part.chars();
    let first = letters.next().filter(|c| c.is_alphabetic())?;
    let sentence =
        part.split_whitespace().count() >= 3 && letters.clone().next().is_some_and(|c| c.is_lowercase() || c == ' ');
    let other: String = if first.is_lowercase() { first.to_uppercase().collect() } else { first.to_lowercase().collect() };
    sentence.then(|| format!("{other}{}", letters.as_str()))
}

/// The quote with the marks in it as the file has them: between quotation marks people write `\"`, and in Markdown `\*`.
fn unescaped(part: &str) -> Option<String> {
    const ESCAPED: [(&str, &str); 5] = [("\\\"", "\""), ("\\*", "*"), ("\\_", "_"), ("\\`", "`"), ("\\#", "#")];
    let plain = ESCAPED.iter().fold(part.to_owned(), |plain, (escaped, mark)| plain.replace(escaped, mark));
    (plain != part).then_some(plain)
}

/// The quote with the line breaks and the marks that it writes as in JSON: `a\nb`.
fn with_breaks(part: &str) -> Option<String> {
    if !part.contains("\\n") && !part.contains("\\t") {
        return None;
    }
    let mut read = String::with_capacity(part.len());
    let mut letters = part.chars();
    while let Some(letter) = letters.next() {
        match (letter, letters.clone().next()) {
            ('\\', Some(mark @ ('n' | 't' | 'r' | '"' | '\\'))) => {
                read.push(match mark {
                    'n' => '\n',
                    't' | 'r' => ' ',
                    mark => mark,
                });
                letters.next();
            }
            _ => read.push(letter),
        }
    }
    Some(read)
}
