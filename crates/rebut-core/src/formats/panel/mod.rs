//! panel: personas debate before a chair, with a verifier, an audience, a reporter and an assessor.
//!
//! The procedure is in `session.rs`, `rounds.rs` and `ending.rs`: one walk through the debate from its beginning, which uses
//! the answers so far and stops where one is missing. The walk writes the log as it goes, so the log depends on the answers
//! alone, never on the order in which they arrived.

mod audience;
mod chair;
mod challenges;
mod check_log;
mod cues;
mod documents;
mod ending;
mod entry;
mod format;
mod lineup;
mod outline;
mod procedure;
mod readiness;
mod record;
mod redaction;
mod reporting;
mod reports;
mod rounds;
mod rules;
mod session;
mod setup;
mod source;
mod tasks;
mod turn;
mod turns;
mod verification;
mod verifier;

use serde::{Deserialize, Serialize};

use crate::debate::{Debate, Plan, StepKey};
use crate::judging::Firmness;

pub use audience::{AudienceConclusion, Question, Questions};
pub use chair::{Adjudication, Clarification, Grade, KeyEntry, Measured, NaturalEnd, OpenPoint, Unresolved};
pub use check_log::{Problem, check_log};
pub use documents::DOCUMENTS;
pub use entry::{EntryType, LogEntry, LogPhase, Source};
pub use format::Panel;
pub use lineup::{Lineup, LineupWord, MOST_CHANGES, awaited_lineup};
pub use readiness::Ready;
pub use record::{DebaterStats, OpenArgument, Record, Redaction, RelayedQuestion, Ruling, RulingKind};
pub use redaction::Redactor;
pub use reports::{Assessment, BlogPost, Exchange, KeyArgument, KeyArguments, Part, Rating, SummaryNotes, VerifierNotes};
pub use setup::{DEBATERS, Debater, Office, PanelSetup, ROUNDS, check_name, folder_name, lineup_problems, slug};
pub use source::{Figure, Listed};
pub use turn::{Framework, Said, Turn};
pub use verification::{Confidence, SourceStatus, Verification, VerificationResult};

/// The content of an answer on a panel, as it was read when it arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    Lineup(Lineup),
    Ready(Ready),
    Turn(Turn),
    Verification(Verification),
    NaturalEnd(NaturalEnd),
    Clarification(Clarification),
    Unresolved(Unresolved),
    Adjudication(Adjudication),
    Questions(Questions),
    AudienceConclusion(AudienceConclusion),
    Summary(SummaryNotes),
    Blog(BlogPost),
    VerifierNotes(VerifierNotes),
    Assessment(Assessment),
}

/// What a panel's plan says of it; none where the debate is no panel.
pub fn setup(plan: &Plan) -> Option<&PanelSetup> {
    plan.setup.get()
}

/// What the debate is about: the topic, what was attached, and what was wished of the lineup.
pub fn matter(plan: &Plan) -> Vec<&str> {
    let attached = plan.context.iter().flat_map(|item| [item.label.as_str(), item.text.as_str()]);
    let wished = setup(plan).into_iter().flat_map(|setup| std::iter::once(&setup.hints).chain(&setup.wishes));
    std::iter::once(plan.topic.as_str()).chain(attached).chain(wished.map(String::as_str)).collect()
}

/// The record of a panel as far as it has come; none where the debate is no panel.
pub fn record(debate: &Debate) -> Option<Record<'_>> {
    procedure::walk(debate).map(|(session, _)| session.record)
}

pub fn log(debate: &Debate) -> Vec<LogEntry> {
    record(debate).map(|record| record.log).unwrap_or_default()
}

pub fn rounds_have_ended(debate: &Debate) -> bool {
    debate.entry(&StepKey::new(rounds::ROUNDS_END)).is_some()
}

/// The key of a turn: `round-2/anna`.
pub fn turn_key(round: u32, name: &str) -> StepKey {
    StepKey::new(format!("round-{round}/{name}"))
}

/// The second judgement is asked for with the debaters in reverse order.
pub fn judgement_key(number: u32) -> StepKey {
    StepKey::new(format!("chair/judgement/{number}"))
}

pub fn judgements(debate: &Debate) -> Vec<&Adjudication> {
    let count = setup(debate.plan()).map_or(0, |setup| setup.rigor.ballots());
    let judged = (1..=count).filter_map(|number| match debate.content(&judgement_key(number))? {
        Content::Adjudication(judged) => Some(judged),
        _ => None,
    });
    judged.collect()
}

/// What the chair's judgements come to, once all are in.
pub fn adjudication(debate: &Debate) -> Option<Adjudication> {
    debate.entry(&StepKey::new(ending::CONCLUSION)).and_then(|_| chair::combined(&judgements(debate)))
}

pub fn firmness(debate: &Debate) -> Option<Firmness> {
    debate.outcome()?;
    let judged = judgements(debate);
    let same = judged.iter().filter(|other| other.outcome == judged[0].outcome).count();
    Firmness::of([same, judged.len() - same])
}

pub fn summary_notes(debate: &Debate) -> Option<&SummaryNotes> {
    if let Content::Summary(notes) = debate.content(&reporting::SUMMARY.key())? { Some(notes) } else { None }
}

pub fn blog_post(debate: &Debate) -> Option<&BlogPost> {
    if let Content::Blog(blog) = debate.content(&reporting::BLOG.key())? { Some(blog) } else { None }
}

pub fn verifier_notes(debate: &Debate) -> Option<&VerifierNotes> {
    if let Content::VerifierNotes(notes) = debate.content(&reporting::NOTES.key())? { Some(notes) } else { None }
}

pub fn assessment(debate: &Debate) -> Option<&Assessment> {
    if let Content::Assessment(report) = debate.content(&reporting::ASSESSMENT.key())? { Some(report) } else { None }
}

pub fn seat_notes(plan: &Plan) -> Vec<String> {
    let Some(setup) = setup(plan) else { return Vec::new() };
    let seats: Vec<_> = setup.debaters.iter().filter_map(|debater| plan.seat(&debater.seat())).collect();
    let mut notes = Vec::new();
    if let [first, rest @ ..] = &seats[..]
        && rest.iter().all(|seat| seat.spec() == first.spec())
    {
        notes.push(format!("one model plays every debater: {}", first.spec()));
    }
    if setup.web {
        notes.push("seats may search the web with their own tools (--web)".to_owned());
    }
    notes
}
