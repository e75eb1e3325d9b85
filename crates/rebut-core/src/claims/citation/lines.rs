//! Lines that are named in words, behind a path or before it: `pool.rs line 20`, `lines 3-9 of pool.rs`, `第16行`.

use super::Lines;
use super::path::is_dash;
use super::{path, work};

/// Words for a line of a file, as they stand behind or before a path.
#[rustfmt::skip]
const LINE_WORDS: [&str; 29] = [
    "line", "lines", "ln", "l", "zeile", "zeilen", "ligne", "lignes", "línea", "líneas", "linea", "lineas", "linha",
    "linhas", "riga", "righe", "linee", "regel", "regels", "rad", "rader", "linje", "linjer", "строка", "строки",
    "строке", "строках", "wiersz", "linia",
];

/// Words between a path and the word for its line.
#[rustfmt::skip]
const LEADS: [&str; 19] = [
    "at ", "on ", "in ", "around ", "near ", "see ", "from ", "the ", "op ", "na ", "auf ", "ab ", "den ", "der ", "à la ",
    "en la ", "alla ", "pe ", "v ",
];

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
    let words = words.strip_suffix(&["file"]).or_else(|| words.strip_suffix(&["Datei"])).unwrap_or(words);
    let words = words.strip_suffix(&["the"]).unwrap_or(words);
    let (joint, words) = words.split_last()?;
    if !matches!(*joint, "of" | "in" | "from" | "von" | "in:" | "de" | "di" | "van" | "do" | "da" | "der" | "aus" | "des") {
        return None;
    }
    match words {
        [.., line] if is_marked_number(line) => path::range(line),
        [.., word, lines] if is_line_word(word.trim_matches('(')) => path::range(lines),
        [.., word, first, "to" | "through" | "and" | "-" | "bis" | "à" | "a", last]
            if is_line_word(word.trim_matches('(')) =>
        {
            Some(Lines::written(path::number(first)?, path::number(last)?))
        }
        _ => None,
    }
}

/// Lines of a sentence that stand neither right behind a path nor right before it: `the guard is dropped on line 99`. They
/// are looked for in the words before, between and behind the marks of the sentence; where they are named at several places, or
/// as lines of something else, nobody knows which are meant.
pub(super) fn further_on<'a>(own_words: impl Iterator<Item = &'a str>) -> Option<Vec<Lines>> {
    let (mut found, mut bracketed): (Option<Vec<Lines>>, bool) = (None, false);
    for text in own_words {
        let mut before = [""; 3];
        let mut until = 0;
        for word in text.split_whitespace() {
            work::read(word.len() + 1);
            let at = word.as_ptr() as usize - text.as_ptr() as usize;
            let named = if at >= until { named_at(&text[at..]) } else { None };
            if let Some((lines, rest)) = named {
                let denied = before.iter().any(|word| super::words::denies(&word.to_lowercase()));
                let command = before[2].eq_ignore_ascii_case("command");
                // `x (line 3) precedes y (line 9)`: each is the place of what stands before it.
                let in_brackets = word.starts_with('(') && rest.starts_with(')');
                if (found.is_some() && !(bracketed && in_brackets)) || denied || command || is_of_something_else(rest) {
                    return None;
                }
                bracketed = in_brackets;
                found.get_or_insert_default().extend(lines);
                until = text.len() - rest.len();
            }
            before = [before[1], before[2], word];
        }
    }
    found
}

/// The lines that a word and a number name right here, and what stands behind them.
fn named_at(text: &str) -> Option<(Vec<Lines>, &str)> {
    let text = text.trim_start_matches(['(', '[', '*', '_', ',']);
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let marked = word == "L" && rest.starts_with(|c: char| c.is_ascii_digit());
    if !marked && !is_line_word(word) && !is_shortened(word, rest) {
        return None;
    }
    let near = beginning(rest);
    let number = near.trim_start_matches(['.', ' ', '#', ':', '*']);
    let number = ["number ", "numbers ", "no. ", "nr. ", "Nr. "].iter().find_map(|word| number.strip_prefix(word));
    let number = number.unwrap_or_else(|| near.trim_start_matches(['.', ' ', '#', ':', '*']));
    let (first, behind) = leading_number(number)?;
    // `L16x`, `line 3.5` and `line 12:30` are no lines.
    if behind.starts_with(char::is_alphanumeric) || behind.starts_with('%') || is_fraction(behind) {
        return None;
    }
    let (lines, behind) = more(first, behind);
    let taken = near.len() - behind.len();
    Some((lines, &rest[taken..]))
}

fn is_fraction(behind: &str) -> bool {
    behind.strip_prefix(['.', ':']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// `l. 88`, `ll. 88`, `Z. 99`: a letter is a line only with its full stop.
fn is_shortened(word: &str, rest: &str) -> bool {
    let number = rest.strip_prefix('.').map(|rest| rest.trim_start_matches(' '));
    matches!(word, "l" | "ll" | "Z" | "Zn") && number.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// `L88`, `L88-90`.
fn is_marked_number(word: &str) -> bool {
    word.strip_prefix('L').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether the words behind a line say that it is one of something else than the file: `line 5 of the log`.
fn is_of_something_else(rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', ')', ',']);
    let Some(of) = ["of ", "in ", "from ", "der ", "des "].iter().find_map(|word| rest.strip_prefix(word)) else {
        return false;
    };
    let of = of.trim_start();
    let own = ["it", "this file", "that file", "the file", "there", "the same", "the source", "the code", "dieser Datei"];
    !of.is_empty()
        && !matches!(of, "the" | "the " | "file ")
        && !own.iter().any(|own| of.starts_with(own))
        && rest.starts_with("of ")
}

/// More lines behind those that a path has already: `:28-38, 140-145`, `:3 and 88`; and how many bytes they take.
pub(super) fn also(after: &str) -> Option<(Vec<Lines>, usize)> {
    let near = beginning(after);
    work::read(near.len());
    let near_start = near.trim_start_matches(['`', '*']);
    if !near_start.starts_with([',', ' ', '&']) || !near.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (mut lines, mut open, mut rest, mut taken) = (Vec::new(), Vec::new(), near_start, near_start);
    loop {
        let joint = ["and ", "& ", "und ", "et ", "y "].iter();
        let listed = rest.strip_prefix(", ");
        let joined = rest.strip_prefix(", ").unwrap_or(rest).trim_start_matches(' ');
        let joined = joint.into_iter().find_map(|word| joined.strip_prefix(word));
        let Some((first, behind)) = joined.or(listed).and_then(leading_number) else { break };
        let last = behind.strip_prefix(is_dash).and_then(leading_number);
        let behind = last.map_or(behind, |(_, behind)| behind);
        // One number alone is a line only where nothing is counted by it.
        let ends = behind.is_empty()
            || behind.starts_with([')', ']', ';'])
            || behind.strip_prefix(['.', ',', ':']).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            || ["are", "both", "do", "call", "read", "show", "hold"]
                .iter()
                .any(|verb| behind.starts_with(&format!(" {verb} ")));
        let apart = !behind.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '%' | '/' | '.' | '-' | ':')) || ends;
        let goes_on = [" and ", " & ", " und ", " et ", " y "].iter().any(|joint| behind.starts_with(joint));
        if !(ends || goes_on || (last.is_some() && apart)) {
            break;
        }
        let line = Lines::written(first, last.map_or(first, |(last, _)| last));
        // One more number behind a comma is a line where the list ends like one: `:38, 49 and 56`, `(…:38, 49)`.
        if (goes_on && last.is_none()) || joined.is_none() && last.is_none() && !behind.starts_with([')', ']']) {
            open.push(line);
        } else {
            lines.append(&mut open);
            lines.push(line);
            taken = behind;
        }
        rest = behind;
    }
    let rest = taken;
    (!lines.is_empty()).then_some((lines, after.len() - (after.len() - near.len()) - rest.len()))
}

/// The last line of a range whose first stands behind a path already: `:2 - 99`, `:2 to 99`, `:2—99`; and how many bytes it
/// takes. A number of things is none.
pub(super) fn until(after: &str, first: Lines) -> Option<(Lines, usize)> {
    let near = beginning(after);
    work::read(near.len());
    let gap = near.trim_start_matches(['`', '*']).trim_start_matches(' ');
    let joints = ["to ", "through ", "thru ", "bis ", "until "];
    let dashed = gap.strip_prefix(is_dash);
    let tail = dashed.or_else(|| joints.iter().find_map(|joint| gap.strip_prefix(joint)))?;
    let (last, rest) = leading_number(tail.trim_start_matches([' ', '`']))?;
    let last = first.until(last);
    let stops = rest.trim_start_matches(['.', ',', ';', ':', ')', ']', '!', '?', '`', '*', '"']);
    let ends = rest.is_empty() || stops.len() < rest.len() && !stops.starts_with(char::is_alphanumeric);
    let told = || {
        let is_verb = |word: &str| super::words::reads(word) || matches!(word, "is" | "are" | "was" | "were" | "has" | "do");
        rest.starts_with(' ') && super::words::words(rest).next().is_some_and(|word| is_verb(&word))
    };
    (first.first == first.last && last.last > first.first && (ends || told())).then(|| (last, near.len() - rest.len()))
}

/// A cell of a table that holds nothing but lines: `130`, `12-14`, `L3`.
pub(super) fn in_cell(cell: &str) -> Option<Vec<Lines>> {
    let cell = cell.trim().trim_matches(['`', '*']);
    if cell.len() > 40 { None } else { cell.split([',', '+', '&']).map(|part| path::range(part.trim())).collect() }
}

/// Whether the head of a table's column says that lines stand in it.
pub(super) fn heads_lines(cell: &str) -> bool {
    let cell = cell.trim().trim_matches(['`', '*', '#', '.', '(', ')']);
    let first = cell.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    is_line_word(first) && first.len() > 1 && cell.split_whitespace().count() <= 2
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
    let close_by = near.strip_prefix([':', '：']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let (inner, close) = if let Some((lines, rest)) = behind_a_comma(near) {
        return Some((lines, rest));
    } else if let Some(inner) = near.strip_prefix([':', '：']) {
        (inner.trim_start_matches(' '), None)
    } else if let Some(inner) = near.trim_start_matches(' ').strip_prefix('[') {
        (inner, Some(']'))
    } else {
        (near.trim_start_matches(' ').strip_prefix('(')?, Some(')'))
    };
    let (first, rest) = leading_number(inner)?;
    let last = rest.strip_prefix(is_dash).and_then(leading_number);
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
            // Behind a colon that stands apart a verb says that it is a line, and a noun that things are counted.
            let told = marked.starts_with("` : ")
                && super::words::words(rest).next().is_some_and(|word| super::words::reads(&word) || word == "was");
            let alone = rest.is_empty()
                || told
                || (close_by && apart)
                || (stops.len() < rest.len() && !stops.starts_with(char::is_alphanumeric));
            alone.then(|| (vec![Lines::written(first, first)], rest))
        }
    }
}

/// `, 88-90)`: a range behind a comma, where the bracket around the path closes.
fn behind_a_comma(near: &str) -> Option<(Vec<Lines>, &str)> {
    let (first, rest) = leading_number(near.strip_prefix(", ")?)?;
    let (last, rest) = leading_number(rest.strip_prefix(is_dash)?)?;
    rest.starts_with(')').then(|| (vec![Lines::written(first, last)], rest))
}

fn in_words(near: &str) -> Option<(Vec<Lines>, &str)> {
    let mut rest = near.trim_start_matches(['`', '*', '_', '"', '\'', ')', ']', '»', '“', '”']);
    rest = rest.trim_start_matches([' ', '\n', ',', '(', '[', ':', '—', '-', '`']);
    for word in LEADS {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    // `, **Line:** 20`: the word is a label of its own.
    let label = rest.strip_prefix("**");
    rest = label.unwrap_or(rest);
    let word: &str = &rest[..rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len())];
    if (!is_line_word(word) || word == "l") && !is_shortened(word, &rest[word.len()..]) {
        return None;
    }
    let number = &rest[word.len()..];
    let labelled = [":**", "**:"].iter().find_map(|mark| number.strip_prefix(mark)).filter(|_| label.is_some());
    let number = labelled.unwrap_or(number).trim_start_matches(['.', ' ', '#']);
    let number =
        ["number ", "numbers ", "no. ", "nr. ", "Nr. "].iter().find_map(|word| number.strip_prefix(word)).unwrap_or(number);
    let (first, rest) = leading_number(number)?;
    Some(more(first, rest))
}

/// `の16行目`, ` 第16-19行`, `의 16행`: the word stands behind the number.
fn counted(near: &str) -> Option<(Vec<Lines>, &str)> {
    let rest = near.trim_start_matches(['`', ' ', '(', '（', ',', '，', '、', '的', 'の', '의', '第']);
    let (first, rest) = leading_number(rest)?;
    let rest = rest.trim_start_matches(' ');
    let joined = rest.strip_prefix(|c| is_dash(c) || matches!(c, '~' | '～' | '〜' | '到' | '至'));
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
        let (ranged, tail) = if let Some(tail) = gap.strip_prefix(is_dash) {
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

/// Whether a word means a line, in one of several languages.
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
            (" in den Zeilen 99 bis 120", "99-120", ""),
            (" ab Zeile 99.", "99", "."),
            (", Z. 99", "99", ""),
            (", l. 88", "88", ""),
            ("` ll. 88-90", "88-90", ""),
            (" line number 88 is", "88", " is"),
            (", 88-90)", "88-90", ")"),
            ("` : 88 is bad", "88", " is bad"),
        ] {
            assert_eq!(told(after), Some((lines.to_owned(), rest)), "{after}");
        }
    }

    #[test]
    fn lines_are_named_further_on_in_a_sentence() {
        let told = |own: &[&str]| {
            let lines = further_on(own.iter().copied());
            lines.map(|lines| lines.iter().map(Lines::to_string).collect::<Vec<_>>().join(" "))
        };
        for (own, lines) in [
            (&["In ", ", the guard is dropped on line 99."][..], "99"),
            (&["", " drops it too early (see line 99)."], "99"),
            (&["File: ", "\nLine: 130"], "130"),
            (&["Die Datei ", " enthält in Zeile 3 den Aufruf ", "."], "3"),
            (&["", " has it at L88."], "88"),
            (&["", " has it in lines 20-28 of the file."], "20-28"),
            (&["", " has it, ll. 8-9."], "8-9"),
            (&["In ", ", ", " (line 6) precedes the comparison (line 7)."], "6 7"),
        ] {
            assert_eq!(told(own).as_deref(), Some(lines), "{own:?}");
        }
        for own in [
            &["", " is 60 lines long."][..],
            &["", " has it on line 3 and once more on line 9."],
            &["", " fails at line 5 of the log."],
            &["", " has no line 99."],
            &["", " takes command line 3 times."],
            &["", " lines up 3 things."],
            &["", " is at line 3.5 of its plan."],
        ] {
            assert_eq!(told(own), None, "{own:?}");
        }
    }

    #[test]
    fn more_lines_follow_those_of_a_path() {
        let told = |after: &str| {
            also(after).map(|(lines, length)| {
                (lines.iter().map(Lines::to_string).collect::<Vec<_>>().join(" "), after[length..].to_owned())
            })
        };
        for (after, lines, rest) in [
            (", 140-145 too", "140-145", " too"),
            (" and 88.", "88", "."),
            (", 9-12 and 88)", "9-12 88", ")"),
            (", 49 and 56); so", "49 56", "); so"),
            (", 49, 56)", "49 56", ")"),
            (" and 88", "88", ""),
        ] {
            assert_eq!(told(after), Some((lines.to_owned(), rest.to_owned())), "{after}");
        }
        for after in [", 3 problems", " and 88 more", ", 3", " and 3.5 s", " and 3x", ", 10-20% slower"] {
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
