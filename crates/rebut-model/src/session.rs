//! A conversation with a model. Its KV cache is kept, so what a new prompt shares with the last one is not computed again.

use std::sync::Arc;

use serde_json::Value;

use crate::chat_template::Message;
use crate::error::ModelError;
use crate::grammar::Constraint;
use crate::kv_cache::KvCache;
use crate::model::Model;
use crate::sampling::{Sampler, Sampling};
use crate::tokenizer::Utf8Stream;
use crate::transformer::BATCH;

#[derive(Debug, Clone, PartialEq)]
pub struct GenerateOptions {
    pub max_tokens: usize,
    /// The same seed gives the same answer to the same conversation on the same machine.
    pub seed: u64,
    pub sampling: Sampling,
    /// A JSON Schema that the answer must fit. It always does unless it was cancelled: strings are cut short if it would not
    /// end within `max_tokens` otherwise.
    pub schema: Option<Value>,
}

impl Default for GenerateOptions {
    fn default() -> Self {
        Self { max_tokens: 512, seed: 0, sampling: Sampling::default(), schema: None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub text: String,
    pub prompt_tokens: usize,
    /// Tokens of the prompt that were in the KV cache.
    pub reused_tokens: usize,
    pub answer_tokens: usize,
    pub stop: Stop,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    EndOfTurn,
    MaxTokens,
    Cancelled,
}

/// Several sessions can share one model; they compute in turns, token by token.
pub struct Session {
    model: Arc<Model>,
    cache: KvCache,
    /// The tokens that the cache holds.
    cached: Vec<u32>,
}

impl Session {
    pub(crate) fn new(model: Arc<Model>) -> Self {
        let cache = KvCache::new(&model.transformer.config);
        Self { model, cache, cached: Vec::new() }
    }

    /// Answers a conversation. Text goes to `on_text` as it comes, in whole characters. `cancelled` is called before every
    /// token and between the layers of a long prompt; once it returns true, the answer ends with what there is.
    pub fn chat(
        &mut self,
        messages: &[Message],
        options: &GenerateOptions,
        cancelled: &dyn Fn() -> bool,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Reply, ModelError> {
        let prompt = self.model.prompt(messages)?;
        self.complete(&prompt, options, cancelled, on_text)
    }

    /// The logits after a list of tokens, for tests and benchmarks.
    #[doc(hidden)]
    pub fn logits(&mut self, tokens: &[u32]) -> Result<Vec<f32>, ModelError> {
        let reused = self.reuse(tokens);
        let mut logits = Vec::new();
        self.feed(&tokens[reused..], &mut logits, &|| false)?;
        Ok(logits)
    }

    /// The size of the KV cache in bytes, for benchmarks.
    #[doc(hidden)]
    pub fn cache_bytes(&self) -> usize {
        self.cache.bytes()
    }

    /// Continues a list of tokens: [`Session::chat`] without a template, for benchmarks.
    #[doc(hidden)]
    pub fn complete(
        &mut self,
        prompt: &[u32],
        options: &GenerateOptions,
        cancelled: &dyn Fn() -> bool,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Reply, ModelError> {
        let model = Arc::clone(&self.model);
        let context = model.context;
        if prompt.len() + options.max_tokens > context {
            return Err(ModelError::ContextFull { prompt: prompt.len(), answer: options.max_tokens, context });
        }
        let constraint = match &options.schema {
            Some(schema) => Some(model.grammars()?.constraint(schema, options.max_tokens)?),
            None => None,
        };
        let reused_tokens = self.reuse(prompt);
        let mut answer = Answer {
            sampler: Sampler::new(options.sampling, options.seed),
            model: &model,
            constraint,
            stream: Utf8Stream::default(),
            text: String::new(),
            tokens: 0,
            remaining: options.max_tokens,
            on_text,
        };
        let mut next: Vec<u32> = prompt[reused_tokens..].to_vec();
        let mut logits = Vec::new();
        let stop = loop {
            if !self.feed(&next, &mut logits, cancelled)? {
                break Stop::Cancelled;
            }
            next.clear();
            if let Some(stop) = answer.step(&mut logits, &mut next)? {
                break stop;
            }
        };
        let Answer { stream, mut text, tokens: answer_tokens, .. } = answer;
        let rest = stream.finish();
        if !rest.is_empty() {
            text.push_str(&rest);
            on_text(&rest);
        }
        Ok(Reply { text, prompt_tokens: prompt.len(), reused_tokens, answer_tokens, stop })
    }

    /// Keeps what the cache shares with the prompt, and returns how many tokens that is. The last token of the prompt is
    /// always computed again, because its logits are needed.
    fn reuse(&mut self, prompt: &[u32]) -> usize {
        let shared = self.cached.iter().zip(prompt).take_while(|(one, other)| one == other).count();
        self.cached.truncate(shared.min(prompt.len().saturating_sub(1)));
        self.cached.len()
    }

    /// Computes tokens, and writes the logits after the last. Returns false if it was cancelled.
    fn feed(&mut self, tokens: &[u32], logits: &mut Vec<f32>, cancelled: &dyn Fn() -> bool) -> Result<bool, ModelError> {
        let end = self.cached.len() + tokens.len();
        self.cache.reserve(end)?;
        for tokens in tokens.chunks(BATCH) {
            let position = self.cached.len();
            let logits = (position + tokens.len() == end).then_some(&mut *logits);
            let (transformer, cache) = (&self.model.transformer, &mut self.cache);
            let compute = |compute: &mut _| transformer.forward(compute, cache, position, tokens, logits, cancelled);
            if cancelled() || self.model.compute.with(cancelled, compute) != Some(true) {
                return Ok(false);
            }
            self.cached.extend_from_slice(tokens);
        }
        Ok(true)
    }
}

/// An answer that is being generated.
struct Answer<'a, 'b> {
    sampler: Sampler,
    model: &'a Model,
    constraint: Option<Constraint<'a>>,
    stream: Utf8Stream,
    text: String,
    tokens: usize,
    remaining: usize,
    on_text: &'b mut dyn FnMut(&str),
}

impl Answer<'_, '_> {
    /// Draws the next tokens into `next`, or returns why there are none.
    fn step(&mut self, logits: &mut [f32], next: &mut Vec<u32>) -> Result<Option<Stop>, ModelError> {
        if self.remaining == 0 {
            return Ok(Some(Stop::MaxTokens));
        }
        if let Some(constraint) = &mut self.constraint {
            constraint.mask(logits)?;
        }
        let tokenizer = &self.model.tokenizer;
        let token = self.sampler.sample(tokenizer, logits);
        let token = token.ok_or_else(|| ModelError::corrupt("the weights give no token a probability"))?;
        if tokenizer.eog().contains(&token) {
            return Ok(Some(Stop::EndOfTurn));
        }
        let Some(constraint) = &mut self.constraint else {
            next.push(token);
            self.emit(next);
            return Ok((self.remaining == 0).then_some(Stop::MaxTokens));
        };
        let mut ahead = constraint.fork();
        next.push(token);
        next.extend(ahead.accept(token)?);
        let complete = ahead.is_complete();
        let completion = if complete { Vec::new() } else { ahead.completion()? };
        if next.len() + completion.len() > self.remaining {
            // With this token the answer could not be completed. Without it, it can: that was checked one step earlier.
            let completion = constraint.completion()?;
            self.emit(&completion);
            return Ok(Some(Stop::MaxTokens));
        }
        *constraint = ahead;
        self.emit(next);
        Ok(complete.then_some(Stop::EndOfTurn))
    }

    fn emit(&mut self, tokens: &[u32]) {
        for &token in tokens {
            self.sampler.accept(&self.model.tokenizer, token);
            let text = self.stream.push(self.model.tokenizer.bytes(token));
            if !text.is_empty() {
                self.text.push_str(&text);
                (self.on_text)(&text);
            }
            self.tokens += 1;
            self.remaining = self.remaining.saturating_sub(1);
        }
    }
}
