//! Durations as users write them: in seconds, whole or with a fraction.

use std::time::Duration;

use serde::{Deserialize, Serialize, Serializer};

/// A duration, written as a number of seconds and kept in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "f64")]
pub struct Seconds(u64);

/// What a limit can be.
pub(super) const RANGE: &str = "a number of seconds from 0.1 to 86400 (a day)";

impl Seconds {
    pub const fn whole(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1_000))
    }

    pub fn millis(self) -> u64 {
        self.0
    }

    pub fn duration(self) -> Duration {
        Duration::from_millis(self.0)
    }

    /// Whether it can be a limit: a tenth of a second to a day.
    pub(super) fn in_range(self) -> bool {
        (100..=86_400_000).contains(&self.0)
    }
}

impl TryFrom<f64> for Seconds {
    type Error = String;

    /// To the millisecond.
    fn try_from(seconds: f64) -> Result<Self, String> {
        let ms = (seconds * 1e3).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked first")]
        (0.0..=9e15).contains(&ms).then_some(Self(ms as u64)).ok_or_else(|| format!("expected {RANGE}"))
    }
}

impl std::str::FromStr for Seconds {
    type Err = String;

    /// A limit, as a flag has it.
    fn from_str(text: &str) -> Result<Self, String> {
        let seconds = text.parse().unwrap_or(f64::NAN);
        Self::try_from(seconds).ok().filter(|seconds| seconds.in_range()).ok_or_else(|| format!("expected {RANGE}"))
    }
}

impl Serialize for Seconds {
    /// A whole number if it is one.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_multiple_of(1_000) {
            serializer.serialize_u64(self.0 / 1_000)
        } else {
            serializer.serialize_f64(self.duration().as_secs_f64())
        }
    }
}
