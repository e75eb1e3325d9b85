//! Notes of a plan about its seats: transports, limits and prices.

use std::collections::{BTreeMap, BTreeSet};

use rebut_core::debate::{Cost, Plan, PromptOverride, SeatPlan};

use crate::providers::{Providers, Transport, cli, http, local};
use crate::redact::redact;

pub(super) fn of_seats(plan: &mut Plan, providers: &Providers, asked: Transport) {
    note_transports(plan, providers, asked);
    note_limits(plan, providers);
    note_embedded(plan);
    note_unknown_prices(plan);
    note_date_of_prices(plan);
}

/// What tools do unasked and can't be kept from.
fn note_limits(plan: &mut Plan, providers: &Providers) {
    let limits = |seat: &SeatPlan| {
        let limits = providers.limits_of(seat).into_iter();
        limits.map(|limit| format!("{}: {limit}", seat.tool)).collect::<Vec<_>>()
    };
    let notes: BTreeSet<String> = plan.seats.values().flat_map(limits).collect();
    plan.notes.extend(notes);
}

fn note_embedded(plan: &mut Plan) {
    if plan.seats.values().any(|seat| seat.tool == local::NAME && seat.model.is_none()) {
        plan.notes.push(local::MECHANICS.to_owned());
    }
}

/// Tools called over another transport than asked for, and why.
fn note_transports(plan: &mut Plan, providers: &Providers, asked: Transport) {
    let mut notes = BTreeMap::new();
    for seat in plan.seats.values() {
        if asked == Transport::Auto && seat.transport == cli::NAME {
            let why = providers.why_not_acp(&seat.tool).unwrap_or_default();
            notes.insert(&seat.tool, format!("{} is called over its command line: {why}", seat.tool));
        }
    }
    let notes: Vec<String> = notes.into_values().collect();
    plan.notes.extend(notes);
}

/// Prompts are written to the journal with the plan.
pub(super) fn without_secrets((name, prompt): (String, PromptOverride)) -> (String, PromptOverride) {
    let text = redact(&prompt.text).into_owned();
    (name, PromptOverride { text, ..prompt })
}

/// A limit on cost needs known prices.
fn note_unknown_prices(plan: &mut Plan) {
    if plan.budget.max_cost.is_none() {
        return;
    }
    let unknown: Vec<&str> =
        plan.seats.iter().filter(|(_, seat)| seat.price.is_none()).map(|(name, _)| name.as_str()).collect();
    if !unknown.is_empty() {
        plan.notes.push(format!("the price of {} is unknown: --max-cost counts only reported costs", unknown.join(", ")));
    }
}

/// Prices get outdated, so the plan says how old they are.
fn note_date_of_prices(plan: &mut Plan) {
    let has_cost = |seat: &SeatPlan| seat.price.is_some_and(|price| price.of(1_000_000, 1_000_000) > Cost::default());
    let is_paid = |seat: &SeatPlan| seat.transport == http::NAME && has_cost(seat);
    if plan.seats.values().any(is_paid) {
        plan.notes.push(format!(
            "costs are estimated with prices of {}, or your own in `services.NAME.prices`",
            http::price_date()
        ));
    }
}
