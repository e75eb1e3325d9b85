//! Figures: numbers with what they count, as people write them, and whether a text holds them.
//!
//! `1,200`, `1.200` and `1 200` can be the same number, and `42 %` is `42 percent`. So a figure is compared by its value
//! and by its unit, and not by its letters.

/// How many figures of one sentence are looked up.
const MOST: usize = 8;

/// A number as it is written, and what it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Figure {
    /// What it may be worth: `1.234` is one number in one country and another in the next.
    values: Vec<String>,
    unit: Unit,
}

/// What a number counts.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Unit {
    Nothing,
    Percent,
    /// Money of this currency.
    Money(&'static str),
    /// This word, in small letters.
    Word(&'static str),
}

/// Whether a figure stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stands {
    /// With its unit.
    Wholly,
    /// The number does, but not with this unit beside it: in a table, the unit stands elsewhere.
    AsNumber,
    /// It does not.
    Nowhere,
}

impl Figure {
    /// Reads a text that is a figure and nothing else: `42 %`, `$1,200`, `3.5 million`.
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = text.trim().trim_end_matches(['.', ',', ';', ':']);
        let found = numbers(text).next()?;
        (found.start == 0 && found.end == text.len() && !found.figure.values.is_empty()).then_some(found.figure)
    }

    /// Whether a text holds it.
    pub(super) fn stands_in(&self, text: &str) -> Stands {
        let mut stands = Stands::Nowhere;
        for found in numbers(text) {
            if found.figure.values.iter().any(|value| self.values.contains(value)) {
                if self.unit == Unit::Nothing || self.unit == found.figure.unit {
                    return Stands::Wholly;
                }
                stands = Stands::AsNumber;
            }
        }
        stands
    }
}

/// The figures of a sentence that say something by themselves, as they are written: those with a unit and those in
/// groups of thousands. A bare number is too often a version, a year or the number of a section, and one that is said
/// to be about right need not stand anywhere.
pub(crate) fn telling(sentence: &str) -> Vec<String> {
    let tells = |found: &Found| {
        let Figure { values, unit } = &found.figure;
        let before = sentence[..found.start].trim_end();
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
        let rough = before.ends_with(['~', '≈', '<', '>', '≤', '≥']) || ROUGH.contains(&word.as_str());
        !values.is_empty() && !rough && (*unit != Unit::Nothing || found.grouped)
    };
    let mut figures = Vec::new();
    for found in numbers(sentence).filter(tells) {
        let written = sentence[found.start..found.end].to_owned();
        if !figures.contains(&written) {
            figures.push(written);
        }
        if figures.len() == MOST {
            break;
        }
    }
    figures
}

/// Whether a figure, as [`telling`] gives it, stands in a text, if only as a number.
pub(crate) fn stands(figure: &str, text: &str) -> bool {
    Figure::read(figure).is_none_or(|figure| figure.stands_in(text) != Stands::Nowhere)
}

/// What a number in digits may be worth, in one way of writing each; nothing where it is a version or a date.
pub(crate) fn worth(number: &str) -> Vec<String> {
    values(number).0
}

/// Words by which a number is said to be about right.
#[rustfmt::skip]
const ROUGH: [&str; 33] = [
    "about", "around", "roughly", "nearly", "almost", "over", "under", "above", "below", "than", "approximately", "approx",
    "circa", "ca", "some", "most", "least", "to", "rund", "etwa", "fast", "ungefähr", "über", "unter", "als", "environ",
    "presque", "plus", "casi", "unos", "unas", "cerca", "quase",
];

#[rustfmt::skip]
const PERCENT: [&str; 7] = ["percent", "pct", "prozent", "pourcent", "procent", "procento", "porcentaje"];

/// `per cent` and its like.
const OF_HUNDRED: [(&str, &str); 5] =
    [("per", "cent"), ("pour", "cent"), ("por", "ciento"), ("por", "cento"), ("per", "cento")];

/// Words that count as units, and under which name.
#[rustfmt::skip]
const UNITS: [(&str, &str); 44] = [
    ("ms", "ms"), ("millisecond", "ms"), ("milliseconds", "ms"), ("µs", "us"), ("μs", "us"), ("us", "us"), ("ns", "ns"),
    ("kb", "kb"), ("mb", "mb"), ("gb", "gb"), ("tb", "tb"), ("pb", "pb"), ("kib", "kib"), ("mib", "mib"), ("gib", "gib"),
    ("tib", "tib"), ("thousand", "thousand"), ("million", "million"), ("millions", "million"), ("mio", "million"),
    ("millionen", "million"), ("millones", "million"), ("milliards", "billion"), ("milliarden", "billion"),
    ("mrd", "billion"), ("billion", "billion"), ("billions", "billion"), ("bn", "billion"), ("trillion", "trillion"),
    ("tsd", "thousand"), ("mil", "thousand"), ("mille", "thousand"), ("rps", "rps"), ("qps", "qps"), ("kwh", "kwh"),
    ("mwh", "mwh"), ("gwh", "gwh"), ("twh", "twh"), ("kw", "kw"), ("mw", "mw"), ("gw", "gw"), ("kg", "kg"), ("km", "km"),
    ("mhz", "mhz"),
];

const SIGNS: [(char, &str); 4] = [('$', "dollar"), ('€', "euro"), ('£', "pound"), ('¥', "yen")];

const CURRENCIES: [(&str, &str); 10] = [
    ("usd", "dollar"),
    ("dollar", "dollar"),
    ("dollars", "dollar"),
    ("eur", "euro"),
    ("euro", "euro"),
    ("euros", "euro"),
    ("gbp", "pound"),
    ("pounds", "pound"),
    ("yen", "yen"),
    ("jpy", "yen"),
];

/// A number of a text, with its sign and its unit.
struct Found {
    start: usize,
    end: usize,
    figure: Figure,
    grouped: bool,
}

/// Every number of a text. Takes time in proportion to the text.
fn numbers(text: &str) -> impl Iterator<Item = Found> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + text[at..].find(|c: char| c.is_ascii_digit())?;
            let end = run(text, start);
            at = end;
            let before = text[..start].chars().next_back();
            // Part of a name, a version or a path, and no number.
            if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '#')) {
                continue;
            }
            let (values, grouped) = values(&text[start..end]);
            let sign = text[..start].trim_end_matches(' ').chars().next_back();
            let sign = sign.and_then(|sign| SIGNS.iter().find(|(known, _)| *known == sign));
            let (unit, until) = unit(text, end);
            // `41abc` counts nothing that is known, and is no number either.
            let joined = text[end..].chars().next().is_some_and(|c| c.is_alphanumeric() || c == '_');
            if joined && unit == Unit::Nothing {
                continue;
            }
            let (start, unit) = match (unit, sign) {
                (Unit::Nothing, Some((sign, name))) => (text[..start].rfind(*sign).unwrap_or(start), Unit::Money(name)),
                // `$3 million` is told by its magnitude.
                (unit, Some((sign, _))) => (text[..start].rfind(*sign).unwrap_or(start), unit),
                (unit, None) => (start, unit),
            };
            let figure = Figure { values, unit };
            return Some(Found { start, end: until, figure, grouped });
        }
    })
}

/// Where the number ends that begins here: digits, with single marks between them.
fn run(text: &str, start: usize) -> usize {
    let mut end = start;
    let mut rest = text[start..].chars().peekable();
    while let Some(c) = rest.next() {
        let goes_on = c.is_ascii_digit() || (is_mark(c) && rest.peek().is_some_and(char::is_ascii_digit));
        if !goes_on {
            break;
        }
        end += c.len_utf8();
    }
    end
}

/// Marks inside a number: points, commas, apostrophes, and spaces that do not break.
fn is_mark(c: char) -> bool {
    matches!(c, '.' | ',') || is_group_mark(c)
}

fn is_group_mark(c: char) -> bool {
    matches!(c, '\'' | '’' | '\u{a0}' | '\u{202f}' | '\u{2009}')
}

/// What a run of digits and marks may be worth, and whether it is written in groups of thousands. Nothing where it is a
/// version or a date.
fn values(written: &str) -> (Vec<String>, bool) {
    let spaced = written.contains(is_group_mark);
    let plain: String = written.chars().filter(|c| !is_group_mark(*c)).collect();
    let marks: Vec<char> = plain.chars().filter(|c| !c.is_ascii_digit()).collect();
    let whole = |text: &str| text.replace(['.', ','], "");
    let groups = |text: &str, mark: char| {
        let mut parts = text.split(mark);
        parts.next().is_some_and(|first| (1..=3).contains(&first.len()) && first != "0") && parts.all(|part| part.len() == 3)
    };
    match marks[..] {
        [] => (vec![canonical(&plain)], spaced),
        [mark] => {
            let decimal = canonical(&plain.replace(mark, "."));
            if groups(&plain, mark) {
                (vec![canonical(&whole(&plain)), decimal], mark == ',')
            } else {
                (vec![decimal], spaced)
            }
        }
        [first, ..] if marks.iter().all(|mark| *mark == first) => {
            if groups(&plain, first) {
                (vec![canonical(&whole(&plain))], true)
            } else {
                (Vec::new(), false)
            }
        }
        [.., last] => match plain.rsplit_once(last) {
            Some((before, after)) if !before.contains(last) => {
                (vec![canonical(&format!("{}.{after}", whole(before)))], true)
            }
            _ => (Vec::new(), false),
        },
    }
}

/// A number without noughts that say nothing.
fn canonical(number: &str) -> String {
    let number = if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    let trimmed = number.trim_start_matches('0');
    if trimmed.is_empty() || trimmed.starts_with('.') { format!("0{trimmed}") } else { trimmed.to_owned() }
}

/// The unit behind a number, and where it ends.
fn unit(text: &str, end: usize) -> (Unit, usize) {
    let rest = &text[end..];
    let gap = rest.chars().next().filter(|c| matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '-'));
    let from = end + gap.map_or(0, char::len_utf8);
    let behind = &text[from..];
    let first = behind.chars().next();
    if let Some(sign) = first.filter(|c| matches!(c, '%' | '％')) {
        return (Unit::Percent, from + sign.len_utf8());
    }
    if let Some((sign, name)) = first.and_then(|c| SIGNS.iter().find(|(sign, _)| *sign == c && c != '$')) {
        return (Unit::Money(name), from + sign.len_utf8());
    }
    let (word, length) = word(behind);
    let until = from + length;
    if PERCENT.contains(&word.as_str()) {
        return (Unit::Percent, until);
    }
    if let Some((_, second)) = OF_HUNDRED.iter().find(|(first, _)| *first == word) {
        let (next, length) = self::word(text[until..].trim_start());
        let skipped = text[until..].len() - text[until..].trim_start().len();
        if next == *second {
            return (Unit::Percent, until + skipped + length);
        }
    }
    if let Some((_, name)) = CURRENCIES.iter().find(|(known, _)| *known == word) {
        return (Unit::Money(name), until);
    }
    match UNITS.iter().find(|(known, _)| *known == word) {
        Some((_, name)) => (Unit::Word(name), until),
        None => (Unit::Nothing, end),
    }
}

/// The word at the beginning of a text in small letters, and its length. A long one is none of ours.
fn word(text: &str) -> (String, usize) {
    let length = text.char_indices().find(|(at, c)| !c.is_alphabetic() || *at > 16).map_or(text.len(), |(at, _)| at);
    (text[..length].to_lowercase(), length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    #[test]
    fn a_figure_is_known_however_it_is_written() {
        for (figure, text) in [
            ("42 %", "a share of 42% was measured"),
            ("42 percent", "42\u{a0}% of all"),
            ("42 per cent", "42 percent"),
            ("42%", "42.0 Prozent"),
            ("1,200", "1200 users"),
            ("1.200", "1,200 users"),
            ("1’200", "1\u{202f}200"),
            ("$1,200", "USD: 1200 dollars"),
            ("12,5 %", "12.5 %"),
            ("1,234.50", "1234.5"),
            ("3.5 million", "3,5 Mio"),
            ("0.5 ms", ".. 0.50 milliseconds"),
            ("42", "forty-two (42)"),
        ] {
            assert_eq!(Figure::read(figure).unwrap().stands_in(text), Stands::Wholly, "{figure} in {text}");
        }
    }

    #[test]
    fn a_figure_is_not_found_in_another() {
        for (figure, text, stands) in [
            ("42 %", "a column of 42", Stands::AsNumber),
            ("42 %", "142 %, 42.5 %, v42, 42nd and 1.42.3", Stands::Nowhere),
            ("1,200", "11,200 and 1,200.5", Stands::Nowhere),
            ("3 million", "3 billion", Stands::AsNumber),
            ("12", "2024-12", Stands::Wholly),
        ] {
            assert_eq!(Figure::read(figure).unwrap().stands_in(text), stands, "{figure} in {text}");
        }
    }

    #[test]
    fn words_are_no_figure() {
        for text in ["", "at least 42 %", "42 % of all", "Content Too Large", "1.2.3", "v42", "%"] {
            assert_eq!(Figure::read(text), None, "{text}");
        }
    }

    #[test]
    fn what_says_nothing_by_itself_does_not_tell() {
        for (sentence, told) in [
            ("JSON takes 41 % of CPU and 1,200 calls, which cost $3.", vec!["41 %", "1,200", "$3"]),
            ("RFC 9110 wants 413 since 2022, in TLS 1.3 and section 15.5.14.", vec![]),
            ("It takes about 40 % or more than 3 million, ~5 %.", vec![]),
            ("It grew to 40 % from 3 GB.", vec!["3 GB"]),
        ] {
            assert_eq!(telling(sentence), told, "{sentence}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(0x4f16), ..ProptestConfig::default() })]

        #[test]
        fn any_text_can_be_read(text in "([0-9.,%$€'’ \u{a0}a-zµ]|\\PC|per cent|million){0,60}") {
            let _ = telling(&text);
            if let Some(figure) = Figure::read(&text) {
                prop_assert_eq!(figure.stands_in(&text), Stands::Wholly);
            }
        }
    }
}
