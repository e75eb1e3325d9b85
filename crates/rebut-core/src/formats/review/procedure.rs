//! The procedure of a review: critique, look at the evidence, judge, decide, rewrite or answer, and again.

use super::acting::{PATCH_TOKENS, act};
use super::context::{critique_prompt, judgement_prompt, rewrite_marker};
use super::ending::{ended, no_critique};
use super::findings::recorded;
use super::letter::{Recommended, recommend};
use super::parts::first_parts;
use super::points::ids;
use super::revision::{accept_patch, accept_text};
use super::rounds::{PartCritique, chosen, part_critiques, recommendation, recommendation_key};
use super::turn::{Pause, Request, Task, Walk, answer, look_up};
use super::versions::version;
use super::weighing::numbered;
use super::{
    Content, Decision, Form, Letter, Recommendation, Review, ReviewSetup, Role, Severity, critique, critique_key,
    current_text, findings, judgement, parts, planned_rounds, round_key, setup, stand_in_key,
};
use crate::debate::{
    Action, Call, CallState, Cause, Choice, Debate, Outcome, OutlineCall, Payload, Plan, Procedure, Rejection, Shape,
    Status, Step, StepKey, estimate_tokens,
};
use crate::formats::{accepted, unknown_call};

/// About how many tokens role, rules, task and schema take in a prompt.
const RULES_TOKENS: u64 = 1_500;
const CRITIQUE_TOKENS: u64 = 2_500;
const JUDGEMENT_TOKENS: u64 = 1_200;
/// The longest rebuttal that is taken, in bytes.
const LONGEST_REBUTTAL: usize = 32 * 1024;

impl Procedure for Review {
    fn next(&self, debate: &Debate) -> Vec<Step> {
        let Some(setup) = setup(debate.plan()).filter(|_| debate.outcome().is_none()) else { return Vec::new() };
        match (1..=setup.max_rounds).try_for_each(|round| run_round(debate, setup, round)) {
            Err(Pause::Steps(steps)) => steps,
            Err(Pause::Ended(outcome)) => vec![finish(outcome)],
            // Reached only by a review that was resumed with fewer rounds.
            Ok(()) => vec![finish(ended(Decision::Stopped, Status::Partial, "the last round is over"))],
        }
    }

    fn accept(&self, debate: &Debate, key: &StepKey, call: &Call, text: &str) -> Result<Payload, Rejection> {
        match accept(debate, key, call, text)? {
            // A new version is written as the author wrote it.
            revision @ Content::Revision(_) => Ok(Payload::of(revision)),
            content => Ok(accepted(text, content)),
        }
    }
}

fn accept(debate: &Debate, key: &StepKey, call: &Call, text: &str) -> Result<Content, Rejection> {
    match (call.asks.get::<Task>().ok_or_else(unknown_call)?, &call.shape) {
        (Task::Critique { .. }, _) => accept_critique(debate, key, text),
        (Task::Judgement { round }, Shape::Json { schema, .. }) => {
            let judgement = judgement::accept(&ids(debate, *round), schema, text)?;
            Ok(Content::Judgement(Box::new(judgement)))
        }
        (Task::Judgement { .. }, Shape::Prose) => Err(unknown_call()),
        (Task::Rebuttal, _) if text.len() > LONGEST_REBUTTAL => {
            Err(Rejection::new("rebuttal:too_long", "the rebuttal is far too long; shorten it"))
        }
        (Task::Rebuttal, _) => Ok(Content::Rebuttal { body: text.trim().to_owned() }),
        (Task::Rewrite { round }, _) => {
            let form = setup(debate.plan()).map(|setup| &setup.artifact.form);
            let revision = if form.is_some_and(Form::is_patched) {
                accept_patch(text)?
            } else {
                let is_diff = form.is_some_and(Form::is_diff);
                accept_text(text, &rewrite_marker(debate, *round), &current_text(debate, *round), is_diff)?
            };
            Ok(Content::Revision(Box::new(revision)))
        }
    }
}

pub(super) fn outline(plan: &Plan) -> Vec<OutlineCall> {
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
            calls.push(OutlineCall { key, seat: Role::Critic.seat(), phase: Task::Critique { round }.phase(), tokens });
        }
        let mut call = |what: &str, role: Role, task: Task, tokens: u64| {
            let key = round_key(round, what);
            calls.push(OutlineCall {
                key,
                seat: role.seat(),
                phase: task.phase(),
                tokens: RULES_TOKENS + artifact + tokens,
            });
        };
        call("judgement", Role::Judge, Task::Judgement { round }, CRITIQUE_TOKENS + JUDGEMENT_TOKENS);
        call("rewrite", Role::Author, Task::Rewrite { round }, CRITIQUE_TOKENS + written);
    }
    calls
}

/// Takes a round as far as it can go now. The order is the rule: failure, agreement, the letter, nothing new, the last
/// round, the budget.
fn run_round(debate: &Debate, setup: &ReviewSetup, round: u32) -> Walk<()> {
    critiqued(debate, setup, round)?;
    let findings = round_key(round, "findings");
    let Some(raised) = recorded(debate, round) else {
        return Err(Pause::step(findings, Action::Record(findings::entry(debate, round))));
    };
    let evidence = numbered(raised.findings.iter().map(|finding| &finding.evidence));
    look_up(debate, round, round_key(round, "evidence"), evidence)?;
    if agrees(debate, round) {
        let line = "the critic raises no P1 or P2 and recommends keeping it";
        return Err(Pause::ended(Decision::ConvergedAgreement, Status::Completed, line));
    }
    judged(debate, round)?;
    let Some(Recommended { letter: recommended, reason, .. }) = recommendation(debate, round) else {
        let key = recommendation_key(debate, round);
        let entry = recommend(debate, round).map(Recommended::entry);
        return Err(Pause::Steps(entry.map(|entry| Step { key, action: Action::Record(entry) }).into_iter().collect()));
    };
    let Some((letter, by)) = chosen(debate, round) else {
        let choice = choice(debate, round, *recommended, reason);
        return Err(Pause::step(round_key(round, "choice"), Action::Choose(choice)));
    };
    act(debate, setup, round, letter, by)
}

/// The critique of every part, by the critic or its stand-in.
fn critiqued(debate: &Debate, setup: &ReviewSetup, round: u32) -> Walk<()> {
    let stand_in = debate.plan().seat(&Role::StandIn.seat()).is_some() && !setup.stand_in;
    let (mut steps, mut waiting, mut failure) = (Vec::new(), false, None);
    for part in parts(debate, round) {
        let own = (critique_key(round, &part.name), Role::Critic);
        let other = stand_in.then(|| (stand_in_key(round, &part.name), Role::StandIn));
        for (key, role) in std::iter::once(own).chain(other) {
            match debate.call(&key).map(|call| &call.state) {
                Some(CallState::Answered(_)) => {}
                Some(CallState::Failed(why)) => {
                    failure = Some(why);
                    continue;
                }
                Some(CallState::UnderWay { .. }) => waiting = true,
                Some(CallState::Open) | None if debate.budget_spent().is_some() => return Err(Pause::out_of_budget()),
                Some(CallState::Open) | None => {
                    let prompt = critique_prompt(debate, round, &part, role)?;
                    let shape = Shape::Json { name: "critique", schema: critique::schema(debate.plan().commands()) };
                    let (task, output_tokens) = (Task::Critique { round }, CRITIQUE_TOKENS);
                    steps.push(Request { role, task, prompt, shape, output_tokens }.step(debate, key));
                }
            }
            break;
        }
    }
    if waiting || !steps.is_empty() {
        return Err(Pause::Steps(steps));
    }
    match failure {
        _ if part_critiques(debate, round).iter().any(|it| it.taken.is_some()) => Ok(()),
        Some(failure) if failure.cause == Cause::Budget => Err(Pause::out_of_budget()),
        failure => Err(Pause::Ended(no_critique(debate, round, failure))),
    }
}

/// Whether the critics agree with the artifact as it is: no P1 or P2, nothing failed, and each recommends to keep it.
fn agrees(debate: &Debate, round: u32) -> bool {
    let keeps = |it: PartCritique<'_>| {
        let kept = it.taken.is_some_and(|(_, critique)| critique.recommendation == Some(Recommendation::Keep));
        it.failed.is_none() && kept
    };
    let weighty =
        recorded(debate, round).is_some_and(|raised| raised.findings.iter().any(|finding| finding.severity != Severity::P3));
    !weighty && part_critiques(debate, round).into_iter().all(keeps)
}

/// The judge's word on the findings, with its own evidence looked up.
fn judged(debate: &Debate, round: u32) -> Walk<()> {
    let undone = format!("the findings of round {round} could not be judged");
    let content = answer(debate, &round_key(round, "judgement"), &undone, || {
        let prompt = judgement_prompt(debate, round)?;
        let schema = judgement::schema(&ids(debate, round), debate.plan().commands());
        let (task, shape) = (Task::Judgement { round }, Shape::Json { name: "judgement", schema });
        Ok(Request { role: Role::Judge, task, prompt, shape, output_tokens: JUDGEMENT_TOKENS })
    })?;
    let Some(Content::Judgement(judgement)) = content else { return Ok(()) };
    let evidence = numbered(judgement.rulings.iter().map(|ruling| &ruling.evidence));
    look_up(debate, round, round_key(round, "judgement/evidence"), evidence)
}

fn choice(debate: &Debate, round: u32, recommended: Letter, reason: &str) -> Choice {
    let version = version(debate, round);
    let is_last = round >= planned_rounds(debate);
    let meaning = |letter: Letter| if is_last { letter.meaning_at_last(version) } else { letter.meaning(version) };
    Choice {
        question: format!("Round {round}: {recommended} recommended ({}): {reason}", meaning(recommended)),
        options: Letter::ALL.map(|letter| (letter.as_str().to_owned(), meaning(letter))).to_vec(),
        recommended: recommended.as_str().to_owned(),
    }
}

fn accept_critique(debate: &Debate, key: &StepKey, text: &str) -> Result<Content, Rejection> {
    let critique = critique::read(text)?;
    let asked_before = debate.call(key).is_some_and(|call| !call.rejected.is_empty());
    let objects = critique.recommendation != Some(Recommendation::Keep);
    if critique.findings.is_empty() && critique.missing.is_empty() && objects && !asked_before {
        let reason = "you raise nothing and do not recommend `keep`: give the findings, or recommend `keep`";
        return Err(Rejection::new("critique:no_finding_for_it", reason));
    }
    Ok(Content::Critique(Box::new(critique)))
}

fn finish(outcome: Outcome) -> Step {
    Step { key: StepKey::new("end"), action: Action::Finish(outcome) }
}
