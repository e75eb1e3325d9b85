//! Notes of a plan about its seats: transports, limits and prices.

use std::collections::BTreeSet;

use rebut_core::debate::{Cost, Plan, PromptOverride, SeatPlan};

use crate::providers::{Providers, Transport, cli, http, local};
use crate::redact::redact;

pub(super) fn of_seats(plan: &Plan, providers: &Providers, asked: Transport) -> Vec<String> {
    // Two seats of one tool have the same.
    let (mut transports, mut limits) = (BTreeSet::new(), BTreeSet::new());
    for seat in plan.seats.values() {
        let tool = &seat.tool;
        if asked == Transport::Auto && seat.transport == cli::NAME {
            let why = providers.why_not_acp(tool).unwrap_or_default();
            transports.insert(format!("{tool} is called over its command line: {why}"));
        }
        // What it does unasked and can't be kept from.
        limits.extend(providers.limits_of(seat).into_iter().map(|limit| format!("{tool}: {limit}")));
    }
    let mut notes: Vec<String> = transports.into_iter().chain(limits).collect();
    if plan.seats.values().any(|seat| seat.tool == local::NAME && seat.model.is_none()) {
        notes.push(local::MECHANICS.to_owned());
    }
    let unknown = plan.seats.iter().filter(|(_, seat)| seat.price.is_none()).map(|(name, _)| name.as_str());
    let unknown: Vec<&str> = unknown.collect();
    if plan.budget.max_cost.is_some() && !unknown.is_empty() {
        notes.push(format!("the price of {} is unknown: --max-cost counts only reported costs", unknown.join(", ")));
    }
    let has_cost = |seat: &SeatPlan| seat.price.is_some_and(|price| price.of(1_000_000, 1_000_000) > Cost::default());
    if plan.seats.values().any(|seat| seat.transport == http::NAME && has_cost(seat)) {
        // Prices get outdated.
        let date = http::price_date();
        notes.push(format!("costs are estimated with prices of {date}, or your own in `services.NAME.prices`"));
    }
    notes
}

/// Prompts are written to the journal with the plan.
pub(super) fn without_secrets((name, prompt): (String, PromptOverride)) -> (String, PromptOverride) {
    let text = redact(&prompt.text).into_owned();
    (name, PromptOverride { text, ..prompt })
}
