//! What becomes of the findings of a round by the judge's classification and by what was found of the evidence.
//!
//! - A P2 or P3 whose listed evidence is false is invalid, and no model is asked.
//! - A P1 whose evidence is false, or any finding whose places in prose are false, needs evidence.
//! - A P1 is invalid only if the judge gives evidence that verifies.
//! - Evidence of the judge that verifies settles all of these.

use std::collections::{BTreeMap, BTreeSet};

use super::critique::Severity;
use super::findings::{Finding, Missing, Raised, Same, recorded};
use super::judgement::{Ids, Judgement, Ruling, RulingKind, judgement};
use super::weighing::{Weight, evidence_of, evidence_of_ruling};
use crate::debate::Debate;
use crate::report::text::one_line;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruled {
    pub finding: Finding,
    /// Its place in the round's list, from 0.
    pub index: usize,
    pub kind: RulingKind,
    pub severity: Severity,
    pub reason: String,
    /// Whether the engine ruled on it, because its evidence is false.
    pub by_engine: bool,
    /// Whether critic or judge would call it a P1 if it were shown.
    pub would_be_p1: bool,
    /// Whether its suggestion says exactly what to write instead.
    pub concrete: bool,
    /// Whether evidence of the judge verifies the ruling.
    pub shown: bool,
    pub false_evidence: Vec<String>,
    /// The earliest finding that says the same, if it isn't this one.
    pub same_as: Option<String>,
    /// Whether another finding of this round stands for it.
    pub merged: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeighedMissing {
    pub missing: Missing,
    pub by_judge: bool,
    /// Whether it counts as a P2; none where no judge weighed it.
    pub important: Option<bool>,
    /// The earliest missing item that says the same, if it isn't this one.
    pub same_as: Option<String>,
}

/// What the engine alone says of a finding.
pub(super) enum ByEngine {
    /// It is invalid for this reason.
    Struck(String),
    /// It needs evidence for this reason, unless the judge gives some.
    Doubted(String),
    Open,
}

/// What false evidence does to a finding, by its place in the round's list, from 0.
pub(super) fn by_engine(debate: &Debate, round: u32, index: usize, finding: &Finding) -> ByEngine {
    let found = evidence_of(debate, round, index);
    let wrong = found.iter().find(|checked| checked.result.is_false());
    let Some(wrong) = wrong.filter(|_| Weight::of(&found) == Weight::False) else { return ByEngine::Open };
    let reason = format!("its evidence is false: {wrong}");
    if finding.severity == Severity::P1 || finding.from_prose { ByEngine::Doubted(reason) } else { ByEngine::Struck(reason) }
}

/// The findings that the judge is asked about, each with its place in the round's list.
pub(super) fn open_to_the_judge(debate: &Debate, round: u32) -> Vec<(usize, Finding)> {
    let found = recorded(debate, round).cloned().unwrap_or_default().findings.into_iter().enumerate();
    found.filter(|(index, finding)| !matches!(by_engine(debate, round, *index, finding), ByEngine::Struck(_))).collect()
}

/// What a round raised, and what was ruled on it.
#[derive(Clone, Debug, Default)]
pub(super) struct Judged {
    pub(super) findings: Vec<Finding>,
    /// What was ruled on them, in their order; none before the round was judged.
    pub(super) ruled: Option<Vec<Ruled>>,
    pub(super) missing: Vec<WeighedMissing>,
}

/// What the rounds up to this one raised, one after the other: what is the same as something earlier has to be known
/// before it.
pub(super) fn judged_up_to(debate: &Debate, last: u32) -> Vec<Judged> {
    let mut same = Same::default();
    let mut missing_so_far = 0;
    let judged = (1..=last).map(|round| {
        let Raised { findings, mut missing } = recorded(debate, round).cloned().unwrap_or_default();
        let by_critic = missing.len();
        let judgement = judgement(debate, round);
        let added = judgement.map_or(&[][..], |judgement| &judgement.added);
        missing.extend(added.iter().zip(missing_so_far + by_critic + 1..).map(|(added, number)| Missing {
            id: format!("M{number}"),
            title: added.title.clone(),
            explanation: added.explanation.clone(),
        }));
        missing_so_far += missing.len();
        if let Some(judgement) = judgement {
            let rulings = judgement.rulings.iter().map(|ruling| (ruling.id.as_str(), ruling.same_as.as_deref()));
            let weighed = judgement.missing.iter().map(|ruling| (ruling.id.as_str(), ruling.same_as.as_deref()));
            let added = missing[by_critic..].iter().zip(added).map(|(it, added)| (it.id.as_str(), added.same_as.as_deref()));
            rulings.chain(weighed).chain(added).for_each(|(id, same_as)| same.join(id, same_as));
        }
        let ruled = judgement.map(|judgement| rulings(debate, round, judgement, &same, &findings));
        let missing = missing.into_iter().enumerate().map(|(at, missing)| WeighedMissing {
            by_judge: at >= by_critic,
            important: judgement.map(|judged| match at.checked_sub(by_critic) {
                Some(added) => judged.added.get(added).is_some_and(|added| added.important),
                None => judged.missing.iter().any(|ruling| ruling.id == missing.id && ruling.important),
            }),
            same_as: Some(same.first(&missing.id).to_owned()).filter(|first| *first != missing.id),
            missing,
        });
        Judged { missing: missing.collect(), findings, ruled }
    });
    judged.collect()
}

pub(super) fn judged(debate: &Debate, round: u32) -> Judged {
    judged_up_to(debate, round).pop().unwrap_or_default()
}

/// What was ruled on the findings of a round, in the order of the list; none before it was judged.
pub(super) fn ruled(debate: &Debate, round: u32) -> Option<Vec<Ruled>> {
    judged(debate, round).ruled
}

pub(super) fn ids(debate: &Debate, round: u32) -> Ids {
    let earlier = judged_up_to(debate, round - 1).into_iter().flat_map(|judged| {
        let findings = judged.findings.into_iter().map(|finding| finding.id);
        findings.chain(judged.missing.into_iter().map(|it| it.missing.id)).collect::<Vec<_>>()
    });
    Ids {
        findings: open_to_the_judge(debate, round).into_iter().map(|(_, finding)| finding.id).collect(),
        missing: recorded(debate, round)
            .cloned()
            .unwrap_or_default()
            .missing
            .into_iter()
            .map(|missing| missing.id)
            .collect(),
        earlier: earlier.collect(),
    }
}

fn rulings(debate: &Debate, round: u32, judgement: &Judgement, same: &Same, findings: &[Finding]) -> Vec<Ruled> {
    let by_id: BTreeMap<&str, usize> = judgement.rulings.iter().zip(0..).map(|(it, at)| (it.id.as_str(), at)).collect();
    let ruled = findings.iter().enumerate().filter_map(|(index, finding)| {
        let ruling = by_id.get(finding.id.as_str()).map(|at| (*at, &judgement.rulings[*at]));
        rule(debate, round, ruling, same, index, finding)
    });
    let mut ruled: Vec<Ruled> = ruled.collect();
    merge(&mut ruled);
    ruled
}

fn rule(
    debate: &Debate,
    round: u32,
    ruling: Option<(usize, &Ruling)>,
    same: &Same,
    index: usize,
    finding: &Finding,
) -> Option<Ruled> {
    let found = evidence_of(debate, round, index);
    let false_evidence = found.iter().filter(|it| it.result.is_false()).map(ToString::to_string).collect();
    let mut ruled = Ruled {
        index,
        kind: RulingKind::Invalid,
        severity: finding.severity,
        reason: String::new(),
        by_engine: true,
        would_be_p1: false,
        concrete: false,
        shown: false,
        false_evidence,
        same_as: Some(same.first(&finding.id).to_owned()).filter(|first| *first != finding.id),
        merged: false,
        finding: finding.clone(),
    };
    let by_engine = by_engine(debate, round, index, &ruled.finding);
    if let ByEngine::Struck(reason) = by_engine {
        return Some(Ruled { reason, ..ruled });
    }
    let (at, ruling) = ruling?;
    ruled.shown = Weight::of(&evidence_of_ruling(debate, round, at)).verifies();
    ruled.concrete = ruling.concrete;
    ruled.would_be_p1 = ruled.finding.severity == Severity::P1 || ruling.severity == Severity::P1;
    let reason = one_line(&ruling.reason);
    (ruled.kind, ruled.reason, ruled.by_engine) = match (by_engine, ruling.ruling) {
        (_, kind) if ruled.shown => (kind, reason, false),
        (ByEngine::Doubted(reason), _) => (RulingKind::NeedsEvidence, reason, true),
        (_, RulingKind::Invalid) if ruled.finding.severity == Severity::P1 => {
            (RulingKind::NeedsEvidence, format!("called invalid without evidence that verifies: {reason}"), true)
        }
        (_, kind) => (kind, reason, false),
    };
    // What is not shown is never a P1.
    let most = if ruled.kind == RulingKind::NeedsEvidence { Severity::P2 } else { Severity::P1 };
    ruled.severity = ruling.severity.max(most);
    Some(ruled)
}

/// Of several findings that are the same, the first stands for all, with the gravest of what was ruled on them.
fn merge(ruled: &mut [Ruled]) {
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    for at in 0..ruled.len() {
        let of = ruled[at].same_as.clone().unwrap_or_else(|| ruled[at].finding.id.clone());
        let Some(standing) = first.get(&of).copied() else {
            first.insert(of, at);
            continue;
        };
        let other = ruled[at].clone();
        ruled[at].merged = true;
        let standing = &mut ruled[standing];
        standing.would_be_p1 |= other.would_be_p1;
        if (other.kind, other.severity) < (standing.kind, standing.severity) {
            standing.kind = other.kind;
            standing.severity = other.severity;
            standing.reason = other.reason;
            standing.shown = other.shown;
            standing.by_engine = other.by_engine;
        }
        standing.concrete |= other.concrete && other.kind == standing.kind;
    }
}

/// Whether a round raises something that no earlier round had. With `weighty` only a P1 or P2 counts, by the critic's
/// severity; something missing that the judge calls important counts as a P2.
pub(super) fn raises_something_new(debate: &Debate, round: u32, weighty: bool) -> bool {
    let mut all = judged_up_to(debate, round);
    let now = all.pop().unwrap_or_default();
    let findings = all.iter().flat_map(|judged| &judged.findings).map(|finding| &finding.id);
    let missing = all.iter().flat_map(|judged| &judged.missing).map(|it| &it.missing.id);
    let earlier: BTreeSet<&String> = findings.chain(missing).collect();
    let is_new = |same_as: &Option<String>| same_as.as_ref().is_none_or(|id| !earlier.contains(id));
    let found = now.ruled.unwrap_or_default().into_iter().any(|ruled| {
        let struck = ruled.by_engine && ruled.kind == RulingKind::Invalid;
        !struck && is_new(&ruled.same_as) && (!weighty || ruled.finding.severity != Severity::P3)
    });
    found || now.missing.iter().any(|it| it.important == Some(true) && is_new(&it.same_as))
}
