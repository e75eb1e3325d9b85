//! What has been heard of an answer so far, whichever API it comes over. Pure.

use rebut_core::debate::{Cause, Cost, Failure};

use crate::providers::Progress;

/// An answer that is still coming in.
#[derive(Debug, Default)]
pub(super) struct Hearing {
    /// Its text so far.
    pub(super) text: String,
    /// What there is to tell since somebody last looked.
    pub(super) news: Vec<Progress>,
    /// The model that answers.
    pub(super) model: Option<String>,
    /// The service's own id for the answer.
    pub(super) id: Option<String>,
    /// What it used.
    pub(super) tokens: Tokens,
    /// How it ended; an answer without an end was cut off.
    pub(super) end: Option<End>,
    /// Whether the service has said that nothing more comes.
    pub(super) is_over: bool,
    thinks: bool,
    /// How often the model has said or thought something.
    signs: u64,
}

/// Tokens as a service counts them; unknown is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    /// Of the prompt, all of it.
    pub(super) input: Option<u64>,
    /// Of the prompt, what the service still had.
    pub(super) cached: Option<u64>,
    /// Of the prompt, what it keeps for later.
    pub(super) kept: Option<u64>,
    /// Of the answer, thinking included.
    pub(super) output: Option<u64>,
    /// What it cost, where the service says so itself.
    pub(super) cost: Option<Cost>,
}

/// How an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// As it should.
    Done,
    /// At a limit, in these words.
    Cut(&'static str),
    /// The model refused, in these words.
    Refused(String),
    /// For a reason that has no name of ours.
    Strange(String),
}

impl Hearing {
    /// More text.
    pub(super) fn say(&mut self, text: &str) {
        if !text.is_empty() {
            self.signs += 1;
            self.text.push_str(text);
            self.news.push(Progress::Text(text.to_owned()));
        }
    }

    /// The model thinks; that is told once.
    pub(super) fn think(&mut self) {
        self.signs += 1;
        if !std::mem::replace(&mut self.thinks, true) {
            self.news.push(Progress::Activity("thinks".to_owned()));
        }
    }

    /// Whether any of the answer has arrived.
    pub(super) fn began(&self) -> bool {
        !self.text.is_empty()
    }

    /// How often the model has said or thought something. What only keeps a connection open is none of that.
    pub(super) fn signs(&self) -> u64 {
        self.signs
    }

    /// The text, now that nothing more will come; or why it is none.
    pub(super) fn conclude(&self) -> Result<&str, Failure> {
        match &self.end {
            None if self.began() => Err(Failure::new(Cause::Truncated, "the stream ended before the answer did")),
            None => Err(Failure::new(Cause::Truncated, "the stream ended before the answer began")),
            Some(End::Cut(why)) => Err(Failure::new(Cause::Truncated, why)),
            Some(End::Refused(words)) => Err(Failure::new(Cause::Refused, words)),
            Some(End::Strange(reason)) => Err(Failure::new(Cause::Exit, format!("it stopped for `{reason}`"))),
            Some(End::Done) if self.text.trim().is_empty() => Err(Failure::new(Cause::Empty, "")),
            Some(End::Done) => Ok(&self.text),
        }
    }
}
