//! How much judging a debate gets.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rigor {
    /// One judge votes once.
    Quick,
    /// One judge votes twice, with the labels exchanged; where it contradicts itself, a second judge does too.
    #[default]
    Standard,
    /// Three judges vote twice each, after blind closings; then the positions are exchanged.
    Thorough,
}

impl Rigor {
    pub const ALL: [Self; 3] = [Self::Quick, Self::Standard, Self::Thorough];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Standard => "standard",
            Self::Thorough => "thorough",
        }
    }

    /// How often each judge votes.
    pub fn ballots(self) -> u32 {
        match self {
            Self::Quick => 1,
            Self::Standard | Self::Thorough => 2,
        }
    }

    /// How many judges vote in any case.
    pub fn judges(self) -> usize {
        match self {
            Self::Quick | Self::Standard => 1,
            Self::Thorough => 3,
        }
    }
}

impl FromStr for Rigor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|rigor| rigor.as_str() == text);
        known.ok_or_else(|| format!("`{text}` is no rigor; use quick, standard or thorough"))
    }
}
