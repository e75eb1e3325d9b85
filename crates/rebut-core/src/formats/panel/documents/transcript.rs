//! `transcript.md`: every entry under its heading, with navigation; redacted ones by their heading alone.

use super::{View, in_line, inert, list, push};
use crate::evidence::source::Fetched;
use crate::formats::panel::{self, EntryType, LogEntry, Office, VerificationResult};
use crate::report::quoted::quoted;

pub(super) fn transcript(view: &View<'_>) -> String {
    let (debate, record) = (view.debate, &view.record);
    let mut text = format!("# Transcript: {}\n\n", in_line(&debate.plan().topic));
    let outcome = panel::adjudication(debate).map_or_else(|| "none yet".to_owned(), |judged| judged.outcome);
    let ended = record.log.last().map_or(debate.began_at(), |entry| entry.timestamp);
    let facts = [
        format!("Debate: {}", debate.plan().id),
        format!("Began: {}", debate.began_at()),
        format!("Last entry: {ended}"),
        format!("Debaters: {}", view.record.setup.names().join(", ")),
        format!("Rounds: {}", record.rounds),
        format!("Entries: {}", record.log.len()),
        format!("Redactions: {}", record.redactions.len()),
        format!("Outcome: {outcome}"),
    ];
    list(&mut text, facts.into_iter());
    let sections = sections(view);
    text.push_str("\n## Contents\n\n");
    list(&mut text, sections.iter().map(|(title, _)| format!("[{title}](#{})", anchor(title))));
    for (title, entries) in &sections {
        push(&mut text, format_args!("\n## {title}\n"));
        for entry in entries {
            push(&mut text, format_args!("\n{}\n", self::entry(view, entry)));
        }
    }
    if !record.redactions.is_empty() {
        text.push('\n');
        for redaction in &record.redactions {
            let ruled = redaction.ruling.map_or_else(String::new, |seq| format!("ruling at seq {seq}, "));
            push(&mut text, format_args!("[^redacted-{}]: {ruled}redaction at seq {}\n", redaction.seq, redaction.by));
        }
    }
    text
}

pub(super) fn entry(view: &View<'_>, entry: &LogEntry) -> String {
    let (phase, speaker, kind) = (entry.phase.as_str(), &entry.speaker, entry.kind);
    let heading = format!("### [seq {}] Phase: {phase} | {speaker} | {kind}", entry.seq);
    if let Some(redaction) = view.record.redactions.iter().find(|redaction| redaction.seq == entry.seq) {
        let seq = entry.seq;
        return format!("{heading}\n\n[REDACTED — {}][^redacted-{seq}]", in_line(&view.engine(&redaction.reason)));
    }
    let mut text = heading;
    if let Some(seq) = entry.rebuttal_to_seq {
        push(&mut text, format_args!("\n\n*To seq {seq} ({})*", view.record.speaker(seq)));
    }
    let body = match entry.kind {
        EntryType::VerificationResult => fact_check(view, entry),
        // The chair's words are ours for the most part; all others are quoted.
        kind if kind.writer() == Some(Office::Chair) => inert(&view.words(entry)),
        _ => quoted(&view.words(entry)),
    };
    push(&mut text, format_args!("\n\n{body}"));
    let sources = entry.sources.as_deref().unwrap_or_default();
    if !sources.is_empty() {
        text.push_str("\n\nSources:\n");
        for source in sources {
            let [url, title] = [&source.url, &source.title].map(|text| view.line(text));
            let how = if was_read(view, &source.url) { "accessed" } else { "named" };
            push(&mut text, format_args!("\n- {title}: {url} ({how} {})", source.accessed));
        }
    }
    text
}

/// Whether a source is a page that was fetched and read. Any other is only known to have been named.
pub(super) fn was_read(view: &View<'_>, url: &str) -> bool {
    let page = url.split('#').next().unwrap_or(url);
    view.debate.pages().iter().any(|known| known.url == page && matches!(known.fetched, Fetched::Read { .. }))
}

pub(super) fn fact_check(view: &View<'_>, entry: &LogEntry) -> String {
    let Ok(result) = serde_json::from_str::<VerificationResult>(&entry.content) else {
        return quoted(&view.shown(&entry.content));
    };
    let (seq, status, confidence) = (result.verified_seq, result.status.as_str(), result.confidence.as_str());
    let why = view.line(&result.explanation);
    format!("Fact check of seq {seq}, {}: **{status}**, confidence {confidence}. {why}", in_line(&result.url))
}

/// The entries by part of the debate.
pub(super) fn sections<'v>(view: &'v View<'_>) -> Vec<(String, Vec<&'v LogEntry>)> {
    let mut sections: Vec<(String, Vec<&LogEntry>)> = Vec::new();
    let mut begun = false;
    let mut concluded = false;
    for entry in &view.record.log {
        begun |= entry.round.is_some();
        concluded |= entry.kind == EntryType::Conclusion;
        let title = match entry.round {
            _ if concluded => "Conclusion".to_owned(),
            Some(round) => format!("Round {round}"),
            None if begun => "Closing statements".to_owned(),
            None => "Opening statements".to_owned(),
        };
        match sections.last_mut() {
            Some((last, entries)) if *last == title => entries.push(entry),
            _ => sections.push((title, vec![entry])),
        }
    }
    sections
}

fn anchor(title: &str) -> String {
    title.to_lowercase().replace(' ', "-")
}
