//! Findings: what the critics of a round found, once each, with ids that stay over the rounds.

use serde::{Deserialize, Serialize};

use super::artifact::Form;
use super::critique::{Critique, Remark, Severity};
use super::diff::Diff;
use super::judgement::judgement;
use super::sameness::{Anchor, Subject, anchor_of, same, with_its_path_marked};
use super::standing::{critiques, current_text, revisions_before, rounds_with_findings};
use super::{planned_rounds, round_key, setup};
use crate::claims::check::{CheckResult, Checked};
use crate::claims::citation::{Citation, Target, find_as_said};
use crate::claims::{Claim, Statement};
use crate::debate::{Debate, Entry, EntryKind};

/// A finding of a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Its id, which a finding that is raised again keeps: `F3`.
    pub id: String,
    /// How severe the critic calls it.
    pub severity: Severity,
    /// What is wrong.
    pub text: String,
    /// Where, as the critic wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What the critic rests it on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// What should be done.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// What should stand there instead, word for word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
    /// The part of the artifact whose critique raised it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub part: String,
    /// Whether no earlier round raised it.
    pub new: bool,
}

impl Finding {
    /// Where it stands, as lines of files.
    pub fn anchors(&self) -> Vec<Anchor> {
        let own = self.place.as_deref().and_then(anchor_of);
        own.into_iter().chain(self.evidence.iter().filter_map(|evidence| anchor_of(evidence))).collect()
    }

    /// Whether it names what should stand there instead.
    pub fn is_concrete(&self) -> bool {
        self.replacement.as_deref().is_some_and(|text| !text.trim().is_empty())
    }
}

/// The findings of a round, as they were written down.
pub(super) fn recorded(debate: &Debate, round: u32) -> Option<Vec<Finding>> {
    let entry = debate.entry(&round_key(round, "findings"))?;
    serde_json::from_str(&entry.text).ok()
}

/// The findings of a round as they are written down: equivalent ones once, at their highest severity.
pub(super) fn entry(debate: &Debate, round: u32) -> Entry {
    let mut found: Vec<Finding> = Vec::new();
    for (part, critique) in critiques(debate, round) {
        for remark in &critique.findings {
            let finding = raised(&part, remark);
            let known = found.iter_mut().find(|known| are_same(known, &known.anchors(), &finding, &finding.anchors()));
            match known {
                Some(known) => merge(known, finding),
                None => found.push(finding),
            }
        }
    }
    found.sort_by_key(|finding| finding.severity);
    let mut earlier: Vec<(Finding, Vec<Anchor>)> = carried(debate, round);
    let mut next = earlier.iter().filter_map(|(finding, _)| number(&finding.id)).max().unwrap_or(0) + 1;
    for finding in &mut found {
        let anchors = finding.anchors();
        let known = earlier.iter().position(|(known, place)| are_same(known, place, finding, &anchors));
        if let Some(at) = known {
            // Each earlier finding is raised again by at most one of this round.
            finding.id = earlier.remove(at).0.id;
            finding.new = false;
        } else {
            finding.id = format!("F{next}");
            next += 1;
        }
    }
    Entry { kind: EntryKind::Findings, text: serde_json::to_string(&found).unwrap_or_default() }
}

/// The citations that the findings of a round rest on; each names its findings by their place in the list, from 1.
pub(super) fn citations(findings: &[Finding]) -> Vec<Citation> {
    let claims = findings.iter().map(|finding| Claim {
        text: finding.text.clone(),
        evidence: finding
            .place
            .iter()
            .chain(&finding.evidence)
            .map(|text| with_its_path_marked(text).into_owned())
            .collect(),
        attacks: Vec::new(),
    });
    Statement { claims: claims.collect(), ..Statement::default() }.citations_by(find_as_said)
}

/// What was found of the evidence of one finding, by its place in the round's list, from 0.
pub fn evidence_of(debate: &Debate, round: u32, place: usize) -> impl Iterator<Item = &Checked> {
    let number = u32::try_from(place + 1).unwrap_or(u32::MAX);
    let all = debate.findings(&round_key(round, "evidence")).unwrap_or_default();
    all.iter().filter(move |checked| checked.citation.claims.contains(&number))
}

/// The evidence of a finding that was looked up and is false. What the change itself removes can be cited too, although
/// it does not stand in the new version.
pub(super) fn false_evidence(debate: &Debate, round: u32, place: usize) -> Option<&Checked> {
    let change = setup(debate.plan()).filter(|setup| setup.artifact.form == Form::Change);
    let change = change.map(|setup| setup.artifact.diff());
    let text = recorded(debate, round).and_then(|found| Some(found.get(place)?.text.clone())).unwrap_or_default();
    evidence_of(debate, round, place)
        .filter(|checked| checked.result.is_false() && !shows_an_absence(&text, checked))
        .find(|checked| !change.as_ref().is_some_and(|change| stood_before(change, &checked.citation)))
}

/// Words with which a finding says that something is not there.
const ABSENT: [&str; 14] = [
    "not exist",
    "n't exist",
    "not there",
    "no such",
    "there is no",
    "there are no",
    "missing",
    "absent",
    "no test",
    "not covered",
    "was not added",
    "is not added",
    "never added",
    "not present",
];

/// Whether a file that is not there is no false evidence: named without a line and a quote it may be just what is missing,
/// which is for the judge to say, and a finding about an absence has nothing else to cite. Words that are quoted from
/// such a file are false all the same.
fn shows_an_absence(text: &str, checked: &Checked) -> bool {
    let Target::File { path, lines } = &checked.citation.target else { return false };
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let lower = text.to_lowercase();
    checked.result == CheckResult::Missing
        && checked.citation.quotes.is_empty()
        && (lines.is_none() || (text.contains(name) && ABSENT.iter().any(|words| lower.contains(words))))
}

fn stood_before(change: &Diff, citation: &Citation) -> bool {
    let Target::File { path, .. } = &citation.target else { return false };
    if citation.quotes.is_empty() {
        return change.removed_path(path);
    }
    citation.quotes.iter().all(|quote| change.removes(path, quote))
}

fn raised(part: &str, remark: &Remark) -> Finding {
    Finding {
        id: String::new(),
        severity: remark.severity,
        text: remark.text.clone(),
        place: remark.place.clone(),
        evidence: remark.evidence.clone(),
        action: remark.action.clone(),
        replacement: remark.replacement.clone(),
        part: part.to_owned(),
        new: true,
    }
}

fn merge(known: &mut Finding, other: Finding) {
    known.severity = known.severity.min(other.severity);
    known.evidence.extend(other.evidence.into_iter().filter(|e| !known.evidence.contains(e)).collect::<Vec<_>>());
    known.place = known.place.take().or(other.place);
    known.replacement = known.replacement.take().or(other.replacement);
    if known.action.is_empty() {
        known.action = other.action;
    }
}

/// Every finding of earlier rounds, at its last wording, with its anchors carried into the version of this round.
fn carried(debate: &Debate, round: u32) -> Vec<(Finding, Vec<Anchor>)> {
    let mut known: Vec<(Finding, Vec<Anchor>)> = Vec::new();
    for (earlier, findings) in rounds_with_findings(debate) {
        if earlier >= round {
            break;
        }
        let already = revisions_before(debate, earlier).count();
        let since: Vec<Diff> = revisions_before(debate, round).skip(already).map(Diff::parse).collect();
        let own = |round| setup(debate.plan()).and_then(|setup| setup.artifact.form.own_name(round));
        let texts = (current_text(debate, earlier), current_text(debate, round));
        for finding in findings {
            let anchors = finding.anchors().into_iter().map(|anchor| match (own(earlier), own(round)) {
                (Some(before), Some(now)) if anchor.path == before => moved_in_text(&anchor, now, &texts.0, &texts.1),
                _ => since.iter().fold(anchor, moved),
            });
            let anchors = anchors.collect();
            known.retain(|(other, _)| other.id != finding.id);
            known.push((finding, anchors));
        }
    }
    known
}

/// Where lines stand after a revision. Lines that it removed are taken to be where they were: what replaced them is there.
fn moved(anchor: Anchor, revision: &Diff) -> Anchor {
    let Anchor { path, first, last } = anchor;
    let new_first = revision.carried(&path, first);
    let new_last = revision.carried(&path, last);
    match (new_first, new_last) {
        (Some((path, first)), Some((_, last))) => Anchor { path, first, last: last.max(first) },
        (Some((path, new)), None) => Anchor { path, first: new, last: new + (last - first) },
        (None, Some((path, new))) => Anchor { path, first: new.saturating_sub(last - first).max(1), last: new },
        (None, None) => Anchor { path, first, last },
    }
}

/// Where lines of a text that was written anew stand now: where the first of them stands again, at the place nearest to
/// its old one; else where it was, counted from the end that is nearer to being the same.
fn moved_in_text(anchor: &Anchor, path: String, before: &str, now: &str) -> Anchor {
    let length = anchor.last.saturating_sub(anchor.first);
    let old: Vec<&str> = before.lines().collect();
    let new: Vec<&str> = now.lines().collect();
    let at = usize::try_from(anchor.first).unwrap_or(usize::MAX).saturating_sub(1);
    let same = old.get(at).filter(|line| !line.trim().is_empty()).and_then(|line| {
        let places = new.iter().enumerate().filter(|(_, other)| other.trim() == line.trim()).map(|(place, _)| place);
        places.min_by_key(|place| place.abs_diff(at))
    });
    let prefix = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let place = same.unwrap_or_else(|| {
        if at <= prefix { at } else { (at + new.len()).saturating_sub(old.len()).min(new.len().saturating_sub(1)) }
    });
    let first = u32::try_from(place + 1).unwrap_or(u32::MAX);
    Anchor { path, first, last: first.saturating_add(length) }
}

fn are_same(one: &Finding, at: &[Anchor], other: &Finding, there: &[Anchor]) -> bool {
    same(&Subject { text: &one.text, anchors: at }, &Subject { text: &other.text, anchors: there })
}

fn number(id: &str) -> Option<u32> {
    id.strip_prefix('F')?.parse().ok()
}

/// Whether a round raised a P1 or P2 that no earlier one had. What the judge names as important and missing is one.
pub(super) fn raises_something_new(debate: &Debate, round: u32) -> bool {
    let found = recorded(debate, round).unwrap_or_default();
    found.iter().any(|finding| finding.new && finding.severity != Severity::P3) || names_something_new(debate, round)
}

/// Whether the judge of a round names something important that no earlier round had, as a finding or as missing.
pub(super) fn names_something_new(debate: &Debate, round: u32) -> bool {
    let named = |round| judgement(debate, round).map_or(&[][..], |judgement| &judgement.missing);
    let important = |round| named(round).iter().filter(|missing| missing.important).map(|missing| missing.text.clone());
    let raised = |round| recorded(debate, round).unwrap_or_default().into_iter().map(|finding| finding.text);
    let earlier: Vec<String> = (1..round).flat_map(|round| important(round).chain(raised(round))).collect();
    let alike = |one: &str, other: &str| {
        same(&Subject { text: one, anchors: &[] }, &Subject { text: other, anchors: &[] }) || one.trim() == other.trim()
    };
    important(round).any(|text| !earlier.iter().any(|known| alike(known, &text)))
}

/// The files that a critique does not name among what it checked. A name without its folder counts where only one of
/// the files has it.
pub(super) fn unchecked_files(critique: &Critique, files: &[String]) -> Vec<String> {
    let is_named = |file: &String, area: &super::critique::Area| {
        let area_file = area.file.trim().trim_start_matches("./").trim_matches('`');
        let ending = format!("/{area_file}");
        let alone = || files.iter().filter(|other| other.ends_with(&ending)).count() == 1;
        let names = area_file == file || (!area_file.is_empty() && file.ends_with(&ending) && alone());
        names && area.aspects.iter().any(|aspect| !aspect.trim().is_empty())
    };
    files.iter().filter(|file| !critique.checked.iter().any(|area| is_named(file, area))).cloned().collect()
}

/// How many rounds may be looked at.
pub(super) fn all_rounds(debate: &Debate) -> std::ops::RangeInclusive<u32> {
    1..=planned_rounds(debate).max(*super::ROUNDS.end())
}
