//! The prompts for what is written about the debate once it is judged.

use minijinja::context;

use super::super::entry::{EntryType, LogEntry};
use super::super::reports::SummaryNotes;
use super::super::session::Session;
use super::super::setup::Office;
use super::super::turn::sentence;
use super::super::verification::SourceStatus;
use super::super::{adjudication, blog_post, summary_notes, verifier_notes as notes_of};
use super::offices::{facts, rulings};
use crate::debate::Prompt;
use crate::formats::prompts::{PromptError, Quoted};

pub(in super::super) fn audience_conclusion(session: &Session<'_>) -> Result<Prompt, PromptError> {
    let mut material = session.debate_for(Office::Audience);
    material.extend(rulings(session).into_iter().chain(conclusions(session)));
    session.to_office(Office::Audience, "panel/conclusion.md", context! { material => material })
}

pub(in super::super) fn summary(session: &Session<'_>) -> Result<Prompt, PromptError> {
    let mut material = session.debate_for(Office::Reporter);
    material.extend(rulings(session).into_iter().chain(conclusions(session)));
    session.to_office(Office::Reporter, "panel/summary.md", context! { material => material })
}

/// The prompt for the blog post. What rests on an unreliable source is not in it.
pub(in super::super) fn blog(session: &Session<'_>) -> Result<Prompt, PromptError> {
    let unreliable = session.record.unreliable();
    let usable = session.record.arguments().filter(|entry: &&LogEntry| !unreliable.contains(&entry.seq));
    let mut material = session.entries(&Office::Reporter.seat(), usable, |_| true);
    let verified = session.record.verified_sources().join("\n");
    material.extend(session.as_is("verified", "verified sources", &verified));
    session.to_office(Office::Reporter, "panel/blog.md", context! { material => material })
}

pub(in super::super) fn verifier_notes(session: &Session<'_>) -> Result<Prompt, PromptError> {
    let material: Vec<Quoted> = results(session).into_iter().chain(rulings(session)).collect();
    session.to_office(Office::Reporter, "panel/notes.md", context! { material => material })
}

pub(in super::super) fn assessment(session: &Session<'_>) -> Result<Prompt, PromptError> {
    let notes = notes_of(session.debate).map(|notes| match notes.notable_findings.as_slice() {
        [] => "(no notable findings)".to_owned(),
        notes => notes.join("\n"),
    });
    let written = [
        ("the reporter's summary", summary_notes(session.debate).map(SummaryNotes::text)),
        ("the blog post", blog_post(session.debate).map(|blog| format!("{}\n\n{}", blog.title, blog.body))),
        ("the notes on the verifier", notes),
    ];
    let missing: Vec<&str> = written.iter().filter(|(_, text)| text.is_none()).map(|(what, _)| *what).collect();
    let mut material = session.debate_for(Office::Assessor);
    material.extend(facts(session).into_iter().chain(rulings(session)).chain(results(session)));
    material.extend(conclusions(session));
    let reports =
        written.iter().filter_map(|(what, text)| session.fenced(&format!("assessed/{what}"), what, text.as_deref()?));
    material.extend(reports);
    let void = adjudication(session.debate).is_some_and(|judged| judged.outcome == "void");
    let values = context! { material => material, missing => missing, void => void };
    session.to_office(Office::Assessor, "panel/assessment.md", values)
}

/// How the chair and the audience concluded, as far as they have.
fn conclusions(session: &Session<'_>) -> Vec<Quoted> {
    let kinds =
        [(EntryType::Conclusion, "the chair's conclusion"), (EntryType::AudienceConclusion, "the audience's conclusion")];
    let conclusion = |(kind, title): (EntryType, &str)| {
        let entry = session.record.log.iter().find(|entry| entry.kind == kind)?;
        session.as_is(&format!("papers/{kind}"), title, &session.record.shown(entry, &session.redactor()))
    };
    kinds.into_iter().filter_map(conclusion).collect()
}

/// What was found of each source.
fn results(session: &Session<'_>) -> Option<Quoted> {
    let redactor = session.redactor();
    let told = session.record.results.iter().map(|(_, result)| {
        let (seq, url, status) = (result.verified_seq, &result.url, result.status.as_str());
        let why = match result.status {
            SourceStatus::Verified => String::new(),
            _ => format!(": {}", sentence(&redactor.redact(&result.explanation))),
        };
        format!("seq {seq}, {}, {url}: {status}{why}\n", session.record.speaker(seq))
    });
    session.as_is("results", "findings on sources", &told.collect::<String>())
}
