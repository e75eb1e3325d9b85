//! The procedure: one walk through the debate gives the next steps, the limits of an answer, and the log.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::lineup::accept_lineup;
use super::session::{Pause, Session};
use super::source::CitedSource;
use super::tasks::Task;
use super::{
    Adjudication, Assessment, AudienceConclusion, BlogPost, Content, Panel, Ready, audience, reports, setup, turn,
    verification,
};
use crate::debate::structured::read_within;
use crate::debate::{Call, Debate, Payload, Procedure, Rejection, Shape, Step, StepKey};
use crate::formats::{accepted, unknown_call};

/// The longest answer that is read, in bytes: whatever a panel asks for is far shorter, in any way of writing it.
const LONGEST_ANSWER: usize = 256 * 1024;
/// The longest answer that goes into later prompts, in bytes.
const LONGEST_BRIEF: usize = 16 * 1024;
/// The most of a rejected answer that is shown again, in bytes.
const LONGEST_SHOWN: usize = 64 * 1024;

/// A walk through the debate as far as it has come, and why it stops there; none where the debate is no panel.
pub(super) fn walk(debate: &Debate) -> Option<(Session<'_>, Pause)> {
    let mut session = Session::new(debate, setup(debate.plan())?);
    let pause = match session.run() {
        Ok(outcome) => Pause::End(outcome),
        Err(pause) => pause,
    };
    Some((session, pause))
}

impl Procedure for Panel {
    fn next(&self, debate: &Debate) -> Vec<Step> {
        let Some((session, pause)) = walk(debate).filter(|_| debate.outcome().is_none()) else { return Vec::new() };
        // First what the walk waits for, then what the verifier can do in parallel.
        match (pause, session.background()) {
            (Pause::Steps(mut steps), Err(Pause::Steps(more))) => {
                let new = more.into_iter().filter(|step| !steps.iter().any(|known| known.key == step.key));
                let new: Vec<Step> = new.collect();
                steps.extend(new);
                steps
            }
            (Pause::Steps(_), Err(Pause::End(outcome))) | (Pause::End(outcome), _) => vec![Step::finish(outcome)],
            (Pause::Steps(steps), _) => steps,
            // A budget that is used up leads to the judgement, which never stops the walk so.
            (Pause::Spent, _) => Vec::new(),
        }
    }

    fn accept(&self, debate: &Debate, key: &StepKey, call: &Call, text: &str) -> Result<Payload, Rejection> {
        accept(debate, key, call, text).map(|content| accepted(text, content))
    }
}

/// Redacted words are in no prompt, so a rejected answer is shown again without them.
pub(super) fn shown(debate: &Debate, text: &str) -> String {
    let end = text.floor_char_boundary(LONGEST_SHOWN);
    let (text, cut) = if end < text.len() { (&text[..end], "\n[…]") } else { (text, "") };
    walk(debate).map_or_else(|| text.to_owned(), |(session, _)| session.redactor().redact(text)) + cut
}

fn accept(debate: &Debate, key: &StepKey, call: &Call, text: &str) -> Result<Content, Rejection> {
    let Shape::Json { name: what, schema } = &call.shape else { return Err(unknown_call()) };
    let task: Task = what.parse().map_err(|_| unknown_call())?;
    if text.len() > LONGEST_ANSWER {
        let reason = format!("it has {} bytes, and {LONGEST_ANSWER} are read", text.len());
        return Err(Rejection::new("panel:too_long", reason));
    }
    let setup = setup(debate.plan()).ok_or_else(unknown_call)?;
    let asked_before = debate.call(key).is_some_and(|call| !call.rejected.is_empty());
    Ok(match task {
        Task::Lineup => Content::Lineup(accept_lineup(setup, brief(what, schema, text)?)?),
        Task::Ready => {
            let answer: Ready = brief(what, schema, text)?;
            if !answer.ready {
                return Err(Rejection::new("ready:no", "the seat says that it is not ready"));
            }
            Content::Ready(answer)
        }
        Task::Turn => Content::Turn(turn::accept(call.asks.get().ok_or_else(unknown_call)?, text)?),
        Task::Verification => {
            let sources: &Vec<CitedSource> = call.asks.get().ok_or_else(unknown_call)?;
            Content::Verification(verification::check(sources, brief(what, schema, text)?)?)
        }
        Task::Questions => Content::Questions(brief(what, schema, text)?),
        Task::NaturalEnd => Content::NaturalEnd(brief(what, schema, text)?),
        Task::Clarification => Content::Clarification(brief(what, schema, text)?),
        Task::Unresolved => Content::Unresolved(brief(what, schema, text)?),
        Task::Judgement => {
            let judged: Adjudication = brief(what, schema, text)?;
            reports::each_once(what, setup.names(), judged.debaters.iter().map(|measured| &measured.name))?;
            Content::Adjudication(judged)
        }
        Task::Conclusion => {
            let conclusion: AudienceConclusion = brief(what, schema, text)?;
            // One that was asked for again is taken as it is, and what is wrong with it is said in the end.
            if !asked_before {
                reports::check_length(what, conclusion.words(), &audience::CONCLUSION_WORDS)?;
            }
            Content::AudienceConclusion(conclusion)
        }
        Task::Summary => {
            let notes = read_within(what, schema, text)?;
            let (session, _) = walk(debate).ok_or_else(unknown_call)?;
            reports::check_summary(&session.scope(), &notes)?;
            Content::Summary(notes)
        }
        Task::Blog => {
            let blog: BlogPost = read_within(what, schema, text)?;
            if !asked_before {
                reports::check_length(what, blog.words(), &reports::BLOG_WORDS)?;
            }
            Content::Blog(blog)
        }
        Task::Notes => Content::VerifierNotes(read_within(what, schema, text)?),
        Task::Assessment => {
            let assessment: Assessment = read_within(what, schema, text)?;
            let parts = setup.assessed();
            reports::each_once(what, parts.iter().map(String::as_str), assessment.parts.iter().map(|part| &part.who))?;
            Content::Assessment(assessment)
        }
    })
}

/// Reads an answer that others will have in their prompts, which must have room for it.
fn brief<T: Serialize + DeserializeOwned>(what: &str, schema: &Value, text: &str) -> Result<T, Rejection> {
    let answer: T = read_within(what, schema, text)?;
    match json!(answer).to_string().len() {
        length if length > LONGEST_BRIEF => {
            let reason = format!("it has {length} bytes; at most {LONGEST_BRIEF} are allowed");
            Err(Rejection::new(format!("{what}:too_long"), reason))
        }
        _ => Ok(answer),
    }
}
