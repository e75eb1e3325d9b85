//! The neutral labels of two sides, and which side has which.

use serde::{Deserialize, Serialize};

use crate::named::named;

/// One of the two sides, by the neutral label that a judge sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    A,
    B,
}

impl Label {
    pub const BOTH: [Self; 2] = [Self::A, Self::B];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
        }
    }

    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }
}

named! {
    /// Which of two sides is shown as A.
    pub enum Order {
        AsWritten = "as-written",
        Exchanged = "exchanged",
    }
}

impl Order {
    /// The label under which a side is shown; also the side that is shown under a label.
    pub fn label(self, side: Label) -> Label {
        match self {
            Self::AsWritten => side,
            Self::Exchanged => side.other(),
        }
    }
}
