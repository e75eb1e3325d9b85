//! The procedure of a review: critique, look at the evidence, judge, decide, rewrite or answer, and again.

use std::borrow::Cow;

use super::artifact::Form;
use super::context::{critique_prompt, judgement_prompt, rebuttal_prompt, rewrite_marker, rewrite_prompt};
use super::critique::{Recommendation, Severity};
use super::ending::{Decision, ended, no_critique, not_done, unusable_prompt};
use super::findings::{citations, names_something_new, raises_something_new, recorded, unchecked_files};
use super::judgement::{self, open_to_the_judge, ruled};
use super::letter::{BUDGET_GONE, Grounds, Letter, recommend};
use super::parts::{Part, first_parts};
use super::revision::{accept_patch, accept_text};
use super::setup::Role;
use super::standing::{
    FindingState, Version, chosen, critic_of, critiques, current_text, failed_parts, patches_before, recommendation,
    recommendation_key, revision, tracked, version,
};
use super::{ReviewSetup, critique, critique_key, parts, planned_rounds, round_key, setup, stand_in_key};
use crate::claims::Statement;
use crate::claims::citation::{Citation, Target};
use crate::debate::{
    Action, Call, CallState, Check, Choice, Content, Debate, Decider, Entry, EntryKind, Failure, Format, Fund, Outcome,
    OutlineCall, Phase, Plan, Prompt, Rejection, Shape, Status, Step, StepKey, Trial, Tried, estimate_tokens,
};
use crate::formats::prompts::PromptError;

/// About how many tokens role, rules, task and schema take in a prompt.
const RULES_TOKENS: u64 = 1_500;
/// About how many tokens a critique has.
const CRITIQUE_TOKENS: u64 = 2_500;
/// About how many tokens a judgement has.
const JUDGEMENT_TOKENS: u64 = 1_200;
/// About how many tokens a rebuttal has.
const REBUTTAL_TOKENS: u64 = 1_000;
/// About how many tokens a patch has.
const PATCH_TOKENS: u64 = 3_000;
/// The longest rebuttal that is taken, in bytes.
const LONGEST_REBUTTAL: usize = 32 * 1024;

/// The format.
#[derive(Clone, Copy, Debug)]
pub struct Review;

/// How far a round has come.
enum Turn {
    /// These may begin now; none where something is waited for.
    Steps(Vec<Step>),
    /// The review has ended.
    Ended(Outcome),
    /// The next round begins.
    GoOn,
}

impl Format for Review {
    fn next(&self, debate: &Debate) -> Vec<Step> {
        let Some(setup) = setup(debate.plan()).filter(|_| debate.outcome().is_none()) else { return Vec::new() };
        for round in 1..=setup.max_rounds {
            match hold(debate, setup, round) {
                Ok(Turn::Steps(steps)) => return steps,
                Ok(Turn::Ended(outcome)) => return vec![finish(outcome)],
                Ok(Turn::GoOn) => {}
                Err(error) => return vec![finish(unusable_prompt(&error))],
            }
        }
        // Only a round that is not the last goes on; a review that was resumed with fewer rounds ends here.
        vec![finish(ended(Decision::Stopped, Status::Partial, "every round was held"))]
    }

    fn accept(&self, debate: &Debate, key: &StepKey, _call: &Call, text: &str) -> Result<Content, Rejection> {
        let Some((round, step)) = place_of(key) else {
            return Err(Rejection::new("review:unknown_step", "nothing was asked here"));
        };
        match step {
            "judgement" => {
                let judgement = judgement::accept(&open_to_the_judge(debate, round), text)?;
                Ok(Content::Judgement(Box::new(judgement)))
            }
            "rebuttal" => {
                if text.len() > LONGEST_REBUTTAL {
                    return Err(Rejection::new("rebuttal:too_long", "the rebuttal is far too long; shorten it"));
                }
                Ok(Content::Statement(Statement::read(text)))
            }
            "rewrite" | "rewrite/again" => {
                let form = setup(debate.plan()).map(|setup| &setup.artifact.form);
                let revision = if form.is_some_and(Form::is_patched) {
                    accept_patch(text)?
                } else {
                    let is_diff = form.is_some_and(Form::is_diff);
                    accept_text(text, &rewrite_marker(debate, round), &current_text(debate, round), is_diff)?
                };
                Ok(Content::Revision(Box::new(revision)))
            }
            _ => accept_critique(debate, round, key, text),
        }
    }

    fn outline(&self, plan: &Plan) -> Vec<OutlineCall> {
        let Some(setup) = setup(plan) else { return Vec::new() };
        let artifact = estimate_tokens(setup.artifact.text.len());
        let written = if setup.artifact.form.is_patched() { PATCH_TOKENS } else { artifact + 500 };
        let parts = first_parts(plan);
        let mut calls = Vec::new();
        for round in 1..=setup.max_rounds {
            for part in &parts {
                let read = estimate_tokens(part.text.len());
                let key = critique_key(round, &part.name);
                let tokens = RULES_TOKENS + read + CRITIQUE_TOKENS;
                calls.push(OutlineCall { key, seat: Role::Critic.seat(), phase: round_phase(round), tokens });
            }
            let mut call = |what: &str, role: Role, phase: Phase, tokens: u64| {
                let key = round_key(round, what);
                calls.push(OutlineCall { key, seat: role.seat(), phase, tokens: RULES_TOKENS + artifact + tokens });
            };
            call("judgement", Role::Judge, judge_phase(), CRITIQUE_TOKENS + JUDGEMENT_TOKENS);
            call("rewrite", Role::Author, rewrite_phase(), CRITIQUE_TOKENS + written);
        }
        calls
    }
}

/// Takes a round as far as it can go now. The order is the rule: failure, agreement, the letter, nothing new, the last
/// round, the budget.
fn hold(debate: &Debate, setup: &ReviewSetup, round: u32) -> Result<Turn, PromptError> {
    if let Some(turn) = critiqued(debate, setup, round)? {
        return Ok(turn);
    }
    if let Some(turn) = looked_up(debate, round) {
        return Ok(turn);
    }
    if agrees(debate, round) {
        let line = "the critic raises nothing of weight and recommends to keep it";
        return Ok(Turn::Ended(ended(Decision::ConvergedAgreement, Status::Completed, line)));
    }
    if let Some(turn) = judged(debate, round)? {
        return Ok(turn);
    }
    let Some((recommended, reason)) = recommendation(debate, round) else {
        let entry = Entry { kind: EntryKind::Ruling, text: recommended(debate, round) };
        return Ok(Turn::Steps(vec![Step { key: recommendation_key(debate, round), action: Action::Record(entry) }]));
    };
    let Some((letter, by)) = chosen(debate, round) else {
        let version = version(debate, round);
        let is_last = round >= planned_rounds(debate);
        let meaning = |letter: Letter| if is_last { letter.meaning_at_last(version) } else { letter.meaning(version) };
        let choice = choice(round, meaning, recommended, &reason);
        return Ok(Turn::Steps(vec![Step { key: round_key(round, "choice"), action: Action::Choose(choice) }]));
    };
    act(debate, setup, round, letter, by)
}

/// The critique of every part, by the critic or by whoever stands in.
fn critiqued(debate: &Debate, setup: &ReviewSetup, round: u32) -> Result<Option<Turn>, PromptError> {
    let stand_in = debate.plan().seat(&Role::StandIn.seat()).is_some();
    let (mut steps, mut waiting, mut failure) = (Vec::new(), false, None);
    for part in parts(debate, round) {
        let by = [(critique_key(round, &part.name), Role::Critic), (stand_in_key(round, &part.name), Role::StandIn)];
        for (key, role) in by {
            if role == Role::StandIn && (!stand_in || setup.stand_in) {
                break;
            }
            match debate.call(&key).map(|call| &call.state) {
                Some(CallState::Answered(_)) => break,
                Some(CallState::Failed(why)) => {
                    failure = Some(why);
                    continue;
                }
                Some(CallState::UnderWay { .. }) => waiting = true,
                Some(CallState::Open) | None if debate.budget_spent().is_some() => return Ok(Some(out_of_budget())),
                Some(CallState::Open) | None => {
                    let prompt = critique_prompt(debate, round, &part, role)?;
                    let shape = Shape::Json { name: "critique", schema: critique::schema() };
                    steps.push(ask(debate, key, role, round_phase(round), prompt, shape, CRITIQUE_TOKENS));
                }
            }
            break;
        }
    }
    if waiting || !steps.is_empty() {
        return Ok(Some(Turn::Steps(steps)));
    }
    if critiques(debate, round).is_empty() {
        if failure.is_some_and(|failure| failure.cause == crate::debate::Cause::Budget) {
            return Ok(Some(out_of_budget()));
        }
        return Ok(Some(Turn::Ended(no_critique(debate, round, failure))));
    }
    Ok(None)
}

/// The findings on record, and their evidence looked up.
fn looked_up(debate: &Debate, round: u32) -> Option<Turn> {
    let key = round_key(round, "findings");
    let Some(found) = recorded(debate, round) else {
        let entry = super::findings::entry(debate, round);
        return Some(Turn::Steps(vec![Step { key, action: Action::Record(entry) }]));
    };
    let key = round_key(round, "evidence");
    let citations = citations(&found);
    if debate.plan().evidence.is_none() || citations.is_empty() || !debate.may_begin(&key) {
        return None;
    }
    Some(Turn::Steps(vec![Step { key, action: look_up(debate, round, citations) }]))
}

/// Whether the critics agree with the artifact as it is: nothing of weight, nothing failed, and each says `keep` and could
/// judge all of it. A first round without any finding counts only where it was said what was looked at.
fn agrees(debate: &Debate, round: u32) -> bool {
    let parts = parts(debate, round);
    let critiques = critiques(debate, round);
    let found = recorded(debate, round).unwrap_or_default();
    let failed = parts.iter().any(|part| debate.failed(&critique_key(round, &part.name)).is_some());
    let weighty = found.iter().any(|finding| finding.severity != Severity::P3);
    let keep = critiques.iter().all(|(_, critique)| critique.recommendation == Some(Recommendation::Keep));
    // Who cannot judge a thing does not agree with it.
    let unjudged = critiques.iter().any(|(_, critique)| critique.insufficient_evidence);
    let looked = |part: &Part| {
        let critique = critiques.iter().find(|(name, _)| *name == part.name).map(|(_, critique)| *critique);
        critique.is_some_and(|critique| says_what_it_checked(critique, part).is_ok())
    };
    let covered = round > 1 || !found.is_empty() || parts.iter().all(looked);
    critiques.len() == parts.len() && !failed && !weighty && keep && !unjudged && covered
}

/// The judge's word on the findings.
fn judged(debate: &Debate, round: u32) -> Result<Option<Turn>, PromptError> {
    let key = round_key(round, "judgement");
    Ok(match debate.call(&key).map(|call| &call.state) {
        Some(CallState::Answered(_)) => None,
        Some(CallState::Failed(failure)) => Some(undone(round, "the findings of round", "could not be judged", failure)),
        Some(CallState::UnderWay { .. }) => Some(Turn::Steps(Vec::new())),
        Some(CallState::Open) | None if debate.budget_spent().is_some() => Some(out_of_budget()),
        Some(CallState::Open) | None => {
            let findings = open_to_the_judge(debate, round);
            let schema = judgement::schema(&findings);
            let prompt = judgement_prompt(debate, round, &schema)?;
            let shape = Shape::Json { name: "judgement", schema };
            let step = ask(debate, key, Role::Judge, judge_phase(), prompt, shape, JUDGEMENT_TOKENS);
            Some(Turn::Steps(vec![step]))
        }
    })
}

/// The recommendation of a round, as it is recorded.
fn recommended(debate: &Debate, round: u32) -> String {
    let Some((ruled, judgement)) = ruled(debate, round) else { return String::new() };
    let over_time = debate.plan().budget.max_ms.is_some_and(|most| debate.elapsed_ms(debate.last_at()) >= most);
    let (letter, reason) = recommend(Grounds {
        round,
        budget_gone: over_time || debate.budget_spent().is_some(),
        anything_new: recorded(debate, round).unwrap_or_default().iter().any(|finding| finding.new)
            || names_something_new(debate, round),
        ruled: &ruled,
        missing: &judgement.missing,
    });
    format!("{letter}: {reason}")
}

fn choice(round: u32, meaning: impl Fn(Letter) -> Cow<'static, str>, recommended: Letter, reason: &str) -> Choice {
    Choice {
        question: format!("Round {round}: {recommended} is recommended ({}), since {reason}", meaning(recommended)),
        options: Letter::ALL.map(|letter| (letter.as_str().to_owned(), meaning(letter).into_owned())).to_vec(),
        recommended: recommended.as_str().to_owned(),
    }
}

/// What a letter means for this round.
fn act(debate: &Debate, setup: &ReviewSetup, round: u32, letter: Letter, by: Decider) -> Result<Turn, PromptError> {
    let is_last = round >= planned_rounds(debate);
    // What was not read was not decided on.
    let unread = failed_parts(debate, round);
    let completed = |decision: Decision, line: &str| {
        if unread.is_empty() {
            return Ok(Turn::Ended(ended(decision, Status::Completed, line)));
        }
        let parts = if unread.len() == 1 { "one part".to_owned() } else { format!("{} parts", unread.len()) };
        let line = if line.is_empty() { String::new() } else { format!("{line}; ") };
        let line = format!("{line}nobody could critique {parts} of the artifact in round {round}");
        Ok(Turn::Ended(ended(decision, Status::Partial, line)))
    };
    match letter {
        // What is under review is kept: what an earlier round has mended is not thrown away with it.
        Letter::A => match version(debate, round) {
            Version::Original => completed(Decision::KeepOriginal, ""),
            Version::CompromiseOf(earlier) => {
                completed(Decision::Compromise, &format!("the version of round {earlier}'s compromise is kept"))
            }
        },
        Letter::B if setup.skip_rewrite => {
            completed(Decision::AcceptOppositeUnwritten, "the critic's version is accepted and was not written")
        }
        // Whoever's critique is accepted writes it.
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
                let open = tracked(debate).iter().filter(|tracked| tracked.state.remains()).count();
                let line = format!("it was the last round; {open} finding{} open", if open == 1 { " is" } else { "s are" });
                Ok(Turn::Ended(ended(Decision::Stopped, Status::Partial, line)))
            }
            turn => Ok(turn),
        },
        Letter::D => rebutted(debate, round),
        Letter::E if by == Decider::Person => completed(Decision::StoppedByUser, ""),
        Letter::E => {
            let reason = recommendation(debate, round).map(|(_, reason)| reason).unwrap_or_default();
            let open = tracked(debate).iter().any(|f| f.state == FindingState::Open && f.severity != Severity::P3);
            if reason.starts_with(BUDGET_GONE) {
                Ok(out_of_budget())
            } else if open {
                Ok(Turn::Ended(ended(Decision::Stopped, Status::Partial, reason)))
            } else {
                completed(Decision::Stopped, &reason)
            }
        }
    }
}

/// The artifact written anew, and tried where it is a patch: once, and once more with what was wrong. None once it is there.
fn rewritten(debate: &Debate, setup: &ReviewSetup, round: u32, role: Role) -> Result<Option<Turn>, PromptError> {
    if revision(debate, round).is_some() {
        return Ok(None);
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
                return Ok(Some(Turn::Steps(vec![ask(debate, key, role, rewrite_phase(), prompt, Shape::Prose, tokens)])));
            }
            Some(CallState::Answered(answered)) => {
                let Content::Revision(written) = &answered.content else { continue };
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
    let line = format!("the new version of round {round} was written twice and does not apply: {why}");
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
            let step = ask(debate, key, Role::Author, rebuttal_phase(), prompt, Shape::Prose, REBUTTAL_TOKENS);
            Ok(Turn::Steps(vec![step]))
        }
        Some(CallState::Answered(answered)) => {
            let evidence = round_key(round, "rebuttal/evidence");
            if let Content::Statement(statement) = &answered.content
                && debate.plan().evidence.is_some()
                && debate.may_begin(&evidence)
            {
                let citations = statement.citations();
                if !citations.is_empty() {
                    let action = look_up(debate, round, citations);
                    return Ok(Turn::Steps(vec![Step { key: evidence, action }]));
                }
            }
            Ok(after(debate, round))
        }
    }
}

/// Citations are looked up in the version of the round: the workspace with every patch, and the artifact's own text.
fn look_up(debate: &Debate, round: u32, mut citations: Vec<Citation>) -> Action {
    let own = setup(debate.plan()).and_then(|setup| setup.artifact.form.own_name(round));
    let mut texts: Vec<(String, String)> = own.map(|name| (name, current_text(debate, round))).into_iter().collect();
    if let Some(change) = setup(debate.plan()).filter(|setup| setup.artifact.form.is_diff()).map(|it| it.artifact.diff()) {
        // What the change renames is looked up under its new name, and what it deletes in the lines that it deletes.
        for citation in &mut citations {
            if let Target::File { path, .. } = &mut citation.target
                && let Some(new) = change.renamed_to(path)
            {
                new.clone_into(path);
            }
        }
        texts.extend(change.deleted().map(|(path, text)| (format!("./{path}"), text)));
    }
    Action::Check(Check { citations, revisions: patches_before(debate, round), texts })
}

/// What comes after a round that goes on: nothing, where two in a row raised nothing of weight that was new.
fn after(debate: &Debate, round: u32) -> Turn {
    if nothing_new_twice(debate, round) {
        let line = format!("rounds {} and {round} raised no new P1 or P2", round - 1);
        return Turn::Ended(ended(Decision::ConvergedNothingNew, Status::Completed, line));
    }
    Turn::GoOn
}

/// Whether this round and the one before it were read as a whole and raised nothing of weight that was new.
fn nothing_new_twice(debate: &Debate, round: u32) -> bool {
    let nothing = |round: u32| failed_parts(debate, round).is_empty() && !raises_something_new(debate, round);
    round >= 2 && nothing(round) && nothing(round - 1)
}

fn accept_critique(debate: &Debate, round: u32, key: &StepKey, text: &str) -> Result<Content, Rejection> {
    let critique = critique::read(text)?;
    let part = parts(debate, round)
        .into_iter()
        .find(|part| *key == critique_key(round, &part.name) || *key == stand_in_key(round, &part.name));
    let asked_before = debate.call(key).is_some_and(|call| !call.rejected.is_empty());
    let objects = critique.recommendation.is_some_and(|recommendation| recommendation != Recommendation::Keep);
    if critique.findings.is_empty() && objects && !asked_before {
        let reason = "you do not recommend to keep it and name no finding: put what weighs against it into p1, p2 or p3";
        return Err(Rejection::new("critique:no_finding_for_it", reason));
    }
    if let Some(part) = part.filter(|_| round == 1 && critique.findings.is_empty() && !asked_before) {
        says_what_it_checked(&critique, &part)?;
    }
    Ok(Content::Critique(Box::new(critique)))
}

/// A critique without a finding says what it looked at: every file of its part and in which respect.
fn says_what_it_checked(critique: &super::Critique, part: &Part) -> Result<(), Rejection> {
    let nothing = critique.checked.iter().all(|area| area.aspects.iter().all(|aspect| aspect.trim().is_empty()));
    let left = if part.files.is_empty() { Vec::new() } else { unchecked_files(critique, &part.files) };
    if nothing {
        let reason = "you name no finding: say in `checked` what you looked at, file by file, and in which respects";
        return Err(Rejection::new("critique:nothing_checked", reason));
    }
    if left.is_empty() {
        return Ok(());
    }
    let reason = format!("you name no finding: say in `checked` what you looked at in {}", left.join(", "));
    Err(Rejection::new("critique:not_all_checked", reason))
}

/// Round and step of a key: `round-2/rewrite/again` is step `rewrite/again` of round 2.
fn place_of(key: &StepKey) -> Option<(u32, &str)> {
    let (round, step) = key.as_str().strip_prefix("round-")?.split_once('/')?;
    Some((round.parse().ok()?, step))
}

fn ask(debate: &Debate, key: StepKey, role: Role, phase: Phase, prompt: Prompt, shape: Shape, output_tokens: u64) -> Step {
    let limit_ms = debate.plan().timeout_ms;
    let call = Call { seat: role.seat(), phase, prompt, shape, output_tokens, limit_ms, fund: Fund::Debate };
    Step { key, action: Action::Ask(Box::new(call)) }
}

fn finish(outcome: Outcome) -> Step {
    Step { key: StepKey::new("end"), action: Action::Finish(outcome) }
}

fn undone(round: u32, what: &str, became: &str, failure: &Failure) -> Turn {
    if failure.cause == crate::debate::Cause::Budget {
        return out_of_budget();
    }
    Turn::Ended(not_done(&format!("{what} {round} {became}"), failure))
}

fn out_of_budget() -> Turn {
    Turn::Ended(ended(Decision::StoppedBudget, Status::Partial, BUDGET_GONE))
}

fn round_phase(round: u32) -> Phase {
    Phase(format!("round {round}"))
}

fn judge_phase() -> Phase {
    Phase("judgement".to_owned())
}

fn rebuttal_phase() -> Phase {
    Phase("rebuttal".to_owned())
}

fn rewrite_phase() -> Phase {
    Phase("rewrite".to_owned())
}
