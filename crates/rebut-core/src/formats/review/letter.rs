//! The recommendation: a letter that follows from how the findings were classified. No model is asked.

use serde::{Deserialize, Serialize};

use super::points::{RoundPoints, points, raises_something_new};
use super::{Point, Record, Ruled, RulingKind, Severity, Version, WeighedMissing};
use crate::debate::{Debate, Entry, EntryKind, Payload};
use crate::named::named;

named! {
    pub enum Letter {
        /// Keep what is under review as it is.
        A = "A",
        /// Accept the critic's version.
        B = "B",
        C = "C",
        /// Answer the critic and go on.
        D = "D",
        E = "E",
    }
}

impl Letter {
    pub fn meaning(self, version: Version) -> String {
        let meaning = match (self, version) {
            (Self::A, Version::Original) => "keep the original",
            (Self::A, Version::CompromiseOf(round)) => return format!("keep the compromise of round {round}"),
            (Self::B, _) => "accept the critic's version",
            (Self::C, _) => "write a compromise and continue",
            (Self::D, _) => "continue with a rebuttal",
            (Self::E, _) => "stop without a decision",
        };
        meaning.to_owned()
    }

    /// What it means in the last round, which nothing follows.
    pub(super) fn meaning_at_last(self, version: Version) -> String {
        match self {
            Self::C => "write a compromise as the result".to_owned(),
            Self::D => "stop with open findings: no round is left for a rebuttal".to_owned(),
            _ => self.meaning(version),
        }
    }

    /// The letter that a text begins with, as the user types it.
    pub fn read(text: &str) -> Option<Self> {
        let first = text.trim();
        Self::ALL.into_iter().find(|letter| first.eq_ignore_ascii_case(letter.as_str()))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Recommended {
    pub(super) letter: Letter,
    /// Whether it is E for want of budget: with more, it is given anew.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) budget_gone: bool,
    pub(super) reason: String,
}

impl Recommended {
    pub(super) fn entry(self) -> Entry {
        let text = format!("{}: {}", self.letter, self.reason);
        Entry { kind: EntryKind::Ruling, text, data: Some(Payload::of(Record::Recommended(self))) }
    }
}

/// Why E is recommended where the budget is gone.
pub(super) const BUDGET_GONE: &str = "the budget is used up";

/// The recommendation for a round that was judged, and its reason: the first that matches.
pub(super) fn recommend(debate: &Debate, round: u32) -> Option<Recommended> {
    let RoundPoints { findings, missing, .. } = &Some(points(debate, round)).filter(|points| points.judged)?;
    let over_time = debate.plan().budget.max_ms.is_some_and(|most| debate.elapsed_ms(debate.last_at()) >= most);
    let budget_gone = over_time || debate.budget_spent().is_some();
    let valid = |severity: Severity| of(findings, RulingKind::Valid).filter(move |(_, it)| it.severity == severity);
    let weighty_invalid = of(findings, RulingKind::Invalid).any(|(point, _)| point.finding.severity != Severity::P3);
    let unproven_p1 = of(findings, RulingKind::NeedsEvidence).find(|(_, ruled)| ruled.would_be_p1);
    let concrete_p1 = valid(Severity::P1).find(|(_, ruled)| ruled.concrete);
    let lacks_something = missing.iter().any(|missing| missing.important == Some(true));
    let has_weighty = valid(Severity::P1).chain(valid(Severity::P2)).next().is_some();
    let (letter, why) = if budget_gone {
        (Letter::E, BUDGET_GONE.to_owned())
    } else if round >= 2 && !raises_something_new(debate, round, false) {
        (Letter::E, "this round raised nothing new".to_owned())
    } else if let Some((unproven, _)) = unproven_p1 {
        (Letter::D, format!("{} is called a P1 but its evidence does not show it", unproven.finding.id))
    } else if let Some((concrete, _)) = concrete_p1.filter(|_| !weighty_invalid) {
        let id = &concrete.finding.id;
        (Letter::B, format!("{id} is a confirmed P1 with a concrete replacement, and no P1 or P2 was rejected"))
    } else if has_weighty {
        return Some(Recommended { letter: Letter::C, budget_gone, reason: counts(findings, missing) });
    } else if lacks_something {
        (Letter::C, "something important is missing".to_owned())
    } else {
        (Letter::A, "no P1 or P2 confirmed".to_owned())
    };
    Some(Recommended { letter, budget_gone, reason: format!("{why}; {}", counts(findings, missing)) })
}

/// How many findings there are of each kind, and of each severity among the confirmed ones.
fn counts(findings: &[Point], missing: &[WeighedMissing]) -> String {
    let valid: Vec<Severity> = of(findings, RulingKind::Valid).map(|(_, ruled)| ruled.severity).collect();
    let by_severity = Severity::ALL.into_iter().filter_map(|severity| {
        let count = valid.iter().filter(|s| **s == severity).count();
        (count > 0).then(|| format!("{count} {}", severity.as_str()))
    });
    let by_severity = by_severity.collect::<Vec<_>>().join(", ");
    let others = [
        (of(findings, RulingKind::Invalid).count(), "rejected"),
        (of(findings, RulingKind::NeedsEvidence).count(), "without proof"),
        (missing.len(), "missing"),
    ];
    let others = others.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    let confirmed = format!("{} confirmed", if by_severity.is_empty() { "none" } else { &by_severity });
    std::iter::once(confirmed).chain(others).collect::<Vec<_>>().join(", ")
}

/// The findings of a kind; what is the same counts once.
fn of(findings: &[Point], kind: RulingKind) -> impl Iterator<Item = (&Point, &Ruled)> {
    let standing = findings.iter().filter(|point| !point.merged);
    standing.filter_map(move |point| Some((point, point.ruled.as_ref().filter(|ruled| ruled.kind == kind)?)))
}
