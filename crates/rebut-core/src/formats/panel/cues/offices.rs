//! The prompts of the verifier, the chair, and the audience after a round.

use std::collections::BTreeSet;
use std::fmt::Write;

use minijinja::{Value, context};

use super::super::entry::seq_list;
use super::super::session::Session;
use super::super::source::{CitedSource, excerpt};
use super::super::verifier::SourceBatch;
use super::heading;
use crate::formats::panel::{Debater, EntryType, LogEntry, Office, OpenArgument, RulingKind, Said, SourceStatus};
use crate::formats::prompts::Quoted;

/// The prompt for the verification of sources that exist. A challenge of one is judged with it.
pub(in super::super) fn verification(
    session: &Session<'_>,
    batch: &SourceBatch,
    items: &[&CitedSource],
    challenge: Option<&LogEntry>,
) -> Value {
    let record = &session.record;
    let redactor = session.redactor();
    let quoted = |entry: &LogEntry, more: &str| {
        let text = session.in_full(entry) + more;
        session.as_is(&format!("entry/{}", entry.seq), &heading(entry), &text)
    };
    let seqs: BTreeSet<u64> = items.iter().map(|item| item.seq).collect();
    let entries = seqs.iter().filter_map(|seq| Some((record.entry(*seq)?, record.said.get(seq)?)));
    let mut material: Vec<Quoted> = entries
        .filter_map(|(entry, said)| {
            quoted(entry, &format!("\n\nIn one sentence: {}", redactor.redact(&said.in_one_sentence)))
        })
        .collect();
    let findings = session.debate.findings(&batch.evidence_key()).unwrap_or_default();
    for item in items {
        let place = batch.items.iter().position(|other| other == *item);
        let found = place.and_then(|place| findings.get(place));
        let mut text = found.map(|found| format!("Looked up: {}.\n", found.detail)).unwrap_or_default();
        if !item.figures.is_empty() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "Figures taken from it: {}", item.figures.join(", "));
        }
        if let Some(known) = session.text_of(item, found) {
            let words: Vec<&str> = item.evidence.quote.iter().chain(&item.figures).map(String::as_str).collect();
            let _ = writeln!(text, "\n{}", excerpt(known, &words));
        }
        let key = format!("source/{}/{}", item.seq, item.url);
        material.extend(session.as_is(&key, &format!("{} of seq {}", item.url, item.seq), &text));
    }
    let challenge = challenge.and_then(|entry| quoted(entry, ""));
    context! { material => material, challenge => challenge }
}

pub(in super::super) fn clarification(session: &Session<'_>, debater: &Debater, said: &Said) -> Value {
    let seq = session.next_seq().saturating_sub(1);
    let title = format!("the question: seq {seq}, {}", debater.name);
    let earlier = session.spoken().filter(|entry| entry.seq != seq);
    let mut material = session.entries(&Office::Chair.seat(), earlier, |_| true);
    material.extend(session.fenced(&format!("question/{seq}"), &title, &said.content));
    context! { material => material }
}

pub(in super::super) fn natural_end(session: &Session<'_>, round: u32) -> Value {
    context! { round => round, material => session.debate_for(Office::Chair) }
}

pub(in super::super) fn unresolved(session: &Session<'_>, candidates: &[OpenArgument]) -> Value {
    let told = candidates.iter().map(|OpenArgument { seq, contested_by }| {
        let by = seq_list(contested_by);
        let state = if by.is_empty() { "unanswered".to_owned() } else { format!("contested by seq {by}") };
        format!("seq {seq}, {}: {state}\n", session.record.speaker(*seq))
    });
    let mut material = session.debate_for(Office::Chair);
    let title = "arguments without a decisive counter";
    material.extend(session.as_is("unresolved", title, &told.collect::<String>()));
    context! { material => material }
}

pub(in super::super) fn judgement(session: &Session<'_>, names: &[&str]) -> Value {
    let mut personas = String::new();
    for debater in names.iter().filter_map(|name| session.setup().debaters.iter().find(|debater| debater.name == *name)) {
        // Writing to a string cannot fail.
        let _ = writeln!(personas, "{}: {}; {}", debater.name, debater.persona, debater.starting_position);
    }
    let fabricated = |name: &&str| session.record.debater(name).count(SourceStatus::Fabricated) > 0;
    let fabricators = session.setup().names().into_iter().filter(fabricated).count();
    let mut material: Vec<Quoted> = session.as_is("judgement/personas", "the personas", &personas).into_iter().collect();
    material.extend(session.debate_for(Office::Chair));
    material.extend(facts(session, names));
    material.extend(rulings(session));
    context! { material => material, several_fabricated => fabricators > 1 }
}

/// What each debater did, in figures.
pub(super) fn facts(session: &Session<'_>, names: &[&str]) -> Option<Quoted> {
    let mut text = String::new();
    for name in names {
        let standing = session.record.debater(name);
        let never = if standing.not_rebutted.is_empty() { "nobody".to_owned() } else { standing.not_rebutted.join(", ") };
        let rebuttals: usize = standing.rebutted.values().sum();
        let sources = SourceStatus::counts(|status| standing.count(status));
        let _ = writeln!(
            text,
            "{name}: {} arguments, {} with sources; {rebuttals} rebuttals, never rebutted: {never}; sources {sources}; \
             redactions {}, rulings against {}, penalties {}; turns missed {}",
            standing.arguments,
            standing.sourced,
            standing.redactions,
            standing.rulings,
            standing.penalties,
            standing.absences,
        );
        if !standing.uncorrected.is_empty() {
            let _ = writeln!(text, "  unreliable and never corrected: seq {}", seq_list(&standing.uncorrected));
        }
    }
    session.as_is("facts", "the record of each debater", &text)
}

pub(super) fn rulings(session: &Session<'_>) -> Option<Quoted> {
    let (record, redactor) = (&session.record, session.redactor());
    let is_clarification = |entry: &LogEntry| {
        record.rulings.iter().any(|ruling| ruling.entry == entry.seq && ruling.kind == RulingKind::Clarification)
    };
    let counts = |entry: &&LogEntry| {
        entry.kind == EntryType::Redaction || (entry.kind == EntryType::Ruling && !is_clarification(entry))
    };
    let told = record.log.iter().filter(counts);
    let told: Vec<String> = told.map(|entry| format!("seq {}: {}", entry.seq, record.shown(entry, &redactor))).collect();
    session.as_is("rulings", "rulings and redactions", &told.join("\n"))
}

pub(in super::super) fn questions(session: &Session<'_>, round: u32) -> Value {
    let this = session.spoken().filter(|entry| entry.round == Some(round));
    let material = session.entries(&Office::Audience.seat(), this, |_| true);
    context! { round => round, material => material }
}
