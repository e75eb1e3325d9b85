//! Words without what stands around them: marks, punctuation, tags.

use std::ops::Range;

use super::path::{has_known_extension, is_dash};
use super::work;

/// A word without what stands around it.
pub(super) fn bare(text: &str, span: Range<usize>) -> Range<usize> {
    let span = without_tags(text, span);
    let whole = &text[span.clone()];
    let mut start = span.start + first_letter(text, span.clone());
    let mut end = span.end;
    // `**src/pool.rs**:88`: what is bold ends where its mark does.
    if text[..start].ends_with('*')
        && let Some(at) = text[start..end].find('*').filter(|at| *at > 0)
    {
        end = start + at;
    }
    work::read(3 * whole.len());
    let opens = ['(', '[', '{'].map(|open| text[start..end].contains(open));
    while let Some(last) = text[start..end].chars().next_back() {
        work::read(1);
        let word = &text[start..end];
        let trim = match last {
            ')' => !opens[0],
            ']' => !opens[1],
            '}' => !opens[2],
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '"' | '*' | '>' | '…' | '—' | '’' | '”' => true,
            _ => false,
        };
        if trim {
            end -= last.len_utf8();
        } else if let Some(owner) = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")) {
            end = start + owner.len();
        } else if word.len() > 2 && word.starts_with('_') && last == '_' {
            (start, end) = (start + 1, end - 1);
        } else {
            break;
        }
    }
    unspaced(text, start..end)
}

/// Where a word begins behind what stands before it.
fn first_letter(text: &str, span: Range<usize>) -> usize {
    let whole = &text[span.clone()];
    let lead = |c: char| matches!(c, '(' | '[' | '{' | '<' | '\'' | '"' | '*' | ',' | ';' | ':' | '!' | '→') || is_bullet(c);
    let before = text[..span.start].trim_end_matches(' ');
    // A list may have no white space behind its signs.
    let listed = before.is_empty() || before.ends_with(['\n', '|']);
    let from = if listed { whole.len() - whole.strip_prefix(is_dash).unwrap_or(whole).len() } else { 0 };
    let mut letters = whole[from..].char_indices();
    let first = letters.find(|(at, c)| !lead(*c) || begins_a_name(&whole[from + at..]));
    first.map_or(whole.len(), |(at, _)| from + at)
}

/// Signs before the items of a list.
fn is_bullet(c: char) -> bool {
    matches!(c, '•' | '·' | '‣' | '◦' | '▪' | '▫' | '●' | '○' | '■' | '□' | '▸' | '▶' | '►' | '➜' | '➤' | '⁃')
}

/// `[id].tsx`, `(group)/page.tsx`: brackets that are a part of a name, and stand around none.
fn begins_a_name(word: &str) -> bool {
    let close = match word.chars().next() {
        Some('[') => ']',
        Some('(') => ')',
        Some('{') => '}',
        _ => return false,
    };
    let inner = &word[1..];
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '[' | ']');
    let Some(end) = super::attach::beginning(inner, LONGEST_NAME).find(close).filter(|end| *end > 0) else { return false };
    let behind = inner[end + 1..].trim_start_matches(close);
    let follows = |sign: char| behind.strip_prefix(sign).is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    inner[..end].chars().all(plain) && (follows('.') || follows('/') || follows('-') || follows('_') || follows('\\'))
}

/// The longest name in brackets that a path begins with, in bytes.
const LONGEST_NAME: usize = 80;

/// A word without `~~` or tags around it: `<code>src/pool.rs:28</code>`.
fn without_tags(text: &str, span: Range<usize>) -> Range<usize> {
    let mut word = &text[span];
    while let Some((tag, rest)) = word.strip_prefix('<').and_then(|rest| rest.split_at_checked(rest.find('>')?))
        && tag.len() <= 12
        && tag.chars().all(char::is_alphanumeric)
        && rest.len() > 1
    {
        word = &rest[1..];
    }
    word = word.split_once("</").map_or(word, |(word, _)| word);
    word = word.strip_prefix("~~").unwrap_or(word);
    word = word.strip_suffix("~~").unwrap_or(word);
    let start = word.as_ptr() as usize - text.as_ptr() as usize;
    start..start + word.len()
}

/// A path in a language without spaces between words: `见src/pool.rs:28处`.
fn unspaced(text: &str, word: Range<usize>) -> Range<usize> {
    let inner = &text[word.clone()];
    if inner.is_ascii() {
        return word;
    }
    let letter = |c: char| matches!(c, '\u{30a0}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}');
    // `src/pool.rs第28行`: the lines behind it are words of their own.
    let led = inner.trim_start_matches(letter);
    if let Some(at) = led.find(letter).filter(|at| !led[*at..].contains(['/', '.', '\\']))
        && has_known_extension(&led[..at])
    {
        let start = word.end - led.len();
        return start..start + at;
    }
    let behind = inner.trim_end_matches(letter);
    let end = if behind.ends_with(|c: char| c.is_ascii_alphanumeric()) { word.start + behind.len() } else { word.end };
    let before = text[word.start..end].trim_start_matches(letter);
    let leads = before.starts_with(|c: char| c.is_ascii_alphanumeric()) && before.contains('/');
    (if leads { end - before.len() } else { word.start })..end
}

pub(super) fn trimmed(text: &str, range: Range<usize>, trim: fn(char) -> bool) -> Range<usize> {
    let inner = &text[range.clone()];
    let start = range.start + (inner.len() - inner.trim_start_matches(trim).len());
    start..(start + inner.trim_matches(trim).len())
}

#[cfg(test)]
mod tests {
    use super::super::find;

    #[test]
    fn signs_around_a_path_are_no_part_of_it_and_brackets_in_its_name_are() {
        for (text, expected) in [
            ("[id].tsx:2 waits", "[id].tsx:2"),
            ("([...slug].tsx:2)", "[...slug].tsx:2"),
            ("[[...slug]].tsx:2 waits", "[[...slug]].tsx:2"),
            ("(group).ts:2 waits", "(group).ts:2"),
            ("See (group)/page.tsx:2.", "(group)/page.tsx:2"),
            ("[id].tsx:2 and [x](y)", "[id].tsx:2"),
            ("[src/pool.rs:3] waits", "src/pool.rs:3"),
            ("(src/pool.rs:3).", "src/pool.rs:3"),
            ("[a](src/pool.rs):3", "src/pool.rs:3"),
            ("•src/pool.rs:3", "src/pool.rs:3"),
            ("-src/pool.rs:3", "src/pool.rs:3"),
            ("It is so:\n–src/pool.rs:3", "src/pool.rs:3"),
            ("<b><code>src/pool.rs</code></b>", "src/pool.rs"),
            ("src/no\\_pe.rs:2", "src/no\\_pe.rs:2"),
        ] {
            let found: Vec<String> = find(text).iter().map(|citation| citation.target.to_string()).collect();
            assert_eq!(found, [expected], "{text}");
        }
    }
}
