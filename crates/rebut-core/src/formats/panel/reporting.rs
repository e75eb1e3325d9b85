//! After the judgement: the audience's conclusion, the reporter's documents at the same time, then the assessor.

use std::collections::BTreeSet;

use serde_json::Value;

use super::entry::EntryType;
use super::procedure::Asked;
use super::reports::{self, SummaryScope};
use super::session::{Request, Session, Walk, both};
use super::setup::Office;
use super::{Adjudication, Content, audience, cues, judgement_key};
use crate::debate::{Outcome, Prompt, Status, StepKey, structured};
use crate::formats::prompts::PromptError;

/// The key of the audience's conclusion.
pub(super) const CONCLUSION: &str = "audience/conclusion";
/// The key of the reporter's part of the summary.
pub(super) const SUMMARY: &str = "reporter/summary";
pub(super) const BLOG: &str = "reporter/blog-post";
/// The key of the notes on the verifier's work.
pub(super) const NOTES: &str = "reporter/verifier-notes";
/// The key of the assessor's report.
pub(super) const ASSESSMENT: &str = "assessor/report";

/// A text about the debate: where it is asked for, of whom, and about how many tokens it has.
pub(super) struct Report {
    pub(super) key: &'static str,
    asked: Asked,
    pub(super) office: Office,
    pub(super) tokens: u64,
}

impl Report {
    pub(super) fn phase(&self) -> &'static str {
        if self.office == Office::Reporter { "documents" } else { self.office.as_str() }
    }
}

const THE_CONCLUSION: Report = Report { key: CONCLUSION, asked: Asked::Conclusion, office: Office::Audience, tokens: 700 };
const THE_SUMMARY: Report = Report { key: SUMMARY, asked: Asked::Summary, office: Office::Reporter, tokens: 2_000 };
const THE_BLOG: Report = Report { key: BLOG, asked: Asked::Blog, office: Office::Reporter, tokens: 2_800 };
const THE_NOTES: Report = Report { key: NOTES, asked: Asked::Notes, office: Office::Reporter, tokens: 500 };
const THE_ASSESSMENT: Report = Report { key: ASSESSMENT, asked: Asked::Assessment, office: Office::Assessor, tokens: 2_500 };

pub(super) const REPORTS: [&Report; 5] = [&THE_CONCLUSION, &THE_SUMMARY, &THE_BLOG, &THE_NOTES, &THE_ASSESSMENT];

impl<'a> Session<'a> {
    /// Everything that is written about the debate, and its end.
    pub(super) fn report(&mut self, judged: &Adjudication) -> Walk<Outcome> {
        let conclusion_schema = |session: &Session<'_>| audience::conclusion_schema(&session.citable());
        let concluded = self.paper(&THE_CONCLUSION, conclusion_schema, cues::audience_conclusion)?;
        if let Some(Content::AudienceConclusion(conclusion)) = concluded {
            let at = self.debate.ended_at(&StepKey::new(CONCLUSION));
            self.write(at, Office::Audience.as_str(), EntryType::AudienceConclusion, conclusion.text());
        }
        let void = judged.outcome == "void";
        let summary = self.paper(&THE_SUMMARY, |session| reports::summary_schema(&session.scope()), cues::summary);
        let blog_schema = |session: &Session<'_>| reports::blog_schema(&session.record.verified_sources());
        // There is nothing to write about a void debate.
        let blog = if void { Ok(None) } else { self.paper(&THE_BLOG, blog_schema, cues::blog) };
        let notes_schema = |_: &Session<'_>| structured::schema::<reports::VerifierNotes>();
        let notes = self.paper(&THE_NOTES, notes_schema, cues::verifier_notes);
        let ((summary, blog), notes) = both(both(summary, blog), notes)?;
        let parts_schema = |session: &Session<'_>| reports::assessment_schema(&session.assessed());
        let assessment = self.paper(&THE_ASSESSMENT, parts_schema, cues::assessment)?;
        let missing = [
            (concluded.is_none(), "audience's conclusion", CONCLUSION),
            (summary.is_none(), "reporter's part of the summary", SUMMARY),
            (blog.is_none() && !void, "blog post", BLOG),
            (notes.is_none(), "reporter's notes on the verifier", NOTES),
            (assessment.is_none(), "assessor's report", ASSESSMENT),
        ];
        let missing: Vec<String> = missing
            .into_iter()
            .filter(|(missing, ..)| *missing)
            .map(|(_, what, key)| format!("The {what} is missing: {}.", self.why_missing(&StepKey::new(key))))
            .collect();
        let lengths = [concluded, blog].into_iter().flatten().filter_map(wrong_length).collect();
        Ok(self.concluded(judged, missing, lengths))
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

    /// One text about the debate.
    fn paper(
        &mut self,
        paper: &Report,
        schema: impl FnOnce(&Session<'_>) -> Value,
        prompt: fn(&Session<'_>) -> Result<Prompt, PromptError>,
    ) -> Walk<Option<&'a Content>> {
        self.ask(&StepKey::new(paper.key), false, |session| {
            Ok(Request::new(paper.office, paper.phase(), prompt(session)?, paper.asked, schema(session), paper.tokens))
        })
    }

    pub(super) fn citable(&self) -> BTreeSet<u64> {
        self.record.arguments().map(|entry| entry.seq).collect()
    }

    /// What the reporter's texts can refer to.
    pub(super) fn scope(&self) -> SummaryScope {
        let of = |name: &str| {
            let own = self.record.arguments().filter(|entry| entry.speaker == name);
            own.map(|entry| entry.seq).collect::<BTreeSet<u64>>()
        };
        SummaryScope {
            citable: self.names().into_iter().map(|name| (name.to_owned(), of(name))).collect(),
            entries: self.next_seq(),
        }
    }

    pub(super) fn assessed(&self) -> Vec<String> {
        let offices = [Office::Reporter, Office::Verifier, Office::Audience].map(|office| office.as_str().to_owned());
        let debaters = self.names().into_iter().map(str::to_owned);
        std::iter::once(Office::Chair.as_str().to_owned()).chain(debaters).chain(offices).collect()
    }
}

/// The note on a text that still has the wrong length after a retry.
fn wrong_length(paper: &Content) -> Option<String> {
    let (what, words, range) = match paper {
        Content::AudienceConclusion(conclusion) => ("audience's conclusion", conclusion.words(), audience::CONCLUSION_WORDS),
        Content::Blog(blog) => ("blog post", blog.words(), reports::BLOG_WORDS),
        _ => return None,
    };
    let (fewest, most) = (range.start(), range.end());
    (!range.contains(&words))
        .then(|| format!("The {what} was asked for again and still has {words} words; it should have {fewest} to {most}."))
}
