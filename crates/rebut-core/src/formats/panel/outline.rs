//! The calls of a panel in which nothing fails, for the plan's figures.

use super::ending::{JUDGEMENT_TOKENS, UNRESOLVED};
use super::lineup::{LINEUP_TOKENS, proposal_key};
use super::readiness::{Probe, probes};
use super::reporting::REPORTS;
use super::setup::{Office, PanelSetup};
use super::turns::TURN_TOKENS;
use super::{judgement_key, setup, turn_key};
use crate::debate::{OutlineCall, Phase, Plan, SeatName, StepKey, estimate_tokens};

/// About how many tokens role, rules, task and schema take in a prompt.
const RULES_TOKENS: u64 = 1_600;
/// About how many tokens an entry takes in one sentence.
const LINE_TOKENS: u64 = 50;
/// About how many entries a turn has, and how many tokens each of them.
const ENTRIES: u64 = 2;
const ENTRY_TOKENS: u64 = TURN_TOKENS / ENTRIES;
const SHORT_TOKENS: u64 = 300;
const VERIFICATION_TOKENS: u64 = 2_000;

/// The phase of the chair's judgements.
pub(super) const JUDGEMENT: &str = "judgement";
/// About how many tokens a readiness probe takes, all in all.
const READINESS_TOKENS: u64 = 150;
/// As many debaters are reckoned with where the chair is still to propose them.
const LIKELY: usize = 3;

pub(super) fn outline(plan: &Plan) -> Vec<OutlineCall> {
    let Some(setup) = setup(plan) else { return Vec::new() };
    let base = RULES_TOKENS
        + estimate_tokens(plan.topic.len())
        + plan.context.iter().map(|item| estimate_tokens(item.text.len())).sum::<u64>();
    let debaters = debaters(setup);
    let mut calls = readiness(plan, &debaters);
    let mut add = |key: StepKey, seat: SeatName, phase: &str, tokens: u64| {
        calls.push(OutlineCall { key, seat, phase: Phase(phase.to_owned()), tokens: base + tokens });
    };
    if setup.debaters.is_empty() {
        add(proposal_key(setup.wishes.len()), Office::Chair.seat(), "lineup", LINEUP_TOKENS);
    }
    let count = debaters.len() as u64;
    // This round so far and the previous one are read in full, earlier ones in one sentence per entry.
    let turn = |so_far: u64| {
        let full = so_far.min(count * ENTRIES * 3 / 2);
        (so_far - full) * LINE_TOKENS + full * ENTRY_TOKENS + TURN_TOKENS
    };
    let mut said = 0;
    for (name, seat) in &debaters {
        let key = StepKey::new(format!("opening/{name}"));
        add(key.clone(), seat.clone(), "openings", turn(said));
        verified(plan, &key, &mut add);
        said += 1;
    }
    for round in 1..=setup.max_rounds {
        let phase = format!("round {round}");
        for (name, seat) in &debaters {
            let key = turn_key(round, name);
            add(key.clone(), seat.clone(), &phase, turn(said));
            verified(plan, &key, &mut add);
            said += ENTRIES;
        }
        let read = count * ENTRIES * ENTRY_TOKENS;
        add(StepKey::new(format!("round-{round}/audience")), Office::Audience.seat(), "audience", read + SHORT_TOKENS);
        if (setup.min_rounds..setup.max_rounds).contains(&round) {
            let key = StepKey::new(format!("round-{round}/chair/natural-end"));
            add(key, Office::Chair.seat(), "chair", said * ENTRY_TOKENS + SHORT_TOKENS);
        }
    }
    add(StepKey::new(UNRESOLVED), Office::Chair.seat(), "chair", said * ENTRY_TOKENS + SHORT_TOKENS);
    for (name, seat) in debaters.iter().rev() {
        let key = StepKey::new(format!("closing/{name}"));
        add(key.clone(), seat.clone(), "closings", turn(said));
        verified(plan, &key, &mut add);
    }
    let read = (said + count) * ENTRY_TOKENS;
    for number in 1..=setup.rigor.ballots() {
        add(judgement_key(number), Office::Chair.seat(), JUDGEMENT, read + JUDGEMENT_TOKENS);
    }
    for report in REPORTS {
        add(report.key(), report.office.seat(), report.phase(), read + report.tokens);
    }
    calls
}

/// The names of the debaters and their seats. Who is still to be proposed will be played by the reporter's model.
fn debaters(setup: &PanelSetup) -> Vec<(String, SeatName)> {
    if setup.debaters.is_empty() {
        return (1..=LIKELY).map(|number| (format!("debater-{number}"), Office::Reporter.seat())).collect();
    }
    setup.debaters.iter().map(|debater| (debater.name.clone(), debater.seat())).collect()
}

/// One readiness probe for each tool and model.
fn readiness(plan: &Plan, debaters: &[(String, SeatName)]) -> Vec<OutlineCall> {
    let seats = debaters.iter().map(|(_, seat)| seat.clone()).chain(Office::ALL.map(Office::seat));
    let phase = || Phase("readiness".to_owned());
    let call = |mut probe: Probe<'_>| OutlineCall {
        key: probe.key,
        seat: probe.seats.swap_remove(0),
        phase: phase(),
        tokens: READINESS_TOKENS,
    };
    probes(plan, seats).into_iter().map(call).collect()
}

/// The verification of a turn, where sources are looked up at all.
fn verified(plan: &Plan, key: &StepKey, add: &mut impl FnMut(StepKey, SeatName, &str, u64)) {
    if plan.evidence.is_some() {
        let key = StepKey::new(format!("{key}/verification"));
        add(key, Office::Verifier.seat(), "verification", VERIFICATION_TOKENS);
    }
}
