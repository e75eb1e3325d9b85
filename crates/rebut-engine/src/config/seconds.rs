//! Durations as users write them: in seconds, whole or with a fraction.

use std::time::Duration;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A duration, written as a number of seconds and kept in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seconds(u64);

impl Seconds {
    pub const fn whole(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1_000))
    }

    /// A number of seconds, to the millisecond; `None` if it is no duration.
    pub fn from_number(seconds: f64) -> Option<Self> {
        let ms = (seconds * 1e3).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked first")]
        (0.0..=9e15).contains(&ms).then_some(Self(ms as u64))
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

impl std::str::FromStr for Seconds {
    type Err = &'static str;

    /// A limit, as a flag has it.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let seconds = text.parse().ok().and_then(Self::from_number).filter(|seconds| seconds.in_range());
        seconds.ok_or("expected a number of seconds from 0.1 to 86400 (a day)")
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

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_number(f64::deserialize(deserializer)?).ok_or_else(|| D::Error::custom("expected a number of seconds"))
    }
}
