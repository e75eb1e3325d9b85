//! Findings: what the critics of a round found, once each, with ids that stay over the rounds.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::critique::{Remark, Severity};
use super::diff::Diff;
use super::judgement::judgement;
use super::sameness::{Anchor, Matter, anchor_of, with_its_path_marked};
use super::standing::{critiques, rounds_with_findings};
use super::versions::{current_text, revisions_before};
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
    /// What another critic of the round said of the same, in its own words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
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
    /// Where it stands, as lines of files: its place, else the places of its evidence.
    pub fn anchors(&self) -> Vec<Anchor> {
        match self.place.as_deref().and_then(anchor_of) {
            Some(own) => vec![own],
            // What two findings rest on can be one and the same.
            None => self.evidence.iter().filter_map(|evidence| anchor_of(evidence)).collect(),
        }
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
pub(super) fn entry(debate: &Debate, round: u32) -> Result<Entry, serde_json::Error> {
    let mut found: Vec<(Finding, Matter)> = Vec::new();
    for (part, critique) in critiques(debate, round) {
        for remark in &critique.findings {
            let finding = raised(&part, remark);
            let matter = Matter::new(&finding.text, finding.anchors());
            // A critic that lists two things means two, unless it says one of them twice.
            let is_it = |known: &Finding, its_matter: &Matter| {
                if known.part == part { is_repeated(known, &finding) } else { its_matter.is_same(&matter) }
            };
            match found.iter_mut().find(|(known, its_matter)| is_it(known, its_matter)) {
                Some((known, its_matter)) => {
                    merge(known, finding);
                    its_matter.anchors = known.anchors();
                }
                None => found.push((finding, matter)),
            }
        }
    }
    found.sort_by_key(|(finding, _)| finding.severity);
    let mut earlier = carried(debate, round);
    let mut next = earlier.iter().filter_map(|(id, _)| number(id)).max().unwrap_or(0).saturating_add(1);
    for (finding, matter) in &mut found {
        if let Some(at) = earlier.iter().position(|(_, known)| known.is_same(matter)) {
            // Each earlier finding is raised again by at most one of this round.
            finding.id = earlier.remove(at).0;
            finding.new = false;
        } else {
            finding.id = format!("F{next}");
            next += 1;
        }
    }
    let found: Vec<Finding> = found.into_iter().map(|(finding, _)| finding).collect();
    Ok(Entry { kind: EntryKind::Findings, text: serde_json::to_string(&found)? })
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
pub fn evidence_of(debate: &Debate, round: u32, place: usize) -> Vec<Checked> {
    let mut found: Vec<Checked> = looked_up_for(debate, round, place).cloned().collect();
    with_what_is_removed(debate, &mut found);
    found
}

/// What was found of the evidence of a round.
pub fn evidence_of_round(debate: &Debate, round: u32) -> Vec<Checked> {
    let mut found = debate.findings(&round_key(round, "evidence")).unwrap_or_default().to_vec();
    with_what_is_removed(debate, &mut found);
    found
}

fn looked_up_for(debate: &Debate, round: u32, place: usize) -> impl Iterator<Item = &Checked> {
    let number = u32::try_from(place + 1).unwrap_or(u32::MAX);
    let all = debate.findings(&round_key(round, "evidence")).unwrap_or_default();
    all.iter().filter(move |checked| checked.citation.claims.contains(&number))
}

/// Files are looked up in the new version. What the change removes stood in the old one, and is not false.
fn with_what_is_removed(debate: &Debate, found: &mut [Checked]) {
    let is_false = |checked: &Checked| matches!(checked.result, CheckResult::Mismatch | CheckResult::Missing);
    let Some(change) = change(debate).filter(|_| found.iter().any(is_false)) else { return };
    for checked in found.iter_mut().filter(|checked| is_false(checked) && stood_before(&change, &checked.citation)) {
        checked.result = CheckResult::Verified;
        checked.detail = "the change removes it".to_owned();
        (checked.lines, checked.likeness) = (None, None);
    }
}

/// The change under review, where one is.
fn change(debate: &Debate) -> Option<Arc<Diff>> {
    setup(debate.plan()).filter(|setup| setup.artifact.form.is_diff()).map(|setup| setup.artifact.diff())
}

/// What the evidence of a finding came to when it was looked up.
#[derive(Debug, Default)]
pub(super) struct Weighed<'a> {
    /// What is false of it.
    pub(super) wrong: Vec<&'a Checked>,
    /// Whether anything of it holds.
    holds: bool,
}

impl<'a> Weighed<'a> {
    /// What the finding falls with: something of its evidence is false, and nothing of it holds.
    pub(super) fn falls_with(&self) -> Option<&'a Checked> {
        self.wrong.first().copied().filter(|_| !self.holds)
    }
}

/// Weighs the evidence of a finding, by the finding's place in the round's list, from 0. Of what lies outside nothing was
/// read, so that it is not known to be false. What a change itself removes can be cited too, although it does not stand in
/// the new version. That the place of a finding exists says where it is and not that it is so.
pub(super) fn weighed<'a>(debate: &'a Debate, round: u32, place: usize, finding: &Finding) -> Weighed<'a> {
    let change = change(debate);
    let own_place = finding.place.as_deref().and_then(anchor_of);
    let mut weighed = Weighed::default();
    for checked in looked_up_for(debate, round, place) {
        let removed = || change.as_ref().is_some_and(|change| stood_before(change, &checked.citation));
        match checked.result {
            CheckResult::Verified | CheckResult::Relocated => {
                weighed.holds |= !own_place.as_ref().is_some_and(|own| is_bare_place(own, &checked.citation));
            }
            CheckResult::Mismatch | CheckResult::Missing if shows_an_absence(&finding.text, checked) => {}
            CheckResult::Mismatch | CheckResult::Missing if removed() => weighed.holds = true,
            CheckResult::Mismatch | CheckResult::Missing => weighed.wrong.push(checked),
            CheckResult::OutOfScope | CheckResult::Ambiguous | CheckResult::ChangedSince | CheckResult::Unchecked => {}
        }
    }
    weighed
}

/// Whether a citation names these lines and says nothing of what stands there.
fn is_bare_place(own: &Anchor, citation: &Citation) -> bool {
    let Target::File { path, lines: Some(lines) } = &citation.target else { return false };
    let silent = citation.quotes.is_empty() && citation.symbols.is_empty();
    silent && *path == own.path && (lines.first, lines.last) == (own.first, own.last)
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
    let tells_of_it = || {
        let lower = text.to_lowercase();
        text.contains(name) && ABSENT.iter().any(|words| lower.contains(words))
    };
    checked.result == CheckResult::Missing && checked.citation.quotes.is_empty() && (lines.is_none() || tells_of_it())
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
        also: Vec::new(),
        place: remark.place.clone(),
        evidence: remark.evidence.clone(),
        action: remark.action.clone(),
        replacement: remark.replacement.clone(),
        part: part.to_owned(),
        new: true,
    }
}

/// Whether a critic says the same thing again, word for word.
fn is_repeated(known: &Finding, other: &Finding) -> bool {
    let words = |finding: &Finding| finding.text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
    known.place == other.place && words(known) == words(other)
}

fn merge(known: &mut Finding, other: Finding) {
    if known.text != other.text {
        known.also.push(other.text);
    }
    known.severity = known.severity.min(other.severity);
    known.evidence.extend(other.evidence.into_iter().filter(|e| !known.evidence.contains(e)).collect::<Vec<_>>());
    known.place = known.place.take().or(other.place);
    known.replacement = known.replacement.take().or(other.replacement);
    if known.action.is_empty() {
        known.action = other.action;
    }
}

/// Every finding of earlier rounds by its id, at its last wording, with its anchors carried into the version of this round.
fn carried(debate: &Debate, round: u32) -> Vec<(String, Matter)> {
    let mut known: Vec<(String, Matter)> = Vec::new();
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
            let matter = Matter::new(&finding.text, anchors.collect());
            known.retain(|(id, _)| *id != finding.id);
            known.push((finding.id, matter));
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
        (Some((path, new)), None) => Anchor { path, first: new, last: new.saturating_add(last - first) },
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
    let with_its_matter = |text: String| (Matter::new(&text, Vec::new()), text);
    let now: Vec<(Matter, String)> = important(round).map(with_its_matter).collect();
    if now.is_empty() {
        return false;
    }
    let earlier = (1..round).flat_map(|round| important(round).chain(raised(round))).map(with_its_matter);
    let earlier: Vec<(Matter, String)> = earlier.collect();
    let alike = |one: &(Matter, String), other: &(Matter, String)| one.0.is_same(&other.0) || one.1.trim() == other.1.trim();
    now.iter().any(|named| !earlier.iter().any(|known| alike(known, named)))
}

/// How many rounds may be looked at.
pub(super) fn all_rounds(debate: &Debate) -> std::ops::RangeInclusive<u32> {
    1..=planned_rounds(debate).max(*super::ROUNDS.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_place_beyond_all_numbers_moves_no_further() {
        let revision = Diff::parse("--- a/a.rs\n+++ b/a.rs\n@@ -1,2 +1,5 @@\n a\n+b\n+c\n+d\n e\n");
        let endless = anchor_of("a.rs:5-99999999999").unwrap();
        let moved = moved(endless, &revision);
        assert_eq!((moved.first, moved.last), (8, u32::MAX));
    }
}
