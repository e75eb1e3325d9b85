//! Calls and what became of them.

use jiff::Timestamp;

use super::super::{Failure, Payload, Phase, Rejection, SeatName, Usage};

/// A call and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRecord {
    /// Who is asked.
    pub seat: SeatName,
    /// The row in the accounts.
    pub phase: Phase,
    /// How often it was handed to its seat.
    pub attempts: u32,
    /// How often it ended in a failure, a retry or a rejection: attempts that a crash cut off do not count.
    pub setbacks: u32,
    /// Answers that were not accepted, since the call was last opened.
    pub rejected: Vec<RejectedAnswer>,
    /// Where it stands.
    pub state: CallState,
}

/// An answer that was not accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct RejectedAnswer {
    /// What was said.
    pub text: String,
    /// Why it is not accepted.
    pub rejection: Rejection,
}

/// Where a call stands.
#[derive(Clone, Debug, PartialEq)]
pub enum CallState {
    /// A seat is at it.
    UnderWay {
        /// Since when.
        since: Timestamp,
        /// How long processes had run the debate by then.
        ran_ms: u64,
        /// Tokens the budget holds back for it.
        reserved_tokens: u64,
        /// Bytes of the prompt.
        prompt_bytes: usize,
    },
    /// It may be begun again: a crash cut it off, its answer was rejected once, or the debate was opened again.
    Open,
    /// It was answered.
    Answered(Box<AnsweredCall>),
    /// It failed.
    Failed(Failure),
}

/// The answer of a call, without its raw text, which stands in the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct AnsweredCall {
    /// What it says.
    pub content: Payload,
    /// The model that really answered.
    pub model: Option<String>,
    /// How many bytes came back.
    pub bytes: usize,
    /// How long the call took.
    pub duration_ms: u64,
    /// Tokens and cost.
    pub usage: Usage,
    /// How the seat was reached.
    pub transport: String,
}
