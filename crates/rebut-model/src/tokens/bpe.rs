//! Byte-level byte-pair encoding: text is cut into words, and a word's bytes are merged by a ranked list of pairs.

use std::collections::HashMap;

use super::TokenKind;
use super::merging::{self, Merge};
use super::split::Split;
use crate::error::ModelError;
use crate::gguf::Metadata;

#[derive(Debug)]
pub(super) struct Bpe {
    split: Split,
    /// The token of each byte. Vocabularies may lack bytes that no text of theirs had; such bytes are left out.
    bytes: Vec<Option<u32>>,
    merges: HashMap<(u32, u32), (u32, u32)>,
    /// Words that are taken whole before any merging, where the tokenizer does that.
    whole: Option<HashMap<Vec<u8>, u32>>,
}

impl Bpe {
    /// The tokenizer, and what each token adds to a text.
    pub(super) fn read(data: &Metadata, names: &[String], kinds: &[TokenKind]) -> Result<(Self, Vec<Vec<u8>>), ModelError> {
        let (split, takes_whole) = Split::by_name(data.text("tokenizer.ggml.pre")?.unwrap_or("default"))?;
        let from_letter: HashMap<char, u8> = (0..=255).map(|byte| (letter(byte), byte)).collect();
        let texts: Vec<Vec<u8>> = names
            .iter()
            .zip(kinds)
            .map(|(name, kind)| match kind {
                TokenKind::Special => Vec::new(),
                TokenKind::Named => name.as_bytes().to_vec(),
                TokenKind::Ordinary => name
                    .chars()
                    .map(|letter| from_letter.get(&letter).copied())
                    .collect::<Option<Vec<u8>>>()
                    .unwrap_or_else(|| name.as_bytes().to_vec()),
            })
            .collect();
        let tokens: HashMap<&str, u32> = names
            .iter()
            .zip(0u32..)
            .zip(kinds)
            .filter(|(_, kind)| **kind == TokenKind::Ordinary)
            .map(|((name, token), _)| (name.as_str(), token))
            .collect();
        let merges = data
            .texts("tokenizer.ggml.merges")?
            .ok_or_else(|| ModelError::MissingMetadata { key: "tokenizer.ggml.merges".to_owned() })?;
        let mut ranked = HashMap::with_capacity(merges.len());
        for (rank, pair) in (0u32..).zip(merges) {
            // The first character may itself be a space that belongs to the left side.
            let cut = pair.char_indices().skip(1).find(|(_, letter)| *letter == ' ').map(|(at, _)| at);
            let Some((left, right)) = cut.map(|at| (&pair[..at], &pair[at + 1..])) else {
                return Err(ModelError::Tokenizer { what: format!("merge {rank} is no pair") });
            };
            let both = format!("{left}{right}");
            if let (Some(&left), Some(&right), Some(&both)) =
                (tokens.get(left), tokens.get(right), tokens.get(both.as_str()))
            {
                ranked.entry((left, right)).or_insert((rank, both));
            }
        }
        let mut text = [0; 4];
        let bytes: Vec<_> = (0..=255).map(|byte| tokens.get(&*letter(byte).encode_utf8(&mut text)).copied()).collect();
        if bytes.iter().all(Option::is_none) {
            return Err(ModelError::Tokenizer { what: "the vocabulary has no bytes".to_owned() });
        }
        let whole = takes_whole.then(|| tokens.values().map(|&token| (texts[token as usize].clone(), token)).collect());
        Ok((Self { split, bytes, merges: ranked, whole }, texts))
    }

    pub(super) fn encode(&self, text: &str, tokens: &mut Vec<u32>) {
        let mut symbols = Vec::new();
        self.split.words(text, &mut |word| {
            if let Some(&token) = self.whole.as_ref().and_then(|whole| whole.get(word.as_bytes())) {
                tokens.push(token);
                return;
            }
            symbols.clear();
            symbols.extend(word.bytes().filter_map(|byte| self.bytes[usize::from(byte)]));
            if symbols.len() > 1 {
                merging::merge(&mut symbols, &|left, right| {
                    let &(rank, token) = self.merges.get(&(left, right))?;
                    // Ranks are below 2^24, so that single precision tells them apart.
                    #[expect(clippy::cast_precision_loss, reason = "vocabularies are smaller than 2^24")]
                    Some(Merge { rank: -(rank as f32), token })
                });
            }
            tokens.extend_from_slice(&symbols);
        });
    }
}

/// The letter that stands for a byte in vocabularies: itself where it can be seen, a later one elsewhere.
fn letter(byte: u8) -> char {
    let seen = |byte: u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    if seen(byte) {
        return char::from(byte);
    }
    let hidden = (0..byte).filter(|&earlier| !seen(earlier)).count();
    u32::try_from(hidden).ok().and_then(|hidden| char::from_u32(256 + hidden)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::letter;

    #[test]
    fn hidden_bytes_have_letters_of_their_own() {
        assert_eq!(letter(b' '), 'Ġ');
        assert_eq!(letter(b'\n'), 'Ċ');
        assert_eq!(letter(0), 'Ā');
        assert_eq!(letter(0xad), '\u{143}');
        assert_eq!(letter(b'a'), 'a');
        let all: std::collections::BTreeSet<char> = (0..=255).map(letter).collect();
        assert_eq!(all.len(), 256);
    }
}
