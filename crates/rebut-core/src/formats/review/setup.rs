//! What only a review needs to know.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::artifact::{Artifact, Confidence, Target};
use super::critique::Severity;
use crate::debate::SeatName;

/// The plan of a review, beside what every debate has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewSetup {
    pub artifact: Artifact,
    pub target: Target,
    /// How sure it is that this is what was meant.
    pub confidence: Confidence,
    /// Where it comes from: `uncommitted`, `commit:abc1234`, `text`, `stdin`, `artifact-file:PATH`.
    pub scope: String,
    pub intensity: Intensity,
    pub max_rounds: u32,
    pub mode: Mode,
    /// Whether the critic's version is accepted without being written.
    #[serde(default)]
    pub skip_rewrite: bool,
    /// Whether a stand-in has the critic's seat, because no tool of another family is available.
    #[serde(default)]
    pub stand_in: bool,
    /// Whether the new version is written to the working tree at the end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apply: bool,
    /// The least severity of which no valid finding may remain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_on: Option<Severity>,
}

/// How much of everything a review takes, in one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intensity {
    Quick,
    /// Up to three rounds.
    #[default]
    Standard,
    /// Up to five rounds.
    Extensive,
}

impl Intensity {
    /// Every intensity, smallest first.
    pub const ALL: [Self; 3] = [Self::Quick, Self::Standard, Self::Extensive];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Standard => "standard",
            Self::Extensive => "extensive",
        }
    }

    pub fn max_rounds(self) -> u32 {
        match self {
            Self::Quick => 1,
            Self::Standard => 3,
            Self::Extensive => 5,
        }
    }

    pub fn budget_minutes(self) -> u32 {
        match self {
            Self::Quick => 10,
            Self::Standard => 20,
            Self::Extensive => 40,
        }
    }

    pub fn call_seconds(self) -> u64 {
        match self {
            Self::Quick => 180,
            Self::Standard => 600,
            Self::Extensive => 900,
        }
    }
}

impl std::str::FromStr for Intensity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|intensity| intensity.as_str() == text);
        found.ok_or_else(|| format!("`{text}` is no intensity; use quick, standard or extensive"))
    }
}

/// Who chooses between A and E.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The recommendation is taken.
    #[default]
    Auto,
    /// The user is asked each round.
    Manual,
}

impl Mode {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Manual => "manual",
        }
    }
}

impl std::str::FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = [Self::Auto, Self::Manual].into_iter().find(|mode| mode.as_str() == text);
        found.ok_or_else(|| format!("`{text}` is no mode; use auto or manual"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Critiques the artifact, and writes it anew where the critique is accepted.
    Critic,
    /// Classifies the findings.
    Judge,
    /// Writes compromises and rebuttals.
    Author,
    /// Critiques where the critic cannot.
    StandIn,
}

impl Role {
    /// The role in one word, which is also the name of its seat.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Critic => "critic",
            Self::Judge => "judge",
            Self::Author => "author",
            Self::StandIn => "stand-in",
        }
    }

    pub fn seat(self) -> SeatName {
        SeatName::new(self.as_str())
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
