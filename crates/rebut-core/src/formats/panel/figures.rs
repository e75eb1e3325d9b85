//! Figures in a text, in digits or in words: what a closing may not bring in anew, and what one sentence may not say alone.
//!
//! What a number is worth is read in `claims`, as everywhere.

use std::collections::{BTreeMap, BTreeSet};

use crate::claims::worth;

/// Words behind a number, and the unit that they stand for.
#[rustfmt::skip]
const UNITS: [(&str, &str); 40] = [
    ("%", "%"), ("percent", "%"), ("pct", "%"), ("prozent", "%"), ("thousand", "thousand"), ("k", "thousand"),
    ("million", "million"), ("millions", "million"), ("m", "million"), ("mio", "million"), ("billion", "billion"),
    ("billions", "billion"), ("bn", "billion"), ("trillion", "trillion"), ("x", "times"), ("times", "times"),
    ("fold", "times"), ("second", "second"), ("seconds", "second"), ("minute", "minute"), ("minutes", "minute"),
    ("hour", "hour"), ("hours", "hour"), ("day", "day"), ("days", "day"), ("week", "week"), ("weeks", "week"),
    ("month", "month"), ("months", "month"), ("year", "year"), ("years", "year"), ("dollars", ""), ("euros", ""),
    ("pounds", ""), ("quarter", "quarter"), ("quarters", "quarter"), ("third", "third"), ("thirds", "third"),
    ("fifths", "fifth"), ("tenths", "tenth"),
];
/// Numbers that are written out.
#[rustfmt::skip]
const NUMBERS: [(&str, &str); 28] = [
    ("one", "1"), ("two", "2"), ("three", "3"), ("four", "4"), ("five", "5"), ("six", "6"), ("seven", "7"), ("eight", "8"),
    ("nine", "9"), ("ten", "10"), ("eleven", "11"), ("twelve", "12"), ("thirteen", "13"), ("fourteen", "14"),
    ("fifteen", "15"), ("sixteen", "16"), ("seventeen", "17"), ("eighteen", "18"), ("nineteen", "19"), ("twenty", "20"),
    ("thirty", "30"), ("forty", "40"), ("fifty", "50"), ("sixty", "60"), ("seventy", "70"), ("eighty", "80"),
    ("ninety", "90"), ("hundred", "100"),
];
/// Units of one quantity, of which nobody says one by way of counting: `one day it will fail`, `one third party`.
const LOOSE: [&str; 7] = ["one day", "one second", "one third", "one minute", "one year", "one month", "one week"];

/// Words behind which numbers name entries or rounds and count nothing.
const REFERS: [&str; 6] = ["seq", "seqs", "round", "rounds", "entry", "entries"];
/// Words between the numbers of such a list.
const LISTS: [&str; 5] = ["and", "or", "to", "bis", "und"];

/// The figures of a text as they are written: numbers with a percent sign, a currency, a decimal or a unit behind them, or
/// of at least two digits; and numbers in words with a unit. References to entries (`seqs 2, 3 and 12`), rounds, lists and
/// parts of words are none. Takes time in proportion to the text.
pub(super) fn figures(text: &str) -> Vec<String> {
    let text = apart(&without_addresses(text));
    let in_line = |line| str::split_whitespace(line).zip(0..);
    let words: Vec<(&str, bool)> = text.lines().flat_map(in_line).map(|(word, place)| (word, place == 0)).collect();
    let next = |at: usize| words.get(at + 1).map(|(next, _)| plain(next));
    let mut found: Vec<String> = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut add = |shown: String| {
        if known.insert(shown.clone()) {
            found.push(shown);
        }
    };
    let mut listing = false;
    for (at, (word, begins_line)) in words.iter().enumerate() {
        let own = plain(word);
        if is_one_of(own, &REFERS) {
            listing = true;
            continue;
        }
        if !listing && !has_digit(word) && number_of(own).is_none() {
            continue;
        }
        let unit = next(at).filter(|next| unit_of(next).is_some());
        let listed = own.is_empty() || is_one_of(own, &LISTS);
        let number_in_list = unit.is_none() && own.chars().all(|c| c.is_ascii_digit() || "-–,/".contains(c));
        listing = listing && (listed || number_in_list);
        if listing {
            continue;
        }
        // `7 of 9` and `nine of ten` are one figure each.
        let whole = next(at).filter(|next| is_one_of(next, &["of"])).and_then(|_| next(at + 1));
        let whole = whole.filter(|last| number_of(last).is_some() && number_of(own).is_some());
        if let Some(last) = whole {
            add(format!("{} of {}", own.to_lowercase(), last.to_lowercase()));
        }
        if let Some(shown) = written_out(own, unit).or_else(|| in_digits(word, *begins_line, unit)) {
            add(shown);
        }
    }
    found
}

/// A number in words, which is a figure only with its unit.
fn written_out(own: &str, unit: Option<&str>) -> Option<String> {
    let shown = format!("{own} {}", unit?).to_lowercase();
    (written(own).is_some() && !LOOSE.contains(&shown.as_str())).then_some(shown)
}

fn in_digits(word: &str, begins_line: bool, unit: Option<&str>) -> Option<String> {
    let bare = word.trim_matches(|c: char| !c.is_ascii_digit() && !matches!(c, '%' | '$' | '€' | '£'));
    let digits = bare.chars().filter(char::is_ascii_digit).count();
    if digits == 0 || word.chars().filter(|c| c.is_alphabetic()).count() > 2 {
        return None;
    }
    // `1.` and `2)` number the items of a list.
    let listed = bare.len() == digits && digits < 3 && word.ends_with([')', '.']) && begins_line;
    let marked = bare.contains(['%', '$', '€', '£', '.', ',']) && bare.len() > 1;
    let told = marked || unit.is_some() || digits >= 2;
    (told && !listed).then(|| unit.map_or_else(|| bare.to_owned(), |unit| format!("{bare} {}", unit.to_lowercase())))
}

/// What a figure may be worth, with its unit: `1,200` is `1200` and `1.200` can be, `41 %` is `41 percent`, and `$5 million`
/// is not `$5 billion`.
pub(super) fn values(figure: &str) -> Vec<String> {
    if let Some((part, all)) = figure.split_once(" of ") {
        let all = values(all);
        return values(part).iter().flat_map(|part| all.iter().map(move |all| format!("{part} of {all}"))).collect();
    }
    let unit = figure.split_whitespace().nth(1).and_then(|word| unit_of(plain(word)));
    let unit = unit.unwrap_or(if figure.contains('%') { "%" } else { "" });
    numbers(figure).into_iter().map(|number| format!("{number}{unit}")).collect()
}

/// What the number of a figure may be, whatever it counts.
pub(super) fn numbers(figure: &str) -> Vec<String> {
    let first = figure.split_whitespace().next().unwrap_or_default();
    if let Some(number) = written(plain(first)) {
        return vec![number.to_owned()];
    }
    let bare = first.trim_matches(|c: char| !c.is_ascii_digit());
    let number: String = bare.chars().filter(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | '’')).collect();
    let worth = worth(&number);
    // Neither a version nor a date is worth anything, and each is like itself.
    if worth.is_empty() { vec![number] } else { worth }
}

/// Those of these figures whose number stands nowhere in a text, in digits or in words. The text is gone through once.
pub(super) fn absent(figures: Vec<String>, text: &str) -> Vec<String> {
    let mut wanted: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (figure, at) in figures.iter().zip(0..) {
        for number in numbers(figure) {
            wanted.entry(number).or_default().push(at);
        }
    }
    let mut missing: BTreeSet<usize> = (0..figures.len()).collect();
    let mut take = |word: &str| {
        let own = plain(word);
        let letters = || word.chars().filter(|c| c.is_alphabetic()).nth(2).is_some();
        if written(own).is_some() || (has_digit(word) && !letters()) {
            for at in numbers(own).iter().filter_map(|number| wanted.get(number)).flatten() {
                missing.remove(at);
            }
        }
        missing.is_empty()
    };
    // Few words of a long page have a digit, and nothing is done with the others.
    let parts = text.split(|c: char| c.is_whitespace() && !is_group_space(c)).filter(|part| !part.contains("://"));
    for part in parts {
        let all_found = if has_digit(part) {
            apart(part).split_whitespace().any(&mut take)
        } else {
            part.split_whitespace().any(&mut take)
        };
        if all_found {
            break;
        }
    }
    figures.into_iter().zip(0..).filter(|(_, at)| missing.contains(at)).map(|(figure, _)| figure).collect()
}

/// A figure of the first text that does not stand in the second.
pub(super) fn foreign(text: &str, within: &str) -> Option<String> {
    absent(figures(text), within).into_iter().next()
}

/// Whether a figure is a figure of the text with fewer digits: `41 %` for `41.3 %`, `1,200` for `1,234`.
pub(super) fn rounds(figure: &str, text: &str) -> bool {
    let digits = |number: &str| number.replace('.', "").trim_matches('0').len();
    let parsed = |figure: &str| {
        let numbers = numbers(figure).into_iter();
        numbers.filter_map(|number| number.parse::<f64>().ok().map(|value| (value, digits(&number)))).collect::<Vec<_>>()
    };
    let own = parsed(figure);
    let known: Vec<(f64, usize)> = figures(text).iter().flat_map(|known| parsed(known)).collect();
    own.iter().any(|(rounded, fewer)| {
        known.iter().any(|(known, more)| fewer < more && (known - rounded).abs() <= known.abs() * 0.05)
    })
}

/// Whether a word behind a number says what it counts.
pub(super) fn is_unit(word: &str) -> bool {
    unit_of(plain(word)).is_some()
}

/// A whole number, in digits or in words.
pub(super) fn number_of(word: &str) -> Option<&str> {
    let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    if digits { Some(word) } else { written(word) }
}

fn unit_of(word: &str) -> Option<&'static str> {
    UNITS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, unit)| *unit)
}

/// The number that a word is, in digits.
fn written(word: &str) -> Option<&'static str> {
    NUMBERS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, number)| *number)
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}

fn has_digit(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
}

/// The text with numbers and their units apart, `10-year` and `5m` are two words each, and with spaces that do not break
/// left out of numbers.
fn apart(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    let mut start = ' ';
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        let word_begins_with_digit = start.is_ascii_digit() || matches!(start, '$' | '€' | '£');
        if is_group_space(c) && before.is_ascii_digit() && next.is_some_and(|c| c.is_ascii_digit()) {
            continue;
        }
        if c == '-' && before.is_ascii_digit() && next.is_some_and(char::is_alphabetic) {
            shown.push(' ');
        } else if c.is_alphabetic() && before.is_ascii_digit() && word_begins_with_digit {
            // A unit has one or two letters.
            let letters = rest.clone().take(2).take_while(|c| c.is_alphabetic()).count();
            if letters < 2 {
                shown.push(' ');
            }
            shown.push(c);
        } else {
            shown.push(c);
        }
        if before.is_whitespace() {
            start = c;
        }
        before = c;
    }
    shown
}

/// Spaces that do not break, as they stand between the thousands of a number.
fn is_group_space(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{202f}' | '\u{2009}')
}

fn without_addresses(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for line in text.lines() {
        for word in line.split(' ').filter(|word| !word.contains("://")) {
            shown.push_str(word);
            shown.push(' ');
        }
        shown.push('\n');
    }
    shown
}

/// A word without the marks around it.
fn plain(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%')
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [&str; 0] = [];

    #[test]
    fn figures_are_told_from_references_lists_and_names() {
        assert_eq!(
            figures("It takes 41 % of 1,200 runs, $3.5 million and 7 percent."),
            ["41 %", "1,200", "$3.5 million", "7 percent"]
        );
        assert_eq!(figures("See seq 12 and round 3; 1. first\n2) second; HTTP2 and https://example.com/2024/55"), NONE);
        assert_eq!(figures("See seqs 2, 3 and 12, seq 10 and 11, [seq 14], entries 12 to 14 and seq 15-17."), NONE);
        assert_eq!(figures("By seq 12 and 41 % of all it is so."), ["41 %"]);
        assert_eq!(figures("In 2024 it was 17."), ["2024", "17"]);
    }

    #[test]
    fn figures_in_words_and_small_ones_with_a_unit_are_figures() {
        for (text, found) in [
            ("It was 7 of 9.", "7 of 9"),
            ("Three of 4 agreed.", "three of 4"),
            ("Nine of ten did.", "nine of ten"),
            ("It took 9 hours.", "9 hours"),
            ("Ninety percent agreed.", "ninety percent"),
            ("It is 8 times as much.", "8 times"),
            ("Three quarters of them went.", "three quarters"),
            ("A 10-year study says so.", "10 year"),
        ] {
            assert_eq!(figures(text), [found], "{text}");
        }
        assert_eq!(figures("One day two of us will see. One third party objected."), NONE);
    }

    #[test]
    fn a_figure_has_one_value_however_it_is_written() {
        let same = |one: &str, other: &str| values(one).iter().any(|value| values(other).contains(value));
        for (one, other) in [
            ("41 %", "41%"),
            ("41 percent", "41%"),
            ("ninety percent", "90 %"),
            ("nine of ten", "9 of 10"),
            ("10 year", "10 years"),
            ("1,200", "1200"),
            ("1.200", "1,200"),
            ("1’200", "1200"),
            ("$1.200 million", "1,200 million"),
            ("3.50", "3.5"),
            ("1.2.3", "1.2.3"),
        ] {
            assert!(same(one, other), "{one} and {other}");
        }
        for (one, other) in [("41 %", "41"), ("$5 million", "$5 billion"), ("1.2.3", "1.2.4"), ("120", "1,200")] {
            assert!(!same(one, other), "{one} and {other}");
        }
        assert_eq!(figures("It had 1\u{202f}200 cases."), ["1200"]);
    }

    #[test]
    fn what_begins_a_line_is_an_item_of_a_list_and_the_same_number_elsewhere_is_a_figure() {
        assert_eq!(figures("11. It is so.\n12) It is.\nThere were 12."), ["12"]);
    }

    #[test]
    fn a_figure_that_stands_in_one_text_alone_is_found() {
        assert_eq!(foreign("It was 43 %.", "It was 41 %.").as_deref(), Some("43 %"));
        assert_eq!(foreign("9 of 10 did, 41 percent.", "Nine of ten did, that is 41%."), None);
        assert_eq!(foreign("It was $3.5 million in 1,200 runs.", "See 3.5m and 1.200 (https://a.example/77)."), None);
        assert_eq!(foreign("There were 77.", "See https://a.example/77 and v77beta.").as_deref(), Some("77"));
    }

    #[test]
    fn long_pages_are_read_once_from_their_beginning_to_their_end() {
        // Whatever is done anew for each letter or for each number of these would take days.
        let letters = format!("{} two thirds", "a9".repeat(1 << 17) + &"x".repeat(1 << 18));
        assert_eq!(foreign("Two thirds did, 73 % of them.", &letters).as_deref(), Some("73 %"));
        let lines: String = (1_000..50_000).fold(String::new(), |text, number| text + &number.to_string() + ".\n");
        assert_eq!(figures(&lines).len(), 49_000);
        assert_eq!(foreign("There were 73.", &lines).as_deref(), Some("73"));
    }
}
