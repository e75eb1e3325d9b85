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

/// Lines that go on behind those of a path: `src/pool.rs:28-38, 140-145`, `src/pool.rs:3 and 88`; and how many bytes they
/// take. One number alone is one more line only behind "and".
pub(super) fn going_on(after: &str) -> Option<(Lines, usize)> {
    let near = beginning(after);
    work::read(near.len());
    let (joint, rest) =
        [", ", " and ", " & ", " und "].iter().find_map(|joint| Some((*joint, near.strip_prefix(joint)?)))?;
    let (first, rest) = leading_number(rest)?;
    let last = rest.strip_prefix(['-', '\u{2013}']).and_then(leading_number);
    let (lines, rest) = match last {
        Some((last, rest)) => (Lines::written(first, last), rest),
        None if joint != ", " => (Lines::written(first, first), rest),
        None => return None,
    };
    let stops = rest.trim_start_matches(['.', ',', ';', ')', '!', '?', '`', '*']);
    let ends = rest.is_empty() || (stops.len() < rest.len() && !stops.starts_with(char::is_alphanumeric));
    ends.then_some((lines, near.len() - rest.len()))
}

/// Lines that a sentence names anywhere: `the guard is dropped on line 99`, `Zeile 99 der Datei`, `Line: 130`. None where it
/// names them twice: then nobody can say whose they are.
pub(super) fn anywhere<'a>(words: impl Iterator<Item = &'a str>) -> Option<Vec<Lines>> {
    let mut found: Option<Vec<Lines>> = None;
    for part in words {
        work::read(part.len());
        let mut before = "";
        for word in part.split_whitespace() {
            let at = word.as_ptr() as usize - part.as_ptr() as usize;
            let lines = named_at(&part[at..], word, before);
            before = word;
            match (lines, &found) {
                (Some(_), Some(_)) => return None,
                (Some(lines), None) => found = Some(lines),
                (None, _) => {}
            }
        }
    }
    found
}

/// The lines that a word and what follows it name.
fn named_at(rest: &str, word: &str, before: &str) -> Option<Vec<Lines>> {
    // A command line, a bottom line, a line of anything but a file.
    if matches!(before.to_lowercase().as_str(), "a" | "one" | "per" | "each" | "command" | "bottom" | "every") {
        return None;
    }
    let bare = word.trim_start_matches(['(', '[']);
    let rest = &rest[word.len() - bare.len()..];
    let name = &bare[..bare.find(|c: char| !c.is_alphabetic()).unwrap_or(bare.len())];
    let behind = &rest[name.len()..];
    // `at L88`.
    if name == "L" && matches!(before, "at" | "on" | "see" | "in") {
        let (first, rest) = leading_number(behind)?;
        return Some(more(first, rest).0);
    }
    let short = matches!(name, "l" | "ll" | "Z" | "z" | "L") && behind.starts_with('.');
    if !short && (!is_line_word(name) || name.len() < 2) {
        return None;
    }
    // `Line: 130` in a list of facts; `the bottom line: 3 reasons` is none.
    let behind = if name.starts_with(char::is_uppercase) { behind.strip_prefix(':').unwrap_or(behind) } else { behind };
    let behind = behind.trim_start_matches(['.', ' ', '#', '\n']);
    let behind = ["number ", "no. ", "numbers "].iter().find_map(|word| behind.strip_prefix(word)).unwrap_or(behind);
    let (first, rest) = leading_number(behind)?;
    let apart = !rest.starts_with(|c: char| {
        c.is_alphanumeric() || matches!(c, '%' | '.') && rest[1..].starts_with(|c: char| c.is_ascii_digit())
    });
    apart.then(|| more(first, rest).0)
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

pub(super) fn is_line_word(word: &str) -> bool {
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
    fn lines_are_named_anywhere_in_a_sentence() {
        let told =
            |words: &str| anywhere([words].into_iter()).map(|lines| lines.iter().map(Lines::to_string).collect::<Vec<_>>());
        for (words, lines) in [
            (", the guard is dropped on line 99.", "99"),
            (" is dropped too early (see line 99).", "99"),
            (" enthält in den Zeilen 99 bis 120 den Aufruf", "99-120"),
            (", Z. 99", "99"),
            (" ll. 88-90", "88-90"),
            (" line number 88", "88"),
            ("at L88 in ", "88"),
            ("File: x\nLine: 130", "130"),
        ] {
            assert_eq!(told(words), Some(vec![lines.to_owned()]), "{words}");
        }
        for words in [
            "on line 3 and again on line 9",
            "the bottom line: 3 reasons",
            "the L2 cache",
            "60 lines",
            "in line with",
            "line 3.5",
        ] {
            assert_eq!(told(words), None, "{words}");
        }
    }

    #[test]
    fn lines_go_on_behind_those_of_a_path() {
        let told = |after: &str| going_on(after).map(|(lines, length)| (lines.to_string(), after[length..].to_owned()));
        assert_eq!(told(", 140-145 too"), None);
        assert_eq!(told(", 140-145."), Some(("140-145".to_owned(), ".".to_owned())));
        assert_eq!(told(" and 88"), Some(("88".to_owned(), String::new())));
        for after in [" and 88 others", ", 88", ", 3 problems", " and 12:30"] {
            assert_eq!(told(after), None, "{after}");
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
