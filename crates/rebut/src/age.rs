//! Ages as people write and read them: `30d`, `12h`.

use jiff::{SignedDuration, Timestamp};

const UNITS: [(char, i64); 4] = [('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];

/// Reads `30d`, `12h`, `90m` or `45s`.
pub(crate) fn read_age(text: &str) -> Result<SignedDuration, &'static str> {
    let expected = "expected a number with s, m, h or d, such as 30d";
    let read = UNITS.iter().find_map(|(unit, seconds)| {
        let number = text.strip_suffix(*unit)?.parse::<u32>().ok()?;
        i64::from(number).checked_mul(*seconds)
    });
    read.map(SignedDuration::from_secs).ok_or(expected)
}

/// How long ago something was, in its largest unit.
pub(crate) fn ago(then: Timestamp, now: Timestamp) -> String {
    let seconds = now.duration_since(then).as_secs().max(0);
    let fits = UNITS.iter().find(|(_, unit)| seconds >= *unit);
    fits.map_or_else(|| "now".to_owned(), |(name, unit)| format!("{}{name}", seconds / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_numbers_with_a_unit() {
        assert_eq!(read_age("90m"), Ok(SignedDuration::from_mins(90)));
        assert_eq!(read_age("30d"), Ok(SignedDuration::from_hours(720)));
        for text in ["", "d", "30", "-1d", "1w", "99999999999999999999d", "3ä"] {
            assert!(read_age(text).is_err(), "{text}");
        }
        let now = Timestamp::UNIX_EPOCH;
        for age in ["45s", "59m", "12h", "30d"] {
            assert_eq!(ago(now - read_age(age).unwrap(), now), age);
        }
    }
}
