//! Acts on the letter of a round: ends the review, has a new version written, or has the critic answered.

use super::context::{rebuttal_prompt, rewrite_prompt};
use super::critique::Severity;
use super::ending::{Decision, ended};
use super::history::{FindingState, History, MissingLife};
use super::letter::Letter;
use super::parts::bytes_for;
use super::points::raises_something_new;
use super::rounds::{critic_of, failed_parts, recommendation};
use super::setup::Role;
use super::turn::{Asked, Turn, ask, look_up, out_of_budget, undone};
use super::versions::{Version, current_text, patches_before, revision, version, version_bytes};
use super::{Content, ReviewSetup, planned_rounds, round_key};
use crate::debate::{Action, CallState, Debate, Decider, Shape, Status, Step, Trial, Tried, estimate_tokens};
use crate::evidence::mentions;
use crate::formats::prompts::PromptError;

/// About how many tokens a rebuttal has.
const REBUTTAL_TOKENS: u64 = 1_000;
/// About how many tokens a patch has.
pub(super) const PATCH_TOKENS: u64 = 3_000;

/// What a letter means for this round.
pub(super) fn act(
    debate: &Debate,
    setup: &ReviewSetup,
    round: u32,
    letter: Letter,
    by: Decider,
) -> Result<Turn, PromptError> {
    let is_last = round >= planned_rounds(debate);
    // What was not read was not decided on.
    let unread = failed_parts(debate, round);
    let completed = |decision: Decision, line: &str| {
        if unread.is_empty() {
            return Ok(Turn::Ended(ended(decision, Status::Completed, line)));
        }
        let parts = if unread.len() == 1 { "one part".to_owned() } else { format!("{} parts", unread.len()) };
        let line = if line.is_empty() { String::new() } else { format!("{line}; ") };
        let line = format!("{line}{parts} of the artifact got no critique in round {round}");
        Ok(Turn::Ended(ended(decision, Status::Partial, line)))
    };
    match letter {
        // What is under review is kept: what an earlier round fixed is not thrown away.
        Letter::A => match version(debate, round) {
            Version::Original => completed(Decision::KeepOriginal, ""),
            Version::CompromiseOf(earlier) => {
                completed(Decision::Compromise, &format!("the compromise of round {earlier} is kept"))
            }
        },
        Letter::B if setup.skip_rewrite => {
            completed(Decision::AcceptOppositeUnwritten, "the critic's version is accepted but not written")
        }
        // The one whose critique is accepted writes it.
        Letter::B => match rewritten(debate, setup, round, critic_of(debate, round))? {
            Some(turn) => Ok(turn),
            None => completed(Decision::AcceptOpposite, ""),
        },
        Letter::C => match rewritten(debate, setup, round, Role::Author)? {
            Some(turn) => Ok(turn),
            None => match after(debate, round) {
                Turn::GoOn if is_last => completed(Decision::Compromise, ""),
                turn => Ok(turn),
            },
        },
        Letter::D if is_last => match after(debate, round) {
            Turn::GoOn => {
                let open = History::of(debate).open_points();
                let line = format!("last round; {open} point{} open", if open == 1 { " is" } else { "s are" });
                Ok(Turn::Ended(ended(Decision::Stopped, Status::Partial, line)))
            }
            turn => Ok(turn),
        },
        Letter::D => rebutted(debate, round),
        Letter::E if by == Decider::Person => completed(Decision::StoppedByUser, ""),
        Letter::E => {
            let recommended = recommendation(debate, round);
            let budget_gone = recommended.is_some_and(|recommended| recommended.budget_gone);
            let reason = recommended.map(|recommended| recommended.reason.clone()).unwrap_or_default();
            let history = History::of(debate);
            let open = history.findings.iter().any(|it| it.state == FindingState::Open && it.severity != Severity::P3)
                || history.missing.iter().any(MissingLife::remains);
            if budget_gone {
                Ok(out_of_budget())
            } else if open {
                Ok(Turn::Ended(ended(Decision::Stopped, Status::Partial, reason)))
            } else {
                completed(Decision::Stopped, &reason)
            }
        }
    }
}

/// The artifact rewritten, and tried if it is a patch: once, and once more with what was wrong. None once it is there.
fn rewritten(debate: &Debate, setup: &ReviewSetup, round: u32, role: Role) -> Result<Option<Turn>, PromptError> {
    if revision(debate, round).is_some() {
        return Ok(None);
    }
    // A seat that is shown part of a text can't rewrite all of it: the rest would be lost silently.
    let (most, whole) = (bytes_for(debate.plan(), &role.seat()), version_bytes(debate, round));
    if !setup.artifact.form.is_patched() && whole > most {
        let line = format!(
            "no new version in round {round}: the text has {whole} bytes and the {role} reads only {most}; use a model with a larger \
             context for that seat"
        );
        return Ok(Some(Turn::Ended(ended(Decision::Stopped, Status::Partial, line))));
    }
    let mut refused = None;
    for step in ["rewrite", "rewrite/again"] {
        let key = round_key(round, step);
        match debate.call(&key).map(|call| &call.state) {
            Some(CallState::Failed(failure)) => {
                return Ok(Some(undone(round, "the new version of round", "could not be written", failure)));
            }
            Some(CallState::UnderWay { .. }) => return Ok(Some(Turn::Steps(Vec::new()))),
            Some(CallState::Open) | None if debate.budget_spent().is_some() => return Ok(Some(out_of_budget())),
            Some(CallState::Open) | None => {
                let prompt = rewrite_prompt(debate, round, role, refused)?;
                let patched = setup.artifact.form.is_patched();
                let tokens = if patched { PATCH_TOKENS } else { estimate_tokens(current_text(debate, round).len()) + 500 };
                let step = ask(debate, key, role, Asked::Rewrite { round }, prompt, Shape::Prose, tokens);
                return Ok(Some(Turn::Steps(vec![step])));
            }
            Some(CallState::Answered(answered)) => {
                let Some(Content::Revision(written)) = answered.content.get() else { continue };
                let super::Revision::Patch { patch } = written.as_ref() else { continue };
                let key = round_key(round, &format!("{step}/trial"));
                match debate.trial(&key) {
                    Some(Tried::Fails { why }) => refused = Some((patch.as_str(), why.as_str())),
                    Some(Tried::Applies { .. }) => return Ok(None),
                    None => {
                        let trial = Trial { revisions: patches_before(debate, round), patch: patch.clone() };
                        return Ok(Some(Turn::Steps(vec![Step { key, action: Action::Try(trial) }])));
                    }
                }
            }
        }
    }
    let why = refused.map_or("", |(_, why)| why);
    let line = format!("the new version of round {round} does not apply, also when written again: {why}");
    Ok(Some(Turn::Ended(ended(Decision::Stopped, Status::Partial, line))))
}

/// The answer to the critic, with its own evidence looked up, and on to the next round.
fn rebutted(debate: &Debate, round: u32) -> Result<Turn, PromptError> {
    let key = round_key(round, "rebuttal");
    match debate.call(&key).map(|call| &call.state) {
        Some(CallState::Failed(failure)) => Ok(undone(round, "the rebuttal of round", "could not be written", failure)),
        Some(CallState::UnderWay { .. }) => Ok(Turn::Steps(Vec::new())),
        Some(CallState::Open) | None if debate.budget_spent().is_some() => Ok(out_of_budget()),
        Some(CallState::Open) | None => {
            let prompt = rebuttal_prompt(debate, round)?;
            let step = ask(debate, key, Role::Author, Asked::Rebuttal, prompt, Shape::Prose, REBUTTAL_TOKENS);
            Ok(Turn::Steps(vec![step]))
        }
        Some(CallState::Answered(answered)) => {
            let evidence = round_key(round, "rebuttal/evidence");
            if let Some(Content::Rebuttal { body }) = answered.content.get()
                && debate.plan().evidence.is_some()
                && debate.may_begin(&evidence)
            {
                let citations = mentions(body);
                if !citations.is_empty() {
                    let action = look_up(debate, round, citations);
                    return Ok(Turn::Steps(vec![Step { key: evidence, action }]));
                }
            }
            Ok(after(debate, round))
        }
    }
}

/// Continues after a round, unless two in a row raised no new P1 or P2.
fn after(debate: &Debate, round: u32) -> Turn {
    if nothing_new_twice(debate, round) {
        let line = format!("rounds {} and {round} raised no new P1 or P2", round - 1);
        return Turn::Ended(ended(Decision::ConvergedNothingNew, Status::Completed, line));
    }
    Turn::GoOn
}

/// Whether this round and the one before it were read as a whole and raised nothing of weight that was new.
fn nothing_new_twice(debate: &Debate, round: u32) -> bool {
    let nothing = |round: u32| failed_parts(debate, round).is_empty() && !raises_something_new(debate, round, true);
    round >= 2 && nothing(round) && nothing(round - 1)
}
