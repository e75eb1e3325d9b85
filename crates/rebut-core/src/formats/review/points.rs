//! What each round raised, with what was found of it and what was ruled on it: by the judge's classification and by the
//! evidence.
//!
//! - A P2 or P3 whose listed evidence is false is invalid, and no model is asked.
//! - A P1 whose evidence is false, or any finding whose places in prose are false, needs evidence.
//! - A P1 is invalid only if the judge gives evidence that verifies.
//! - Evidence of the judge that verifies settles all of these.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::{Raised, Same, recorded};
use super::judgement::{Ids, judgement};
use super::weighing::{found_by_number, is_false, verifies};
use super::{Finding, Judgement, Missing, Ruling, RulingKind, Severity};
use crate::debate::Debate;
use crate::evidence::check::Checked;
use crate::report::text::one_line;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    pub finding: Finding,
    /// What was found of its evidence.
    pub found: Vec<Checked>,
    /// None before the round was judged.
    pub ruled: Option<Ruled>,
    /// The earliest id of the same finding; its own, unless the judge says otherwise.
    pub first: String,
    /// Whether another finding of this round represents it.
    pub merged: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruled {
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
}

/// Something missing as a round named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeighedMissing {
    pub missing: Missing,
    pub by_judge: bool,
    /// Whether it counts as a P2; none where no judge weighed it.
    pub important: Option<bool>,
    /// The earliest id of the same missing item.
    pub first: String,
    /// Whether the artifact was rewritten after it was named.
    pub addressed: bool,
}

impl WeighedMissing {
    /// Whether it counts as a P2 that is open, as a valid finding is, until the artifact was rewritten for it.
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

/// What false evidence alone makes of a finding.
pub(super) enum ByEngine {
    /// It is invalid for this reason.
    Struck(String),
    /// It needs evidence for this reason, unless the judge gives some.
    Doubted(String),
    Open,
}

impl Point {
    pub(super) fn by_engine(&self) -> ByEngine {
        let wrong = self.found.iter().find(|checked| checked.result.is_false());
        let Some(wrong) = wrong.filter(|_| is_false(&self.found)) else { return ByEngine::Open };
        let reason = format!("its evidence is false: {wrong}");
        let doubted = self.finding.severity == Severity::P1 || self.finding.from_prose;
        if doubted { ByEngine::Doubted(reason) } else { ByEngine::Struck(reason) }
    }

    /// Whether the judge is asked about it.
    pub(super) fn is_open_to_the_judge(&self) -> bool {
        !matches!(self.by_engine(), ByEngine::Struck(_))
    }

    pub(super) fn is_ruled(&self, kind: RulingKind) -> bool {
        self.ruled.as_ref().is_some_and(|ruled| ruled.kind == kind)
    }

    /// The result of the judge's ruling, which the judge's own evidence may verify.
    fn rule(&self, ruling: Option<(&Ruling, bool)>) -> Option<Ruled> {
        let (claimed, by_engine) = (self.finding.severity, self.by_engine());
        if let ByEngine::Struck(reason) = by_engine {
            let (kind, severity) = (RulingKind::Invalid, claimed);
            return Some(Ruled {
                kind,
                severity,
                reason,
                by_engine: true,
                would_be_p1: false,
                concrete: false,
                shown: false,
            });
        }
        let (Ruling { severity, concrete, .. }, shown) = ruling?;
        let reason = one_line(&ruling?.0.reason);
        let (kind, reason, by_engine) = match (by_engine, ruling?.0.ruling) {
            (_, kind) if shown => (kind, reason, false),
            (ByEngine::Doubted(reason), _) => (RulingKind::NeedsEvidence, reason, true),
            (_, RulingKind::Invalid) if claimed == Severity::P1 => {
                (RulingKind::NeedsEvidence, format!("called invalid without evidence that verifies: {reason}"), true)
            }
            (_, kind) => (kind, reason, false),
        };
        // What is not shown is never a P1.
        let most = if kind == RulingKind::NeedsEvidence { Severity::P2 } else { Severity::P1 };
        let would_be_p1 = [claimed, *severity].contains(&Severity::P1);
        Some(Ruled { kind, severity: *severity.max(&most), reason, by_engine, would_be_p1, concrete: *concrete, shown })
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct RoundPoints {
    pub(super) findings: Vec<Point>,
    pub(super) missing: Vec<WeighedMissing>,
    pub(super) judged: bool,
}

/// What the rounds up to this one raised, one after the other: what is the same as something earlier has to be known
/// before it.
pub(super) fn points_up_to(debate: &Debate, last: u32) -> Vec<RoundPoints> {
    let mut same = Same::default();
    let mut missing_so_far = 0;
    let points = (1..=last).map(|round| {
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
        let mut found = found_by_number(debate, round, "evidence");
        let mut findings: Vec<Point> = findings
            .into_iter()
            .zip(1..)
            .map(|(finding, number)| Point {
                found: found.remove(&number).unwrap_or_default(),
                ruled: None,
                first: same.first(&finding.id).to_owned(),
                merged: false,
                finding,
            })
            .collect();
        if let Some(judgement) = judgement {
            rule(debate, round, judgement, &mut findings);
        }
        let missing = missing.into_iter().enumerate().map(|(at, missing)| WeighedMissing {
            by_judge: at >= by_critic,
            important: judgement.map(|judged| match at.checked_sub(by_critic) {
                Some(added) => judged.added.get(added).is_some_and(|added| added.important),
                None => judged.missing.iter().any(|ruling| ruling.id == missing.id && ruling.important),
            }),
            first: same.first(&missing.id).to_owned(),
            addressed: false,
            missing,
        });
        RoundPoints { missing: missing.collect(), findings, judged: judgement.is_some() }
    });
    points.collect()
}

pub(super) fn points(debate: &Debate, round: u32) -> RoundPoints {
    points_up_to(debate, round).pop().unwrap_or_default()
}

/// Rules on the findings of a round. Of several that are the same, the first represents them, with the gravest ruling.
fn rule(debate: &Debate, round: u32, judgement: &Judgement, findings: &mut [Point]) {
    let shown = found_by_number(debate, round, "judgement/evidence");
    let verified = |number: u32| shown.get(&number).is_some_and(|found| verifies(found));
    let rulings: BTreeMap<&str, (&Ruling, bool)> =
        judgement.rulings.iter().zip(1..).map(|(ruling, number)| (ruling.id.as_str(), (ruling, verified(number)))).collect();
    let mut standing: BTreeMap<String, usize> = BTreeMap::new();
    for at in 0..findings.len() {
        let Some(ruled) = findings[at].rule(rulings.get(findings[at].finding.id.as_str()).copied()) else { continue };
        findings[at].ruled = Some(ruled.clone());
        let first = *standing.entry(findings[at].first.clone()).or_insert(at);
        let Some(stands) = findings[first].ruled.as_mut().filter(|_| first != at) else { continue };
        let (would_be_p1, concrete) = (stands.would_be_p1 || ruled.would_be_p1, stands.concrete);
        if (ruled.kind, ruled.severity) < (stands.kind, stands.severity) {
            *stands = Ruled { concrete, ..ruled.clone() };
        }
        stands.would_be_p1 = would_be_p1;
        stands.concrete |= ruled.concrete && ruled.kind == stands.kind;
        findings[at].merged = true;
    }
}

/// The ids that a judgement of a round may name.
pub(super) fn ids(debate: &Debate, round: u32) -> Ids {
    let mut all = points_up_to(debate, round);
    let now = all.pop().unwrap_or_default();
    let earlier = all.into_iter().flat_map(|points| {
        let findings = points.findings.into_iter().map(|point| point.finding.id);
        findings.chain(points.missing.into_iter().map(|it| it.missing.id)).collect::<Vec<_>>()
    });
    Ids {
        earlier: earlier.collect(),
        findings: now.findings.into_iter().filter(Point::is_open_to_the_judge).map(|it| it.finding.id).collect(),
        missing: now.missing.into_iter().filter(|it| !it.by_judge).map(|it| it.missing.id).collect(),
    }
}

/// Whether a round raises something that no earlier round had. With `weighty` only a P1 or P2 counts, by the critic's
/// severity; something missing that the judge calls important counts as a P2.
pub(super) fn raises_something_new(debate: &Debate, round: u32, weighty: bool) -> bool {
    let mut all = points_up_to(debate, round);
    let now = all.pop().unwrap_or_default();
    let findings = all.iter().flat_map(|points| &points.findings).map(|point| &point.finding.id);
    let missing = all.iter().flat_map(|points| &points.missing).map(|it| &it.missing.id);
    let earlier: BTreeSet<&String> = findings.chain(missing).collect();
    let found = now.findings.iter().filter(|point| point.ruled.is_some()).any(|point| {
        let counts = !weighty || point.finding.severity != Severity::P3;
        point.is_open_to_the_judge() && !earlier.contains(&point.first) && counts
    });
    found || now.missing.iter().any(|it| it.important == Some(true) && !earlier.contains(&it.first))
}
