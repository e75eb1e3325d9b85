//! The calls of a panel in which nothing fails, for the plan's figures.

use super::ending::{JUDGEMENT_TOKENS, UNRESOLVED};
use super::reporting::TOKENS;
use super::setup::Office;
use super::turns::TURN_TOKENS;
use super::{judgement_key, setup, turn_key};
use crate::debate::{OutlineCall, Phase, Plan, SeatName, StepKey, estimate_tokens};

/// About how many tokens role, rules, task and schema take in a prompt.
const RULES_TOKENS: u64 = 1_800;
/// About how many tokens an entry takes where it stands in one sentence.
const LINE_TOKENS: u64 = 50;
/// About how many entries a turn has.
const ENTRIES: u64 = 2;
/// About how many tokens the chair's and the audience's short answers take.
const SHORT_TOKENS: u64 = 300;
/// About how many tokens the verification of a turn takes beside its rules.
const VERIFICATION_TOKENS: u64 = 2_000;

/// Every call, with as many rounds as there can be.
pub(super) fn outline(plan: &Plan) -> Vec<OutlineCall> {
    let Some(setup) = setup(plan) else { return Vec::new() };
    let base = RULES_TOKENS
        + estimate_tokens(plan.topic.len())
        + plan.context.iter().map(|item| estimate_tokens(item.text.len())).sum::<u64>();
    let mut calls = Vec::new();
    let mut add = |key: StepKey, seat: SeatName, phase: &str, tokens: u64| {
        calls.push(OutlineCall { key, seat, phase: Phase(phase.to_owned()), tokens: base + tokens });
    };
    let count = setup.debaters.len() as u64;
    let turn = |so_far: u64| so_far * LINE_TOKENS + (count - 1) * TURN_TOKENS / ENTRIES + TURN_TOKENS;
    let mut said = 0;
    for debater in &setup.debaters {
        let key = StepKey::new(format!("opening/{}", debater.name));
        add(key.clone(), debater.seat(), "openings", said * LINE_TOKENS + TURN_TOKENS);
        verified(plan, &key, &mut add);
        said += 1;
    }
    for round in 1..=setup.max_rounds {
        let phase = format!("round {round}");
        for debater in &setup.debaters {
            let key = turn_key(round, &debater.name);
            add(key.clone(), debater.seat(), &phase, turn(said));
            verified(plan, &key, &mut add);
            said += ENTRIES;
        }
        let read = count * ENTRIES * LINE_TOKENS;
        add(StepKey::new(format!("round-{round}/audience")), Office::Audience.seat(), "audience", read + SHORT_TOKENS);
        if (setup.min_rounds..setup.max_rounds).contains(&round) {
            let key = StepKey::new(format!("round-{round}/chair/natural-end"));
            add(key, Office::Chair.seat(), "chair", said * LINE_TOKENS + SHORT_TOKENS);
        }
    }
    add(StepKey::new(UNRESOLVED), Office::Chair.seat(), "chair", 12 * LINE_TOKENS + SHORT_TOKENS);
    for debater in setup.debaters.iter().rev() {
        let key = StepKey::new(format!("closing/{}", debater.name));
        add(key.clone(), debater.seat(), "closings", said * LINE_TOKENS + TURN_TOKENS);
        verified(plan, &key, &mut add);
    }
    let read = said * LINE_TOKENS + 2 * count * TURN_TOKENS;
    add(judgement_key(), Office::Chair.seat(), "judgement", read + JUDGEMENT_TOKENS);
    for (key, office, tokens) in TOKENS {
        let phase = if office == Office::Reporter { "documents" } else { office.as_str() };
        add(StepKey::new(key), office.seat(), phase, said * LINE_TOKENS + count * TURN_TOKENS + tokens);
    }
    calls
}

/// The verification of a turn, where sources are looked up at all.
fn verified(plan: &Plan, key: &StepKey, add: &mut impl FnMut(StepKey, SeatName, &str, u64)) {
    if plan.evidence.is_some() {
        let key = StepKey::new(format!("{key}/verification"));
        add(key, Office::Verifier.seat(), "verification", VERIFICATION_TOKENS);
    }
}
