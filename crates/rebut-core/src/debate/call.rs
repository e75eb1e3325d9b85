//! What is asked of a seat.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Fund, Payload, SeatName, estimate_tokens};
use crate::named::text;

/// One question to one seat.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub seat: SeatName,
    /// The part of the debate it belongs to, for the accounts.
    pub phase: Phase,
    /// What is asked for, by which the format reads the answer.
    pub asks: Payload,
    pub prompt: Prompt,
    pub shape: Shape,
    /// About how many tokens an answer takes: a request to the seat and a reserve in the budget.
    pub output_tokens: u64,
    /// The time limit for the whole call, retries included.
    pub limit_ms: u64,
    pub fund: Fund,
}

impl Call {
    /// About how many tokens prompt and answer take together.
    pub fn estimate(&self) -> u64 {
        self.prompt.estimate() + self.output_tokens
    }
}

/// A part of a debate, such as `round 1` or `verdict`: a row in the accounts.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Phase(pub String);

text!(Phase);

/// A rendered prompt. The system part holds role and rules and stays the same for a seat; the user part begins with
/// what earlier prompts of the debate began with too, so that providers can reuse what they have read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    pub system: String,
    pub user: String,
}

impl Prompt {
    /// Both parts as one text, for tools that take only one.
    pub fn joined(&self) -> String {
        format!("{}\n\n{}", self.system, self.user)
    }

    pub fn estimate(&self) -> u64 {
        estimate_tokens(self.system.len() + self.user.len())
    }
}

/// The form an answer must have.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Prose; it may end with a structured tail.
    Prose,
    /// One JSON value that fits this JSON Schema, which the prompt carries too.
    Json {
        /// What the value is, in one word: `verdict`.
        name: &'static str,
        schema: Value,
    },
}
