//! How many citations there are of each result, and the line that tells it.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::check::{CheckResult, Checked};

/// How many citations were checked, and what was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    counts: BTreeMap<&'static str, usize>,
}

impl Tally {
    /// The counts of these.
    pub fn of<'a>(checked: impl IntoIterator<Item = &'a Checked>) -> Self {
        let mut tally = Self::default();
        for checked in checked {
            *tally.counts.entry(checked.result.as_str()).or_insert(0) += 1;
        }
        tally
    }

    /// The same with this many more that could not be checked: evidence that is not of a kind that can be looked up.
    #[must_use]
    pub fn with_others(mut self, count: usize) -> Self {
        if count > 0 {
            *self.counts.entry(CheckResult::Unchecked.as_str()).or_insert(0) += count;
        }
        self
    }

    /// How many have this result.
    pub fn count(&self, result: CheckResult) -> usize {
        self.counts.get(result.as_str()).copied().unwrap_or(0)
    }

    /// How many there are that could be checked.
    pub fn checked(&self) -> usize {
        self.counts.values().sum::<usize>() - self.count(CheckResult::Unchecked)
    }

    /// How many failed their check: they are false, or lie where nobody may look.
    pub fn failed(&self) -> usize {
        CheckResult::ALL.iter().filter(|result| result.fails()).map(|result| self.count(*result)).sum()
    }
}

impl fmt::Display for Tally {
    /// `12 citations checked, 9 verified, 2 failed, 1 relocated`: the first three always, the others where there are any.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let checked = self.checked();
        let noun = if checked == 1 { "citation" } else { "citations" };
        write!(f, "{checked} {noun} checked, {} verified, {} failed", self.count(CheckResult::Verified), self.failed())?;
        let others = [CheckResult::Relocated, CheckResult::Ambiguous, CheckResult::ChangedSince];
        for result in others.into_iter().filter(|result| self.count(*result) > 0) {
            write!(f, ", {} {}", self.count(result), result.as_str().replace('_', " "))?;
        }
        match self.count(CheckResult::Unchecked) {
            0 => Ok(()),
            count => write!(f, "; {count} could not be checked"),
        }
    }
}
