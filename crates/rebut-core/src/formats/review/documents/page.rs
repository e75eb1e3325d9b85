//! A review as a page shows it: a card per finding, what was recommended in each round, and the new version.

use super::brief;
use super::files::patch;
use super::summary::{history_line, unresolved};
use crate::debate::page::{FindingCard, Part, Section, Verdict};
use crate::debate::{Debate, NewVersion};
use crate::formats::review::diff::Diff;
use crate::formats::review::{
    FindingState, RoundRecord, Tracked, decision, evidence_of, rounds, seat_notes, tracked, tracked_missing,
};
use crate::report::text::listed;

pub(in crate::formats::review) fn page(debate: &Debate) -> Vec<Section> {
    let (records, tracked) = (rounds(debate), tracked(debate));
    let mut passages = vec![
        ("Final decision", decision(debate).map_or_else(String::new, |decision| decision.as_str().to_owned())),
        ("Unresolved", listed(unresolved(debate, &tracked))),
        ("Recommendations", listed(records.iter().map(history_line))),
        ("Notes", listed(seat_notes(debate.plan()).into_iter().chain(debate.plan().notes.iter().cloned()))),
    ];
    passages.retain(|(_, text)| !text.trim().is_empty());
    let brief = brief(debate, NewVersion::Proposed);
    let verdict = Verdict { brief, firmness: None, ballots: Vec::new(), passages };
    let mut cards: Vec<FindingCard> = tracked.iter().map(|tracked| card(debate, &records, tracked)).collect();
    cards.extend(missing(debate));
    let mut sections = vec![
        Section { id: "verdict", title: "Decision", part: Part::Verdict(verdict) },
        Section { id: "findings", title: "Findings", part: Part::Findings(cards) },
    ];
    let rebuttals =
        records.iter().filter_map(|record| Some(format!("### Round {}\n\n{}\n\n", record.round, record.rebuttal?)));
    let rebuttals = rebuttals.collect::<Vec<_>>().concat();
    if !rebuttals.is_empty() {
        sections.push(Section { id: "rebuttals", title: "Rebuttals", part: Part::Text(rebuttals) });
    }
    let patch = patch(debate);
    if !patch.is_empty() {
        sections.push(Section { id: "patch", title: "New version", part: Part::Patch(patch) });
    }
    sections
}

fn card(debate: &Debate, records: &[RoundRecord<'_>], tracked: &Tracked) -> FindingCard {
    let Tracked { finding, first, last, severity, state, reason, .. } = tracked;
    let critic = records.iter().find(|record| record.round == first.round).and_then(|record| record.critic.clone());
    let by = critic.map_or_else(String::new, |critic| format!(" by {critic}"));
    let again = if first.round == last.round { String::new() } else { format!(", last in round {}", last.round) };
    FindingCard {
        id: finding.id.clone(),
        severity: severity.as_str(),
        state: state.as_str(),
        open: state.remains(),
        title: finding.title.clone(),
        explanation: finding.explanation.clone(),
        suggestion: finding.suggestion.clone(),
        raised: format!("Raised{by} in round {}{again}", first.round),
        ruling: reason.clone(),
        evidence: finding.evidence.clone(),
        checked: evidence_of(debate, last.round, last.index),
        fix: fix(records, tracked),
    }
}

/// What a revision after the finding changed in its file.
fn fix(records: &[RoundRecord<'_>], tracked: &Tracked) -> Option<String> {
    if !matches!(tracked.state, FindingState::Addressed { .. } | FindingState::Fixed) {
        return None;
    }
    let path = tracked.finding.place()?.file.as_deref()?.trim_start_matches("./");
    let revision = records.iter().rev().find(|record| record.round <= tracked.last.round && record.revision.is_some());
    let diff = Diff::parse(revision?.revision?);
    let file = diff.files.iter().find(|file| file.path() == path || file.old.as_deref() == Some(path))?;
    Some(file.to_string())
}

fn missing(debate: &Debate) -> impl Iterator<Item = FindingCard> {
    tracked_missing(debate).into_iter().map(|missing| FindingCard {
        state: missing.state(),
        open: missing.remains(),
        raised: if missing.by_judge { "Named by the judge" } else { "Named by the critic" }.to_owned(),
        id: missing.missing.id,
        severity: "missing",
        title: missing.missing.title,
        explanation: missing.missing.explanation,
        ..FindingCard::default()
    })
}
