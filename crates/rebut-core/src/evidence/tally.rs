//! Counts of listed evidence, each entry once.

use std::fmt;
use std::ops::Add;

use serde::{Deserialize, Serialize};

use crate::evidence::check::{CheckResult, Checked};

/// How much evidence was listed, and what the checks found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub listed: usize,
    /// Those that hold, be it at other lines.
    pub verified: usize,
    /// Those that were looked up and are false.
    #[serde(rename = "false")]
    pub false_: usize,
    /// Those that could not be looked up.
    pub unchecked: usize,
}

impl Tally {
    /// The counts of `listed` pieces of evidence, of which these were checked.
    pub fn of<'a>(listed: usize, checked: impl IntoIterator<Item = &'a Checked>) -> Self {
        let mut tally = Self { listed, ..Self::default() };
        for Checked { result, .. } in checked {
            match result {
                CheckResult::Verified | CheckResult::Relocated => tally.verified += 1,
                result if result.is_false() => tally.false_ += 1,
                _ => {}
            }
        }
        tally.unchecked = listed.saturating_sub(tally.verified + tally.false_);
        tally
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            listed: self.listed + other.listed,
            verified: self.verified + other.verified,
            false_: self.false_ + other.false_,
            unchecked: self.unchecked + other.unchecked,
        }
    }
}

impl fmt::Display for Tally {
    /// `9 of 11 citations verified, 2 false`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { listed, verified, false_, unchecked } = self;
        if *listed == 0 {
            return f.write_str("no citations");
        }
        let noun = if *listed == 1 { "citation" } else { "citations" };
        write!(f, "{verified} of {listed} {noun} verified")?;
        if *false_ > 0 {
            write!(f, ", {false_} false")?;
        }
        if *unchecked > 0 {
            write!(f, ", {unchecked} unchecked")?;
        }
        Ok(())
    }
}
