//! A conversation with a model: what it has read stays in its memory, and what a new prompt shares with it is not read
//! again.

use std::sync::Arc;

use serde_json::Value;

use crate::cache::Cache;
use crate::error::ModelError;
use crate::grammar::Constraint;
use crate::model::Model;
use crate::network::{BATCH, Ended, Wanted};
use crate::sampling::{Chooser, Sampling};
use crate::template::Message;
use crate::tokens::TextStream;

/// What is wanted of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Wish {
    /// The longest answer, in tokens.
    pub max_tokens: usize,
    /// What chance is drawn from: the same seed gives the same answer to the same conversation on the same machine.
    pub seed: u64,
    /// How tokens are drawn.
    pub sampling: Sampling,
    /// A JSON Schema that the answer must fit. It always does unless it was cancelled, also if that takes cutting texts
    /// short so that it ends within `max_tokens`.
    pub schema: Option<Value>,
}

impl Default for Wish {
    fn default() -> Self {
        Self { max_tokens: 512, seed: 0, sampling: Sampling::default(), schema: None }
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// What the model said.
    pub text: String,
    /// Tokens of the whole prompt.
    pub prompt_tokens: usize,
    /// How many of them the session had read before.
    pub reused_tokens: usize,
    /// Tokens of the answer.
    pub answer_tokens: usize,
    /// Why it ended.
    pub stop: Stop,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The model had said what it had to say.
    EndOfTurn,
    /// It was as long as it was allowed to be.
    MaxTokens,
    /// The caller did not want it any more.
    Cancelled,
}

/// A conversation with memory of its own. Many can share one model; they compute in turns, token by token.
#[derive(Debug)]
pub struct Session {
    model: Arc<Model>,
    cache: Cache,
    /// What the cache holds.
    read: Vec<u32>,
}

impl Session {
    pub(crate) fn new(model: Arc<Model>) -> Self {
        let cache = model.network.cache();
        Self { model, cache, read: Vec::new() }
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// How much memory the session takes, in bytes.
    pub fn memory(&self) -> usize {
        self.cache.bytes()
    }

    /// Answers a conversation. Text goes to `piece` as it comes, in whole characters. `cancelled` is asked before every token
    /// and between the layers of a long prompt; once it says yes, the answer ends with what there is.
    pub fn chat(
        &mut self,
        messages: &[Message],
        wish: &Wish,
        cancelled: &dyn Fn() -> bool,
        piece: &mut dyn FnMut(&str),
    ) -> Result<Reply, ModelError> {
        let prompt = self.model.prompt(messages)?;
        self.complete(&prompt, wish, cancelled, piece)
    }

    /// The logits after a list of tokens. This is for comparing; conversations go through [`Session::chat`].
    #[doc(hidden)]
    pub fn logits(&mut self, tokens: &[u32]) -> Result<Vec<f32>, ModelError> {
        let shared = self.read.iter().zip(tokens).take_while(|(one, other)| one == other).count();
        self.read.truncate(shared.min(tokens.len().saturating_sub(1)));
        let mut logits = Vec::new();
        let later = tokens[self.read.len()..].to_vec();
        self.feed(&later, &mut logits, &|| false)?;
        Ok(logits)
    }

    /// Continues a list of tokens. This is for measuring; conversations go through [`Session::chat`].
    #[doc(hidden)]
    pub fn complete(
        &mut self,
        prompt: &[u32],
        wish: &Wish,
        cancelled: &dyn Fn() -> bool,
        piece: &mut dyn FnMut(&str),
    ) -> Result<Reply, ModelError> {
        let model = Arc::clone(&self.model);
        let context = model.about().context;
        if prompt.len() + wish.max_tokens > context {
            return Err(ModelError::ContextFull { prompt: prompt.len(), answer: wish.max_tokens, context });
        }
        let constraint = match &wish.schema {
            Some(schema) => Some(model.vocabulary()?.begin(schema, wish.max_tokens)?),
            None => None,
        };
        // The last token is always computed, because what follows it is wanted.
        let shared = self.read.iter().zip(prompt).take_while(|(one, other)| one == other).count();
        let reused = shared.min(prompt.len().saturating_sub(1));
        self.read.truncate(reused);
        let mut answer = Answer {
            chooser: Chooser::new(wish.sampling, wish.seed),
            model: &model,
            constraint,
            stream: TextStream::default(),
            text: String::new(),
            count: 0,
            left: wish.max_tokens,
            piece,
        };
        let mut next: Vec<u32> = prompt[reused..].to_vec();
        let stop = loop {
            let mut logits = Vec::new();
            if self.feed(&next, &mut logits, cancelled)? == Ended::Cancelled {
                break Stop::Cancelled;
            }
            next.clear();
            if let Some(stop) = answer.go_on(&mut logits, &mut next)? {
                break stop;
            }
        };
        let Answer { stream, mut text, count, .. } = answer;
        let rest = stream.finish();
        if !rest.is_empty() {
            text.push_str(&rest);
            piece(&rest);
        }
        Ok(Reply { text, prompt_tokens: prompt.len(), reused_tokens: reused, answer_tokens: count, stop })
    }

    /// Reads tokens, and gives the logits after the last.
    fn feed(&mut self, tokens: &[u32], logits: &mut Vec<f32>, cancelled: &dyn Fn() -> bool) -> Result<Ended, ModelError> {
        self.cache.reserve(self.read.len() + tokens.len())?;
        let batches = tokens.chunks(BATCH);
        let last = batches.len().saturating_sub(1);
        for (index, batch) in batches.enumerate() {
            if cancelled() {
                return Ok(Ended::Cancelled);
            }
            let wanted = if index == last { Wanted::Last } else { Wanted::Nothing };
            let (network, cache, position) = (&self.model.network, &mut self.cache, self.read.len());
            let ended = self.model.desk.take(cancelled, |desk| {
                let ended = network.read(desk, cache, position, batch, wanted, cancelled);
                if wanted == Wanted::Last && ended == Ended::Done {
                    std::mem::swap(logits, &mut desk.logits);
                }
                ended
            });
            if ended != Some(Ended::Done) {
                return Ok(Ended::Cancelled);
            }
            self.read.extend_from_slice(batch);
        }
        Ok(Ended::Done)
    }
}

/// An answer as it grows.
struct Answer<'a, 'b> {
    chooser: Chooser,
    model: &'a Model,
    constraint: Option<Constraint<'a>>,
    stream: TextStream,
    text: String,
    count: usize,
    left: usize,
    piece: &'b mut dyn FnMut(&str),
}

impl Answer<'_, '_> {
    /// Draws what comes next, into `next`; or says why nothing does.
    fn go_on(&mut self, logits: &mut [f32], next: &mut Vec<u32>) -> Result<Option<Stop>, ModelError> {
        if self.left == 0 {
            return Ok(Some(Stop::MaxTokens));
        }
        if let Some(constraint) = &mut self.constraint {
            constraint.mask(logits)?;
        }
        let tokenizer = &self.model.tokenizer;
        let token = self
            .chooser
            .choose(tokenizer, logits)
            .ok_or_else(|| ModelError::corrupt("the weights give no likelihood to any token"))?;
        if tokenizer.ends().contains(&token) {
            return Ok(Some(Stop::EndOfTurn));
        }
        let Some(constraint) = &mut self.constraint else {
            next.push(token);
            self.say(next);
            return Ok((self.left == 0).then_some(Stop::MaxTokens));
        };
        let mut ahead = constraint.fork();
        next.push(token);
        next.extend(ahead.accept(token)?);
        let complete = ahead.is_complete();
        let way = if complete { Vec::new() } else { ahead.way_out()? };
        if next.len() + way.len() > self.left {
            // That would be too long to be closed. The way out from here is known to fit.
            let way = constraint.way_out()?;
            self.say(&way);
            return Ok(Some(Stop::MaxTokens));
        }
        *constraint = ahead;
        self.say(next);
        Ok(complete.then_some(Stop::EndOfTurn))
    }

    fn say(&mut self, tokens: &[u32]) {
        for &token in tokens {
            self.chooser.remember(&self.model.tokenizer, token);
            let text = self.stream.push(self.model.tokenizer.bytes(token));
            if !text.is_empty() {
                self.text.push_str(&text);
                (self.piece)(&text);
            }
            self.count += 1;
            self.left = self.left.saturating_sub(1);
        }
    }
}
