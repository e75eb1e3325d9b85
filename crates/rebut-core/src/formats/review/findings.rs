//! Findings: what the critics of a round found, once each, with ids that stay over the rounds.

use serde::{Deserialize, Serialize};

use super::critique::{Remark, Severity};
use super::diff::Diff;
use super::judgement::judgement;
use super::sameness::{Anchor, Matter, anchor_of, with_its_path_marked};
use super::standing::{critiques, rounds_with_findings};
use super::versions::{current_text, revisions_before};
use super::{planned_rounds, round_key, setup};
use crate::claims::citation::{Citation, find_as_said};
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
    cited(findings.iter().map(|finding| (finding.text.as_str(), finding.place.as_ref(), finding.evidence.as_slice())))
}

/// The citations of statements with a place and evidence; each names its statements by their place in the list, from 1.
pub(super) fn cited<'a>(statements: impl Iterator<Item = (&'a str, Option<&'a String>, &'a [String])>) -> Vec<Citation> {
    let claims = statements.map(|(text, place, evidence)| Claim {
        text: text.to_owned(),
        evidence: place.into_iter().chain(evidence).map(|text| with_its_path_marked(text).into_owned()).collect(),
        attacks: Vec::new(),
    });
    Statement { claims: claims.collect(), ..Statement::default() }.citations_by(find_as_said)
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
