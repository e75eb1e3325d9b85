//! The procedure: one walk through the debate tells what comes next, what an answer is held to, and what the log holds.

use super::audience::{accept_conclusion, accept_questions};
use super::chair::{accept_adjudication, accept_clarification, accept_natural_end, accept_unresolved};
use super::lineup::accept_lineup;
use super::session::{Pause, Session};
use super::{Content, Ready, ending, papers, setup, turn, verification};
use crate::debate::{Action, Debate, Outcome, Rejection, Step, StepKey, structured};
use crate::formats::nobody_asked;
use crate::named::named;

/// The longest answer that is read, in bytes: whatever a panel asks for is far shorter, in any way of writing it.
const LONGEST_ANSWER: usize = 256 * 1024;
/// The most of a rejected answer that is shown again, in bytes.
const LONGEST_SHOWN: usize = 64 * 1024;

named! {
    /// What an answer is to be, by the name of its schema.
    pub(super) enum Asked {
        Lineup = "lineup",
        Ready = "ready",
        Turn = "turn",
        Verification = "verification",
        Challenge = "challenge",
        Questions = "questions",
        NaturalEnd = "natural_end",
        Clarification = "clarification",
        Unresolved = "unresolved",
        Adjudication = "judgement",
        Conclusion = "conclusion",
        Summary = "summary",
        Blog = "blog",
        Notes = "notes",
        Assessment = "assessment",
    }
}

/// A walk through the debate as far as it has come, and why it stops there; none where the debate is no panel.
pub(super) fn walk(debate: &Debate) -> Option<(Session<'_>, Pause)> {
    let mut session = Session::new(debate, setup(debate.plan())?);
    let pause = match session.whole() {
        Ok(outcome) => Pause::End(outcome),
        Err(pause) => pause,
    };
    Some((session, pause))
}

pub(super) fn next(debate: &Debate) -> Vec<Step> {
    let Some((session, pause)) = walk(debate).filter(|_| debate.outcome().is_none()) else { return Vec::new() };
    match pause {
        // What the walk waits for comes first, then what the verifier can do beside it.
        Pause::Steps(mut steps) => match session.background() {
            Ok(more) => {
                let new = more.into_iter().filter(|step| !steps.iter().any(|known| known.key == step.key));
                let new: Vec<Step> = new.collect();
                steps.extend(new);
                steps
            }
            Err(Pause::Prompt(error)) => vec![finish(ending::unusable_prompt(&error))],
            Err(_) => steps,
        },
        Pause::Prompt(error) => vec![finish(ending::unusable_prompt(&error))],
        Pause::End(outcome) => vec![finish(outcome)],
        // A budget that is used up leads to the judgement, which never stops the walk so.
        Pause::Spent => Vec::new(),
    }
}

/// Redacted words are in no prompt, so a rejected answer is shown again without them.
pub(super) fn shown(debate: &Debate, text: &str) -> String {
    let end = text.floor_char_boundary(LONGEST_SHOWN);
    let (text, cut) = if end < text.len() { (&text[..end], "\n[…]") } else { (text, "") };
    walk(debate).map_or_else(|| text.to_owned(), |(session, _)| session.veil().over(text)) + cut
}

pub(super) fn accept(debate: &Debate, key: &StepKey, asked: Asked, text: &str) -> Result<Content, Rejection> {
    if text.len() > LONGEST_ANSWER {
        let reason = format!("it has {} bytes, and {LONGEST_ANSWER} are read", text.len());
        return Err(Rejection::new("panel:too_long", reason));
    }
    let (session, _) = walk(debate).ok_or_else(nobody_asked)?;
    let asked_again = debate.call(key).is_some_and(|call| !call.rejected.is_empty());
    match asked {
        Asked::Verification => {
            let docket = session.dockets.iter().find(|docket| docket.verification_keys().contains(key));
            let items = session.for_the_verifier(docket.ok_or_else(nobody_asked)?);
            verification::accept(&items, text).map(Content::Verification)
        }
        Asked::Challenge => session.read_challenge(key, text).unwrap_or_else(|| Err(nobody_asked())),
        Asked::Turn => {
            let awaited = session.awaited.as_ref().filter(|(awaited, _)| awaited == key);
            turn::accept(awaited.map(|(_, limits)| limits).ok_or_else(nobody_asked)?, text).map(Content::Turn)
        }
        Asked::Adjudication => {
            let (outcomes, standing) = (session.minutes.outcomes(), session.citable());
            accept_adjudication(&session.names(), &outcomes, &standing, text).map(Content::Adjudication)
        }
        Asked::Lineup => accept_lineup(session.setup(), text).map(Content::Lineup),
        Asked::Ready => {
            let answer: Ready = structured::read("ready", text)?;
            let refused = || Rejection::new("ready:no", "the seat says that it is not ready");
            if answer.ready { Ok(Content::Ready(answer)) } else { Err(refused()) }
        }
        Asked::Unresolved => {
            let candidates = session.candidates().iter().map(|open| open.seq).collect();
            accept_unresolved(&candidates, text).map(Content::Unresolved)
        }
        Asked::Conclusion => accept_conclusion(&session.citable(), asked_again, text).map(Content::AudienceConclusion),
        Asked::Summary => papers::accept_summary(&session.ground(), text).map(Content::Summary),
        Asked::Blog => papers::accept_blog(&session.ground(), asked_again, text).map(Content::Blog),
        Asked::Notes => structured::read("notes", text).map(Content::VerifierNotes),
        Asked::Assessment => {
            let parts = session.assessed();
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            papers::accept_assessment(&parts, text).map(Content::Assessment)
        }
        Asked::Questions => {
            let names: Vec<&str> = session.present().iter().map(|debater| debater.name.as_str()).collect();
            accept_questions(&names, text).map(Content::Questions)
        }
        Asked::NaturalEnd => accept_natural_end(text).map(Content::NaturalEnd),
        Asked::Clarification => accept_clarification(text).map(Content::Clarification),
    }
}

fn finish(outcome: Outcome) -> Step {
    Step { key: StepKey::new("finish"), action: Action::Finish(outcome) }
}
