//! Text to tokens and back, by the tokenizer that the weights' file carries.
//!
//! Two kinds of text are told apart: a template's own words, in which names of special tokens stand for these tokens, and
//! data, in which they are only letters. So nothing that a debater, a document or a person writes can end a turn or begin
//! another one.

mod bpe;
mod merging;
mod pieces;
mod split;
mod stream;

use crate::error::ModelError;
use crate::gguf::Metadata;
pub(crate) use stream::TextStream;

/// A part of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    /// The template's words: names of special tokens stand for them.
    Template(&'a str),
    /// Text from outside: whatever it contains, it becomes ordinary tokens.
    Data(&'a str),
}

/// A file's tokenizer.
#[derive(Debug)]
pub(crate) struct Tokenizer {
    method: Method,
    /// What each token adds to a text; nothing for special tokens.
    texts: Vec<Vec<u8>>,
    kinds: Vec<TokenKind>,
    names: Vec<String>,
    /// Names of special tokens, the longest first.
    special: Vec<(String, u32)>,
    begin: Option<u32>,
    end: Option<u32>,
    /// Tokens that end an answer.
    ends: Vec<u32>,
    add_begin: bool,
}

#[derive(Debug)]
enum Method {
    Bpe(bpe::Bpe),
    Pieces(pieces::Pieces),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// Text.
    Ordinary,
    /// A mark in the conversation, or a place in the vocabulary that nothing uses.
    Special,
    /// A word that templates may name, and that adds its name to a text.
    Named,
}

/// Names by which models end a turn, whatever else their metadata say.
const END_NAMES: [&str; 9] = [
    "<|im_end|>",
    "<|eot_id|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "<|end|>",
    "<end_of_turn>",
    "<|eom_id|>",
    "</s>",
    "<|endofturn|>",
];

impl Tokenizer {
    pub(crate) fn read(data: &Metadata) -> Result<Self, ModelError> {
        let names = data
            .texts("tokenizer.ggml.tokens")?
            .ok_or_else(|| ModelError::MissingMetadata { key: "tokenizer.ggml.tokens".to_owned() })?;
        let types = data.ints("tokenizer.ggml.token_type")?;
        if types.is_some_and(|types| types.len() != names.len()) {
            return Err(ModelError::bad("tokenizer.ggml.token_type", "it has another length than the vocabulary"));
        }
        let kinds: Vec<TokenKind> = (0..names.len())
            .map(|token| match types.map_or(1, |types| types[token]) {
                1 | 6 => TokenKind::Ordinary,
                4 => TokenKind::Named,
                _ => TokenKind::Special,
            })
            .collect();
        let (method, texts) = match data.text("tokenizer.ggml.model")? {
            Some("gpt2") => {
                let (bpe, texts) = bpe::Bpe::read(data, names, &kinds)?;
                (Method::Bpe(bpe), texts)
            }
            Some("llama") => {
                let (pieces, texts) = pieces::Pieces::read(data, names, &kinds)?;
                (Method::Pieces(pieces), texts)
            }
            Some(other) => {
                let what = format!("`{other}` is not known here (known: gpt2, llama)");
                return Err(ModelError::Tokenizer { what });
            }
            None => return Err(ModelError::MissingMetadata { key: "tokenizer.ggml.model".to_owned() }),
        };
        let token = |key: &str| -> Result<Option<u32>, ModelError> {
            let key = format!("tokenizer.ggml.{key}");
            if data.get(&key).is_none() {
                return Ok(None);
            }
            let token = data.u64(&key)?;
            match u32::try_from(token) {
                Ok(small) if token < names.len() as u64 => Ok(Some(small)),
                _ => Err(ModelError::bad(key, format!("token {token} is not in the vocabulary"))),
            }
        };
        let end = token("eos_token_id")?;
        let mut ends: Vec<u32> = [end, token("eot_token_id")?, token("eom_token_id")?].into_iter().flatten().collect();
        let mut special = Vec::new();
        for (token, (name, kind)) in (0u32..).zip(names.iter().zip(&kinds)) {
            if *kind != TokenKind::Ordinary && !name.is_empty() {
                special.push((name.clone(), token));
            }
            if *kind == TokenKind::Special && END_NAMES.contains(&name.as_str()) {
                ends.push(token);
            }
        }
        special.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        ends.sort_unstable();
        ends.dedup();
        if ends.is_empty() {
            return Err(ModelError::Tokenizer { what: "no token ends an answer".to_owned() });
        }
        let begin = token("bos_token_id")?;
        let by_default = matches!(method, Method::Pieces(_));
        Ok(Self {
            method,
            texts,
            kinds,
            names: names.to_vec(),
            special,
            begin,
            end,
            ends,
            add_begin: data.bool("tokenizer.ggml.add_bos_token")?.unwrap_or(by_default),
        })
    }

    /// How many tokens there are.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// What a token adds to a text.
    pub(crate) fn bytes(&self, token: u32) -> &[u8] {
        self.texts.get(token as usize).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn kind(&self, token: u32) -> TokenKind {
        self.kinds.get(token as usize).copied().unwrap_or(TokenKind::Special)
    }

    /// A token's name as the file has it.
    pub(crate) fn name(&self, token: u32) -> &str {
        self.names.get(token as usize).map_or("", String::as_str)
    }

    /// The name of the token that begins a text, if there is one.
    pub(crate) fn begin_name(&self) -> &str {
        self.begin.map_or("", |token| self.name(token))
    }

    /// The name of the token that ends a text, if there is one.
    pub(crate) fn end_name(&self) -> &str {
        self.end.map_or("", |token| self.name(token))
    }

    /// Tokens that end an answer; there is at least one.
    pub(crate) fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The tokens of a prompt.
    pub(crate) fn prompt(&self, parts: &[Part<'_>]) -> Vec<u32> {
        let mut tokens = Vec::new();
        // Ordinary text of neighbouring parts is put together first, because tokens do not end where parts do.
        let mut text = String::new();
        for part in parts {
            match part {
                Part::Data(data) => text.push_str(data),
                Part::Template(words) => {
                    let mut rest = *words;
                    while let Some((at, name, token)) = self.next_special(rest) {
                        text.push_str(&rest[..at]);
                        self.push_text(&mut text, &mut tokens);
                        tokens.push(token);
                        rest = &rest[at + name.len()..];
                    }
                    text.push_str(rest);
                }
            }
        }
        self.push_text(&mut text, &mut tokens);
        if let (true, Some(begin)) = (self.add_begin, self.begin)
            && tokens.first() != Some(&begin)
        {
            tokens.insert(0, begin);
        }
        tokens
    }

    /// Whether a part of a text has the same tokens wherever it stands. Where a space is put before every text it has not.
    pub(crate) fn is_canonical(&self) -> bool {
        matches!(self.method, Method::Bpe(_))
    }

    /// The tokens of ordinary text.
    pub(crate) fn text(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        match &self.method {
            Method::Bpe(bpe) => bpe.encode(text, &mut tokens),
            Method::Pieces(pieces) => pieces.encode(text, &mut tokens),
        }
        tokens
    }

    fn push_text(&self, text: &mut String, tokens: &mut Vec<u32>) {
        if !text.is_empty() {
            tokens.extend(self.text(text));
            text.clear();
        }
    }

    fn next_special<'a>(&'a self, text: &str) -> Option<(usize, &'a str, u32)> {
        let found = self.special.iter().filter_map(|(name, token)| Some((text.find(name.as_str())?, name.as_str(), *token)));
        found.min_by_key(|&(at, name, _)| (at, std::cmp::Reverse(name.len())))
    }
}
