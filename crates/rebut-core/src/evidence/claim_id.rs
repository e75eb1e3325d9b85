//! The id of a claim: `P1.3`.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::marks::neutral_line;

/// The stable id of a claim: speaker, round and place in the list, `P1.3`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClaimId(String);

impl ClaimId {
    /// The id of the `number`th claim, from 1, of a speaker in a round.
    pub fn new(speaker: &str, round: u32, number: u32) -> Self {
        Self(format!("{speaker}{round}.{number}"))
    }

    /// Reads an id as it is written: letters, a round, a dot and a number.
    pub fn read(text: &str) -> Option<Self> {
        let digits = text.find(|c: char| c.is_ascii_digit())?;
        let (speaker, rest) = text.split_at(digits);
        let (round, number) = rest.split_once('.')?;
        let letters = (1..=3).contains(&speaker.len()) && speaker.bytes().all(|b| b.is_ascii_alphabetic());
        let count = |text: &str| text.len() <= 3 && !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        (letters && count(round) && count(number)).then(|| Self(format!("{}{rest}", speaker.to_uppercase())))
    }

    /// The id as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a speaker with this letter made the claim.
    pub fn is_of(&self, letter: &str) -> bool {
        self.0.strip_prefix(letter).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    }

    /// The id for a message, which may be anything that a model wrote in its place.
    pub fn shown(&self) -> String {
        const LONGEST: usize = 24;
        neutral_line(&self.0).chars().filter(|c| !c.is_control()).take(LONGEST).collect()
    }
}

impl fmt::Display for ClaimId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_they_are_written() {
        for (text, id) in [("P1.3", Some("P1.3")), ("c2.10", Some("C2.10")), ("PA1.1", Some("PA1.1"))] {
            assert_eq!(ClaimId::read(text).map(|id| id.to_string()).as_deref(), id, "{text}");
        }
        for text in ["1.3", "P1", "P.3", "v1.2.3", "P1.2a", ""] {
            assert_eq!(ClaimId::read(text), None, "{text}");
        }
    }
}
