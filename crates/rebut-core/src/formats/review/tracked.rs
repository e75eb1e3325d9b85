//! What became of each finding, and of all that is missing, over the rounds.
//!
//! A ruling of `valid` is kept until something settles it: a later critique with wrong quotes, a judge who changes its mind
//! without evidence, or a call that fails does not. Otherwise a review could pass with the fault still in the code.

use std::collections::BTreeMap;

use super::carrying::Carrying;
use super::critique::Severity;
use super::findings::{Finding, Missing, all_rounds, number};
use super::judgement::RulingKind;
use super::letter::Letter;
use super::rounds::{RoundRecord, rounds};
use super::ruled::{ByEngine, Ruled, WeighedMissing, by_engine};
use super::weighing::evidence_of;
use crate::debate::Debate;

/// A finding over all rounds.
#[derive(Clone, Debug)]
pub struct Tracked {
    /// As it was last raised, with its first id.
    pub finding: Finding,
    pub first: Raising,
    pub last: Raising,
    /// How severe it is: by the judge where it was judged, else by the critic.
    pub severity: Severity,
    /// Whether critic or judge would call it a P1 if it were shown.
    pub would_be_p1: bool,
    pub state: FindingState,
    pub reason: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raising {
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

/// Every finding with what became of it, in the order of their ids.
pub fn tracked(debate: &Debate) -> Vec<Tracked> {
    // Each with the ruling that called it valid.
    let mut all: BTreeMap<u32, (Tracked, Option<Raising>)> = BTreeMap::new();
    let rounds = rounds(debate);
    for record in &rounds {
        for (index, finding) in record.findings.iter().enumerate() {
            let ruled = ruled_at(record, index);
            if ruled.is_some_and(|ruled| ruled.merged) {
                continue;
            }
            let (raised, shown) = raised(debate, record.round, index, finding, ruled);
            let number = number(&raised.finding.id);
            let known = all.remove(&number);
            all.insert(number, followed(&rounds, known, raised, shown));
        }
    }
    let mut carryings: BTreeMap<u32, Carrying> = BTreeMap::new();
    let end = all_rounds(debate).end() + 1;
    let last = |(mut tracked, valid): (Tracked, Option<Raising>)| {
        tracked.state = afterwards(&tracked, &rounds);
        let is_unread = matches!(tracked.state, FindingState::Open | FindingState::Addressed { again: false });
        if let Some(Raising { round, index }) = valid.filter(|_| is_unread) {
            let carrying = carryings.entry(round).or_insert_with(|| Carrying::between(debate, round, end));
            tracked.state = match (tracked.state, carrying.has_lost(&evidence_of(debate, round, index))) {
                (FindingState::Open, true) => FindingState::Fixed,
                // A rewrite that no one critiqued settles nothing by itself.
                (_, false) => FindingState::Open,
                (state, true) => state,
            };
        }
        tracked
    };
    all.into_values().map(last).collect()
}

/// A finding as one round raised it and ruled on it, and whether evidence of the judge verifies the ruling.
fn raised(debate: &Debate, round: u32, index: usize, finding: &Finding, ruled: Option<&Ruled>) -> (Tracked, bool) {
    let at = Raising { round, index };
    let mut tracked = Tracked {
        finding: finding.clone(),
        first: at,
        last: at,
        severity: finding.severity,
        would_be_p1: finding.severity == Severity::P1,
        state: FindingState::Unjudged,
        reason: String::new(),
    };
    if let Some(ruled) = ruled {
        tracked.state = match ruled.kind {
            RulingKind::Valid => FindingState::Open,
            RulingKind::NeedsEvidence => FindingState::NeedsEvidence,
            RulingKind::Invalid if ruled.by_engine => FindingState::FalseEvidence,
            RulingKind::Invalid => FindingState::Invalid,
        };
        (tracked.severity, tracked.would_be_p1) = (ruled.severity, ruled.would_be_p1);
        ruled.reason.clone_into(&mut tracked.reason);
        tracked.finding.id = ruled.same_as.clone().unwrap_or(tracked.finding.id);
        return (tracked, ruled.shown);
    }
    // False evidence is false whether or not a judge was heard.
    match by_engine(debate, round, index, finding) {
        ByEngine::Struck(reason) => (tracked.state, tracked.reason) = (FindingState::FalseEvidence, reason),
        ByEngine::Doubted(reason) => (tracked.state, tracked.reason) = (FindingState::NeedsEvidence, reason),
        ByEngine::Open => {}
    }
    (tracked, false)
}

/// What was ruled on the finding at a place of a round's list.
fn ruled_at<'a>(record: &'a RoundRecord<'_>, index: usize) -> Option<&'a Ruled> {
    let ruled = record.ruled.as_deref().unwrap_or_default();
    ruled.binary_search_by_key(&index, |ruled| ruled.index).ok().map(|at| &ruled[at])
}

/// What a round that raises a finding again makes of what was known of it. What was valid stays so at its severity, unless
/// evidence of the judge shows otherwise; and what a revision has changed is as grave as before in what was given.
fn followed(
    rounds: &[RoundRecord<'_>],
    known: Option<(Tracked, Option<Raising>)>,
    raised: Tracked,
    shown: bool,
) -> (Tracked, Option<Raising>) {
    let is_valid = raised.state == FindingState::Open;
    let now = is_valid.then_some(raised.last);
    let Some((known, valid)) = known else { return (raised, now) };
    let raised = Tracked { first: known.first, ..raised };
    let Some(valid) = valid.filter(|_| !is_valid || raised.severity > known.severity) else { return (raised, now) };
    let between = valid.round..raised.last.round;
    let revised = rounds.iter().any(|record| between.contains(&record.round) && record.revision.is_some());
    match raised.state {
        FindingState::Invalid if shown && revised => {
            (Tracked { state: FindingState::Fixed, severity: known.severity, ..raised }, Some(valid))
        }
        FindingState::Invalid | FindingState::Open if shown && !revised => (raised, now),
        _ => {
            let Tracked { severity, reason, state, .. } = known;
            let state = if is_valid { FindingState::Open } else { state };
            (Tracked { severity, state, reason, ..raised }, now.or(Some(valid)))
        }
    }
}

/// What the rounds after a finding's last one made of it.
fn afterwards(tracked: &Tracked, rounds: &[RoundRecord<'_>]) -> FindingState {
    let Some(last) = rounds.iter().find(|record| record.round == tracked.last.round) else { return tracked.state };
    let again = rounds.iter().any(|record| record.round > last.round && !record.critiques.is_empty());
    let is_valid = ruled_at(last, tracked.last.index).is_some_and(|ruled| ruled.kind == RulingKind::Valid);
    match (tracked.state, last.choice) {
        (FindingState::Open, Some((Letter::B | Letter::C, _))) if last.revision.is_some() && is_valid => {
            FindingState::Addressed { again }
        }
        // What the judge has called valid stays so, whatever is said of it, until something is done about it.
        (FindingState::NeedsEvidence, Some((Letter::D, _))) if again => FindingState::Dropped,
        (state, _) => state,
    }
}

/// Something missing over all rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackedMissing {
    /// As it was last named, with its first id.
    pub missing: Missing,
    pub by_judge: bool,
    /// Whether it counts as a P2; none where no judge weighed it.
    pub important: Option<bool>,
    /// Whether the artifact was rewritten after it was last named.
    pub addressed: bool,
}

impl TrackedMissing {
    /// Whether it counts as a P2 that is open.
    pub fn remains(&self) -> bool {
        self.important == Some(true) && !self.addressed
    }

    pub fn state(&self) -> &'static str {
        match (self.important, self.addressed) {
            (Some(true), true) => "addressed",
            (Some(true), false) => "open",
            (Some(false), _) => "not important",
            (None, _) => "not weighed",
        }
    }
}

/// Everything that critics and judges called missing, in the order of their ids. What is important is open, as a valid
/// finding is, until the artifact was rewritten for it.
pub fn tracked_missing(debate: &Debate) -> Vec<TrackedMissing> {
    let mut all: BTreeMap<u32, TrackedMissing> = BTreeMap::new();
    for record in rounds(debate) {
        for WeighedMissing { mut missing, by_judge, important, same_as } in record.missing {
            missing.id = same_as.unwrap_or(missing.id);
            let known = all.get(&number(&missing.id)).and_then(|known| known.important);
            let addressed = record.revision.is_some();
            let tracked = TrackedMissing { missing, by_judge, important: important.or(known), addressed };
            all.insert(number(&tracked.missing.id), tracked);
        }
    }
    all.into_values().collect()
}

/// How many points are open: findings, and what is missing and important.
pub(super) fn open_points(debate: &Debate) -> usize {
    let findings = tracked(debate).iter().filter(|tracked| tracked.state.remains()).count();
    findings + tracked_missing(debate).iter().filter(|missing| missing.remains()).count()
}
