//! After the judgement: the audience's conclusion, the reporter's documents at the same time, then the assessor.

use std::collections::BTreeSet;

use serde_json::Value;

use super::entry::EntryType;
use super::procedure::Asked;
use super::reports::{self, SummaryScope};
use super::session::{Request, Session, Walk, all};
use super::setup::Office;
use super::{Adjudication, Content, audience, content, cues, judgement_key};
use crate::debate::{Outcome, Prompt, Status, StepKey, structured};
use crate::formats::prompts::PromptError;

/// A text about the debate: where it is asked for, what it is, of whom, and about how many tokens it has.
pub(super) struct Report {
    key: &'static str,
    what: &'static str,
    asked: Asked,
    pub(super) office: Office,
    pub(super) tokens: u64,
}

impl Report {
    const fn new(key: &'static str, what: &'static str, asked: Asked, office: Office, tokens: u64) -> Self {
        Self { key, what, asked, office, tokens }
    }

    pub(super) fn key(&self) -> StepKey {
        StepKey::new(self.key)
    }

    pub(super) fn phase(&self) -> &'static str {
        if self.office == Office::Reporter { "documents" } else { self.office.as_str() }
    }
}

pub(super) const CONCLUSION: Report =
    Report::new("audience/conclusion", "audience's conclusion", Asked::Conclusion, Office::Audience, 700);
pub(super) const SUMMARY: Report =
    Report::new("reporter/summary", "reporter's part of the summary", Asked::Summary, Office::Reporter, 2_000);
pub(super) const BLOG: Report = Report::new("reporter/blog-post", "blog post", Asked::Blog, Office::Reporter, 2_800);
pub(super) const NOTES: Report =
    Report::new("reporter/verifier-notes", "reporter's notes on the verifier", Asked::Notes, Office::Reporter, 500);
pub(super) const ASSESSMENT: Report =
    Report::new("assessor/report", "assessor's report", Asked::Assessment, Office::Assessor, 2_500);

pub(super) const REPORTS: [Report; 5] = [CONCLUSION, SUMMARY, BLOG, NOTES, ASSESSMENT];

impl<'a> Session<'a> {
    /// Everything that is written about the debate, and its end.
    pub(super) fn report(&mut self, judged: &Adjudication) -> Walk<Outcome> {
        let conclusion_schema = |session: &Session<'_>| audience::conclusion_schema(&session.citable());
        let concluded = self.written(&CONCLUSION, conclusion_schema, cues::audience_conclusion)?;
        if let Some(Content::AudienceConclusion(conclusion)) = concluded {
            let at = self.debate.ended_at(&CONCLUSION.key());
            self.write(at, Office::Audience.as_str(), EntryType::AudienceConclusion, conclusion.text());
        }
        // There is nothing to write about a void debate.
        let void = judged.outcome == "void";
        let blog_schema = |session: &Session<'_>| reports::blog_schema(&session.record.verified_sources());
        all([
            self.written(&SUMMARY, |session| reports::summary_schema(&session.scope()), cues::summary),
            if void { Ok(None) } else { self.written(&BLOG, blog_schema, cues::blog) },
            self.written(&NOTES, |_| structured::schema::<reports::VerifierNotes>(), cues::verifier_notes),
        ])?;
        self.written(&ASSESSMENT, |session| reports::assessment_schema(&session.assessed()), cues::assessment)?;
        let wanted = REPORTS.iter().filter(|report| !void || report.key != BLOG.key);
        let missing = wanted.filter(|report| content(self.debate, &report.key()).is_none());
        let missing = missing.map(|report| format!("The {} is missing: {}.", report.what, self.why_missing(&report.key())));
        let lengths = [CONCLUSION, BLOG].iter().filter_map(|report| wrong_length(content(self.debate, &report.key())?));
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

    fn written(
        &self,
        report: &Report,
        schema: impl FnOnce(&Session<'_>) -> Value,
        prompt: fn(&Session<'_>) -> Result<Prompt, PromptError>,
    ) -> Walk<Option<&'a Content>> {
        self.ask(&report.key(), false, |session| {
            Ok(Request::new(
                report.office.seat(),
                report.phase(),
                prompt(session)?,
                report.asked,
                schema(session),
                report.tokens,
            ))
        })
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

    pub(super) fn assessed(&self) -> Vec<String> {
        let offices = [Office::Reporter, Office::Verifier, Office::Audience].map(|office| office.as_str().to_owned());
        let debaters = self.setup().names().into_iter().map(str::to_owned);
        std::iter::once(Office::Chair.as_str().to_owned()).chain(debaters).chain(offices).collect()
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
