//! The prompts for what is written about the debate once it is judged.

use minijinja::{Value, context};
use serde_json::Value as Json;

use super::super::entry::EntryType;
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
    of(session, Office::Reporter, "panel/blog.md", schema)
}

/// The prompt for the notes on the verifier's work.
pub(in super::super) fn verifier_notes(session: &Session<'_>, schema: &Json) -> Result<Prompt, PromptError> {
    of(session, Office::Reporter, "panel/notes.md", schema)
}

/// The prompt for the assessor's report.
pub(in super::super) fn assessment(session: &Session<'_>, schema: &Json) -> Result<Prompt, PromptError> {
    of(session, Office::Assessor, "panel/assessment.md", schema)
}

fn of(session: &Session<'_>, office: Office, name: &str, schema: &Json) -> Result<Prompt, PromptError> {
    let task = render(session.debate.plan(), name, values(session, schema))?;
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
    let verified = minutes.verified_sources().join("\n");
    context! {
        entries => session.as_is("papers/entries", "the reporter's notes: every entry in one sentence", &session.lines(session.spoken())),
        closings => closings,
        facts => session.as_is("papers/facts", "what stands on record of each debater", &facts(session)),
        rulings => session.fenced("papers/rulings", "rulings and redactions", &rulings(session)),
        results => session.fenced("papers/results", "what was found of sources", &results(session)),
        outcome => session.fenced("papers/outcome", "how the chair concluded", &conclusion),
        audience => session.fenced("papers/audience", "the audience's conclusion", &audience),
        verified => session.as_is("papers/verified", "verified sources", &verified),
        schema => schema.to_string(),
    }
}

fn results(session: &Session<'_>) -> String {
    let told = session.minutes.results.iter().map(|(_, result)| {
        let (seq, url, status) = (result.verified_seq, &result.url, result.status.as_str());
        let speaker = session.minutes.speaker(seq);
        let why = match result.status {
            SourceStatus::Verified => String::new(),
            _ => format!(": {}", super::super::turn::sentence(&result.explanation)),
        };
        format!("seq {seq}, {speaker}, {url}: {status}{why}\n")
    });
    told.collect()
}
