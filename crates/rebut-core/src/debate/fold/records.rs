//! Calls and their state.

use jiff::Timestamp;

use super::super::{Failure, Payload, Phase, Rejection, SeatName, Usage};

#[derive(Clone, Debug, PartialEq)]
pub struct CallRecord {
    pub seat: SeatName,
    pub phase: Phase,
    /// How often it was handed to its seat.
    pub attempts: u32,
    /// How often it ended in a failure, a retry or a rejection: attempts that a crash cut off do not count.
    pub setbacks: u32,
    /// Answers that were not accepted, since the call was last opened.
    pub rejected: Vec<RejectedAnswer>,
    pub state: CallState,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RejectedAnswer {
    pub text: String,
    pub rejection: Rejection,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CallState {
    UnderWay {
        since: Timestamp,
        /// How long processes had run the debate by then.
        ran_ms: u64,
        /// Tokens the budget holds back for it.
        reserved_tokens: u64,
        prompt_bytes: usize,
    },
    /// It can start again: a crash cut it off, its answer was rejected once, or the debate was opened again.
    Open,
    Answered(Box<AnsweredCall>),
    Failed(Failure),
}

/// The answer of a call, without its raw text, which is in the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct AnsweredCall {
    pub content: Payload,
    /// The model that really answered.
    pub model: Option<String>,
    pub bytes: usize,
    /// How long the call took.
    pub duration_ms: u64,
    /// Tokens and cost.
    pub usage: Usage,
    pub transport: String,
}
