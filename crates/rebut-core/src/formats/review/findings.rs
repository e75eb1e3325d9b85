//! What the critics of a round raised, with the ids by which it is named afterwards: `F3`, `M1`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::points::points_up_to;
use super::rounds::{PartCritique, part_critiques};
use super::{Record, Severity, planned_rounds, record, round_key};
use crate::debate::{Debate, Entry, EntryKind, Payload};
use crate::evidence::{Evidence, or_default};

/// A finding, as its critic wrote it; id and part are given to it when it is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Its id: `F3`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    pub severity: Severity,
    pub title: String,
    /// Why it is wrong and why it matters.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub explanation: String,
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// What to do about it; empty if nothing is suggested.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub suggestion: String,
    /// The part of the artifact that it was raised on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub part: String,
    /// Whether its evidence was found in prose, and not listed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_prose: bool,
}

impl Finding {
    /// Where it is: the first lines of a file among its evidence, else the first file.
    pub fn place(&self) -> Option<&Evidence> {
        let files = || self.evidence.iter().filter(|evidence| evidence.file.is_some());
        files().find(|evidence| evidence.lines.is_some()).or_else(|| files().next())
    }
}

/// Something that the artifact should have and does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// Its id: `M1`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    pub title: String,
    #[serde(default, deserialize_with = "or_default")]
    pub explanation: String,
}

/// What the critics of a round raised, as it is recorded: ids stay, whatever is answered later.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Raised {
    /// The findings, the most severe first.
    pub(super) findings: Vec<Finding>,
    pub(super) missing: Vec<Missing>,
}

/// What was raised in a round; none before it is recorded.
pub(super) fn recorded(debate: &Debate, round: u32) -> Option<&Raised> {
    match record(debate, &round_key(round, "findings"))? {
        Record::Raised(raised) => Some(raised),
        Record::Recommended(_) => None,
    }
}

/// The record of what the critics of a round raised. Nothing is merged here: only the judge says what is the same.
pub(super) fn entry(debate: &Debate, round: u32) -> Entry {
    let mut raised = Raised::default();
    for PartCritique { part, taken, .. } in part_critiques(debate, round) {
        let Some((_, critique)) = taken else { continue };
        raised.findings.extend(critique.findings.iter().map(|it| Finding { part: part.clone(), ..it.clone() }));
        raised.missing.extend(critique.missing.iter().cloned());
    }
    raised.findings.sort_by_key(|finding| finding.severity);
    let earlier = points_up_to(debate, round - 1);
    let known: usize = earlier.iter().map(|points| points.findings.len()).sum();
    for (finding, number) in raised.findings.iter_mut().zip(known + 1..) {
        finding.id = format!("F{number}");
    }
    let known: usize = earlier.iter().map(|points| points.missing.len()).sum();
    for (missing, number) in raised.missing.iter_mut().zip(known + 1..) {
        missing.id = format!("M{number}");
    }
    let text = format!("findings: {}, missing: {}", raised.findings.len(), raised.missing.len());
    Entry { kind: EntryKind::Announcement, text, data: Some(Payload::of(Record::Raised(raised))) }
}

/// Which ids the judges call the same, over all rounds; the earliest represents them.
#[derive(Clone, Debug, Default)]
pub(super) struct Same(BTreeMap<String, String>);

impl Same {
    pub(super) fn join(&mut self, id: &str, same_as: Option<&str>) {
        let Some(other) = same_as else { return };
        let (one, other) = (self.first(id).to_owned(), self.first(other).to_owned());
        match number(&one).cmp(&number(&other)) {
            std::cmp::Ordering::Less => drop(self.0.insert(other, one)),
            std::cmp::Ordering::Greater => drop(self.0.insert(one, other)),
            std::cmp::Ordering::Equal => {}
        }
    }

    pub(super) fn first<'a>(&'a self, id: &'a str) -> &'a str {
        let mut id = id;
        while let Some(earlier) = self.0.get(id) {
            id = earlier;
        }
        id
    }
}

pub(super) fn number(id: &str) -> u32 {
    id.get(1..).and_then(|digits| digits.parse().ok()).unwrap_or(u32::MAX)
}

pub(super) fn all_rounds(debate: &Debate) -> std::ops::RangeInclusive<u32> {
    1..=planned_rounds(debate).max(*super::ROUNDS.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_id_stands_for_all_that_are_the_same() {
        let mut same = Same::default();
        for (id, other) in [("F5", "F2"), ("F7", "F5"), ("F3", "F7"), ("F1", "F1"), ("F2", "F3")] {
            same.join(id, Some(other));
        }
        assert_eq!(["F2", "F3", "F5", "F7", "F1", "F9"].map(|id| same.first(id)), ["F2", "F2", "F2", "F2", "F1", "F9"]);
    }
}
