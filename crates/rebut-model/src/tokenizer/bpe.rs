//! Byte-level BPE: the pre-tokenizer splits text into words, and the bytes of a word are merged by a ranked list of pairs.

use std::collections::HashMap;

use super::TokenKind;
use super::merges::{self, Merge};
use super::pre_tokenizer::PreTokenizer;
use crate::error::ModelError;
use crate::gguf::Metadata;

pub(super) struct Bpe {
    pre_tokenizer: PreTokenizer,
    /// The token of each byte. A vocabulary may lack bytes that its training text did not have; these are dropped.
    byte_tokens: Vec<Option<u32>>,
    merges: HashMap<(u32, u32), Merge>,
}

impl Bpe {
    /// The encoder, and the bytes of each token.
    pub(super) fn read(data: &Metadata, names: &[String], kinds: &[TokenKind]) -> Result<(Self, Vec<Vec<u8>>), ModelError> {
        let pre_tokenizer = PreTokenizer::by_name(data.string("tokenizer.ggml.pre")?.unwrap_or("default"))?;
        let to_byte: HashMap<char, u8> = (0..=255).map(|byte| (byte_char(byte), byte)).collect();
        let decode = |name: &str| name.chars().map(|char| to_byte.get(&char).copied()).collect::<Option<Vec<u8>>>();
        let bytes: Vec<Vec<u8>> = names
            .iter()
            .zip(kinds)
            .map(|(name, kind)| match kind {
                TokenKind::Special => Vec::new(),
                TokenKind::UserDefined => name.as_bytes().to_vec(),
                TokenKind::Ordinary => decode(name).unwrap_or_else(|| name.as_bytes().to_vec()),
            })
            .collect();
        let ordinary = names.iter().zip(0u32..).zip(kinds).filter(|(_, kind)| **kind == TokenKind::Ordinary);
        let tokens: HashMap<&str, u32> = ordinary.map(|((name, token), _)| (name.as_str(), token)).collect();
        let key = "tokenizer.ggml.merges";
        let pairs = data.strings(key)?.ok_or_else(|| ModelError::missing(key))?;
        let mut merges = HashMap::with_capacity(pairs.len());
        for (rank, pair) in (0u32..).zip(pairs) {
            // The first character may itself be a space that belongs to the left side.
            let space = pair.char_indices().skip(1).find(|(_, char)| *char == ' ').map(|(at, _)| at);
            let Some((left, right)) = space.map(|at| (&pair[..at], &pair[at + 1..])) else {
                return Err(ModelError::tokenizer(format!("merge {rank} is not a pair")));
            };
            let joined = format!("{left}{right}");
            if let (Some(&left), Some(&right), Some(&token)) =
                (tokens.get(left), tokens.get(right), tokens.get(joined.as_str()))
            {
                merges.entry((left, right)).or_insert(Merge { rank, token });
            }
        }
        let byte_token = |byte: u8| tokens.get(byte_char(byte).to_string().as_str()).copied();
        let byte_tokens: Vec<_> = (0..=255).map(byte_token).collect();
        if byte_tokens.iter().all(Option::is_none) {
            return Err(ModelError::tokenizer("the vocabulary has no bytes"));
        }
        Ok((Self { pre_tokenizer, byte_tokens, merges }, bytes))
    }

    pub(super) fn encode(&self, text: &str, tokens: &mut Vec<u32>) {
        let mut word_tokens = Vec::new();
        self.pre_tokenizer.words(text, &mut |word| {
            word_tokens.clear();
            word_tokens.extend(word.bytes().filter_map(|byte| self.byte_tokens[usize::from(byte)]));
            merges::apply(&mut word_tokens, &self.merges);
            tokens.extend_from_slice(&word_tokens);
        });
    }
}

/// The character that represents a byte in vocabularies: itself if it is printable, else one from U+0100 on.
fn byte_char(byte: u8) -> char {
    let printable = |byte: u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    if printable(byte) {
        return char::from(byte);
    }
    let earlier = (0..byte).filter(|&earlier| !printable(earlier)).count();
    u32::try_from(earlier).ok().and_then(|earlier| char::from_u32(256 + earlier)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::byte_char;

    #[test]
    fn unprintable_bytes_have_characters_of_their_own() {
        assert_eq!([b' ', b'\n', 0, 0xad, b'a'].map(byte_char), ['Ġ', 'Ċ', 'Ā', '\u{143}', 'a']);
        let all: std::collections::BTreeSet<char> = (0..=255).map(byte_char).collect();
        assert_eq!(all.len(), 256);
    }
}
