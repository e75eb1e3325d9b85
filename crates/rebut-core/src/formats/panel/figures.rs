//! Figures in a text, in digits or in words: what a closing may not bring in anew, and what one sentence may not say alone.

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

/// The figures of a text as they are written: numbers with a percent sign, a currency, a decimal or a unit behind them, or
/// of at least two digits; and numbers in words with a unit. References to entries (`seqs 2, 3 and 12`), rounds, lists and
/// parts of words are none.
pub(super) fn figures(text: &str) -> Vec<String> {
    let text = apart(&without_addresses(text));
    let words: Vec<&str> = text.split_whitespace().collect();
    let next = |at: usize| words.get(at + 1).map(|next| plain(next));
    let mut found: Vec<String> = Vec::new();
    let mut add = |shown: String| {
        if !found.contains(&shown) {
            found.push(shown);
        }
    };
    let mut listing = false;
    for (at, word) in words.iter().enumerate() {
        let own = plain(word);
        let unit = next(at).filter(|next| unit_of(next).is_some());
        if matches!(own.as_str(), "seq" | "seqs" | "round" | "rounds" | "entry" | "entries") {
            listing = true;
            continue;
        }
        let listed = own.is_empty() || matches!(own.as_str(), "and" | "or" | "to" | "bis" | "und");
        let number_in_list = unit.is_none() && own.chars().all(|c| c.is_ascii_digit() || "-–,/".contains(c));
        listing = listing && (listed || number_in_list);
        if listing {
            continue;
        }
        // `7 of 9` and `nine of ten` are one figure each.
        let whole = next(at).filter(|next| next == "of").and_then(|_| next(at + 1)).filter(|last| number_of(last).is_some());
        if let Some(last) = whole.filter(|_| number_of(&own).is_some()) {
            add(format!("{own} of {last}"));
        }
        if let Some(shown) = written_out(&own, unit.as_deref()).or_else(|| in_digits(&text, word, unit.as_deref())) {
            add(shown);
        }
    }
    found
}

/// A number in words, which is a figure only with its unit.
fn written_out(own: &str, unit: Option<&str>) -> Option<String> {
    let shown = format!("{own} {}", unit?);
    (NUMBERS.iter().any(|(word, _)| *word == own) && !LOOSE.contains(&shown.as_str())).then_some(shown)
}

fn in_digits(text: &str, word: &str, unit: Option<&str>) -> Option<String> {
    let bare = word.trim_matches(|c: char| !c.is_ascii_digit() && !matches!(c, '%' | '$' | '€' | '£'));
    let number: String = bare.chars().filter(char::is_ascii_digit).collect();
    if number.is_empty() || word.chars().filter(|c| c.is_alphabetic()).count() > 2 {
        return None;
    }
    // `1.` and `2)` number the items of a list.
    let listed = bare.len() == number.len() && number.len() < 3 && word.ends_with([')', '.']) && starts_line(text, word);
    let marked = bare.contains(['%', '$', '€', '£', '.', ',']) && bare.len() > 1;
    let told = marked || unit.is_some() || number.len() >= 2;
    (told && !listed).then(|| unit.map_or_else(|| bare.to_owned(), |unit| format!("{bare} {unit}")))
}

/// The value of a figure with its unit, so that `1,200` is `1200`, `41 %` is `41 percent`, and `$5 million` is not
/// `$5 billion`.
pub(super) fn value(figure: &str) -> String {
    if let Some((part, all)) = figure.split_once(" of ") {
        return format!("{} of {}", value(part), value(all));
    }
    let unit = figure.split_whitespace().nth(1).and_then(|word| unit_of(&plain(word)));
    let unit = unit.unwrap_or(if figure.contains('%') { "%" } else { "" });
    format!("{}{unit}", number(figure))
}

/// The number of a figure, whatever it counts.
pub(super) fn number(figure: &str) -> String {
    let first = figure.split_whitespace().next().unwrap_or_default();
    if let Some(number) = number_of(&plain(first)) {
        return number;
    }
    let number: String = first.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
    let number = number.trim_end_matches('.');
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.').to_owned() } else { number.to_owned() }
}

/// A figure of the first text that does not stand in the second.
pub(super) fn foreign(text: &str, within: &str) -> Option<String> {
    let known = figures(within);
    let words: Vec<String> = apart(within).split_whitespace().map(plain).filter_map(|word| number_of(&word)).collect();
    figures(text).into_iter().find(|figure| {
        let stands = known.iter().any(|known| value(known) == value(figure) || number(known) == number(figure));
        !stands && !words.contains(&number(figure))
    })
}

/// Whether a figure is a figure of the text with fewer digits: `41 %` for `41.3 %`, `1,200` for `1,234`.
pub(super) fn rounds(figure: &str, text: &str) -> bool {
    let digits = |number: &str| number.replace('.', "").trim_matches('0').len();
    let parsed = |figure: &str| {
        let number = number(figure);
        number.parse::<f64>().ok().map(|value| (value, digits(&number)))
    };
    let Some((rounded, fewer)) = parsed(figure) else { return false };
    figures(text)
        .iter()
        .filter_map(|known| parsed(known))
        .any(|(known, more)| fewer < more && (known - rounded).abs() <= known.abs() * 0.05)
}

/// Whether a word behind a number says what it counts.
pub(super) fn is_unit(word: &str) -> bool {
    unit_of(&plain(word)).is_some()
}

fn unit_of(word: &str) -> Option<&'static str> {
    UNITS.iter().find(|(known, _)| *known == word).map(|(_, unit)| *unit)
}

/// A whole number, in digits or in words.
fn number_of(word: &str) -> Option<String> {
    let digits = !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
    let written = || NUMBERS.iter().find(|(known, _)| *known == word).map(|(_, number)| (*number).to_owned());
    if digits { Some(word.to_owned()) } else { written() }
}

/// The text with numbers and their units apart: `10-year` and `5m` are two words each.
fn apart(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    let mut start = ' ';
    while let Some(c) = rest.next() {
        let letters = rest.clone().take_while(|c| c.is_alphabetic()).count();
        let word_begins_with_digit = start.is_ascii_digit() || matches!(start, '$' | '€' | '£');
        if c == '-' && before.is_ascii_digit() && rest.peek().is_some_and(|c| c.is_alphabetic()) {
            shown.push(' ');
        } else if c.is_alphabetic() && before.is_ascii_digit() && word_begins_with_digit && letters < 2 {
            shown.push(' ');
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

fn without_addresses(text: &str) -> String {
    let line = |line: &str| {
        let words = line.split(' ').filter(|word| !word.contains("://"));
        words.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn starts_line(text: &str, word: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with(word))
}

fn plain(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%').to_lowercase()
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
        assert_eq!(value("41 %"), value("41%"));
        assert_eq!(value("41 percent"), value("41%"));
        assert_eq!(value("ninety percent"), value("90 %"));
        assert_eq!(value("nine of ten"), value("9 of 10"));
        assert_eq!(value("10 year"), value("10 years"));
        assert_eq!(value("1,200"), value("1200"));
        assert_eq!(value("3.50"), value("3.5"));
        assert_ne!(value("41 %"), value("41"));
        assert_ne!(value("$5 million"), value("$5 billion"));
    }

    #[test]
    fn a_figure_that_stands_in_one_text_alone_is_found() {
        assert_eq!(foreign("It was 43 %.", "It was 41 %.").as_deref(), Some("43 %"));
        assert_eq!(foreign("9 of 10 did, 41 percent.", "Nine of ten did, that is 41%."), None);
    }
}
