//! The prompts of the verifier, the chair, and the audience after a round.

use std::collections::BTreeSet;
use std::fmt::Write;

use minijinja::{Value, context};
use serde_json::Value as Json;

use super::super::entry::{EntryType, LogEntry};
use super::super::minutes::RulingKind;
use super::super::reading::Item;
use super::super::session::Session;
use super::super::setup::{Debater, Office};
use super::super::source_text::excerpt;
use super::super::turn::Said;
use super::super::verifying::Docket;
use crate::debate::Prompt;
use crate::formats::prompts::{PromptError, Quoted, render};

/// The prompt for the verification of sources that are there. A challenge of one is judged with it.
pub(in super::super) fn verification(
    session: &Session<'_>,
    docket: &Docket,
    items: &[&Item],
    challenge: Option<&LogEntry>,
    schema: &Json,
) -> Result<Prompt, PromptError> {
    let plan = session.debate.plan();
    let seqs: BTreeSet<u64> = items.iter().map(|item| item.seq).collect();
    let entries: Vec<Quoted> = seqs
        .iter()
        .filter_map(|seq| session.minutes.entry(*seq))
        .filter_map(|entry| {
            let said = session.minutes.said.get(&entry.seq)?;
            session.in_full_with(entry, &format!("\n\nIn one sentence: {}", said.in_one_sentence))
        })
        .collect();
    let findings = session.debate.findings(&docket.evidence_key()).unwrap_or_default();
    let mut sources: Vec<Quoted> = Vec::new();
    for item in items {
        let place = docket.items.iter().position(|other| other == *item);
        let found = place.and_then(|place| findings.get(place));
        let mut text = found.map(|found| format!("It is there: {}.\n", found.detail)).unwrap_or_default();
        let words = item.citation.quotes.join(" … ");
        if !words.is_empty() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "Words that were looked for and found: {words}");
        }
        if let Some(known) = session.text_of(item, found) {
            let _ = writeln!(text, "\n{}", excerpt(known, &item.citation.quotes));
        }
        let key = format!("source/{}/{}", item.seq, item.url);
        sources.extend(session.fenced(&key, &format!("{} of seq {}", item.url, item.seq), &text));
    }
    let challenge = challenge.and_then(|entry| session.in_full(entry));
    let values = context! {
        entries => entries, sources => sources, challenge => challenge,
    };
    let task = render(plan, "panel/verification.md", values)?;
    Ok(Prompt { system: session.office(Office::Verifier)?, user: format!("{}\n\n{task}", session.matter()?) })
}

/// The prompt for an answer to a question on procedure.
pub(in super::super) fn clarification(
    session: &Session<'_>,
    debater: &Debater,
    said: &Said,
    schema: &Json,
) -> Result<Prompt, PromptError> {
    let seq = session.next_seq().saturating_sub(1);
    let title = format!("seq {seq}, {}", debater.name);
    let question = session.fenced(&format!("entry/{seq}"), &title, &said.content);
    let entries = session.lines(session.spoken());
    let values = context! {
        question => question,
        entries => session.as_is(&format!("clarification/{seq}"), "the entries so far, one sentence each", &entries),
    };
    of_chair(session, "panel/clarification.md", values)
}

/// The prompt for the question whether all is said.
pub(in super::super) fn natural_end(session: &Session<'_>, round: u32, schema: &Json) -> Result<Prompt, PromptError> {
    let earlier = session.lines(session.spoken().filter(|entry| entry.round != Some(round)));
    let this = session.lines(session.spoken().filter(|entry| entry.round == Some(round)));
    let values = context! {
        round => round,
        earlier => session.as_is(&format!("natural/{round}/earlier"), "entries before this round", &earlier),
        entries => session.as_is(&format!("natural/{round}"), "entries of this round", &this),
    };
    of_chair(session, "panel/natural_end.md", values)
}

/// The prompt for what stays open.
pub(in super::super) fn unresolved(
    session: &Session<'_>,
    candidates: &BTreeSet<u64>,
    schema: &Json,
) -> Result<Prompt, PromptError> {
    let open: Vec<&LogEntry> = candidates.iter().filter_map(|seq| session.minutes.entry(*seq)).collect();
    let values = context! {
        candidates => session.as_is("unresolved", "arguments that nobody rebutted", &session.lines(open.into_iter())),
    };
    of_chair(session, "panel/unresolved.md", values)
}

/// The prompt for the judgement.
pub(in super::super) fn judgement(session: &Session<'_>, outcomes: &[String], schema: &Json) -> Result<Prompt, PromptError> {
    let minutes = &session.minutes;
    let full = minutes
        .standing()
        .filter(|entry| matches!(entry.kind, EntryType::OpeningStatement | EntryType::ClosingStatement))
        .filter_map(|entry| session.in_full(entry));
    let full: Vec<Quoted> = full.collect();
    let mut personas = String::new();
    for debater in &session.setup().debaters {
        // Writing to a string cannot fail.
        let _ = writeln!(personas, "{}: {}; {}", debater.name, debater.persona, debater.starting_position);
    }
    let fabricators = session.names().into_iter().filter(|name| minutes.debater(name).record.fabricated > 0).count();
    let values = context! {
        personas => session.as_is("judgement/personas", "the personas", &personas),
        entries => session.as_is("judgement/entries", "the entries, one sentence each", &session.lines(session.spoken())),
        full => full,
        facts => session.as_is("judgement/facts", "what stands on record of each debater", &facts(session)),
        rulings => session.fenced("judgement/rulings", "rulings and redactions", &rulings(session)),
        several_fabricated => fabricators > 1,
        outcomes => outcomes.to_vec(),
    };
    of_chair(session, "panel/judgement.md", values)
}

/// What each debater did, in figures that were computed.
pub(super) fn facts(session: &Session<'_>) -> String {
    let mut text = String::new();
    for name in session.names() {
        let standing = session.minutes.debater(name);
        let on = standing.record;
        let never = if standing.not_rebutted.is_empty() { "nobody".to_owned() } else { standing.not_rebutted.join(", ") };
        let rebuttals: usize = standing.rebutted.values().sum();
        let _ = writeln!(
            text,
            "{name}: {} arguments, {} with sources; {rebuttals} rebuttals, never rebutted: {never}; sources verified {}, \
             unreliable {}, fabricated {}, unchecked {}; redactions {}, rulings against {}, penalties {}; turns missed {}",
            standing.arguments,
            standing.sourced,
            on.verified,
            on.unreliable,
            on.fabricated,
            on.unchecked,
            on.redactions,
            on.rulings,
            on.penalties,
            standing.absences,
        );
        if !standing.uncorrected.is_empty() {
            let seqs: Vec<String> = standing.uncorrected.iter().map(ToString::to_string).collect();
            let _ = writeln!(text, "  unreliable and never corrected: seq {}", seqs.join(", "));
        }
    }
    text
}

/// Every ruling and redaction, in order.
pub(super) fn rulings(session: &Session<'_>) -> String {
    let minutes = &session.minutes;
    let weighty = |entry: &&LogEntry| match entry.kind {
        EntryType::Redaction => true,
        EntryType::Ruling => {
            let own = minutes.rulings.iter().find(|ruling| ruling.entry == entry.seq);
            own.is_some_and(|ruling| ruling.kind != RulingKind::Clarification)
        }
        _ => false,
    };
    let told = minutes.log.iter().filter(weighty).map(|entry| format!("seq {}: {}", entry.seq, minutes.words(entry)));
    told.collect::<Vec<_>>().join("\n")
}

/// The prompt for the audience's questions.
pub(in super::super) fn questions(session: &Session<'_>, round: u32, schema: &Json) -> Result<Prompt, PromptError> {
    let this = session.lines(session.spoken().filter(|entry| entry.round == Some(round)));
    let values = context! {
        round => round,
        entries => session.as_is(&format!("audience/{round}"), "entries of this round, one sentence each", &this),
    };
    let task = render(session.debate.plan(), "panel/questions.md", values)?;
    Ok(Prompt { system: session.office(Office::Audience)?, user: format!("{}\n\n{task}", session.matter()?) })
}

fn of_chair(session: &Session<'_>, name: &str, values: Value) -> Result<Prompt, PromptError> {
    let task = render(session.debate.plan(), name, values)?;
    Ok(Prompt { system: session.office(Office::Chair)?, user: format!("{}\n\n{task}", session.matter()?) })
}
