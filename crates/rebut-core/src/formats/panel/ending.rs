//! From the last round to the end: what stays open, closings in reverse order, the judgement, and how it all ended.

use super::chair::{self, CONCLUDED};
use super::entry::seq_list;
use super::session::{Moment, Pause, Session, Walk, all};
use super::tasks::Task;
use super::{Adjudication, Content, Office, OpenArgument, OpenPoint, RulingKind, cues, judgement_key};
use crate::debate::{BudgetLimit, EntryKind, Outcome, Status, StepKey};
use crate::report::text::one_line;

/// The ruling that ends the debate because the budget is used up.
pub(super) const SPENT: &str = "chair/budget-spent";
/// Where findings are ruled on after the last word.
pub(super) const LATE: &str = "chair/late";
pub(super) const SETUP: &str = "chair/setup";
pub(super) const CONCLUSION: &str = "chair/conclusion";
pub(super) const UNRESOLVED: &str = "chair/unresolved";
/// The most entries that the chair is offered as open points.
const MOST_CANDIDATES: usize = 24;

impl Session<'_> {
    pub(super) fn run(&mut self) -> Walk<Outcome> {
        if self.setup().debaters.is_empty() {
            return self.lineup();
        }
        // A debate that has begun is not asked again whether it is ready.
        if !self.is_recorded(SETUP)
            && let Some(end) = self.readiness()?
        {
            return Ok(end);
        }
        match self.openings_and_rounds().and_then(|()| self.closings()) {
            Ok(()) => {}
            Err(Pause::Spent) => self.end_early()?,
            Err(pause) => return Err(pause),
        }
        if self.record.arguments().next().is_none() {
            return Ok(failed(vec!["Debate failed: no argument is left to judge.".to_owned()]));
        }
        let Some(judged) = self.judge()? else {
            let why = self.failure(&judgement_key(1));
            let lines = vec![
                format!("No conclusion: the chair {why}."),
                format!("All entries are saved. Ask the chair again: rebut resume {}", self.debate.plan().id.short()),
            ];
            return Ok(Outcome::without_verdict(Status::Partial, lines));
        };
        self.report(&judged)
    }

    /// The budget is used up: what was said is looked at and judged.
    fn end_early(&mut self) -> Walk<()> {
        self.moment = Moment::Closing;
        let limit = self.debate.budget_spent().map_or("budget", BudgetLimit::words);
        let text = format!("Ruling: the {limit} is used up. No further turns; the debate is judged as it is.");
        self.rule(SPENT, RulingKind::Budget, None, None, text)?;
        self.announce_findings("spent", "the last turn")?;
        self.rule_on_findings(LATE)
    }

    fn closings(&mut self) -> Walk<()> {
        self.rule_on_findings("closing/chair")?;
        self.unresolved()?;
        for debater in self.present().into_iter().rev() {
            self.turn(&StepKey::new(format!("closing/{}", debater.name)), debater)?;
        }
        self.announce_findings("closing", "the closings")?;
        self.rule_on_findings(LATE)
    }

    fn unresolved(&mut self) -> Walk<()> {
        let announced = "closing/chair/unresolved";
        // What is open is computed, and only worded by the chair.
        let mut candidates = self.record.open();
        candidates.drain(..candidates.len().saturating_sub(MOST_CANDIDATES));
        let closed = self.is_recorded(announced);
        let worded = if candidates.is_empty() {
            None
        } else {
            self.ask(Office::Chair, Task::Unresolved, &StepKey::new(UNRESOLVED), closed, |session| {
                let schema = chair::unresolved_schema(&candidates.iter().map(|open| open.seq).collect());
                (schema, cues::unresolved(session, &candidates))
            })?
        };
        let redactor = self.redactor();
        self.record.unresolved = if let Some(Content::Unresolved(unresolved)) = worded {
            unresolved.points.clone()
        } else {
            // The chair's words are missing; the points themselves are known.
            // A debater's sentence becomes part of a line here, and must be no heading or list of its own.
            let plain = |sentence: &str| sentence.trim_start_matches(['#', '>', '-', '*', '+', ' ']).to_owned();
            let point = |open: &OpenArgument| OpenPoint {
                point: plain(&self.record.sentence(open.seq, &redactor)),
                seqs: vec![open.seq],
            };
            candidates.iter().rev().take(3).rev().map(point).collect()
        };
        let points: Vec<String> = self.record.unresolved.iter().zip(1..).map(|(point, n)| open_point(n, point)).collect();
        let text = if points.is_empty() {
            "Before the closings: no point is unresolved.".to_owned()
        } else {
            format!("Before the closings these points are unresolved:\n{}", points.join("\n"))
        };
        self.chair_says(announced, EntryKind::Announcement, text, None).map(drop)
    }

    /// The chair's judgements, asked for at the same time, and the words that conclude the debate.
    fn judge(&mut self) -> Walk<Option<Adjudication>> {
        let answers = all((1..=self.setup().rigor.ballots()).map(|number| {
            self.ask(Office::Chair, Task::Judgement, &judgement_key(number), false, |session| {
                let mut names = session.setup().names();
                if number % 2 == 0 {
                    names.reverse();
                }
                let schema = chair::adjudication_schema(&names, &session.record.outcomes(), &session.citable());
                (schema, cues::judgement(session, &names))
            })
        }))?;
        let judged = answers.into_iter().flatten().filter_map(|content| match content {
            Content::Adjudication(one) => Some(one),
            _ => None,
        });
        let judged: Vec<&Adjudication> = judged.collect();
        let Some(judged) = chair::combined(&judged) else { return Ok(None) };
        // In one line, so that the line of the record can only be the engine's.
        let reason = one_line(&judged.reason);
        let text = format!("{CONCLUDED}{}. Reason: {reason}\n{}", judged.outcome, self.record.counts_line());
        self.chair_says(CONCLUSION, EntryKind::Conclusion, text, None)?;
        Ok(Some(judged))
    }
}

/// An open point as it is announced: `1. … (seq 4, 7)`.
pub(super) fn open_point(number: u32, point: &OpenPoint) -> String {
    format!("{number}. {} (seq {})", point.point.trim(), seq_list(&point.seqs))
}

pub(super) fn failed(lines: Vec<String>) -> Outcome {
    Outcome::without_verdict(Status::Failed, lines)
}
