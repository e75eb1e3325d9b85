//! What happened in each round, as the journal has it.

use super::findings::all_rounds;
use super::letter::Recommended;
use super::points::{RoundPoints, points_up_to};
use super::versions::{revision, version};
use super::{
    Content, Critique, Decision, Letter, Mode, Point, Record, Role, Version, WeighedMissing, critique_key, round_key, setup,
    stand_in_key,
};
use crate::debate::{Debate, Decider, Failure, Status, StepKey};

#[derive(Clone, Debug)]
pub struct RoundRecord<'a> {
    pub round: u32,
    pub version: Version,
    pub critiques: Vec<(String, &'a Critique)>,
    pub findings: Vec<Point>,
    /// Whether its findings were ruled on.
    pub judged: bool,
    pub missing: Vec<WeighedMissing>,
    pub recommendation: Option<(Letter, String)>,
    pub choice: Option<(Letter, Decider)>,
    /// The tool whose critique was taken.
    pub critic: Option<String>,
    /// Why the critic itself gave none.
    pub critic_failed: Option<Failure>,
    /// Why its judgement, new version or rebuttal failed, if it did.
    pub failed: Option<Failure>,
    pub rebuttal: Option<&'a str>,
    pub revision: Option<&'a str>,
}

pub(super) fn rounds(debate: &Debate) -> Vec<RoundRecord<'_>> {
    let begun = |round: &u32| part_critiques(debate, *round).iter().any(|it| it.taken.is_some() || it.failed.is_some());
    let last = all_rounds(debate).take_while(begun).last().unwrap_or(0);
    (1..).zip(points_up_to(debate, last)).map(|(round, points)| record(debate, round, points)).collect()
}

fn record(debate: &Debate, round: u32, points: RoundPoints) -> RoundRecord<'_> {
    let critiques = part_critiques(debate, round);
    let critic = critiques.iter().find_map(|it| debate.plan().seat(&it.taken?.0.seat()));
    RoundRecord {
        round,
        version: version(debate, round),
        critic: critic.map(|seat| seat.tool.clone()),
        critic_failed: critiques.iter().find_map(|it| it.failed.cloned()),
        critiques: critiques.into_iter().filter_map(|it| Some((it.part, it.taken?.1))).collect(),
        findings: points.findings,
        judged: points.judged,
        missing: points.missing,
        recommendation: recommendation(debate, round).map(|it| (it.letter, it.reason.clone())),
        choice: chosen(debate, round),
        failed: ["judgement", "rewrite", "rewrite/again", "rebuttal"]
            .iter()
            .find_map(|step| debate.failed(&round_key(round, step)).cloned()),
        rebuttal: rebuttal(debate, round),
        revision: revision(debate, round),
    }
}

pub(super) struct PartCritique<'a> {
    pub(super) part: String,
    /// The critique that is taken, the critic's or its stand-in's.
    pub(super) taken: Option<(Role, &'a Critique)>,
    /// Why the critic itself gave none.
    pub(super) failed: Option<&'a Failure>,
}

/// What became of every critique that was asked for in a round.
pub(super) fn part_critiques(debate: &Debate, round: u32) -> Vec<PartCritique<'_>> {
    let critique = |role: Role, key: StepKey| match debate.content(&key)? {
        Content::Critique(critique) => Some((role, critique.as_ref())),
        _ => None,
    };
    let of_part = |part: String| PartCritique {
        taken: critique(Role::Critic, critique_key(round, &part))
            .or_else(|| critique(Role::StandIn, stand_in_key(round, &part))),
        failed: debate.failed(&critique_key(round, &part)),
        part,
    };
    part_names(debate, round).into_iter().map(of_part).collect()
}

/// The names of the parts whose critique was asked for in a round, in their order. They are in the keys of the calls,
/// so that the artifact need not be cut up again.
fn part_names(debate: &Debate, round: u32) -> Vec<String> {
    let whole = critique_key(round, "");
    let below = format!("{whole}/");
    let mut names: Vec<String> = debate
        .calls()
        .filter_map(|(key, _)| if *key == whole { Some("") } else { key.as_str().strip_prefix(&below) })
        .filter(|name| *name != "stand-in" && !name.ends_with("/stand-in"))
        .map(str::to_owned)
        .collect();
    let order = |name: &String| {
        let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
        (name[..name.len() - digits.len()].to_owned(), digits.parse::<u32>().unwrap_or(0))
    };
    names.sort_by_key(order);
    names
}

/// Who wrote the critique that was taken in a round: the critic, unless all it was asked for failed.
pub(super) fn critic_of(debate: &Debate, round: u32) -> Role {
    let roles = part_critiques(debate, round).into_iter().filter_map(|it| it.taken).map(|(role, _)| role);
    roles.min_by_key(|role| *role != Role::Critic).unwrap_or(Role::Critic)
}

pub(super) fn failed_parts(debate: &Debate, round: u32) -> Vec<String> {
    let failed = part_critiques(debate, round).into_iter().filter(|it| it.taken.is_none() && it.failed.is_some());
    failed.map(|it| it.part).collect()
}

/// The key of a round's recommendation. One that was given for want of budget is given anew when there is more.
pub(super) fn recommendation_key(debate: &Debate, round: u32) -> StepKey {
    let again = |sitting: u32| {
        round_key(round, &if sitting == 1 { "recommendation".to_owned() } else { format!("recommendation/{sitting}") })
    };
    let present = debate.sitting();
    let of_want = |key: &StepKey| recommended_at(debate, key).is_some_and(|recommended| recommended.budget_gone);
    (1..=present)
        .map(again)
        .find(|key| *key == again(present) || (debate.entry(key).is_some() && !of_want(key)))
        .unwrap_or_else(|| again(present))
}

pub(super) fn recommendation(debate: &Debate, round: u32) -> Option<&Recommended> {
    recommended_at(debate, &recommendation_key(debate, round))
}

fn recommended_at<'a>(debate: &'a Debate, key: &StepKey) -> Option<&'a Recommended> {
    match super::record(debate, key)? {
        Record::Recommended(recommended) => Some(recommended),
        Record::Raised(_) => None,
    }
}

pub(super) fn chosen(debate: &Debate, round: u32) -> Option<(Letter, Decider)> {
    let recommended = recommendation(debate, round)?.letter;
    match setup(debate.plan())?.mode {
        Mode::Auto => Some((recommended, Decider::Recommendation)),
        Mode::Manual => {
            let key = round_key(round, "choice");
            Some((Letter::read(debate.choice(&key)?)?, debate.decider(&key)?))
        }
    }
}

pub(super) fn rebuttal(debate: &Debate, round: u32) -> Option<&str> {
    match debate.content(&round_key(round, "rebuttal"))? {
        Content::Rebuttal { body } => Some(body),
        _ => None,
    }
}

/// What was decided; none while it is running.
pub fn decision(debate: &Debate) -> Option<Decision> {
    match debate.outcome() {
        Some(outcome) => outcome.decision.as_deref().and_then(|decision| decision.parse().ok()),
        None if debate.status() == Status::Cancelled => Some(Decision::StoppedByUser),
        None => None,
    }
}

/// Whether another seat than the critic's critiqued any part.
pub(super) fn stood_in(debate: &Debate) -> bool {
    let by_plan = setup(debate.plan()).is_some_and(|setup| setup.stand_in);
    let seat = Role::StandIn.seat();
    by_plan || debate.calls().any(|(key, call)| call.seat == seat && debate.answered(key).is_some())
}
