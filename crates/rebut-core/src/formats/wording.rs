//! What requests in natural language have in common, whatever the format: numbers, efforts, and who is to be seated.

use crate::debate::Effort;

/// Numbers in words. Those that no debate can have are here to be refused, not to become a topic.
const NUMBERS: [&str; 13] =
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// The effort that these words, in small letters, ask for.
pub(super) fn effort(words: &[&str]) -> Option<Effort> {
    match words {
        ["quick" | "quickly" | "fast"] => Some(Effort::Low),
        ["thorough" | "thoroughly" | "careful" | "carefully"] => Some(Effort::High),
        ["maximum", "effort"] => Some(Effort::Max),
        [level, "effort"] => level.parse().ok(),
        _ => None,
    }
}

/// Whether the word is a number, be it negative or larger than any type.
pub(super) fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    NUMBERS.contains(&word) || (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// What a number counts, if anything can be counted so.
pub(super) fn value(number: &str) -> Option<u32> {
    let in_words = NUMBERS.iter().position(|word| *word == number).and_then(|value| u32::try_from(value).ok());
    in_words.or_else(|| number.parse().ok())
}

/// A known tool in lower case, with its model as it was written.
pub(super) fn seat(word: &str, known: &[&str]) -> Option<String> {
    let (tool, model) = word.split_once(':').map_or((word, None), |(tool, model)| (tool, Some(model)));
    if !known.iter().any(|name| name.eq_ignore_ascii_case(tool)) {
        return None;
    }
    let tool = tool.to_ascii_lowercase();
    match model {
        None => Some(tool),
        Some(model) if is_model(model) => Some(format!("{tool}:{model}")),
        Some(_) => None,
    }
}

/// A model must not begin with a dash, since tools would read it as a flag.
fn is_model(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._:/@[]-".contains(c);
    !text.is_empty() && !text.starts_with('-') && text.chars().all(fits)
}
