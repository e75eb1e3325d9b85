//! The format: one walk through the debate tells what comes next, what an answer is held to, and what the log holds.

use super::audience::{accept_conclusion, accept_questions};
use super::chair::{accept_adjudication, accept_clarification, accept_natural_end, accept_unresolved};
use super::lineup::accept_lineup;
use super::session::{Pause, Session};
use super::{PanelContent, Ready, ending, judgement_key, outline, papers, reporting, setup, turn, verification};
use crate::debate::{
    Action, Call, Content, Debate, Format, Outcome, OutlineCall, Plan, Rejection, Step, StepKey, structured,
};

/// The longest answer that is read, in bytes: whatever a panel asks for is far shorter, in any way of writing it.
const LONGEST_ANSWER: usize = 256 * 1024;
/// The most of a rejected answer that is shown again, in bytes.
const LONGEST_SHOWN: usize = 64 * 1024;

/// The format.
#[derive(Clone, Copy, Debug)]
pub struct Panel;

/// A walk through the debate as far as it has come, and why it stops there; none where the debate is no panel.
pub(super) fn walk(debate: &Debate) -> Option<(Session<'_>, Pause)> {
    let mut session = Session::new(debate, setup(debate.plan())?);
    let pause = match session.whole() {
        Ok(outcome) => Pause::End(outcome),
        Err(pause) => pause,
    };
    Some((session, pause))
}

impl Format for Panel {
    fn next(&self, debate: &Debate) -> Vec<Step> {
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

    fn accept(&self, debate: &Debate, key: &StepKey, _call: &Call, text: &str) -> Result<Content, Rejection> {
        if text.len() > LONGEST_ANSWER {
            let reason = format!("it has {} bytes, and {LONGEST_ANSWER} are read", text.len());
            return Err(Rejection::new("panel:too_long", reason));
        }
        let Some((session, _)) = walk(debate) else {
            return Err(Rejection::new("panel:unknown_step", "nothing was asked here"));
        };
        read(&session, key, text).map(|content| Content::Panel(Box::new(content)))
    }

    /// Redacted words are in no prompt, so a rejected answer is shown again without them.
    fn shown(&self, debate: &Debate, text: &str) -> String {
        let end = text.floor_char_boundary(LONGEST_SHOWN);
        let (text, cut) = if end < text.len() { (&text[..end], "\n[…]") } else { (text, "") };
        walk(debate).map_or_else(|| text.to_owned(), |(session, _)| session.veil().over(text)) + cut
    }

    fn outline(&self, plan: &Plan) -> Vec<OutlineCall> {
        outline::outline(plan)
    }
}

/// Reads an answer into its content, by where it stands in the debate.
fn read(session: &Session<'_>, key: &StepKey, text: &str) -> Result<PanelContent, Rejection> {
    let names: Vec<&str> = session.present().iter().map(|debater| debater.name.as_str()).collect();
    let asked_again = session.debate.call(key).is_some_and(|call| !call.rejected.is_empty());
    let place = key.as_str();
    if let Some(docket) = session.dockets.iter().find(|docket| docket.verification_keys().contains(key)) {
        let items = session.for_the_verifier(docket);
        return verification::accept(&items, text).map(PanelContent::Verification);
    }
    if let Some(judged) = session.read_challenge(key, text) {
        return judged;
    }
    if let Some((_, floor)) = session.awaited.as_ref().filter(|(awaited, _)| awaited == key) {
        return turn::accept(floor, text).map(PanelContent::Turn);
    }
    if *key == judgement_key() {
        let (outcomes, standing) = (session.minutes.outcomes(), session.citable());
        return accept_adjudication(&session.names(), &outcomes, &standing, text).map(PanelContent::Adjudication);
    }
    if place.starts_with("lineup/") {
        return accept_lineup(session.setup(), text).map(PanelContent::Lineup);
    }
    if session.probes().iter().any(|probe| probe.key == *key) {
        let answer: Ready = structured::read("ready", text)?;
        let refused = || Rejection::new("ready:no", "the seat says that it is not ready");
        return if answer.ready { Ok(PanelContent::Ready(answer)) } else { Err(refused()) };
    }
    match place {
        ending::UNRESOLVED => {
            let candidates = session.candidates().iter().map(|open| open.seq).collect();
            accept_unresolved(&candidates, text).map(PanelContent::Unresolved)
        }
        reporting::CONCLUSION => {
            accept_conclusion(&session.citable(), asked_again, text).map(PanelContent::AudienceConclusion)
        }
        reporting::SUMMARY => papers::accept_summary(&session.ground(), text).map(PanelContent::Summary),
        reporting::BLOG => papers::accept_blog(&session.ground(), asked_again, text).map(PanelContent::Blog),
        reporting::NOTES => structured::read("notes", text).map(PanelContent::VerifierNotes),
        reporting::ASSESSMENT => {
            let parts = session.assessed();
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            papers::accept_assessment(&parts, text).map(PanelContent::Assessment)
        }
        _ if place.ends_with("/audience") => accept_questions(&names, text).map(PanelContent::Questions),
        _ if place.ends_with("/chair/natural-end") => accept_natural_end(text).map(PanelContent::NaturalEnd),
        _ if place.ends_with("/clarification") => accept_clarification(text).map(PanelContent::Clarification),
        _ => Err(Rejection::new("panel:unknown_step", "nothing was asked here")),
    }
}

fn finish(outcome: Outcome) -> Step {
    Step { key: StepKey::new("finish"), action: Action::Finish(outcome) }
}
