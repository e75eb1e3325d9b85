//! How byte-pair tokenizers cut a text into words before they merge bytes. Each has its own habits; a name in the file's
//! metadata says which.

use std::sync::LazyLock;

use crate::error::ModelError;

/// A habit of cutting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Split {
    /// Letters, digits and other signs apart, with the space before them.
    Gpt2,
    /// The same, and every digit alone.
    SingleDigits,
    /// Signs, words, numbers and thousands one after the other: what files have that name no habit.
    Default,
    /// Line breaks after signs and a sign before letters belong to them; at most this many digits together.
    Llama3 { digits: usize },
}

/// name in the file, habit, whether words in the vocabulary are taken whole
const KNOWN: [(&str, Split, bool); 14] = [
    ("gpt-2", Split::Gpt2, false),
    ("smollm", Split::SingleDigits, false),
    ("starcoder", Split::SingleDigits, false),
    ("refact", Split::SingleDigits, false),
    ("default", Split::Default, false),
    ("llama3", Split::Llama3 { digits: 3 }, true),
    ("llama-v3", Split::Llama3 { digits: 3 }, true),
    ("llama-bpe", Split::Llama3 { digits: 3 }, true),
    ("falcon3", Split::Llama3 { digits: 3 }, true),
    ("qwen2", Split::Llama3 { digits: 1 }, false),
    ("stablelm2", Split::Llama3 { digits: 1 }, false),
    ("deepseek-r1-qwen", Split::Llama3 { digits: 1 }, false),
    ("megrez", Split::Llama3 { digits: 1 }, false),
    ("hunyuan", Split::Llama3 { digits: 1 }, false),
];

impl Split {
    pub(super) fn by_name(name: &str) -> Result<(Self, bool), ModelError> {
        KNOWN.iter().find(|known| known.0 == name).map(|known| (known.1, known.2)).ok_or_else(|| {
            let what = format!("the habit `{name}` is not known here (known: {})", KNOWN.map(|known| known.0).join(", "));
            ModelError::Tokenizer { what }
        })
    }

    /// Cuts a text into words; together they are the text.
    pub(super) fn words(self, text: &str, each: &mut dyn FnMut(&str)) {
        match self {
            Self::Gpt2 => walk(text, gpt2, each),
            Self::Llama3 { digits } => walk(text, |rest| llama3(rest, digits), each),
            Self::SingleDigits => runs(text, is_number, &mut |run, digits| {
                if digits { walk(run, first_len, each) } else { walk(run, gpt2, each) }
            }),
            Self::Default => runs(text, is_sign, &mut |run, _| {
                walk(run, gpt2, &mut |word| {
                    runs(word, is_number, &mut |run, _| walk(run, thousands, each));
                });
            }),
        }
    }
}

/// Cuts off one word after the other; `length` says how long the first one is.
fn walk(text: &str, length: impl Fn(&str) -> usize, each: &mut dyn FnMut(&str)) {
    let mut rest = text;
    while !rest.is_empty() {
        let (word, later) = rest.split_at(length(rest).max(1));
        each(word);
        rest = later;
    }
}

/// Runs of characters that are all `inside` or all not, and which of the two.
fn runs(text: &str, inside: fn(char) -> bool, each: &mut dyn FnMut(&str, bool)) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let kind = inside(first);
        let (run, later) = rest.split_at(span(rest, |letter| inside(letter) == kind));
        each(run, kind);
        rest = later;
    }
}

/// How many bytes at the beginning are such characters.
fn span(text: &str, such: impl Fn(char) -> bool) -> usize {
    text.char_indices().find(|(_, letter)| !such(*letter)).map_or(text.len(), |(at, _)| at)
}

fn first_len(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

fn gpt2(text: &str) -> usize {
    for ending in ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"] {
        if text.starts_with(ending) {
            return ending.len();
        }
    }
    let space = usize::from(text.starts_with(' '));
    for such in [is_letter, is_number, is_other] {
        let length = span(&text[space..], such);
        if length > 0 {
            return space + length;
        }
    }
    blanks(text)
}

fn llama3(text: &str, digits: usize) -> usize {
    for ending in ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"] {
        if text.get(..ending.len()).is_some_and(|start| start.eq_ignore_ascii_case(ending)) {
            return ending.len();
        }
    }
    let Some(first) = text.chars().next() else { return 0 };
    let skip = if is_letter(first) || is_number(first) || matches!(first, '\r' | '\n') { 0 } else { first.len_utf8() };
    let letters = span(&text[skip..], is_letter);
    if letters > 0 {
        return skip + letters;
    }
    if is_number(first) {
        return text.chars().take(digits).take_while(|letter| is_number(*letter)).map(char::len_utf8).sum();
    }
    let space = usize::from(first == ' ');
    let signs = span(&text[space..], is_other);
    if signs > 0 {
        let end = space + signs;
        return end + span(&text[end..], |letter| matches!(letter, '\r' | '\n'));
    }
    let blank = span(text, char::is_whitespace);
    if let Some(at) = text[..blank].rfind(['\r', '\n']) {
        return at + 1;
    }
    blanks(text)
}

/// White space, but for its last character if a word follows: that one belongs to the word.
fn blanks(text: &str) -> usize {
    let blank = span(text, char::is_whitespace);
    let last = text[..blank].chars().next_back().map_or(0, char::len_utf8);
    if blank < text.len() && blank > last { blank - last } else { blank }
}

/// Three digits, or everything up to three digits.
fn thousands(text: &str) -> usize {
    let three = |at: usize| text.as_bytes().get(at..at + 3).is_some_and(|three| three.iter().all(u8::is_ascii_digit));
    if three(0) {
        return 3;
    }
    (0..text.len()).find(|&at| three(at)).unwrap_or(text.len())
}

fn is_other(letter: char) -> bool {
    !letter.is_whitespace() && !is_letter(letter) && !is_number(letter)
}

fn is_number(letter: char) -> bool {
    if letter.is_ascii() { letter.is_ascii_digit() } else { letter.is_numeric() }
}

fn is_letter(letter: char) -> bool {
    if letter.is_ascii() { letter.is_ascii_alphabetic() } else { LETTERS.contains(letter) }
}

fn is_sign(letter: char) -> bool {
    matches!(letter, '$' | '+' | '<' | '=' | '>' | '^' | '~' | '|') || PUNCTUATION.contains(letter)
}

/// A class of characters as sorted ranges.
struct Class(Vec<(char, char)>);

static LETTERS: LazyLock<Class> = LazyLock::new(|| Class::named(r"\p{L}"));
static PUNCTUATION: LazyLock<Class> = LazyLock::new(|| Class::named(r"\p{P}"));

impl Class {
    fn named(pattern: &str) -> Self {
        // Both patterns are known to parse; a test holds that the classes are not empty.
        let parsed = regex_syntax::parse(pattern).map(regex_syntax::hir::Hir::into_kind);
        match parsed {
            Ok(regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class))) => {
                Self(class.ranges().iter().map(|range| (range.start(), range.end())).collect())
            }
            _ => Self(Vec::new()),
        }
    }

    fn contains(&self, letter: char) -> bool {
        let at = self.0.partition_point(|range| range.1 < letter);
        self.0.get(at).is_some_and(|range| range.0 <= letter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(split: Split, text: &str) -> Vec<String> {
        let mut all = Vec::new();
        split.words(text, &mut |word| all.push(word.to_owned()));
        all
    }

    #[test]
    fn words_are_cut_as_each_habit_has_it() {
        let text = "I'LL pay  12345€\n\n  now, don't!\n";
        let gpt2 = ["I", "'", "LL", " pay", " ", " 12345", "€", "\n\n ", " now", ",", " don", "'t", "!", "\n"];
        assert_eq!(words(Split::Gpt2, text), gpt2);
        let single =
            ["I", "'", "LL", " pay", "  ", "1", "2", "3", "4", "5", "€", "\n\n ", " now", ",", " don", "'t", "!", "\n"];
        assert_eq!(words(Split::SingleDigits, text), single);
        let llama = ["I", "'LL", " pay", " ", " ", "123", "45", "€\n\n", " ", " now", ",", " don", "'t", "!\n"];
        assert_eq!(words(Split::Llama3 { digits: 3 }, text), llama);
        let plain = ["I", "'", "LL", " pay", " ", " ", "123", "45", "€", "\n\n ", " now", ",", " don", "'", "t", "!", "\n"];
        assert_eq!(words(Split::Default, text), plain);
    }

    #[test]
    fn the_classes_know_letters_of_all_scripts_and_no_marks() {
        assert!(is_letter('ß') && is_letter('中') && is_letter('я') && !is_letter('\u{301}') && !is_letter('Ⅷ'));
        assert!(is_number('Ⅷ') && is_number('½') && is_sign('¿') && !is_sign('€'));
    }

    proptest::proptest! {
        #[test]
        fn the_words_together_are_the_text(text in "\\PC*|[ a-z0-9'\n\r\t.!]*") {
            for (_, split, _) in KNOWN {
                assert_eq!(words(split, &text).concat(), text);
            }
        }
    }
}
