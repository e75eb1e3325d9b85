//! Lines that are named in words, behind a path or before it: `pool.rs line 20`, `lines 3-9 of pool.rs`, `第16行`.

use super::Lines;
use super::{path, work};

/// Words for a line of a file, as they stand behind or before a path.
#[rustfmt::skip]
const LINE_WORDS: [&str; 29] = [
    "line", "lines", "ln", "l", "zeile", "zeilen", "ligne", "lignes", "línea", "líneas", "linea", "lineas", "linha",
    "linhas", "riga", "righe", "linee", "regel", "regels", "rad", "rader", "linje", "linjer", "строка", "строки",
    "строке", "строках", "wiersz", "linia",
];

/// Words between a path and the word for its line.
const LEADS: [&str; 15] =
    ["at ", "on ", "in ", "around ", "near ", "see ", "the ", "op ", "na ", "auf ", "à la ", "en la ", "alla ", "pe ", "v "];

/// How far lines are looked for, in characters: nobody names them further away.
const REACH: usize = 64;

/// The lines behind a path: ` line 20`, `, lines 3-9`, ` (line 20)`, ` at lines 3 and 9`; and how many bytes they take.
pub(super) fn behind(after: &str) -> Option<(Vec<Lines>, usize)> {
    // Most words are followed by nothing of the kind: a line's number is not far.
    let near = beginning(after);
    work::read(near.len());
    if !near.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (lines, rest) = numbers_alone(near).or_else(|| in_words(near)).or_else(|| counted(near))?;
    Some((lines, near.len() - rest.len()))
}

/// The lines before a path: `line 20 of `, `lines 3-9 in the file `.
pub(super) fn before(before: &str) -> Option<Lines> {
    let tail_start = before.char_indices().rev().nth(48).map_or(0, |(at, _)| at);
    let tail = before[tail_start..].trim_end_matches(['(', '`', '*', '"', '[']);
    work::read(tail.len());
    let mut words = [""; 10];
    let mut count = 0;
    for (place, word) in words.iter_mut().rev().zip(tail.rsplit(char::is_whitespace).filter(|word| !word.is_empty())) {
        *place = word;
        count += 1;
    }
    let words = &words[words.len() - count..];
    let words = words.strip_suffix(&["file"]).unwrap_or(words);
    let words = words.strip_suffix(&["the"]).unwrap_or(words);
    let (joint, words) = words.split_last()?;
    if !matches!(*joint, "of" | "in" | "from" | "von" | "in:" | "de" | "di" | "van" | "do" | "da") {
        return None;
    }
    match words {
        [.., word, lines] if is_line_word(word.trim_matches('(')) => path::range(lines),
        [.., word, first, "to" | "through" | "and" | "-" | "bis" | "à" | "a", last]
            if is_line_word(word.trim_matches('(')) =>
        {
            Some(Lines::written(path::number(first)?, path::number(last)?))
        }
        _ => None,
    }
}

/// ` [40-49]`, ` (40-49)`, `: 40-49`, `: 40.`: a range says enough by itself, one number only where nothing follows it.
fn numbers_alone(near: &str) -> Option<(Vec<Lines>, &str)> {
    let marked = near;
    let near = near.trim_start_matches(['`', '*']);
    let unquoted = near.trim_start_matches(['"', '\'', '”', '“', '’', '‘', '»', '«', '」']);
    // Behind a quotation mark only what follows at once is a line: `"src/pool.rs":40`, not `"src/pool.rs": 40 times`.
    let near = if unquoted.starts_with(':') && !unquoted.starts_with(": ") { unquoted } else { near };
    // Behind a backtick the colon may stand apart: `src/pool.rs` : 40.
    let near = if marked.starts_with('`') && near.starts_with(" : ") { &near[1..] } else { near };
    // Right behind the mark that closes the path: `src/pool.rs`:40.
    let close_by = near.strip_prefix(':').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let (inner, close) = if let Some(inner) = near.strip_prefix([':', '：']) {
        (inner.trim_start_matches(' '), None)
    } else if let Some(inner) = near.trim_start_matches(' ').strip_prefix('[') {
        (inner, Some(']'))
    } else {
        (near.trim_start_matches(' ').strip_prefix('(')?, Some(')'))
    };
    let (first, rest) = leading_number(inner)?;
    let last = rest.strip_prefix(['-', '\u{2013}', '\u{2014}']).and_then(leading_number);
    match (close, last) {
        (Some(close), Some((last, rest))) => rest.strip_prefix(close).map(|rest| (vec![Lines::written(first, last)], rest)),
        (Some(_), None) => None,
        (None, Some((last, rest))) => {
            // A time of day or a date goes on.
            let ends = !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, ':' | '-' | '%'));
            ends.then(|| (vec![Lines::written(first, last)], rest))
        }
        (None, None) => {
            let stops = rest.trim_start_matches(['.', ',', ';', ')', '!', '?', '`', '*']);
            let apart = !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, ':' | '.' | '-' | '%' | '/'));
            let alone = rest.is_empty()
                || (close_by && apart)
                || (stops.len() < rest.len() && !stops.starts_with(char::is_alphanumeric));
            alone.then(|| (vec![Lines::written(first, first)], rest))
        }
    }
}

fn in_words(near: &str) -> Option<(Vec<Lines>, &str)> {
    let mut rest = near.trim_start_matches(['`', '*', '_', '"', '\'', ')', ']', '»', '“', '”']);
    rest = rest.trim_start_matches([' ', '\n', ',', '(', '[', ':', '—', '-']);
    for word in LEADS {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let word: &str = &rest[..rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len())];
    if !is_line_word(word) || word == "l" {
        return None;
    }
    let (first, rest) = leading_number(rest[word.len()..].trim_start_matches(['.', ' ', '#']))?;
    Some(more(first, rest))
}

/// `の16行目`, ` 第16-19行`, `의 16행`: the word stands behind the number.
fn counted(near: &str) -> Option<(Vec<Lines>, &str)> {
    let rest = near.trim_start_matches(['`', ' ', '(', '（', ',', '，', '、', '的', 'の', '의', '第']);
    let (first, rest) = leading_number(rest)?;
    let rest = rest.trim_start_matches(' ');
    let joined = rest.strip_prefix(['-', '\u{2013}', '~', '～', '〜', '到', '至']);
    let (lines, rest) = match joined.and_then(|rest| leading_number(rest.trim_start_matches(' '))) {
        Some((last, rest)) => (Lines::written(first, last), rest),
        None => (Lines::written(first, first), rest),
    };
    let rest = rest.trim_start_matches(' ');
    let rest = ["行目", "行", "행", "번째 줄", "줄"].iter().find_map(|word| rest.strip_prefix(word))?;
    Some((vec![lines], rest))
}

/// What goes on behind the first number: `3-9`, `3 to 9`, `3, 5 and 9`.
fn more(first: u128, mut rest: &str) -> (Vec<Lines>, &str) {
    let mut lines = vec![Lines::written(first, first)];
    loop {
        let gap = rest.trim_start_matches(' ');
        let (ranged, tail) = if let Some(tail) = gap.strip_prefix(['-', '\u{2013}', '\u{2014}']) {
            (true, tail)
        } else if let Some(tail) = ["to ", "through ", "bis ", "à ", "au ", "a ", "al ", "tot ", "до "]
            .iter()
            .find_map(|word| gap.strip_prefix(word))
        {
            (true, tail)
        } else if let Some(tail) =
            ["and ", ", ", "& ", "und ", "et ", "y ", "e ", "en ", "и "].iter().find_map(|word| gap.strip_prefix(word))
        {
            (false, tail)
        } else {
            break;
        };
        let Some((number, tail)) = leading_number(tail.trim_start_matches([' ', 'L', 'l'])) else { break };
        match (ranged, lines.last_mut()) {
            (true, Some(last)) => *last = last.until(number),
            _ => lines.push(Lines::written(number, number)),
        }
        rest = tail;
    }
    (lines, rest)
}

fn is_line_word(word: &str) -> bool {
    LINE_WORDS.contains(&word) || LINE_WORDS.contains(&word.to_lowercase().as_str())
}

fn leading_number(text: &str) -> Option<(u128, &str)> {
    let text = text.strip_prefix(['L', 'l']).unwrap_or(text);
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((path::number(&text[..end])?, &text[end..]))
}

/// The first characters of a text.
fn beginning(text: &str) -> &str {
    text.char_indices().nth(REACH).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(after: &str) -> Option<(String, &str)> {
        let (lines, length) = behind(after)?;
        Some((lines.iter().map(Lines::to_string).collect::<Vec<_>>().join(" "), &after[length..]))
    }

    #[test]
    fn lines_are_named_in_many_ways() {
        for (after, lines, rest) in [
            (" line 20 is wrong", "20", " is wrong"),
            (", lines 3-9, are", "3-9", ", are"),
            (" (L16)", "16", ")"),
            ("` Zeilen 3 bis 9.", "3-9", "."),
            (" lines 3, 5 and 9", "3 5 9", ""),
            (": 40-49 spins", "40-49", " spins"),
            (": 40.", "40", "."),
            ("`:40 spins", "40", " spins"),
            ("\":40 spins", "40", " spins"),
            ("':40-49 spins", "40-49", " spins"),
            ("**:40 spins", "40", " spins"),
            ("` : 40.", "40", "."),
            (" [40-49] spins", "40-49", " spins"),
            ("` の16行目で", "16", "で"),
            ("第16-19行绑定", "16-19", "绑定"),
            (", à la ligne 16,", "16", ","),
        ] {
            assert_eq!(told(after), Some((lines.to_owned(), rest)), "{after}");
        }
    }

    #[test]
    fn numbers_behind_a_path_are_not_always_lines() {
        for after in [
            ": 3 problems",
            "\": 40 times",
            "\": 40",
            "` : 3 problems",
            " : 3",
            " [3]",
            " (2)",
            " 20 times",
            ": 12:30",
            " linear 3",
            ": 40-49%",
        ] {
            assert_eq!(told(after), None, "{after}");
        }
    }
}
