//! What is kept of a check and copied into the plans of later debates.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Score;
use crate::debate::SeatPlan;

/// How a judge did on known cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgeRecord {
    /// The seat as it is written on the command line.
    pub seat: String,
    /// The model that answered, if the seat reports one.
    pub model: Option<String>,
    /// The hash of the judge's prompt.
    pub prompt: String,
    pub at: Timestamp,
    pub score: Score,
}

impl JudgeRecord {
    /// Whether this seat was checked, or the model that it names.
    pub fn is_of(&self, seat: &SeatPlan) -> bool {
        self.seat == seat.spec() || (seat.model.is_some() && self.model == seat.model)
    }
}

/// `right in 94% of 80 known cases, flips 3%, checked 2026-11-16`.
impl fmt::Display for JudgeRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, checked {}", self.score, self.at.strftime("%Y-%m-%d"))
    }
}
