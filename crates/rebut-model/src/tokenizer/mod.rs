//! Text to tokens and back, with the tokenizer in the GGUF file.
//!
//! The chat template's own text may name special tokens; in messages the same names are ordinary text. So nothing that a
//! debater, a document or the user writes can end a turn or begin another one.

mod bpe;
mod merges;
mod pre_tokenizer;
mod utf8_stream;

use crate::error::ModelError;
use crate::gguf::Metadata;
pub(crate) use utf8_stream::Utf8Stream;

/// A part of a prompt.
pub(crate) enum Part<'a> {
    /// Names of special tokens become these tokens.
    Template(&'a str),
    /// All of it becomes ordinary tokens.
    Message(&'a str),
}

pub(crate) struct Tokenizer {
    bpe: bpe::Bpe,
    /// The bytes of each token; empty for special tokens.
    bytes: Vec<Vec<u8>>,
    kinds: Vec<TokenKind>,
    names: Vec<String>,
    /// Names of tokens that templates may use.
    special: Vec<(String, u32)>,
    bos: Option<u32>,
    eos: Option<u32>,
    /// Tokens that end an answer, sorted.
    eog: Vec<u32>,
    add_bos: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Ordinary,
    /// A control token, or an unused place in the vocabulary.
    Special,
    /// A token that templates may name and that adds its name to the text.
    UserDefined,
}

/// Tokens that end a turn, whatever the metadata say.
const EOG_NAMES: [&str; 2] = ["<|im_end|>", "<|endoftext|>"];

impl Tokenizer {
    pub(crate) fn read(data: &Metadata) -> Result<Self, ModelError> {
        let key = "tokenizer.ggml.tokens";
        let names = data.strings(key)?.ok_or_else(|| ModelError::missing(key))?;
        let types = data.ints("tokenizer.ggml.token_type")?;
        if types.is_some_and(|types| types.len() != names.len()) {
            return Err(ModelError::bad("tokenizer.ggml.token_type", "its length differs from the vocabulary's"));
        }
        let kinds: Vec<TokenKind> = (0..names.len())
            .map(|token| match types.map_or(1, |types| types[token]) {
                1 | 6 => TokenKind::Ordinary,
                4 => TokenKind::UserDefined,
                _ => TokenKind::Special,
            })
            .collect();
        match data.string("tokenizer.ggml.model")? {
            Some("gpt2") => {}
            Some(other) => return Err(ModelError::tokenizer(format!("`{other}` is not supported (supported: gpt2)"))),
            None => return Err(ModelError::missing("tokenizer.ggml.model")),
        }
        let (bpe, bytes) = bpe::Bpe::read(data, names, &kinds)?;
        let token = |key: &str| -> Result<Option<u32>, ModelError> {
            let key = format!("tokenizer.ggml.{key}");
            let Some(token) = data.u64(&key)? else { return Ok(None) };
            match u32::try_from(token) {
                Ok(small) if token < names.len() as u64 => Ok(Some(small)),
                _ => Err(ModelError::bad(key, format!("token {token} is not in the vocabulary"))),
            }
        };
        let eos = token("eos_token_id")?;
        let mut eog: Vec<u32> = [eos, token("eot_token_id")?].into_iter().flatten().collect();
        let mut special = Vec::new();
        for (token, (name, kind)) in (0u32..).zip(names.iter().zip(&kinds)) {
            if *kind != TokenKind::Ordinary && !name.is_empty() {
                special.push((name.clone(), token));
            }
            if *kind == TokenKind::Special && EOG_NAMES.contains(&name.as_str()) {
                eog.push(token);
            }
        }
        eog.sort_unstable();
        eog.dedup();
        if eog.is_empty() {
            return Err(ModelError::tokenizer("no token ends an answer"));
        }
        Ok(Self {
            bpe,
            bytes,
            kinds,
            names: names.to_vec(),
            special,
            bos: token("bos_token_id")?,
            eos,
            eog,
            add_bos: data.bool("tokenizer.ggml.add_bos_token")?.unwrap_or(false),
        })
    }

    pub(crate) fn vocab_size(&self) -> usize {
        self.bytes.len()
    }

    /// What a token adds to a text.
    pub(crate) fn bytes(&self, token: u32) -> &[u8] {
        self.bytes.get(token as usize).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn kind(&self, token: u32) -> TokenKind {
        self.kinds.get(token as usize).copied().unwrap_or(TokenKind::Special)
    }

    pub(crate) fn name(&self, token: u32) -> &str {
        self.names.get(token as usize).map_or("", String::as_str)
    }

    pub(crate) fn bos_name(&self) -> &str {
        self.bos.map_or("", |token| self.name(token))
    }

    pub(crate) fn eos_name(&self) -> &str {
        self.eos.map_or("", |token| self.name(token))
    }

    /// Tokens that end an answer, sorted; there is at least one.
    pub(crate) fn eog(&self) -> &[u32] {
        &self.eog
    }

    pub(crate) fn encode_prompt(&self, parts: &[Part<'_>]) -> Vec<u32> {
        let mut tokens = Vec::new();
        // Ordinary text of adjacent parts is joined first, because a token may span them.
        let mut text = String::new();
        for part in parts {
            match part {
                Part::Message(message) => text.push_str(message),
                Part::Template(template) => {
                    let mut rest = *template;
                    while let Some((at, name, token)) = self.next_special(rest) {
                        text.push_str(&rest[..at]);
                        self.bpe.encode(&text, &mut tokens);
                        text.clear();
                        tokens.push(token);
                        rest = &rest[at + name.len()..];
                    }
                    text.push_str(rest);
                }
            }
        }
        self.bpe.encode(&text, &mut tokens);
        if let (true, Some(bos)) = (self.add_bos, self.bos)
            && tokens.first() != Some(&bos)
        {
            tokens.insert(0, bos);
        }
        tokens
    }

    /// The tokens of ordinary text.
    pub(crate) fn encode(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        self.bpe.encode(text, &mut tokens);
        tokens
    }

    /// The first name of a special token in the text; at the same place the longest.
    fn next_special<'a>(&'a self, text: &str) -> Option<(usize, &'a str, u32)> {
        let found = self.special.iter().filter_map(|(name, token)| Some((text.find(name.as_str())?, name.as_str(), *token)));
        found.min_by_key(|&(at, name, _)| (at, std::cmp::Reverse(name.len())))
    }
}
