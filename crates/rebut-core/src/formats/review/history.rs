//! The history of each finding and missing item over the rounds, from raised to settled, in one fold that prompts, documents,
//! state and exit codes read.
//!
//! A ruling of `valid` is kept until something settles it: a later critique with wrong quotes, a judge who changes its mind
//! without evidence, or a call that fails does not. Otherwise a review could pass with the fault still in the code.

use std::collections::BTreeMap;

use super::carrying::Carrying;
use super::findings::{all_rounds, number};
use super::points::ByEngine;
use super::rounds::rounds;
use super::{Finding, Letter, Missing, Point, RoundRecord, RulingKind, Severity, WeighedMissing};
use crate::debate::{Debate, NewVersion};
use crate::evidence::check::Checked;

#[derive(Clone, Debug)]
pub struct History<'a> {
    pub rounds: Vec<RoundRecord<'a>>,
    /// Every finding, in the order of the ids.
    pub findings: Vec<TrackedFinding>,
    /// Everything that critics and judges called missing, in the order of the ids.
    pub missing: Vec<WeighedMissing>,
}

#[derive(Clone, Debug)]
pub struct TrackedFinding {
    /// As it was last raised, with its first id.
    pub finding: Finding,
    /// What was found of its evidence then.
    pub found: Vec<Checked>,
    pub first: RaisedAt,
    pub last: RaisedAt,
    /// How severe it is: by the judge where it was judged, else by the critic.
    pub severity: Severity,
    /// Whether critic or judge would call it a P1 if it were shown.
    pub would_be_p1: bool,
    pub state: FindingState,
    pub reason: String,
    /// The last raising that was ruled valid, until something shows otherwise.
    valid: Option<RaisedAt>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaisedAt {
    pub round: u32,
    /// The place in that round's list, from 0.
    pub index: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingState {
    /// It is valid, and nothing shows that it is settled.
    Open,
    /// It may be so, and nothing shows it.
    NeedsEvidence,
    Unjudged,
    /// The judge called it invalid.
    Invalid,
    FalseEvidence,
    /// The artifact was rewritten for it, and a later critique no longer raised it or the cited code is gone.
    Addressed {
        /// Whether it was critiqued again.
        again: bool,
    },
    /// It is valid for what was given, and the new version is shown not to have it: the cited code is gone, or evidence
    /// of the judge says so.
    Fixed,
    /// A rebuttal answered it, and the critic did not raise it again.
    Dropped,
}

impl FindingState {
    /// Whether it is unresolved at the end.
    pub fn remains(self) -> bool {
        matches!(self, Self::Open | Self::NeedsEvidence | Self::Unjudged)
    }

    pub fn is_valid(self) -> bool {
        self == Self::Open || self.is_settled_by_revision()
    }

    /// Whether only the new version is without it: until that is taken over, what was given still has it.
    pub fn is_settled_by_revision(self) -> bool {
        matches!(self, Self::Addressed { .. } | Self::Fixed)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::NeedsEvidence => "needs evidence",
            Self::Unjudged => "not judged",
            Self::Invalid => "invalid",
            Self::FalseEvidence => "invalid: its evidence is false",
            Self::Addressed { again: true } => "addressed, and not raised again",
            Self::Addressed { again: false } => "addressed, and not critiqued again",
            Self::Fixed => "fixed in the new version",
            Self::Dropped => "answered, and not raised again",
        }
    }
}

impl<'a> History<'a> {
    pub fn of(debate: &'a Debate) -> Self {
        let rounds = rounds(debate);
        let (findings, missing) = (track_findings(debate, &rounds), track_missing(&rounds));
        Self { rounds, findings, missing }
    }

    pub(super) fn raised(&self, at: RaisedAt) -> Option<&Point> {
        raised_at(&self.rounds, at)
    }

    /// How many points are open: findings, and what is missing and important.
    pub(super) fn open_points(&self) -> usize {
        let findings = self.findings.iter().filter(|tracked| tracked.state.remains()).count();
        findings + self.missing.iter().filter(|missing| missing.remains()).count()
    }

    /// How many valid findings of this severity or a graver one remain; what is missing and important counts as a P2.
    pub fn remaining(&self, least: Severity, version: NewVersion) -> usize {
        // What is only proposed is not yet done.
        let proposed = version == NewVersion::Proposed;
        let stays = |state: FindingState| state == FindingState::Open || (proposed && state.is_settled_by_revision());
        let found = self.findings.iter().filter(|tracked| tracked.severity <= least && stays(tracked.state)).count();
        let missing = self.missing.iter().filter(|it| Severity::P2 <= least && it.important == Some(true));
        found + missing.filter(|missing| proposed || !missing.addressed).count()
    }

    /// How many findings would be of this severity or a graver one, and still need evidence.
    pub fn unproven(&self, least: Severity) -> usize {
        let severity = |tracked: &TrackedFinding| if tracked.would_be_p1 { Severity::P1 } else { tracked.severity };
        self.findings.iter().filter(|it| it.state == FindingState::NeedsEvidence && severity(it) <= least).count()
    }
}

fn raised_at<'a>(rounds: &'a [RoundRecord<'_>], at: RaisedAt) -> Option<&'a Point> {
    rounds.iter().find(|record| record.round == at.round)?.findings.get(at.index)
}

fn track_findings(debate: &Debate, rounds: &[RoundRecord<'_>]) -> Vec<TrackedFinding> {
    let mut all: BTreeMap<u32, TrackedFinding> = BTreeMap::new();
    for record in rounds {
        for (index, point) in record.findings.iter().enumerate().filter(|(_, point)| !point.merged) {
            let raised = TrackedFinding::raised_first(point, RaisedAt { round: record.round, index });
            let shown = point.ruled.as_ref().is_some_and(|ruled| ruled.shown);
            let number = number(&point.first);
            let tracked = match all.remove(&number) {
                Some(known) => known.raised_again(raised, shown, rounds),
                None => raised,
            };
            all.insert(number, tracked);
        }
    }
    let mut carryings: BTreeMap<u32, Carrying> = BTreeMap::new();
    let end = all_rounds(debate).end() + 1;
    for tracked in all.values_mut() {
        tracked.state = tracked.after_last_round(rounds);
        let is_unread = matches!(tracked.state, FindingState::Open | FindingState::Addressed { again: false });
        let Some(at) = tracked.valid.filter(|_| is_unread) else { continue };
        let carrying = carryings.entry(at.round).or_insert_with(|| Carrying::between(debate, at.round, end));
        let is_lost = raised_at(rounds, at).is_some_and(|point| carrying.has_lost(&point.found));
        tracked.state = match (tracked.state, is_lost) {
            (FindingState::Open, true) => FindingState::Fixed,
            // A rewrite alone, without another critique, settles nothing.
            (_, false) => FindingState::Open,
            (state, true) => state,
        };
    }
    all.into_values().collect()
}

impl TrackedFinding {
    /// As one round raised it and ruled on it. False evidence is false whether or not a judge was heard.
    fn raised_first(point: &Point, at: RaisedAt) -> Self {
        let (state, reason) = match (&point.ruled, point.by_engine()) {
            (Some(ruled), _) => {
                let state = match ruled.kind {
                    RulingKind::Valid => FindingState::Open,
                    RulingKind::NeedsEvidence => FindingState::NeedsEvidence,
                    RulingKind::Invalid if ruled.by_engine => FindingState::FalseEvidence,
                    RulingKind::Invalid => FindingState::Invalid,
                };
                (state, ruled.reason.clone())
            }
            (None, ByEngine::Struck(reason)) => (FindingState::FalseEvidence, reason),
            (None, ByEngine::Doubted(reason)) => (FindingState::NeedsEvidence, reason),
            (None, ByEngine::Open) => (FindingState::Unjudged, String::new()),
        };
        let claimed = point.finding.severity;
        let weight = point.ruled.as_ref().map(|ruled| (ruled.severity, ruled.would_be_p1));
        let (severity, would_be_p1) = weight.unwrap_or((claimed, claimed == Severity::P1));
        Self {
            finding: Finding { id: point.first.clone(), ..point.finding.clone() },
            found: point.found.clone(),
            first: at,
            last: at,
            severity,
            would_be_p1,
            valid: (state == FindingState::Open).then_some(at),
            state,
            reason,
        }
    }

    /// What a round that raises it again makes of it. What was valid stays so at its severity, unless evidence of the judge
    /// shows otherwise; and what a revision has changed is as grave as before in what was given.
    fn raised_again(self, raised: Self, shown: bool, rounds: &[RoundRecord<'_>]) -> Self {
        let raised = Self { first: self.first, ..raised };
        let is_valid = raised.state == FindingState::Open;
        let Some(valid) = self.valid.filter(|_| !is_valid || raised.severity > self.severity) else { return raised };
        let between = valid.round..raised.last.round;
        let revised = rounds.iter().any(|record| between.contains(&record.round) && record.revision.is_some());
        match raised.state {
            FindingState::Invalid if shown && revised => {
                Self { state: FindingState::Fixed, severity: self.severity, valid: Some(valid), ..raised }
            }
            FindingState::Invalid | FindingState::Open if shown && !revised => raised,
            _ => {
                let state = if is_valid { FindingState::Open } else { self.state };
                let valid = raised.valid.or(Some(valid));
                Self { severity: self.severity, state, reason: self.reason, valid, ..raised }
            }
        }
    }

    /// What the rounds after its last one made of it.
    fn after_last_round(&self, rounds: &[RoundRecord<'_>]) -> FindingState {
        let Some(last) = rounds.iter().find(|record| record.round == self.last.round) else { return self.state };
        let again = rounds.iter().any(|record| record.round > last.round && !record.critiques.is_empty());
        let is_valid = raised_at(rounds, self.last).is_some_and(|point| point.is_ruled(RulingKind::Valid));
        match (self.state, last.choice) {
            (FindingState::Open, Some((Letter::B | Letter::C, _))) if last.revision.is_some() && is_valid => {
                FindingState::Addressed { again }
            }
            // What the judge has called valid stays so, whatever is said of it, until something is done about it.
            (FindingState::NeedsEvidence, Some((Letter::D, _))) if again => FindingState::Dropped,
            (state, _) => state,
        }
    }
}

/// Everything missing as it was last named, with its first id.
fn track_missing(rounds: &[RoundRecord<'_>]) -> Vec<WeighedMissing> {
    let mut all: BTreeMap<u32, WeighedMissing> = BTreeMap::new();
    for record in rounds {
        for named in &record.missing {
            let known = all.get(&number(&named.first)).and_then(|known| known.important);
            let missing = Missing { id: named.first.clone(), ..named.missing.clone() };
            let (important, addressed) = (named.important.or(known), record.revision.is_some());
            all.insert(number(&named.first), WeighedMissing { missing, important, addressed, ..named.clone() });
        }
    }
    all.into_values().collect()
}
