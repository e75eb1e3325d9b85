//! Acts on the letter of a round: ends the review, has a new version written, or has the critic answered.

use super::context::{rebuttal_prompt, rewrite_prompt};
use super::parts::bytes_for;
use super::points::raises_something_new;
use super::rounds::{critic_of, failed_parts, recommendation};
use super::turn::{Pause, Request, Task, Walk, answer, look_up};
use super::versions::{patches_before, revision, version, version_bytes};
use super::{
    Content, Decision, FindingState, History, Letter, ReviewSetup, Revision, Role, Severity, Version, WeighedMissing,
    current_text, planned_rounds, round_key,
};
use crate::debate::{Action, Debate, Decider, Shape, Status, Trial, Tried, estimate_tokens};
use crate::evidence::mentions;

const REBUTTAL_TOKENS: u64 = 1_000;
pub(super) const PATCH_TOKENS: u64 = 3_000;

/// What a letter means for this round.
pub(super) fn act(debate: &Debate, setup: &ReviewSetup, round: u32, letter: Letter, by: Decider) -> Walk<()> {
    let is_last = round >= planned_rounds(debate);
    match letter {
        // What is under review is kept: what an earlier round fixed is not thrown away.
        Letter::A => Err(match version(debate, round) {
            Version::Original => completed(debate, round, Decision::KeepOriginal, ""),
            Version::CompromiseOf(earlier) => {
                completed(debate, round, Decision::Compromise, &format!("the compromise of round {earlier} is kept"))
            }
        }),
        Letter::B if setup.skip_rewrite => {
            let line = "the critic's version is accepted but not written";
            Err(completed(debate, round, Decision::AcceptOppositeUnwritten, line))
        }
        // The one whose critique is accepted writes it.
        Letter::B => {
            rewritten(debate, setup, round, critic_of(debate, round))?;
            Err(completed(debate, round, Decision::AcceptOpposite, ""))
        }
        Letter::C => {
            rewritten(debate, setup, round, Role::Author)?;
            something_new(debate, round)?;
            if is_last { Err(completed(debate, round, Decision::Compromise, "")) } else { Ok(()) }
        }
        Letter::D if is_last => {
            something_new(debate, round)?;
            let open = History::of(debate).open_points();
            let line = format!("last round; {open} point{} open", if open == 1 { " is" } else { "s are" });
            Err(Pause::ended(Decision::Stopped, Status::Partial, line))
        }
        Letter::D => {
            rebutted(debate, round)?;
            something_new(debate, round)
        }
        Letter::E if by == Decider::Person => Err(completed(debate, round, Decision::StoppedByUser, "")),
        Letter::E => Err(stopped(debate, round)),
    }
}

/// The end of a review that was decided. What was not read was not decided on.
fn completed(debate: &Debate, round: u32, decision: Decision, line: &str) -> Pause {
    let unread = failed_parts(debate, round).len();
    if unread == 0 {
        return Pause::ended(decision, Status::Completed, line);
    }
    let parts = if unread == 1 { "one part".to_owned() } else { format!("{unread} parts") };
    let line = if line.is_empty() { String::new() } else { format!("{line}; ") };
    Pause::ended(decision, Status::Partial, format!("{line}{parts} of the artifact got no critique in round {round}"))
}

/// The end that was recommended: for want of budget, or because a round raised nothing new.
fn stopped(debate: &Debate, round: u32) -> Pause {
    let recommended = recommendation(debate, round);
    if recommended.is_some_and(|recommended| recommended.budget_gone) {
        return Pause::out_of_budget();
    }
    let reason = recommended.map_or("", |recommended| recommended.reason.as_str());
    let history = History::of(debate);
    let open = history.findings.iter().any(|it| it.state == FindingState::Open && it.severity != Severity::P3)
        || history.missing.iter().any(WeighedMissing::remains);
    if open {
        return Pause::ended(Decision::Stopped, Status::Partial, reason);
    }
    completed(debate, round, Decision::Stopped, reason)
}

/// The artifact rewritten, and tried if it is a patch: once, and once more with what was wrong.
fn rewritten(debate: &Debate, setup: &ReviewSetup, round: u32, role: Role) -> Walk<()> {
    if revision(debate, round).is_some() {
        return Ok(());
    }
    let patched = setup.artifact.form.is_patched();
    // A seat that is shown part of a text can't rewrite all of it: the rest would be lost silently.
    let (most, whole) = (bytes_for(debate.plan(), &role.seat()), version_bytes(debate, round));
    if !patched && whole > most {
        let line = format!(
            "no new version in round {round}: the text has {whole} bytes and the {role} reads only {most}; use a model with a larger \
             context for that seat"
        );
        return Err(Pause::ended(Decision::Stopped, Status::Partial, line));
    }
    let undone = format!("the new version of round {round} could not be written");
    let mut refused = None;
    for step in ["rewrite", "rewrite/again"] {
        let content = answer(debate, &round_key(round, step), &undone, || {
            let prompt = rewrite_prompt(debate, round, role, refused)?;
            let output_tokens =
                if patched { PATCH_TOKENS } else { estimate_tokens(current_text(debate, round).len()) + 500 };
            Ok(Request { role, task: Task::Rewrite { round }, prompt, shape: Shape::Prose, output_tokens })
        })?;
        let Some(Content::Revision(written)) = content else { continue };
        let Revision::Patch { patch } = written.as_ref() else { continue };
        let key = round_key(round, &format!("{step}/trial"));
        match debate.trial(&key) {
            Some(Tried::Fails { why }) => refused = Some((patch.as_str(), why.as_str())),
            Some(Tried::Applies { .. }) => return Ok(()),
            None => {
                let trial = Trial { revisions: patches_before(debate, round), patch: patch.clone() };
                return Err(Pause::step(key, Action::Try(trial)));
            }
        }
    }
    let why = refused.map_or("", |(_, why)| why);
    let line = format!("the new version of round {round} does not apply, also when written again: {why}");
    Err(Pause::ended(Decision::Stopped, Status::Partial, line))
}

/// The answer to the critic, with its own evidence looked up.
fn rebutted(debate: &Debate, round: u32) -> Walk<()> {
    let undone = format!("the rebuttal of round {round} could not be written");
    let content = answer(debate, &round_key(round, "rebuttal"), &undone, || {
        let (role, task, output_tokens) = (Role::Author, Task::Rebuttal, REBUTTAL_TOKENS);
        Ok(Request { role, task, prompt: rebuttal_prompt(debate, round)?, shape: Shape::Prose, output_tokens })
    })?;
    let Some(Content::Rebuttal { body }) = content else { return Ok(()) };
    look_up(debate, round, round_key(round, "rebuttal/evidence"), mentions(body))
}

/// Ends a review of which two rounds in a row were read as a whole and raised no new P1 or P2.
fn something_new(debate: &Debate, round: u32) -> Walk<()> {
    let nothing = |round: u32| failed_parts(debate, round).is_empty() && !raises_something_new(debate, round, true);
    if round >= 2 && nothing(round) && nothing(round - 1) {
        let line = format!("rounds {} and {round} raised no new P1 or P2", round - 1);
        return Err(Pause::ended(Decision::ConvergedNothingNew, Status::Completed, line));
    }
    Ok(())
}
