//! Answers that fit a JSON Schema: which tokens may come next, and the shortest way to an end.
//!
//! A small model can go on in a text for ever. So a way to close the answer is known at every moment, and it is taken when
//! the tokens that are left are just enough for it.

use std::sync::Arc;

use llguidance::api::TopLevelGrammar;
use llguidance::{Matcher, ParserFactory};
use serde_json::{Value, json};
use toktrie::{InferenceCapabilities, TokEnv, TokRxInfo, TokTrie, TokenizerEnv};

use crate::error::ModelError;
use crate::tokens::{TokenKind, Tokenizer};

/// A vocabulary as grammars need it; built once for a model.
pub(crate) struct Vocabulary {
    factory: ParserFactory,
    tokenizer: Arc<Tokenizer>,
    /// Tokens that lead to an end outside of a text, inside of one, and after a backslash in one; the best first.
    outside: Vec<u32>,
    inside: Vec<u32>,
    escaped: Vec<u32>,
}

/// An answer that is held to a schema while it grows.
pub(crate) struct Constraint<'a> {
    vocabulary: &'a Vocabulary,
    matcher: Matcher,
    place: Place,
}

/// Where in JSON the answer has got to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    Inside,
    Escaped,
}

/// No way to an end that is longer than this is looked for.
const LONGEST_WAY: usize = 4096;

/// How many entries a list may have if the schema does not say: small models go on and on.
const LONGEST_LIST: u64 = 8;

/// How large a number may be if the schema does not say: what goes on for ever is a number that nobody can read.
const LARGEST_NUMBER: i64 = 1_000_000_000_000;

/// Tokens that close what is open, go on to the next of what must still come, or are a short value. A one comes before a
/// nought, because noughts after a point could go on for ever.
const CLOSING: [&str; 16] = ["}", "]", ",", "\"", "1", "0", "5", "9", "3", "null", "true", "false", "n", "t", "f", " \""];

impl std::fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vocabulary").finish_non_exhaustive()
    }
}

/// The tokenizer as the grammar library sees it.
struct Environment {
    tokenizer: Arc<Tokenizer>,
    trie: TokTrie,
}

impl TokenizerEnv for Environment {
    fn tok_trie(&self) -> &TokTrie {
        &self.trie
    }

    fn tokenize_bytes(&self, bytes: &[u8]) -> Vec<u32> {
        self.trie.tokenize_with_greedy_fallback(bytes, |text| self.tokenizer.text(text))
    }

    fn tokenize_is_canonical(&self) -> bool {
        self.tokenizer.is_canonical()
    }
}

impl Vocabulary {
    pub(crate) fn new(tokenizer: &Arc<Tokenizer>) -> Result<Self, ModelError> {
        let count = u32::try_from(tokenizer.len()).unwrap_or(u32::MAX);
        let words: Vec<Vec<u8>> = (0..count)
            .map(|token| match tokenizer.kind(token) {
                TokenKind::Special => [&[TokTrie::SPECIAL_TOKEN_MARKER], tokenizer.name(token).as_bytes()].concat(),
                TokenKind::Ordinary | TokenKind::Named => tokenizer.bytes(token).to_vec(),
            })
            .collect();
        let trie = TokTrie::from(&TokRxInfo::new(count, tokenizer.ends()[0]), &words).with_eos_tokens(tokenizer.ends());
        let token = |text: &str| {
            let trie = &trie;
            trie.token_id(text.as_bytes()).filter(|&token| trie.token(token) == text.as_bytes())
        };
        let outside = CLOSING.into_iter().filter_map(token).collect();
        let inside = ["\""].into_iter().filter_map(token).collect();
        let escaped = ["n", "\\", "\"", "t"].into_iter().filter_map(token).collect();
        let environment: TokEnv = Arc::new(Environment { tokenizer: Arc::clone(tokenizer), trie });
        let mut factory =
            ParserFactory::new(&environment, InferenceCapabilities { ff_tokens: true, ..Default::default() }, &[])
                .map_err(|error| failed(&error))?;
        factory.quiet();
        factory.limits_mut().verbose_errors = false;
        Ok(Self { factory, tokenizer: Arc::clone(tokenizer), outside, inside, escaped })
    }

    /// Begins an answer of at most `max_tokens` that will fit the schema.
    pub(crate) fn begin(&self, schema: &Value, max_tokens: usize) -> Result<Constraint<'_>, ModelError> {
        let schema = bounded(schema, max_tokens);
        let parser = self.factory.create_parser(TopLevelGrammar::from_json_schema(schema));
        let matcher = Matcher::new(parser);
        if let Some(what) = matcher.get_error() {
            return Err(ModelError::Schema { what });
        }
        let mut constraint = Constraint { vocabulary: self, matcher, place: Place::Outside };
        let needed = constraint.way_out()?.len();
        if needed > max_tokens {
            return Err(ModelError::SchemaNeedsMore { needed, max_tokens });
        }
        Ok(constraint)
    }
}

impl Constraint<'_> {
    /// The same answer, to be continued in another way.
    pub(crate) fn fork(&self) -> Self {
        Self { vocabulary: self.vocabulary, matcher: self.matcher.clone(), place: self.place }
    }

    /// Makes tokens impossible that the schema does not allow here.
    pub(crate) fn mask(&mut self, logits: &mut [f32]) -> Result<(), ModelError> {
        let allowed = self.matcher.compute_mask_or_eos().map_err(|error| failed(&error))?;
        for (token, logit) in logits.iter_mut().enumerate() {
            if !allowed.get(token) {
                *logit = f32::NEG_INFINITY;
            }
        }
        Ok(())
    }

    /// Takes a token that is allowed, and gives those that must follow it.
    pub(crate) fn accept(&mut self, token: u32) -> Result<Vec<u32>, ModelError> {
        self.take(&[token])?;
        self.forced()
    }

    /// Whether nothing can be added any more.
    pub(crate) fn is_complete(&self) -> bool {
        self.matcher.is_stopped()
    }

    /// Tokens that end the answer in a way that fits: a short one, if not the shortest.
    pub(crate) fn way_out(&mut self) -> Result<Vec<u32>, ModelError> {
        let mut way = Vec::new();
        let mut walker = self.fork();
        while !walker.matcher.is_stopped() && !walker.matcher.is_accepting().map_err(|error| failed(&error))? {
            let forced = walker.forced()?;
            if forced.is_empty() {
                let token = walker.closing()?;
                walker.take(&[token])?;
                way.push(token);
            } else {
                way.extend(forced);
            }
            if way.len() > LONGEST_WAY {
                return Err(ModelError::Schema { what: "no way was found to end an answer that fits it".to_owned() });
            }
        }
        Ok(way)
    }

    /// Tokens that the schema leaves no choice about.
    fn forced(&mut self) -> Result<Vec<u32>, ModelError> {
        if self.matcher.is_stopped() {
            return Ok(Vec::new());
        }
        let mut forced = self.matcher.compute_ff_tokens();
        if let Some(end) = forced.iter().position(|token| self.vocabulary.tokenizer.ends().contains(token)) {
            forced.truncate(end);
        }
        self.take(&forced)?;
        Ok(forced)
    }

    fn take(&mut self, tokens: &[u32]) -> Result<(), ModelError> {
        self.matcher.consume_tokens(tokens).map_err(|error| failed(&error))?;
        for &token in tokens {
            for byte in self.vocabulary.tokenizer.bytes(token) {
                self.place = match (self.place, byte) {
                    (Place::Outside, b'"') | (Place::Escaped, _) => Place::Inside,
                    (Place::Inside, b'"') => Place::Outside,
                    (Place::Inside, b'\\') => Place::Escaped,
                    (place, _) => place,
                };
            }
        }
        Ok(())
    }

    /// An allowed token that leads towards an end.
    fn closing(&mut self) -> Result<u32, ModelError> {
        let vocabulary = self.vocabulary;
        let preferred = match self.place {
            Place::Outside => &vocabulary.outside,
            Place::Inside => &vocabulary.inside,
            Place::Escaped => &vocabulary.escaped,
        };
        for &token in preferred {
            if self.matcher.validate_tokens(&[token]).map_err(|error| failed(&error))? == 1 {
                return Ok(token);
            }
        }
        // Something must be written before it can be closed: what gets on fastest, but opens nothing if that can be helped.
        let allowed = self.matcher.compute_mask().map_err(|error| failed(&error))?;
        let best = allowed.iter().filter(|token| !vocabulary.tokenizer.ends().contains(token)).max_by_key(|&token| {
            let bytes = vocabulary.tokenizer.bytes(token);
            let opens = self.place == Place::Outside && bytes.iter().any(|byte| matches!(byte, b'{' | b'[' | b'-'));
            (!opens, bytes.len(), std::cmp::Reverse(token))
        });
        best.ok_or_else(|| ModelError::Schema { what: "the vocabulary has no token that could come next".to_owned() })
    }
}

fn failed(error: &impl std::fmt::Display) -> ModelError {
    ModelError::Schema { what: error.to_string() }
}

/// The schema with limits where it has none, so that one text does not take the room of all others, and written as JSON
/// mostly is: one space after colons and commas, none elsewhere.
fn bounded(schema: &Value, max_tokens: usize) -> Value {
    let mut schema = match schema {
        Value::Bool(true) => json!({}),
        other => other.clone(),
    };
    let texts = count_texts(&schema).max(1);
    // A token has about four letters. Half of the tokens are left for keys, signs and lists.
    let longest = (max_tokens * 2 / texts).clamp(32, 4000);
    limit(&mut schema, longest);
    if let Some(schema) = schema.as_object_mut() {
        let style = json!({"whitespace_flexible": false, "item_separator": ", ", "key_separator": ": "});
        schema.insert("x-guidance".to_owned(), style);
    }
    schema
}

fn is_free_text(schema: &serde_json::Map<String, Value>) -> bool {
    let bounded = ["enum", "const", "pattern", "format", "maxLength"].iter().any(|key| schema.contains_key(*key));
    let text = |kind: &Value| kind == "string" || kind.as_array().is_some_and(|kinds| kinds.contains(&json!("string")));
    !bounded && schema.get("type").is_some_and(text)
}

fn count_texts(schema: &Value) -> usize {
    match schema {
        Value::Object(map) => usize::from(is_free_text(map)) + map.values().map(count_texts).sum::<usize>(),
        Value::Array(all) => all.iter().map(count_texts).sum(),
        _ => 0,
    }
}

fn limit(schema: &mut Value, longest: usize) {
    match schema {
        Value::Object(map) => {
            if is_free_text(map) {
                let least = map.get("minLength").and_then(Value::as_u64).unwrap_or(0);
                map.insert("maxLength".to_owned(), json!(least.max(longest as u64)));
            }
            if map.get("type").is_some_and(|kind| kind == "array") && !map.contains_key("maxItems") {
                let least = map.get("minItems").and_then(Value::as_u64).unwrap_or(0);
                map.insert("maxItems".to_owned(), json!(least.max(LONGEST_LIST)));
            }
            let number = |kind: &Value| kind == "number" || kind == "integer";
            if map
                .get("type")
                .is_some_and(|kind| number(kind) || kind.as_array().is_some_and(|kinds| kinds.iter().any(number)))
            {
                for (keys, bound) in
                    [(["minimum", "exclusiveMinimum"], -LARGEST_NUMBER), (["maximum", "exclusiveMaximum"], LARGEST_NUMBER)]
                {
                    if keys.iter().all(|key| !map.contains_key(*key)) {
                        map.insert(keys[0].to_owned(), json!(bound));
                    }
                }
            }
            // What stands under these keys are examples and values, not schemas.
            let schemas =
                map.iter_mut().filter(|(key, _)| !matches!(key.as_str(), "enum" | "const" | "default" | "examples"));
            schemas.for_each(|(_, value)| limit(value, longest));
        }
        Value::Array(all) => all.iter_mut().for_each(|value| limit(value, longest)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_without_a_limit_get_one_and_others_keep_theirs() {
        let schema = json!({
            "type": "object",
            "properties": {
                "reason": {"type": "string"},
                "title": {"type": "string", "maxLength": 7},
                "ruling": {"enum": ["string", {"type": "string"}]},
                "type": {"type": ["string", "null"], "minLength": 500},
            },
        });
        let bounded = bounded(&schema, 100);
        let of = |name: &str| bounded["properties"][name]["maxLength"].clone();
        assert_eq!((of("reason"), of("title"), of("type")), (json!(66), json!(7), json!(500)));
        assert_eq!(bounded["properties"]["ruling"], schema["properties"]["ruling"]);
    }
}
