//! Splits a text into words before BPE merges bytes. `tokenizer.ggml.pre` in the metadata says how.

use std::sync::LazyLock;

use crate::error::ModelError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PreTokenizer {
    /// As GPT-2: letters, numbers and symbols apart, with the space before them; and every digit alone.
    SmolLm,
    /// Line breaks belong to the symbols before them and one symbol to the letters after it; every digit alone.
    Qwen2,
}

const CONTRACTIONS: [&str; 7] = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"];

impl PreTokenizer {
    pub(super) fn by_name(name: &str) -> Result<Self, ModelError> {
        match name {
            "smollm" => Ok(Self::SmolLm),
            "qwen2" => Ok(Self::Qwen2),
            _ => {
                Err(ModelError::tokenizer(format!("the pre-tokenizer `{name}` is not supported (supported: smollm, qwen2)")))
            }
        }
    }

    /// Calls `each` with every word; together they are the text.
    pub(super) fn words(self, text: &str, each: &mut dyn FnMut(&str)) {
        match self {
            Self::Qwen2 => split(text, qwen2, each),
            Self::SmolLm => {
                let mut rest = text;
                while let Some(first) = rest.chars().next() {
                    let digits = is_number(first);
                    let (run, later) = rest.split_at(span(rest, |char| is_number(char) == digits));
                    split(run, if digits { first_char } else { gpt2 }, each);
                    rest = later;
                }
            }
        }
    }
}

/// Cuts off one word after the other; `word_len` returns the length of the first.
fn split(text: &str, word_len: impl Fn(&str) -> usize, each: &mut dyn FnMut(&str)) {
    let mut rest = text;
    while !rest.is_empty() {
        let (word, later) = rest.split_at(word_len(rest).max(1));
        each(word);
        rest = later;
    }
}

/// How many bytes at the start are characters of this class.
fn span(text: &str, class: impl Fn(char) -> bool) -> usize {
    text.char_indices().find(|(_, char)| !class(*char)).map_or(text.len(), |(at, _)| at)
}

fn first_char(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

fn gpt2(text: &str) -> usize {
    if let Some(contraction) = CONTRACTIONS.iter().find(|contraction| text.starts_with(**contraction)) {
        return contraction.len();
    }
    let space = usize::from(text.starts_with(' '));
    for class in [is_letter, is_number, is_symbol] {
        let length = span(&text[space..], class);
        if length > 0 {
            return space + length;
        }
    }
    whitespace(text)
}

fn qwen2(text: &str) -> usize {
    let begins = |word: &str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if let Some(contraction) = CONTRACTIONS.iter().find(|contraction| begins(contraction)) {
        return contraction.len();
    }
    let Some(first) = text.chars().next() else { return 0 };
    let skip = if is_letter(first) || is_number(first) || matches!(first, '\r' | '\n') { 0 } else { first.len_utf8() };
    let letters = span(&text[skip..], is_letter);
    if letters > 0 {
        return skip + letters;
    }
    if is_number(first) {
        return first.len_utf8();
    }
    let space = usize::from(first == ' ');
    let symbols = span(&text[space..], is_symbol);
    if symbols > 0 {
        let end = space + symbols;
        return end + span(&text[end..], |char| matches!(char, '\r' | '\n'));
    }
    let blank = span(text, char::is_whitespace);
    text[..blank].rfind(['\r', '\n']).map_or_else(|| whitespace(text), |at| at + 1)
}

/// Whitespace without its last character if a word follows: that one belongs to the word.
fn whitespace(text: &str) -> usize {
    let blank = span(text, char::is_whitespace);
    let last = text[..blank].chars().next_back().map_or(0, char::len_utf8);
    if blank < text.len() && blank > last { blank - last } else { blank }
}

fn is_symbol(char: char) -> bool {
    !char.is_whitespace() && !is_letter(char) && !is_number(char)
}

fn is_number(char: char) -> bool {
    if char.is_ascii() { char.is_ascii_digit() } else { char.is_numeric() }
}

/// `\p{L}`, which is narrower than `char::is_alphabetic`.
fn is_letter(char: char) -> bool {
    if char.is_ascii() {
        return char.is_ascii_alphabetic();
    }
    let at = LETTERS.partition_point(|range| range.1 < char);
    LETTERS.get(at).is_some_and(|range| range.0 <= char)
}

/// Sorted ranges.
static LETTERS: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    use regex_syntax::hir::{Class, Hir, HirKind};
    // The pattern parses; a test checks that the class is not empty.
    match regex_syntax::parse(r"\p{L}").map(Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => {
            class.ranges().iter().map(|range| (range.start(), range.end())).collect()
        }
        _ => Vec::new(),
    }
});

#[cfg(test)]
mod tests {
    use super::*;

    fn words(pre_tokenizer: PreTokenizer, text: &str) -> Vec<String> {
        let mut all = Vec::new();
        pre_tokenizer.words(text, &mut |word| all.push(word.to_owned()));
        all
    }

    #[test]
    fn each_pre_tokenizer_splits_as_its_models_were_trained() {
        let text = "I'LL pay  12345€\n\n  now, don't!\n";
        let smollm =
            ["I", "'", "LL", " pay", "  ", "1", "2", "3", "4", "5", "€", "\n\n ", " now", ",", " don", "'t", "!", "\n"];
        assert_eq!(words(PreTokenizer::SmolLm, text), smollm);
        let qwen2 = ["I", "'LL", " pay", " ", " ", "1", "2", "3", "4", "5", "€\n\n", " ", " now", ",", " don", "'t", "!\n"];
        assert_eq!(words(PreTokenizer::Qwen2, text), qwen2);
    }

    #[test]
    fn letters_of_all_scripts_are_letters_and_marks_are_not() {
        assert!(is_letter('ß') && is_letter('中') && is_letter('я') && !is_letter('\u{301}') && !is_letter('Ⅷ'));
        assert!(is_number('Ⅷ') && is_number('½') && is_symbol('¿') && is_symbol('€'));
    }

    proptest::proptest! {
        #[test]
        fn the_words_together_are_the_text(text in "\\PC*|[ a-z0-9'\n\r\t.!]*") {
            for pre_tokenizer in [PreTokenizer::SmolLm, PreTokenizer::Qwen2] {
                assert_eq!(words(pre_tokenizer, &text).concat(), text);
            }
        }
    }
}
