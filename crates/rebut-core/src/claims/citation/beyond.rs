//! Numbers of lines that are larger than any file's, or in the wrong order, kept as they were written.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The first and the last line as they were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct Beyond {
    pub(super) first: u128,
    pub(super) last: u128,
}

impl fmt::Display for Beyond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, last } = self;
        if first == last { first.fmt(f) } else { write!(f, "{first}-{last}") }
    }
}

// Few readers of JSON know numbers of this size: it is kept as text.
impl From<Beyond> for String {
    fn from(beyond: Beyond) -> Self {
        beyond.to_string()
    }
}

impl TryFrom<String> for Beyond {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let (first, last) = text.split_once('-').unwrap_or((&text, &text));
        Ok(Self { first: first.parse()?, last: last.parse()? })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Citation, Lines, Target};

    #[test]
    fn a_number_beyond_counting_is_told_and_kept_as_it_was_written() {
        let most = u128::from(u32::MAX);
        for (lines, told) in [
            (Lines::written(most, most), "4294967295"),
            (Lines::written(most + 1, most + 1), "4294967296"),
            (Lines::written(99_999_999_999_999_999_999, 28), "99999999999999999999-28"),
            (Lines::written(17, 14), "17-14"),
            (Lines::written(28, 28).until(10_u128.pow(23)), "28-100000000000000000000000"),
        ] {
            assert_eq!(lines.to_string(), told);
            let citation = Citation::of(Target::File { path: "a.rs".to_owned(), lines: Some(lines) });
            let kept = serde_json::to_string(&citation).unwrap();
            assert_eq!(serde_json::from_str::<Citation>(&kept).unwrap(), citation, "{kept}");
        }
        assert_eq!((Lines::written(7, 10_u128.pow(20)).first, Lines::written(7, 10_u128.pow(20)).last), (7, u32::MAX));
    }
}
