//! An answer so far, whichever API it comes over. Pure.

use rebut_core::debate::{Cause, Cost, Failure};
use serde_json::Value;

use crate::providers::Progress;

#[derive(Debug, Default)]
pub(super) struct PartialAnswer {
    pub(super) text: String,
    /// Progress that was not reported yet.
    pub(super) news: Vec<Progress>,
    pub(super) model: Option<String>,
    pub(super) id: Option<String>,
    pub(super) tokens: Tokens,
    /// How it ended; an answer without an end was cut off.
    pub(super) end: Option<End>,
    pub(super) is_over: bool,
    thinks: bool,
    outputs: u64,
}

/// Tokens as a service counts them; unknown is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    /// Of the prompt, all of it.
    pub(super) input: Option<u64>,
    pub(super) cached: Option<u64>,
    pub(super) kept: Option<u64>,
    pub(super) output: Option<u64>,
    /// What it cost, if the service says so itself.
    pub(super) cost: Option<Cost>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    Done,
    Cut(&'static str),
    Refused(String),
    /// For a reason that has no name of ours.
    Unexpected(String),
}

impl PartialAnswer {
    /// Who answers and under which id, as far as this event says so.
    pub(super) fn is_from(&mut self, model: &Value, id: &Value) {
        for (known, told) in [(&mut self.model, model), (&mut self.id, id)] {
            *known = told.as_str().map(str::to_owned).or(known.take());
        }
    }

    pub(super) fn say(&mut self, text: &str) {
        if !text.is_empty() {
            self.outputs += 1;
            self.text.push_str(text);
            self.news.push(Progress::Text(text.to_owned()));
        }
    }

    /// The model thinks; that is reported once.
    pub(super) fn think(&mut self) {
        self.outputs += 1;
        if !std::mem::replace(&mut self.thinks, true) {
            self.news.push(Progress::Activity("thinks".to_owned()));
        }
    }

    pub(super) fn began(&self) -> bool {
        !self.text.is_empty()
    }

    /// How often the model has said or thought something; keep-alives don't count.
    pub(super) fn outputs(&self) -> u64 {
        self.outputs
    }

    /// The complete text, or why there is none.
    pub(super) fn conclude(&self) -> Result<&str, Failure> {
        match &self.end {
            None if self.began() => Err(Failure::new(Cause::Truncated, "the stream ended before the answer did")),
            None => Err(Failure::new(Cause::Truncated, "the stream ended before the answer began")),
            Some(End::Cut(why)) => Err(Failure::new(Cause::Truncated, why)),
            Some(End::Refused(words)) => Err(Failure::new(Cause::Refused, words)),
            Some(End::Unexpected(reason)) => Err(Failure::new(Cause::Exit, format!("it stopped for `{reason}`"))),
            Some(End::Done) if self.text.trim().is_empty() => Err(Failure::new(Cause::Empty, "")),
            Some(End::Done) => Ok(&self.text),
        }
    }
}
