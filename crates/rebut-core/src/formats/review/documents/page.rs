//! A review as a page shows it: a card per finding, what was recommended in each round, and the new version.

use super::brief::brief;
use super::summary::{history_line, unresolved};
use crate::debate::page::{FindingCard, Part, Section, Verdict};
use crate::debate::{Debate, Documents, NewVersion};
use crate::diff::Diff;
use crate::formats::review::{FindingState, History, Review, TrackedFinding, WeighedMissing, decision};
use crate::report::notes;
use crate::report::text::listed;

pub(super) fn page(debate: &Debate) -> Vec<Section> {
    let history = History::of(debate);
    let mut passages = vec![
        ("Final decision", decision(debate).map_or_else(String::new, |decision| decision.as_str().to_owned())),
        ("Unresolved", listed(unresolved(debate, &history))),
        ("Recommendations", listed(history.rounds.iter().map(history_line))),
        ("Notes", listed(notes(debate))),
    ];
    passages.retain(|(_, text)| !text.trim().is_empty());
    let brief = brief(debate, NewVersion::Proposed);
    let verdict = Verdict { brief, firmness: None, ballots: Vec::new(), passages };
    let mut cards: Vec<FindingCard> = history.findings.iter().map(|tracked| card(&history, tracked)).collect();
    cards.extend(history.missing.iter().map(missing));
    let mut sections = vec![
        Section { id: "verdict", title: "Decision", part: Part::Verdict(verdict) },
        Section { id: "findings", title: "Findings", part: Part::Findings(cards) },
    ];
    let rebuttals =
        history.rounds.iter().filter_map(|record| Some(format!("### Round {}\n\n{}\n\n", record.round, record.rebuttal?)));
    let rebuttals = rebuttals.collect::<Vec<_>>().concat();
    if !rebuttals.is_empty() {
        sections.push(Section { id: "rebuttals", title: "Rebuttals", part: Part::Text(rebuttals) });
    }
    if let Some(patch) = Review.patch(debate).filter(|patch| !patch.is_empty()) {
        sections.push(Section { id: "patch", title: "New version", part: Part::Patch(patch) });
    }
    sections
}

fn card(history: &History<'_>, tracked: &TrackedFinding) -> FindingCard {
    let TrackedFinding { finding, first, last, severity, state, reason, found, .. } = tracked;
    let critic = history.rounds.iter().find(|record| record.round == first.round).and_then(|record| record.critic.clone());
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
        checked: found.clone(),
        fix: fix(history, tracked),
    }
}

/// What the revision that settled a finding changed in its file.
fn fix(history: &History<'_>, tracked: &TrackedFinding) -> Option<String> {
    if !matches!(tracked.state, FindingState::Addressed { .. } | FindingState::Fixed) {
        return None;
    }
    let path = tracked.finding.place()?.file.as_deref()?.trim_start_matches("./");
    let is_later = |round: u32| round >= tracked.last.round;
    let revision = history.rounds.iter().find(|record| is_later(record.round) && record.revision.is_some())?.revision?;
    let diff = Diff::parse(revision);
    let file = diff.files.iter().find(|file| file.path() == path || file.old.as_deref() == Some(path))?;
    Some(file.to_string())
}

fn missing(tracked: &WeighedMissing) -> FindingCard {
    FindingCard {
        state: tracked.state(),
        open: tracked.remains(),
        raised: if tracked.by_judge { "Named by the judge" } else { "Named by the critic" }.to_owned(),
        id: tracked.missing.id.clone(),
        severity: "missing",
        title: tracked.missing.title.clone(),
        explanation: tracked.missing.explanation.clone(),
        ..FindingCard::default()
    }
}
