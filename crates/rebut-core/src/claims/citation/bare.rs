//! Words without what stands around them: marks, punctuation, tags.

use std::ops::Range;

use super::work;

/// A word without what stands around it.
pub(super) fn bare(text: &str, span: Range<usize>) -> Range<usize> {
    let span = without_tags(text, span);
    let whole = &text[span.clone()];
    let lead = |c: char| matches!(c, '(' | '[' | '{' | '<' | '\'' | '"' | '*' | ',' | ';' | ':' | '!' | '→');
    let mut start = span.start + whole.find(|c| !lead(c)).unwrap_or(whole.len());
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

/// A word without `~~` or tags around it: `<code>src/pool.rs:28</code>`.
fn without_tags(text: &str, span: Range<usize>) -> Range<usize> {
    let mut word = &text[span];
    if let Some(rest) = word.strip_prefix('<')
        && let Some((tag, rest)) = rest.split_once('>')
        && tag.len() <= 12
        && tag.chars().all(char::is_alphanumeric)
        && !rest.is_empty()
    {
        word = rest;
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
