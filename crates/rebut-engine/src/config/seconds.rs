//! Spans of time as people write them: in seconds, whole or with a fraction.

use std::fmt;
use std::time::Duration;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A span of time, written as a number of seconds and counted in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seconds(u64);

impl Seconds {
    /// The shortest limit: a tenth of a second.
    pub const LEAST: Self = Self(100);
    /// The longest limit: a day.
    pub const MOST: Self = Self(super::settings::MAX_TIMEOUT_SECONDS * 1_000);

    /// So many whole seconds.
    pub const fn whole(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1_000))
    }

    /// So many milliseconds.
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms)
    }

    /// A number of seconds, to the millisecond; `None` where it is no span of time.
    pub fn from_number(seconds: f64) -> Option<Self> {
        let ms = (seconds * 1e3).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked first")]
        (0.0..=9e15).contains(&ms).then_some(Self(ms as u64))
    }

    /// In milliseconds.
    pub fn millis(self) -> u64 {
        self.0
    }

    /// As the standard library has it.
    pub fn duration(self) -> Duration {
        Duration::from_millis(self.0)
    }

    /// Whether this can be a limit.
    pub(super) fn in_range(self) -> bool {
        (Self::LEAST..=Self::MOST).contains(&self)
    }
}

impl std::str::FromStr for Seconds {
    type Err = &'static str;

    /// A limit, as a flag has it.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let seconds = text.parse().ok().and_then(Self::from_number).filter(|seconds| seconds.in_range());
        seconds.ok_or("it takes a number of seconds from 0.1 to 86400 (a day)")
    }
}

impl Serialize for Seconds {
    /// A whole number where it is one.
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
        struct Number;
        impl Visitor<'_> for Number {
            type Value = Seconds;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of seconds")
            }

            fn visit_u64<E: Error>(self, seconds: u64) -> Result<Seconds, E> {
                Ok(Seconds::whole(seconds))
            }

            fn visit_i64<E: Error>(self, seconds: i64) -> Result<Seconds, E> {
                u64::try_from(seconds).map(Seconds::whole).map_err(|_| E::invalid_value(Unexpected::Signed(seconds), &self))
            }

            fn visit_f64<E: Error>(self, seconds: f64) -> Result<Seconds, E> {
                Seconds::from_number(seconds).ok_or_else(|| E::invalid_value(Unexpected::Float(seconds), &self))
            }
        }
        deserializer.deserialize_any(Number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_written_as_a_number_of_seconds_and_read_back() {
        for (text, ms) in [("240", 240_000), ("0.3", 300), ("1.5", 1_500), ("2.0", 2_000)] {
            let value: toml::Value = format!("x = {text}").parse::<toml::Table>().unwrap()["x"].clone();
            let seconds: Seconds = value.try_into().unwrap();
            assert_eq!(seconds.millis(), ms, "{text}");
            assert_eq!(toml::Value::try_from(seconds).unwrap().try_into::<Seconds>().unwrap(), seconds);
        }
        assert_eq!(toml::Value::try_from(Seconds::whole(240)).unwrap(), toml::Value::Integer(240));
        for wrong in [toml::Value::Integer(-1), toml::Value::Float(-0.1), toml::Value::Float(f64::NAN), "1".into()] {
            assert!(wrong.clone().try_into::<Seconds>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_limit_is_a_tenth_of_a_second_to_a_day() {
        assert!([100, 300, 86_400_000].into_iter().map(Seconds::from_millis).all(Seconds::in_range));
        assert!(![0, 99, 86_400_001].into_iter().map(Seconds::from_millis).any(Seconds::in_range));
    }
}
