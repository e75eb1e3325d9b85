//! What only an `ask` or a `cross` needs to know, and who takes part in it.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::debate::{DebateId, SeatName};
use crate::evidence::Statement;
use crate::named::named;

/// The fewest and the most rounds of critique; the opening answers are round 0.
pub const ROUNDS: std::ops::RangeInclusive<u32> = 0..=10;
pub const PARTNERS: std::ops::RangeInclusive<usize> = 2..=8;

/// The plan of an `ask` or a `cross`, beside what every debate has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrossSetup {
    /// Whether the answers are compared, or crossed.
    pub kind: Kind,
    pub partners: u32,
    pub rounds: u32,
    /// Whether the debate stops after round 0 if all give the same option there.
    #[serde(default)]
    pub gate: bool,
    /// Whether every round takes place, even if no one moves.
    #[serde(default)]
    pub always_debate: bool,
    /// Whether partners read each other under their names.
    #[serde(default)]
    pub named: bool,
    /// The answers that can be given; none where any can.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Answers of an earlier debate that are round 0 of this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<Opening>,
}

named! {
    /// What is done with the opening answers.
    #[derive(Default)]
    pub enum Kind {
        /// They are put side by side and compared.
        #[default]
        Ask = "ask",
        /// They are critiqued by the other partners.
        Cross = "cross",
    }
}

impl Kind {
    pub fn document(self) -> &'static str {
        match self {
            Self::Ask => "comparison",
            Self::Cross => "synthesis",
        }
    }
}

/// Answers that were given in an earlier debate. They are copied, so this debate's journal is complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    pub debate: DebateId,
    pub answers: BTreeMap<SeatName, Opened>,
}

/// An answer of an earlier debate, with what is known of its call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// What was said, with the list that belongs to it.
    pub statement: Statement,
    #[serde(flatten)]
    pub facts: Facts,
}

/// What is known of the call for an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The model that really answered.
    pub model: Option<String>,
    pub transport: String,
    pub bytes: usize,
    /// How long it took.
    pub duration_ms: u64,
    pub attempts: u32,
}

/// One of the partners, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Partner(u32);

impl Partner {
    /// This many partners, in order.
    pub fn all(count: u32) -> impl Iterator<Item = Self> {
        (1..=count).map(Self)
    }

    pub fn of_seat(seat: &str) -> Option<Self> {
        let number = seat.strip_prefix("partner-")?.parse().ok()?;
        (1..=8).contains(&number).then_some(Self(number))
    }

    /// The seat: `partner-1`.
    pub fn seat(self) -> SeatName {
        SeatName::new(self.to_string())
    }

    /// What people read: `Partner A`.
    pub fn title(self) -> String {
        format!("Partner {}", self.letter())
    }

    /// The letter of this partner in its label and in the ids of its claims.
    pub fn letter(self) -> &'static str {
        let place = usize::try_from(self.0).unwrap_or(1).saturating_sub(1);
        ["A", "B", "C", "D", "E", "F", "G", "H"].get(place).copied().unwrap_or("Z")
    }
}

impl fmt::Display for Partner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "partner-{}", self.0)
    }
}

pub fn moderator() -> SeatName {
    SeatName::new("moderator")
}
