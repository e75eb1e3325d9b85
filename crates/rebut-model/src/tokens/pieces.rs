//! The tokenizer of the first Llama models: characters are merged while the result is in the vocabulary, the best score
//! first; what is left over becomes bytes.

use std::collections::HashMap;

use super::TokenKind;
use super::merging::{self, Merge};
use crate::error::ModelError;
use crate::gguf::Metadata;

/// What stands for a space in the vocabulary.
const SPACE: &str = "\u{2581}";

#[derive(Debug)]
pub(super) struct Pieces {
    tokens: HashMap<Vec<u8>, u32>,
    texts: Vec<Vec<u8>>,
    scores: Vec<f32>,
    bytes: Vec<Option<u32>>,
    unknown: Option<u32>,
    space_first: bool,
}

impl Pieces {
    /// The tokenizer, and what each token adds to a text.
    pub(super) fn read(data: &Metadata, names: &[String], kinds: &[TokenKind]) -> Result<(Self, Vec<Vec<u8>>), ModelError> {
        let scores = data
            .floats("tokenizer.ggml.scores")?
            .ok_or_else(|| ModelError::MissingMetadata { key: "tokenizer.ggml.scores".to_owned() })?;
        if scores.len() != names.len() {
            return Err(ModelError::bad("tokenizer.ggml.scores", "it has another length than the vocabulary"));
        }
        let byte_types = data.ints("tokenizer.ggml.token_type")?;
        let mut bytes = vec![None; 256];
        let mut tokens = HashMap::new();
        let mut texts = Vec::with_capacity(names.len());
        for ((name, kind), token) in names.iter().zip(kinds).zip(0u32..) {
            let is_byte = byte_types.is_some_and(|types| types[token as usize] == 6);
            let byte = name.strip_prefix("<0x").and_then(|rest| u8::from_str_radix(rest.strip_suffix('>')?, 16).ok());
            texts.push(match (kind, byte) {
                (TokenKind::Special, _) => Vec::new(),
                (_, Some(byte)) if is_byte => {
                    bytes[usize::from(byte)] = Some(token);
                    vec![byte]
                }
                _ => name.replace(SPACE, " ").into_bytes(),
            });
            if *kind == TokenKind::Ordinary && !is_byte {
                tokens.entry(name.replace(SPACE, " ").into_bytes()).or_insert(token);
            }
        }
        let unknown = data.get("tokenizer.ggml.unknown_token_id").is_some();
        let unknown = unknown.then(|| data.u64("tokenizer.ggml.unknown_token_id")).transpose()?;
        let pieces = Self {
            tokens,
            texts: texts.clone(),
            scores: scores.to_vec(),
            bytes,
            unknown: unknown.and_then(|token| u32::try_from(token).ok()).filter(|token| (*token as usize) < names.len()),
            space_first: data.bool("tokenizer.ggml.add_space_prefix")?.unwrap_or(true),
        };
        Ok((pieces, texts))
    }

    pub(super) fn encode(&self, text: &str, tokens: &mut Vec<u32>) {
        if text.is_empty() {
            return;
        }
        let text = if self.space_first { format!(" {text}") } else { text.to_owned() };
        // Characters that are in the vocabulary, with stand-ins above it for those that are not.
        let above = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let mut strangers: Vec<&str> = Vec::new();
        let mut symbols: Vec<u32> = Vec::new();
        for (at, letter) in text.char_indices() {
            let piece = &text[at..at + letter.len_utf8()];
            symbols.push(self.tokens.get(piece.as_bytes()).copied().unwrap_or_else(|| {
                strangers.push(piece);
                above.saturating_add(u32::try_from(strangers.len() - 1).unwrap_or(u32::MAX))
            }));
        }
        merging::merge(&mut symbols, &|left, right| {
            let both = [self.texts.get(left as usize)?.as_slice(), self.texts.get(right as usize)?.as_slice()].concat();
            let &token = self.tokens.get(&both)?;
            Some(Merge { rank: self.scores[token as usize], token })
        });
        for symbol in symbols {
            let Some(stranger) = symbol.checked_sub(above) else {
                tokens.push(symbol);
                continue;
            };
            for byte in strangers.get(stranger as usize).unwrap_or(&"").bytes() {
                tokens.extend(self.bytes[usize::from(byte)].or(self.unknown));
            }
        }
    }
}
