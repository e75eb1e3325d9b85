//! What only a review needs to know.

use super::{Artifact, Confidence, Severity, Target};

use serde::{Deserialize, Serialize};

use crate::debate::SeatName;
use crate::named::named;

#[derive(Clone, Debug, Serialize, Deserialize)]
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

named! {
    /// How much of everything a review takes, in one word.
    #[derive(Default)]
    pub enum Intensity {
        Quick = "quick",
        #[default]
        Standard = "standard",
        Extensive = "extensive",
    }
}

impl Intensity {
    pub fn max_rounds(self) -> u32 {
        self.limits().0
    }

    pub fn budget_minutes(self) -> u32 {
        self.limits().1
    }

    pub fn call_seconds(self) -> u64 {
        self.limits().2
    }

    fn limits(self) -> (u32, u32, u64) {
        match self {
            Self::Quick => (1, 10, 180),
            Self::Standard => (3, 20, 600),
            Self::Extensive => (5, 40, 900),
        }
    }
}

named! {
    /// Who chooses between A and E.
    #[derive(Default)]
    pub enum Mode {
        #[default]
        Auto = "auto",
        /// The user is asked each round.
        Manual = "manual",
    }
}

named! {
    pub enum Role {
        /// Critiques the artifact, and writes it anew where the critique is accepted.
        Critic = "critic",
        /// Classifies the findings.
        Judge = "judge",
        /// Writes compromises and rebuttals.
        Author = "author",
        /// Critiques where the critic cannot.
        StandIn = "stand-in",
    }
}

impl Role {
    pub fn seat(self) -> SeatName {
        SeatName::new(self.as_str())
    }
}
