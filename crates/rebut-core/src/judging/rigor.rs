//! How much judging a debate gets.

use crate::named::named;

named! {
    /// How much judging, in one word.
    #[derive(Default)]
    pub enum Rigor: "rigor" {
        /// One judge votes once.
        Quick = "quick",
        /// One judge votes twice, with the labels exchanged; where it contradicts itself, a second judge does too.
        #[default]
        Standard = "standard",
        /// Three judges vote twice each, after blind closings; then the positions are exchanged.
        Thorough = "thorough",
    }
}

impl Rigor {
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
