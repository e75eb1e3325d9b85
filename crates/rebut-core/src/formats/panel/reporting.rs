//! After the judgement: the audience's conclusion, the reporter's documents at the same time, then the assessor.

use std::collections::BTreeSet;

use serde_json::Value;

use super::reports::{self, SummaryScope};
use super::session::{Session, Walk, all};
use super::tasks::Task;
use super::{Adjudication, Content, EntryType, Office, audience, cues, judgement_key};
use crate::debate::{Outcome, Status, StepKey, structured};

/// A text about the debate: where it is asked for, what it is, and of whom.
pub(super) struct Report {
    pub(super) task: Task,
    pub(super) office: Office,
    key: &'static str,
    what: &'static str,
}

impl Report {
    const fn new(task: Task, office: Office, key: &'static str, what: &'static str) -> Self {
        Self { task, office, key, what }
    }

    pub(super) fn key(&self) -> StepKey {
        StepKey::new(self.key)
    }
}

pub(super) const CONCLUSION: Report =
    Report::new(Task::Conclusion, Office::Audience, "audience/conclusion", "audience's conclusion");
pub(super) const SUMMARY: Report =
    Report::new(Task::Summary, Office::Reporter, "reporter/summary", "reporter's part of the summary");
pub(super) const BLOG: Report = Report::new(Task::Blog, Office::Reporter, "reporter/blog-post", "blog post");
pub(super) const NOTES: Report =
    Report::new(Task::Notes, Office::Reporter, "reporter/verifier-notes", "reporter's notes on the verifier");
pub(super) const ASSESSMENT: Report =
    Report::new(Task::Assessment, Office::Assessor, "assessor/report", "assessor's report");

pub(super) const REPORTS: [Report; 5] = [CONCLUSION, SUMMARY, BLOG, NOTES, ASSESSMENT];

impl<'a> Session<'a> {
    pub(super) fn report(&mut self, judged: &Adjudication) -> Walk<Outcome> {
        let concluded = self.written(&CONCLUSION, |session| {
            (audience::conclusion_schema(&session.citable()), cues::whole_debate(session, Office::Audience))
        })?;
        if let Some(Content::AudienceConclusion(conclusion)) = concluded {
            let at = self.debate.ended_at(&CONCLUSION.key());
            self.write(at, Office::Audience.as_str(), EntryType::AudienceConclusion, conclusion.text());
        }
        // There is nothing to write about a void debate.
        let void = judged.outcome == "void";
        let blog = |session: &Self| (reports::blog_schema(&session.record.verified_sources()), cues::blog(session));
        all([
            self.written(&SUMMARY, |session| {
                (reports::summary_schema(&session.scope()), cues::whole_debate(session, Office::Reporter))
            }),
            if void { Ok(None) } else { self.written(&BLOG, blog) },
            self.written(&NOTES, |session| (structured::schema::<reports::VerifierNotes>(), cues::verifier_notes(session))),
        ])?;
        self.written(&ASSESSMENT, |session| {
            (reports::assessment_schema(&session.setup().assessed()), cues::assessment(session))
        })?;
        let wanted = REPORTS.iter().filter(|report| !void || report.key != BLOG.key);
        let missing = wanted.filter(|report| self.debate.answered(&report.key()).is_none());
        let missing = missing.map(|report| format!("The {} is missing: {}.", report.what, self.why_missing(&report.key())));
        let lengths = [CONCLUSION, BLOG].iter().filter_map(|report| wrong_length(self.debate.content(&report.key())?));
        Ok(self.concluded(judged, missing.collect(), lengths.collect()))
    }

    fn why_missing(&self, key: &StepKey) -> String {
        match self.debate.budget_spent().filter(|_| self.debate.call(key).is_none()) {
            Some(limit) => format!("not asked for: the {} is used up", limit.words()),
            None => format!("the seat {}", self.failure(key)),
        }
    }

    fn concluded(&self, judged: &Adjudication, missing: Vec<String>, notes: Vec<String>) -> Outcome {
        let mut lines: Vec<String> = Vec::new();
        lines.extend(self.record.left.iter().map(|name| format!("{name} left the panel after failing twice in a row.")));
        if let Some(limit) = self.debate.budget_spent() {
            lines.push(format!("The {} is used up: the conclusion rests on the debate so far.", limit.words()));
        }
        let keys = (1..=self.setup().rigor.ballots()).map(judgement_key);
        let (given, failed): (Vec<_>, Vec<_>) = keys.partition(|key| self.debate.answered(key).is_some());
        let missing: Vec<String> = failed
            .iter()
            .map(|key| format!("The judgement {key} is left out: the chair {}.", self.failure(key)))
            .chain(missing)
            .collect();
        let whole = missing.is_empty() && self.debate.budget_spent().is_none() && !self.too_few();
        lines.extend(missing);
        lines.extend(notes);
        Outcome {
            status: if whole { Status::Completed } else { Status::Partial },
            lines,
            verdict: given.into_iter().next(),
            decision: Some(judged.outcome.clone()),
        }
    }

    fn written(&self, report: &Report, with: impl FnOnce(&Self) -> (Value, minijinja::Value)) -> Walk<Option<&'a Content>> {
        self.ask(report.office, report.task, &report.key(), false, with)
    }

    pub(super) fn citable(&self) -> BTreeSet<u64> {
        self.record.arguments().map(|entry| entry.seq).collect()
    }

    pub(super) fn scope(&self) -> SummaryScope {
        let of = |name: &str| {
            let own = self.record.arguments().filter(|entry| entry.speaker == name);
            own.map(|entry| entry.seq).collect::<BTreeSet<u64>>()
        };
        SummaryScope {
            citable: self.setup().names().into_iter().map(|name| (name.to_owned(), of(name))).collect(),
            entries: self.next_seq(),
        }
    }
}

/// The note on a text that still has the wrong length after a retry.
fn wrong_length(report: &Content) -> Option<String> {
    let (what, words, range) = match report {
        Content::AudienceConclusion(conclusion) => ("audience's conclusion", conclusion.words(), audience::CONCLUSION_WORDS),
        Content::Blog(blog) => ("blog post", blog.words(), reports::BLOG_WORDS),
        _ => return None,
    };
    let (fewest, most) = (range.start(), range.end());
    (!range.contains(&words))
        .then(|| format!("The {what} was asked for again and still has {words} words; it should have {fewest} to {most}."))
}
