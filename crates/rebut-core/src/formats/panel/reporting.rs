//! After the judgement: the audience's conclusion, the reporter's documents at the same time, then the assessor.

use std::collections::BTreeSet;

use serde_json::Value;

use super::entry::EntryType;
use super::papers::{self, Ground};
use super::record::stray;
use super::session::{Go, Request, Session, both};
use super::setup::Office;
use super::veil::Veil;
use super::{Adjudication, PanelContent, audience, cues, judgement_key, matter};
use crate::debate::{Fund, Outcome, Prompt, Shape, Status, StepKey, structured};

/// The key of the audience's conclusion.
pub(super) const CONCLUSION: &str = "audience/conclusion";
/// The key of the reporter's part of the summary.
pub(super) const SUMMARY: &str = "reporter/summary";
/// The key of the blog post.
pub(super) const BLOG: &str = "reporter/blog-post";
/// The key of the notes on the verifier's work.
pub(super) const NOTES: &str = "reporter/verifier-notes";
/// The key of the assessor's report.
pub(super) const ASSESSMENT: &str = "assessor/report";

/// What stands before what is wrong with the audience's conclusion, under it.
pub(super) const AUDIENCE_ERRS: &str = "The audience's words do not fit the record: ";

/// A text about the debate: where it is asked for, of whom, and about how many tokens it has.
pub(super) struct Paper {
    pub(super) key: &'static str,
    pub(super) office: Office,
    pub(super) tokens: u64,
}

impl Paper {
    /// The row in the accounts.
    pub(super) fn phase(&self) -> &'static str {
        if self.office == Office::Reporter { "documents" } else { self.office.as_str() }
    }
}

const THE_CONCLUSION: Paper = Paper { key: CONCLUSION, office: Office::Audience, tokens: 700 };
const THE_SUMMARY: Paper = Paper { key: SUMMARY, office: Office::Reporter, tokens: 2_000 };
const THE_BLOG: Paper = Paper { key: BLOG, office: Office::Reporter, tokens: 2_800 };
const THE_NOTES: Paper = Paper { key: NOTES, office: Office::Reporter, tokens: 500 };
const THE_ASSESSMENT: Paper = Paper { key: ASSESSMENT, office: Office::Assessor, tokens: 2_500 };

/// All of them, in the order in which they are asked for.
pub(super) const PAPERS: [&Paper; 5] = [&THE_CONCLUSION, &THE_SUMMARY, &THE_BLOG, &THE_NOTES, &THE_ASSESSMENT];

impl<'a> Session<'a> {
    /// Everything that is written about the debate, and its end.
    pub(super) fn report(&mut self, judged: &Adjudication) -> Go<Outcome> {
        let conclusion_schema = |session: &Session<'_>| audience::conclusion_schema(&session.citable());
        let concluded = self.paper(&THE_CONCLUSION, "conclusion", conclusion_schema, cues::audience_conclusion)?;
        if let Some(PanelContent::AudienceConclusion(conclusion)) = concluded {
            let at = self.debate.ended_at(&StepKey::new(CONCLUSION));
            // Entries that are not there are facts, and whoever reads the log alone reads that as well.
            let text = conclusion.text();
            let stray =
                stray(&self.minutes.record(), &text).map(|why| format!("\n\n{AUDIENCE_ERRS}{why}.")).unwrap_or_default();
            self.write(at, Office::Audience.as_str(), EntryType::AudienceConclusion, text + &stray);
        }
        let void = judged.outcome == "void";
        let summary =
            self.paper(&THE_SUMMARY, "summary", |session| papers::summary_schema(&session.ground()), cues::summary);
        let blog_schema = |_: &Session<'_>| structured::schema::<super::BlogPost>();
        // A debate that counts for nothing is nothing to write about.
        let blog = if void { Ok(None) } else { self.paper(&THE_BLOG, "blog", blog_schema, cues::blog) };
        let notes_schema = |_: &Session<'_>| structured::schema::<papers::VerifierNotes>();
        let notes = self.paper(&THE_NOTES, "notes", notes_schema, cues::verifier_notes);
        let ((summary, blog), notes) = both(both(summary, blog), notes)?;
        let parts_schema = |session: &Session<'_>| {
            let parts = session.assessed();
            papers::assessment_schema(&parts.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let assessment = self.paper(&THE_ASSESSMENT, "assessment", parts_schema, cues::assessment)?;
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
            .map(|(_, what, key)| format!("The {what} could not be had: {}.", self.why_missing(&StepKey::new(key))))
            .collect();
        let written = [concluded, summary, blog, notes, assessment];
        let mut notes: Vec<String> = Vec::new();
        if judged.left_out > 0 {
            notes.push(format!("The judgement was asked for again:{}", judged.says_left_out().replace('\n', " ")));
        }
        if let Some(reason) = judged.against_the_record(&self.minutes.record()) {
            notes.push(format!("The judgement's words go against the record: {reason}."));
        }
        notes.extend(written.into_iter().flatten().flat_map(|paper| self.flaws(paper)));
        Ok(self.concluded(judged, missing, notes))
    }

    fn why_missing(&self, key: &StepKey) -> String {
        match self.debate.budget_spent().filter(|_| self.debate.call(key).is_none()) {
            Some(limit) => format!("nobody was asked for it, the {} is used up", limit.words()),
            None => format!("the seat {}", self.failure(key)),
        }
    }

    /// What a text was asked for again and has still not mended, in words for the person.
    fn flaws(&self, paper: &PanelContent) -> Vec<String> {
        let ground = self.ground();
        let against = |what: &str, prose: &[String]| {
            let found = papers::against_the_record(&ground.record, prose);
            found.map(|reason| format!("The {what} was asked for again and still goes against the record: {reason}."))
        };
        let length = |what: &str, words: usize, range: &std::ops::RangeInclusive<usize>| {
            let (fewest, most) = (range.start(), range.end());
            (!range.contains(&words)).then(|| {
                format!("The {what} was asked for again and still has {words} words; it should have {fewest} to {most}.")
            })
        };
        let found = match paper {
            PanelContent::AudienceConclusion(conclusion) => {
                let what = "audience's conclusion";
                vec![length(what, conclusion.words(), &audience::CONCLUSION_WORDS), against(what, &[conclusion.text()])]
            }
            PanelContent::Summary(notes) => vec![against("summary", &notes.prose())],
            PanelContent::Blog(blog) => vec![
                length("blog post", blog.words(), &super::BLOG_WORDS),
                blog.likely_traces(&ground)
                    .first()
                    .map(|trace| format!("The blog post was asked for again and still has the words \"{trace}\".")),
                (blog.left_out > 0).then(|| {
                    let count = blog.left_out;
                    let what = if count == 1 { "a sentence" } else { "sentences" };
                    format!("The blog post was asked for again: {what} with a trace of the debate left out ({count}).")
                }),
            ],
            PanelContent::VerifierNotes(notes) => vec![against("part on the verifier", &notes.notable_findings)],
            PanelContent::Assessment(assessment) => vec![against("assessor's report", &assessment.prose())],
            _ => Vec::new(),
        };
        found.into_iter().flatten().collect()
    }

    fn concluded(&self, judged: &Adjudication, missing: Vec<String>, notes: Vec<String>) -> Outcome {
        let mut lines: Vec<String> = Vec::new();
        lines.extend(self.minutes.left.iter().map(|name| format!("{name} left the panel after failing twice in a row.")));
        if let Some(limit) = self.debate.budget_spent() {
            lines.push(format!("The {} is used up: the conclusion rests on what was said until then.", limit.words()));
        }
        let whole = missing.is_empty() && self.debate.budget_spent().is_none() && !self.too_few();
        lines.extend(missing);
        lines.extend(notes);
        Outcome {
            status: if whole { Status::Completed } else { Status::Partial },
            lines,
            verdict: Some(judgement_key()),
            decision: Some(judged.outcome.clone()),
        }
    }

    /// One text about the debate.
    fn paper(
        &mut self,
        paper: &Paper,
        name: &'static str,
        schema: impl FnOnce(&Session<'_>) -> Value,
        prompt: fn(&Session<'_>, &Value) -> Result<Prompt, crate::formats::prompts::PromptError>,
    ) -> Go<Option<&'a PanelContent>> {
        self.ask(&StepKey::new(paper.key), false, |session| {
            let schema = schema(session);
            Ok(Request {
                seat: paper.office.seat(),
                phase: paper.phase(),
                prompt: prompt(session, &schema)?,
                shape: Shape::Json { name, schema },
                tokens: paper.tokens,
                fund: Fund::Debate,
                patience_ms: None,
            })
        })
    }

    /// Arguments that stand.
    pub(super) fn citable(&self) -> BTreeSet<u64> {
        self.minutes.standing().map(|entry| entry.seq).collect()
    }

    /// What the reporter's texts are held to.
    pub(super) fn ground(&self) -> Ground {
        let of = |name: &str| {
            let own = self.minutes.standing().filter(|entry| entry.speaker == name);
            own.map(|entry| entry.seq).collect::<BTreeSet<u64>>()
        };
        Ground {
            standing: self.names().into_iter().map(|name| (name.to_owned(), of(name))).collect(),
            verified: self.minutes.verified_sources(),
            record: self.minutes.record(),
            topic: self.debate.plan().topic.clone(),
            veil: self.veil(),
            doubtful: self.doubtful(),
        }
    }

    /// The veil over what rests on sources that were found unreliable.
    pub(super) fn doubtful(&self) -> Veil {
        let seqs: Vec<u64> = self.minutes.unreliable().into_iter().collect();
        self.minutes.veil_over(&seqs, &matter(self.debate.plan()))
    }

    /// Whom the assessor assesses.
    pub(super) fn assessed(&self) -> Vec<String> {
        let offices = [Office::Reporter, Office::Verifier, Office::Audience].map(|office| office.as_str().to_owned());
        let debaters = self.names().into_iter().map(str::to_owned);
        std::iter::once(Office::Chair.as_str().to_owned()).chain(debaters).chain(offices).collect()
    }
}
