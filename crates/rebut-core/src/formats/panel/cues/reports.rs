//! The prompts for what is written about the debate once it is judged.

use minijinja::{Value, context};

use super::super::session::Session;
use super::super::turn::sentence;
use super::offices::{facts, rulings};
use crate::formats::panel::{self, EntryType, LogEntry, Office, SourceStatus};
use crate::formats::prompts::Quoted;

/// The debate and how it ended, for its conclusion or its summary.
pub(in super::super) fn whole_debate(session: &Session<'_>, office: Office) -> Value {
    let mut material = session.debate_for(office);
    material.extend(rulings(session).into_iter().chain(conclusions(session)));
    context! { material => material }
}

/// The prompt for the blog post. What rests on an unreliable source is not in it.
pub(in super::super) fn blog(session: &Session<'_>) -> Value {
    let is_unreliable = |seq| session.record.results_of(seq).any(|result| result.status == SourceStatus::Unreliable);
    let usable = session.record.arguments().filter(|entry: &&LogEntry| !is_unreliable(entry.seq));
    let mut material = session.entries(&Office::Reporter.seat(), usable, |_| true);
    let verified = session.record.verified_sources().join("\n");
    material.extend(session.as_is("verified", "verified sources", &verified));
    context! { material => material }
}

pub(in super::super) fn verifier_notes(session: &Session<'_>) -> Value {
    let material: Vec<Quoted> = results(session).into_iter().chain(rulings(session)).collect();
    context! { material => material }
}

pub(in super::super) fn assessment(session: &Session<'_>) -> Value {
    let notes = panel::verifier_notes(session.debate).map(|notes| match notes.notable_findings.as_slice() {
        [] => "(no notable findings)".to_owned(),
        notes => notes.join("\n"),
    });
    let written = [
        (
            "the reporter's summary",
            panel::summary_notes(session.debate).map(|notes| format!("{}\n\n{}", notes.overview, notes.flow)),
        ),
        ("the blog post", panel::blog_post(session.debate).map(|blog| format!("{}\n\n{}", blog.title, blog.body))),
        ("the notes on the verifier", notes),
    ];
    let missing: Vec<&str> = written.iter().filter(|(_, text)| text.is_none()).map(|(what, _)| *what).collect();
    let mut material = session.debate_for(Office::Assessor);
    material.extend(facts(session, &session.setup().names()).into_iter().chain(rulings(session)).chain(results(session)));
    material.extend(conclusions(session));
    let reports =
        written.iter().filter_map(|(what, text)| session.fenced(&format!("assessed/{what}"), what, text.as_deref()?));
    material.extend(reports);
    let void = panel::adjudication(session.debate).is_some_and(|judged| judged.outcome == "void");
    context! { material => material, missing => missing, void => void }
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
