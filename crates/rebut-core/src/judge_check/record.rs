//! What is kept of a check, for the plans of later debates.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Score;

/// How a judge did on known cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgeRecord {
    /// The seat as it is written on the command line.
    pub seat: String,
    /// The model that answered, where the seat reports one.
    pub model: Option<String>,
    /// What tells the version of the judge's prompt from others.
    pub prompt: String,
    pub at: Timestamp,
    pub score: Score,
}

/// `right in 94 % of 80 known cases, flips 3 %, checked 2026-11-16`.
impl fmt::Display for JudgeRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, checked {}", self.score, self.at.strftime("%Y-%m-%d"))
    }
}
