//! A panel as a page shows it: the outcome, the log with its redactions and fact checks, and the audience's questions.

use super::{View, brief::brief, grades, reports, transcript, verifier};
use crate::debate::Debate;
use crate::debate::page::{Ballot, LogItem, Part, Section, Verdict};
use crate::formats::panel::{self, EntryType, LogEntry, Office};
use crate::report::notes;
use crate::report::text::listed;

pub(super) fn page(debate: &Debate) -> Vec<Section> {
    let Some(view) = View::of(debate) else { return Vec::new() };
    let section = |id, title, part| Section { id, title, part };
    let ballots = ballot(&view).into_iter().collect();
    let verdict = Verdict { brief: brief(debate), firmness: None, ballots, passages: passages(&view) };
    let mut sections = vec![section("verdict", "Outcome", Part::Verdict(verdict))];
    let log = transcript::sections(&view)
        .into_iter()
        .flat_map(|(part, entries)| entries.into_iter().map(|entry| item(&view, &part, entry)).collect::<Vec<_>>());
    sections.push(section("log", "Log", Part::Log(log.collect())));
    if !view.record.results.is_empty() {
        sections.push(section("facts", "Fact checks", Part::Text(verifier::tables(&view))));
    }
    let questions = view.record.questions.iter().map(|asked| {
        format!("To {}, after round {} (seq {}): {}", asked.to, asked.round, asked.entry, view.shown(&asked.question))
    });
    let questions = listed(questions);
    if !questions.is_empty() {
        sections.push(section("questions", "Questions of the audience", Part::Text(questions)));
    }
    if let Some(assessment) = reports::assessment(&view) {
        sections.push(section("assessment", "Assessment", Part::Text(assessment)));
    }
    sections
}

fn ballot(view: &View<'_>) -> Option<Ballot> {
    let judged = panel::adjudication(view.debate)?;
    let chair = Office::Chair.seat();
    let tool = view.debate.plan().seat(&chair).map_or_else(String::new, |seat| format!(" ({})", seat.tool));
    Some(Ballot {
        judge: format!("Chair{tool}"),
        note: String::new(),
        result: judged.outcome.replace('_', " "),
        failed: false,
        reasoning: view.shown(&judged.reason),
        decisive: judged.decisive.iter().map(|entry| (format!("seq-{}", entry.seq), view.shown(&entry.why))).collect(),
    })
}

fn passages(view: &View<'_>) -> Vec<(&'static str, String)> {
    let mut passages = Vec::new();
    if let Some(judged) = panel::adjudication(view.debate) {
        passages.push(("Debaters", grades(view, &judged)));
    }
    passages.push(("On record", view.record.counts_line()));
    passages.push(("Notes", listed(notes(view.debate))));
    passages.retain(|(_, text)| !text.trim().is_empty());
    passages
}

fn item(view: &View<'_>, part: &str, entry: &LogEntry) -> LogItem {
    let redaction = view.record.redactions.iter().find(|redaction| redaction.seq == entry.seq);
    let sources = entry.sources.iter().flatten().filter(|_| redaction.is_none());
    let checks = view.record.results_of(entry.seq);
    let is_check = entry.kind == EntryType::VerificationResult;
    LogItem {
        seq: entry.seq,
        part: part.to_owned(),
        side: view.record.setup.names().iter().position(|name| *name == entry.speaker),
        speaker: entry.speaker.clone(),
        kind: entry.kind.as_str(),
        body: match &redaction {
            Some(_) => String::new(),
            None if is_check => transcript::fact_check(view, entry),
            None => view.words(entry),
        },
        redacted: redaction.map(|redaction| view.engine(&redaction.reason)),
        refers_to: entry.rebuttal_to_seq.into_iter().chain(entry.target_seq).collect(),
        sources: sources
            .map(|source| (view.shown(&source.title), view.shown(&source.url), transcript::was_read(view, &source.url)))
            .collect(),
        checks: checks
            .map(|result| (view.shown(&result.url), result.status.as_str(), view.shown(&result.explanation)))
            .collect(),
    }
}
