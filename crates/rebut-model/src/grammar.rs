//! Answers that fit a JSON Schema: which tokens may come next, and how to complete the answer.
//!
//! A small model may never close a string. So a completion is known at every step, and it is used when the remaining tokens
//! are just enough for it.

use std::sync::Arc;

use llguidance::api::TopLevelGrammar;
use llguidance::{Matcher, ParserFactory};
use serde_json::{Map, Value, json};
use toktrie::{InferenceCapabilities, TokEnv, TokRxInfo, TokTrie, TokenizerEnv};

use crate::error::ModelError;
use crate::tokenizer::{TokenKind, Tokenizer};

/// Compiles JSON Schemas for one tokenizer.
pub(crate) struct Grammars {
    factory: ParserFactory,
    tokenizer: Arc<Tokenizer>,
    /// Tokens that lead to the end, for each [`JsonState`]; the best first.
    closing: [Vec<u32>; 3],
}

/// An answer so far, and what its schema allows next.
pub(crate) struct Constraint<'a> {
    grammars: &'a Grammars,
    matcher: Matcher,
    state: JsonState,
}

/// Where in JSON the answer ends so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JsonState {
    /// Not in a string.
    Outside,
    InString,
    /// After a backslash in a string.
    Escaped,
}

/// The longest completion in tokens.
const MAX_COMPLETION: usize = 4096;

/// Where the schema has no `maxItems`: small models do not end a list by themselves.
const MAX_ITEMS: u64 = 8;

/// Where the schema has no `maximum`: small models do not end a number by themselves.
const MAX_NUMBER: i64 = 1_000_000_000_000;

/// For each [`JsonState`], tokens that close something, go on to the next required part, or are a short value. 1 is before 0,
/// because zeros after a decimal point could go on forever.
const CLOSING: [&[&str]; 3] = [
    &["}", "]", ",", "\"", "1", "0", "5", "9", "3", "null", "true", "false", "n", "t", "f", " \""],
    &["\""],
    &["n", "\\", "\"", "t"],
];

struct Environment {
    tokenizer: Arc<Tokenizer>,
    trie: TokTrie,
}

impl TokenizerEnv for Environment {
    fn tok_trie(&self) -> &TokTrie {
        &self.trie
    }

    fn tokenize_bytes(&self, bytes: &[u8]) -> Vec<u32> {
        self.trie.tokenize_with_greedy_fallback(bytes, |text| self.tokenizer.encode(text))
    }

    fn tokenize_is_canonical(&self) -> bool {
        true
    }
}

impl Grammars {
    pub(crate) fn new(tokenizer: &Arc<Tokenizer>) -> Result<Self, ModelError> {
        let count = u32::try_from(tokenizer.vocab_size()).unwrap_or(u32::MAX);
        let words: Vec<Vec<u8>> = (0..count)
            .map(|token| match tokenizer.kind(token) {
                TokenKind::Special => [&[TokTrie::SPECIAL_TOKEN_MARKER], tokenizer.name(token).as_bytes()].concat(),
                TokenKind::Ordinary | TokenKind::UserDefined => tokenizer.bytes(token).to_vec(),
            })
            .collect();
        let trie = TokTrie::from(&TokRxInfo::new(count, tokenizer.eog()[0]), &words).with_eos_tokens(tokenizer.eog());
        let token = |text: &str| {
            let trie = &trie;
            trie.token_id(text.as_bytes()).filter(|&token| trie.token(token) == text.as_bytes())
        };
        let closing = CLOSING.map(|texts| texts.iter().copied().filter_map(token).collect());
        let environment: TokEnv = Arc::new(Environment { tokenizer: Arc::clone(tokenizer), trie });
        let mut factory =
            ParserFactory::new(&environment, InferenceCapabilities { ff_tokens: true, ..Default::default() }, &[])
                .map_err(|error| failed(&error))?;
        factory.quiet();
        factory.limits_mut().verbose_errors = false;
        Ok(Self { factory, tokenizer: Arc::clone(tokenizer), closing })
    }

    /// The constraint for an answer of at most `max_tokens`.
    pub(crate) fn constraint(&self, schema: &Value, max_tokens: usize) -> Result<Constraint<'_>, ModelError> {
        let schema = with_limits(schema, max_tokens);
        let parser = self.factory.create_parser(TopLevelGrammar::from_json_schema(schema));
        let matcher = Matcher::new(parser);
        if let Some(what) = matcher.get_error() {
            return Err(ModelError::Schema { what });
        }
        let mut constraint = Constraint { grammars: self, matcher, state: JsonState::Outside };
        let needed = constraint.completion()?.len();
        if needed > max_tokens {
            return Err(ModelError::SchemaNeedsMore { needed, max_tokens });
        }
        Ok(constraint)
    }
}

impl Constraint<'_> {
    /// A copy that can be continued differently.
    pub(crate) fn fork(&self) -> Self {
        Self { grammars: self.grammars, matcher: self.matcher.clone(), state: self.state }
    }

    /// Excludes tokens that the schema does not allow next.
    pub(crate) fn mask(&mut self, logits: &mut [f32]) -> Result<(), ModelError> {
        let allowed = self.matcher.compute_mask_or_eos().map_err(|error| failed(&error))?;
        for (token, logit) in logits.iter_mut().enumerate() {
            if !allowed.get(token) {
                *logit = f32::NEG_INFINITY;
            }
        }
        Ok(())
    }

    /// Appends an allowed token and those that must follow it, which are returned.
    pub(crate) fn accept(&mut self, token: u32) -> Result<Vec<u32>, ModelError> {
        self.append(&[token])?;
        self.forced()
    }

    /// Whether nothing can be appended.
    pub(crate) fn is_complete(&self) -> bool {
        self.matcher.is_stopped()
    }

    /// Tokens that complete the answer: few, if not the fewest.
    pub(crate) fn completion(&mut self) -> Result<Vec<u32>, ModelError> {
        let mut completion = Vec::new();
        let mut ahead = self.fork();
        while !ahead.matcher.is_stopped() && !ahead.matcher.is_accepting().map_err(|error| failed(&error))? {
            let forced = ahead.forced()?;
            if forced.is_empty() {
                let token = ahead.closing_token()?;
                ahead.append(&[token])?;
                completion.push(token);
            } else {
                completion.extend(forced);
            }
            if completion.len() > MAX_COMPLETION {
                return Err(ModelError::Schema { what: "no completion was found".to_owned() });
            }
        }
        Ok(completion)
    }

    /// Appends the tokens that the schema leaves no choice about, and returns them.
    fn forced(&mut self) -> Result<Vec<u32>, ModelError> {
        if self.matcher.is_stopped() {
            return Ok(Vec::new());
        }
        let mut forced = self.matcher.compute_ff_tokens();
        if let Some(end) = forced.iter().position(|token| self.grammars.tokenizer.eog().contains(token)) {
            forced.truncate(end);
        }
        self.append(&forced)?;
        Ok(forced)
    }

    fn append(&mut self, tokens: &[u32]) -> Result<(), ModelError> {
        self.matcher.consume_tokens(tokens).map_err(|error| failed(&error))?;
        for &token in tokens {
            for byte in self.grammars.tokenizer.bytes(token) {
                self.state = match (self.state, byte) {
                    (JsonState::Outside, b'"') | (JsonState::Escaped, _) => JsonState::InString,
                    (JsonState::InString, b'"') => JsonState::Outside,
                    (JsonState::InString, b'\\') => JsonState::Escaped,
                    (state, _) => state,
                };
            }
        }
        Ok(())
    }

    /// An allowed token that leads to the end.
    fn closing_token(&mut self) -> Result<u32, ModelError> {
        let grammars = self.grammars;
        for &token in &grammars.closing[self.state as usize] {
            if self.matcher.validate_tokens(&[token]).map_err(|error| failed(&error))? == 1 {
                return Ok(token);
            }
        }
        // Something must be written before it can be closed: the longest token, preferably one that opens nothing.
        let allowed = self.matcher.compute_mask().map_err(|error| failed(&error))?;
        let best = allowed.iter().filter(|token| !grammars.tokenizer.eog().contains(token)).max_by_key(|&token| {
            let bytes = grammars.tokenizer.bytes(token);
            let opens = self.state == JsonState::Outside && bytes.iter().any(|byte| matches!(byte, b'{' | b'[' | b'-'));
            (!opens, bytes.len(), std::cmp::Reverse(token))
        });
        best.ok_or_else(|| ModelError::Schema { what: "the vocabulary has no token that may come next".to_owned() })
    }
}

fn failed(error: &impl std::fmt::Display) -> ModelError {
    ModelError::Schema { what: error.to_string() }
}

/// The schema with limits where it has none, so that one string does not take the tokens of all others; and with one space
/// after colons and commas, none elsewhere.
fn with_limits(schema: &Value, max_tokens: usize) -> Value {
    let mut schema = match schema {
        Value::Bool(true) => json!({}),
        other => other.clone(),
    };
    let strings = count_strings(&schema).max(1);
    // A token has about four letters. Half of the tokens are left for keys, punctuation and lists.
    let max_length = (max_tokens * 2 / strings).clamp(32, 4000);
    add_limits(&mut schema, max_length);
    if let Some(schema) = schema.as_object_mut() {
        let style = json!({"whitespace_flexible": false, "item_separator": ", ", "key_separator": ": "});
        schema.insert("x-guidance".to_owned(), style);
    }
    schema
}

fn is_unlimited_string(schema: &Map<String, Value>) -> bool {
    let limited = ["enum", "const", "pattern", "format", "maxLength"].iter().any(|key| schema.contains_key(*key));
    !limited && has_type(schema, &["string"])
}

/// Whether the schema's type is one of these, or a list with one of these.
fn has_type(schema: &Map<String, Value>, types: &[&str]) -> bool {
    let is_one = |kind: &Value| types.iter().any(|name| kind == name);
    schema.get("type").is_some_and(|kind| is_one(kind) || kind.as_array().is_some_and(|kinds| kinds.iter().any(is_one)))
}

fn count_strings(schema: &Value) -> usize {
    match schema {
        Value::Object(map) => usize::from(is_unlimited_string(map)) + map.values().map(count_strings).sum::<usize>(),
        Value::Array(all) => all.iter().map(count_strings).sum(),
        _ => 0,
    }
}

fn add_limits(schema: &mut Value, max_length: usize) {
    match schema {
        Value::Object(map) => {
            let at_least = |map: &Map<String, Value>, key: &str, limit: u64| {
                json!(map.get(key).and_then(Value::as_u64).unwrap_or(0).max(limit))
            };
            if is_unlimited_string(map) {
                map.insert("maxLength".to_owned(), at_least(map, "minLength", max_length as u64));
            }
            if map.get("type").is_some_and(|kind| kind == "array") && !map.contains_key("maxItems") {
                map.insert("maxItems".to_owned(), at_least(map, "minItems", MAX_ITEMS));
            }
            if has_type(map, &["number", "integer"]) {
                let limits = [("minimum", "exclusiveMinimum", -MAX_NUMBER), ("maximum", "exclusiveMaximum", MAX_NUMBER)];
                for (key, exclusive, limit) in limits {
                    if !map.contains_key(key) && !map.contains_key(exclusive) {
                        map.insert(key.to_owned(), json!(limit));
                    }
                }
            }
            // These keys have values, not schemas.
            let schemas =
                map.iter_mut().filter(|(key, _)| !matches!(key.as_str(), "enum" | "const" | "default" | "examples"));
            schemas.for_each(|(_, value)| add_limits(value, max_length));
        }
        Value::Array(all) => all.iter_mut().for_each(|value| add_limits(value, max_length)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_without_a_limit_get_one_and_others_keep_theirs() {
        let schema = json!({
            "type": "object",
            "properties": {
                "reason": {"type": "string"},
                "title": {"type": "string", "maxLength": 7},
                "ruling": {"enum": ["string", {"type": "string"}]},
                "type": {"type": ["string", "null"], "minLength": 500},
            },
        });
        let limited = with_limits(&schema, 100);
        let of = |name: &str| limited["properties"][name]["maxLength"].clone();
        assert_eq!((of("reason"), of("title"), of("type")), (json!(66), json!(7), json!(500)));
        assert_eq!(limited["properties"]["ruling"], schema["properties"]["ruling"]);
    }
}
