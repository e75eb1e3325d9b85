//! The calls of a duel before it begins: for the plan, its estimates and the budget.

use super::ballots::{Needed, needed};
use super::exchange::is_exchange_planned;
use super::procedure::{CLOSING, FIRST_SUMMARISED_ROUND, Progress, VERDICT};
use super::sizes::Sizes;
use super::{Bout, Leg, Role, is_thorough, judge_seat, rounds};
use crate::debate::{Debate, OutlineCall, Phase, Plan, SeatName, StepKey};
use crate::formats::said::lists_claims;

/// About how many tokens role, rules and task take in a prompt.
const RULES_TOKENS: u64 = 900;
/// About how many tokens the schema of the verdict takes.
const SCHEMA_TOKENS: u64 = 900;

/// Every call when nothing fails, in order.
pub(super) fn outline(plan: &Plan) -> Vec<OutlineCall> {
    let second = if is_exchange_planned(plan) { bout(plan, Leg::Exchanged) } else { Vec::new() };
    bout(plan, Leg::First).into_iter().chain(second).collect()
}

/// Every ballot that there may be on one debate. The share of the budget that is kept for them is free again once they are
/// in, so it covers those on a second debate too.
pub(super) fn verdict_calls(plan: &Plan) -> Vec<OutlineCall> {
    all_ballots(plan, Leg::First).collect()
}

/// Every ballot that there may be where this duel is judged again. The second debate is only judged if both are complete.
pub fn rejudge_calls(debate: &Debate) -> Vec<OutlineCall> {
    let is_complete = |leg: &Leg| matches!(Bout { debate, leg: *leg }.progress(), Progress::Complete);
    let both = Leg::BOTH.iter().all(is_complete);
    let legs = Leg::BOTH.into_iter().filter(|leg| both || *leg == Leg::First);
    legs.flat_map(|leg| all_ballots(debate.plan(), leg)).collect()
}

/// Calls that are only made where a judge contradicts itself, or a list of claims is missing.
pub(super) fn extra_calls(plan: &Plan) -> Vec<(usize, &'static str)> {
    let listing = Role::ALL.iter().filter(|role| lists_claims(plan, &role.seat())).count();
    let (_, reserve) = needed(plan, Leg::First, 1);
    let debates = if is_exchange_planned(plan) { 2 } else { 1 };
    let all = [(reserve.len(), "a second judge"), (debates * listing * rounds(plan) as usize, "missing claim lists")];
    all.into_iter().filter(|(calls, _)| *calls > 0).collect()
}

/// How many of these calls are waited for one after another: closings, and ballots, are asked for at the same time.
pub(super) fn calls_in_turn(outline: &[OutlineCall]) -> u64 {
    let parallel = |phase: &Phase| Leg::BOTH.iter().any(|leg| *phase == leg.phase(CLOSING) || *phase == leg.phase(VERDICT));
    outline.chunk_by(|one, next| one.phase == next.phase && parallel(&one.phase)).count() as u64
}

fn bout(plan: &Plan, leg: Leg) -> Vec<OutlineCall> {
    let rounds = rounds(plan);
    let sizes = Sizes::of(plan);
    let base = RULES_TOKENS + plan.matter_tokens();
    let mut calls = Vec::new();
    let mut plan_call = |key: StepKey, seat: SeatName, phase: Phase, read: u64, written: u64| {
        calls.push(OutlineCall { key, seat, phase, tokens: base + read + written });
    };
    for round in 1..=rounds {
        let mut read = match round {
            1 => 0,
            2 => 2 * sizes.statement,
            _ => {
                let earlier = if round > FIRST_SUMMARISED_ROUND { sizes.summary } else { 0 };
                let read = earlier + 2 * sizes.statement;
                plan_call(leg.summary_key(round), judge_seat(1), leg.phase("summary"), read, sizes.summary);
                sizes.summary + 2 * sizes.statement
            }
        };
        for role in Role::ALL {
            plan_call(
                leg.statement_key(round, role),
                role.seat(),
                leg.phase(format_args!("round {round}")),
                read,
                sizes.statement,
            );
            read += sizes.statement;
        }
    }
    if is_thorough(plan) {
        let earlier = if rounds < FIRST_SUMMARISED_ROUND { 0 } else { sizes.summary };
        let read = earlier + u64::from(rounds.min(2)) * 2 * sizes.statement;
        for role in Role::ALL {
            plan_call(leg.closing_key(rounds, role), role.seat(), leg.phase(CLOSING), read, sizes.statement);
        }
    }
    calls.extend(ballots(plan, leg, needed(plan, leg, 1).0));
    calls
}

fn all_ballots(plan: &Plan, leg: Leg) -> impl Iterator<Item = OutlineCall> {
    let (first, reserve) = needed(plan, leg, 1);
    ballots(plan, leg, first.into_iter().chain(reserve))
}

fn ballots(plan: &Plan, leg: Leg, ballots: impl IntoIterator<Item = Needed>) -> impl Iterator<Item = OutlineCall> {
    let sizes = Sizes::of(plan);
    let closings = u64::from(is_thorough(plan));
    let read = (u64::from(rounds(plan)) + closings) * 2 * sizes.statement;
    let tokens = RULES_TOKENS + plan.matter_tokens() + read + SCHEMA_TOKENS + sizes.verdict;
    ballots.into_iter().map(move |(key, seat, _)| OutlineCall { key, seat, phase: leg.phase(VERDICT), tokens })
}
