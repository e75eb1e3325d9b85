//! The prompts for what is written about the debate once it is judged.

use std::fmt::Write;

use minijinja::{Value, context};
use serde_json::Value as Json;

use super::super::entry::{EntryType, LogEntry};
use super::super::papers::SummaryNotes;
use super::super::session::Session;
use super::super::setup::Office;
use super::super::verification::SourceStatus;
use super::offices::{facts, rulings};
use crate::debate::Prompt;
use crate::formats::prompts::{PromptError, Quoted, render};

/// The prompt for the audience's conclusion.
pub(in super::super) fn audience_conclusion(session: &Session<'_>, schema: &Json) -> Result<Prompt, PromptError> {
    of(session, Office::Audience, "panel/conclusion.md", schema)
}

/// The prompt for the reporter's part of the summary.
pub(in super::super) fn summary(session: &Session<'_>, schema: &Json) -> Result<Prompt, PromptError> {
    of(session, Office::Reporter, "panel/summary.md", schema)
}

/// The prompt for the blog post.
pub(in super::super) fn blog(session: &Session<'_>, schema: &Json) -> Result<Prompt, PromptError> {
    let doubtful = session.doubtful();
    let unreliable = session.minutes.unreliable();
    let told = |entry: &&LogEntry| !unreliable.contains(&entry.seq);
    let mut notes = String::new();
    for entry in session.minutes.standing().filter(told) {
        let open = session.minutes.results_of(entry.seq).any(|result| result.status == SourceStatus::Unchecked);
        let mark = if open { " (a source of it is unchecked: nobody could read it)" } else { "" };
        let sentence = doubtful.over_text(&session.minutes.sentence(entry.seq, &session.veil()));
        // Writing to a string cannot fail.
        let _ = writeln!(notes, "{}, {}{mark}: {sentence}", entry.speaker, entry.kind);
    }
    let closings = session.minutes.standing().filter(told).filter(|entry| entry.kind == EntryType::ClosingStatement);
    let closings = closings.filter_map(|entry| {
        let title = format!("{}, {}", entry.speaker, entry.kind);
        session.fenced(&format!("blog/{}", entry.seq), &title, &doubtful.over_text(&entry.content))
    });
    let verified = session.minutes.verified_sources().join("\n");
    let values = context! {
        entries => session.as_is("blog/entries", "the reporter's notes: every argument in one sentence", &notes),
        closings => closings.collect::<Vec<Quoted>>(),
        verified => session.as_is("papers/verified", "verified sources", &verified),
    };
    rendered(session, Office::Reporter, "panel/blog.md", values)
}

/// The prompt for the notes on the verifier's work.
pub(in super::super) fn verifier_notes(session: &Session<'_>, schema: &Json) -> Result<Prompt, PromptError> {
    of(session, Office::Reporter, "panel/notes.md", schema)
}

/// The prompt for the assessor's report.
pub(in super::super) fn assessment(session: &Session<'_>, schema: &Json) -> Result<Prompt, PromptError> {
    let written = [
        ("the summary's part of the reporter", super::super::summary_notes(session.debate).map(SummaryNotes::told)),
        ("the blog post", super::super::blog_post(session.debate).map(|blog| format!("{}\n\n{}", blog.title, blog.body))),
        (
            "the notes on the verifier",
            super::super::verifier_notes(session.debate).map(|notes| {
                if notes.notable_findings.is_empty() {
                    "(nothing stood out)".to_owned()
                } else {
                    notes.notable_findings.join("\n")
                }
            }),
        ),
    ];
    let missing: Vec<&str> = written.iter().filter(|(_, text)| text.is_none()).map(|(what, _)| *what).collect();
    let papers =
        written.iter().filter_map(|(what, text)| session.fenced(&format!("assessed/{what}"), what, text.as_deref()?));
    let papers: Vec<Quoted> = papers.collect();
    let void = super::super::adjudication(session.debate).is_some_and(|judged| judged.outcome == "void");
    let values = context! { papers => papers, missing => missing, void => void, ..values(session, schema) };
    rendered(session, Office::Assessor, "panel/assessment.md", values)
}

fn of(session: &Session<'_>, office: Office, name: &str, schema: &Json) -> Result<Prompt, PromptError> {
    rendered(session, office, name, values(session, schema))
}

fn rendered(session: &Session<'_>, office: Office, name: &str, values: Value) -> Result<Prompt, PromptError> {
    let task = render(session.debate.plan(), name, values)?;
    Ok(Prompt { system: session.office(office)?, user: format!("{}\n\n{task}", session.matter()?) })
}

/// What all of them may need; each prompt uses its part.
fn values(session: &Session<'_>, schema: &Json) -> Value {
    let minutes = &session.minutes;
    let closings = minutes.standing().filter(|entry| entry.kind == EntryType::ClosingStatement);
    let closings: Vec<Quoted> = closings.filter_map(|entry| session.in_full(entry)).collect();
    let conclusion = minutes.log.iter().find(|entry| entry.kind == EntryType::Conclusion);
    let conclusion = conclusion.map(|entry| entry.content.clone()).unwrap_or_default();
    let audience = minutes.log.iter().find(|entry| entry.kind == EntryType::AudienceConclusion);
    let audience = audience.map(|entry| entry.content.clone()).unwrap_or_default();
    context! {
        entries => session.as_is("papers/entries", "the reporter's notes: every entry in one sentence", &session.lines(session.spoken())),
        closings => closings,
        facts => session.as_is("papers/facts", "what stands on record of each debater", &facts(session)),
        rulings => session.fenced("papers/rulings", "rulings and redactions", &rulings(session)),
        results => session.fenced("papers/results", "what was found of sources", &results(session)),
        outcome => session.fenced("papers/outcome", "how the chair concluded", &conclusion),
        audience => session.fenced("papers/audience", "the audience's conclusion", &audience),
    }
}

fn results(session: &Session<'_>) -> String {
    let told = session.minutes.results.iter().map(|(_, result)| {
        let (seq, url, status) = (result.verified_seq, &result.url, result.status.as_str());
        let speaker = session.minutes.speaker(seq);
        let why = match result.status {
            SourceStatus::Verified => String::new(),
            _ => format!(": {}", super::super::turn::sentence(&session.minutes.explanation(result))),
        };
        format!("seq {seq}, {speaker}, {url}: {status}{why}\n")
    });
    told.collect()
}
