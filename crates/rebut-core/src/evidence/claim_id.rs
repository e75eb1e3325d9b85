//! The id of a claim: `P1.3`.

use serde::{Deserialize, Serialize};

use super::marks::neutral_line;
use crate::named::text;

/// The stable id of a claim: speaker, round and place in the list, `P1.3`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClaimId(String);

impl ClaimId {
    /// The id of the `number`th claim, from 1, of a speaker in a round.
    pub fn new(speaker: &str, round: u32, number: u32) -> Self {
        Self(format!("{speaker}{round}.{number}"))
    }

    /// The id that a text names.
    pub fn named(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The id of the statement that makes the claim: `P1`.
    pub fn statement(&self) -> &str {
        self.0.split_once('.').map_or(&self.0, |(statement, _)| statement)
    }

    /// Whether a speaker with this letter made the claim.
    pub fn is_of(&self, letter: &str) -> bool {
        self.0.strip_prefix(letter).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    }

    /// The id for a message; a model may have written anything.
    pub fn shown(&self) -> String {
        const LONGEST: usize = 24;
        neutral_line(&self.0).chars().filter(|c| !c.is_control()).take(LONGEST).collect()
    }
}

text!(ClaimId);
