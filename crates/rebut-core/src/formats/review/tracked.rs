//! What became of each finding over the rounds.
//!
//! A ruling of `valid` is kept until something settles it: a later critique with wrong quotes, a judge who changes its mind
//! without evidence, or a call that fails does not. Otherwise a review could pass with the fault still in the code.

use std::collections::BTreeMap;

use super::critique::Severity;
use super::ending::Decision;
use super::findings::Finding;
use super::judgement::{Ruled, RulingKind, is_shown};
use super::letter::Letter;
use super::standing::{RoundRecord, decision, rounds};
use super::weighing::{Revised, weighed};
use crate::debate::Debate;

/// A finding over all rounds.
#[derive(Clone, Debug)]
pub struct Tracked {
    /// As it was last raised.
    pub finding: Finding,
    /// The round that raised it first.
    pub first_round: u32,
    /// The round that raised it last.
    pub last_round: u32,
    /// How severe it is: by the judge where it was judged, else by the critic.
    pub severity: Severity,
    /// What became of it.
    pub state: FindingState,
    /// Why it was ruled on as it was.
    pub reason: String,
}

/// What became of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingState {
    /// It is valid, and nothing was done about it.
    Open,
    /// It may be so, and nobody has shown it.
    NeedsEvidence,
    /// It was not judged.
    Unjudged,
    /// A judge called it invalid.
    Invalid,
    /// Its evidence is false.
    FalseEvidence,
    /// The artifact was written anew for it; `again` says whether a later critique did not raise it any more.
    Addressed {
        /// Whether it was critiqued again.
        again: bool,
    },
    /// It is valid for what was given, and the new version is shown not to have it: the cited code is gone, or evidence
    /// of the judge says so.
    Fixed,
    /// A rebuttal answered it, and the critic did not come back to it.
    Dropped,
}

impl FindingState {
    /// Whether it stands at the end.
    pub fn remains(self) -> bool {
        matches!(self, Self::Open | Self::NeedsEvidence | Self::Unjudged)
    }

    /// Whether a judge has called it valid.
    pub fn is_valid(self) -> bool {
        self == Self::Open || self.is_settled_by_revision()
    }

    /// Whether only the new version is without it: until that is taken over, what was given still has it.
    pub fn is_settled_by_revision(self) -> bool {
        matches!(self, Self::Addressed { .. } | Self::Fixed)
    }

    /// The state in words.
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

/// A ruling that a finding is valid.
#[derive(Clone, Copy, Debug)]
struct Valid {
    /// The round of the ruling.
    round: u32,
    /// The finding's place in that round's list, from 0.
    place: usize,
}

/// Every finding with what became of it, in the order of their ids.
pub fn tracked(debate: &Debate) -> Vec<Tracked> {
    let mut all: BTreeMap<u32, (Tracked, Option<Valid>)> = BTreeMap::new();
    let rounds = rounds(debate);
    for record in &rounds {
        for (place, finding) in record.findings.iter().enumerate() {
            let raised = raised(debate, record, place, finding);
            let number = finding.id.trim_start_matches('F').parse().unwrap_or(u32::MAX);
            let known = all.remove(&number);
            all.insert(number, followed(debate, &rounds, known, raised, place));
        }
    }
    let kept = decision(debate) == Some(Decision::KeepOriginal);
    let mut revised: BTreeMap<u32, Revised> = BTreeMap::new();
    let last = |(mut tracked, valid): (Tracked, Option<Valid>)| {
        tracked.state = afterwards(&tracked, &rounds);
        if tracked.state == FindingState::Open
            && let Some(Valid { round, place }) = valid
            && revised.entry(round).or_insert_with(|| Revised::since(debate, round)).has_lost(debate, place)
        {
            tracked.state = FindingState::Fixed;
        }
        // Journals of before A kept the version under review: what was written for it was not taken.
        if kept && tracked.state.is_settled_by_revision() {
            tracked.state = FindingState::Open;
        }
        tracked
    };
    all.into_values().map(last).collect()
}

/// A finding as one round raised it and ruled on it.
fn raised(debate: &Debate, record: &RoundRecord<'_>, place: usize, finding: &Finding) -> Tracked {
    let ruled = ruled_at(record, place);
    let (state, severity, reason) = match ruled {
        // What the engine found false is so whether or not a judge came to speak.
        None => match weighed(debate, record.round, place, finding).falls_with() {
            Some(checked) => (FindingState::FalseEvidence, finding.severity, format!("its evidence is false: {checked}")),
            None => (FindingState::Unjudged, finding.severity, String::new()),
        },
        Some(ruled) => (ruled_state(ruled), ruled.severity, ruled.reason.clone()),
    };
    let (first_round, last_round) = (record.round, record.round);
    Tracked { finding: finding.clone(), first_round, last_round, severity, state, reason }
}

/// What was ruled on the finding at a place of a round's list.
fn ruled_at<'a>(record: &'a RoundRecord<'_>, place: usize) -> Option<&'a Ruled> {
    let ruled = record.ruled.as_deref().unwrap_or_default();
    ruled.binary_search_by_key(&place, |ruled| ruled.place).ok().map(|at| &ruled[at])
}

fn ruled_state(ruled: &Ruled) -> FindingState {
    match ruled.kind {
        RulingKind::Valid => FindingState::Open,
        RulingKind::NeedsEvidence => FindingState::NeedsEvidence,
        RulingKind::Invalid if ruled.by_engine => FindingState::FalseEvidence,
        RulingKind::Invalid => FindingState::Invalid,
    }
}

/// What a round that raises a finding again makes of what was known of it. What was valid stays so at its severity, unless
/// the judge shows otherwise; and what a revision has changed is as grave as before in what was given.
fn followed(
    debate: &Debate,
    rounds: &[RoundRecord<'_>],
    known: Option<(Tracked, Option<Valid>)>,
    raised: Tracked,
    place: usize,
) -> (Tracked, Option<Valid>) {
    let is_valid = raised.state == FindingState::Open;
    let now = is_valid.then_some(Valid { round: raised.last_round, place });
    let Some((known, valid)) = known else { return (raised, now) };
    let raised = Tracked { first_round: known.first_round, ..raised };
    let Some(valid) = valid.filter(|_| !is_valid || raised.severity > known.severity) else { return (raised, now) };
    let shown = is_shown(debate, raised.last_round, &raised.finding.id);
    let revised =
        rounds.iter().any(|record| (valid.round..raised.last_round).contains(&record.round) && record.revision.is_some());
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
    let Some(last) = rounds.iter().find(|record| record.round == tracked.last_round) else { return tracked.state };
    let again = rounds.iter().any(|record| record.round > last.round && !record.critiques.is_empty());
    let place = last.findings.iter().position(|finding| finding.id == tracked.finding.id);
    let ruled = place.and_then(|place| ruled_at(last, place));
    let written_for = last.revision.is_some() && ruled.is_some_and(|ruled| ruled.kind == RulingKind::Valid);
    match (tracked.state, last.choice) {
        (FindingState::Open, Some((Letter::B | Letter::C, _))) if written_for => FindingState::Addressed { again },
        // What a judge has called valid stays so, whatever is said of it, until something is done about it.
        (FindingState::NeedsEvidence, Some((Letter::D, _))) if again => FindingState::Dropped,
        (state, _) => state,
    }
}
