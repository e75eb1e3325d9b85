//! Turns the decisions of a format and what requests have in common into a plan.

use std::collections::BTreeMap;

use rebut_core::debate::{Chance, Cost, DebateId, Payload, Plan, SeatName, SeatPlan, Share};
use rebut_core::formats::{format_of, prompts};

use super::seats::{SeatPlanner, notes_on, refused};
use super::{Common, PlanError, Planner, notes, verdict_share};
use crate::chance;
use crate::clock::Clock;
use crate::providers::Found;
use crate::redact::redact;
use crate::workspace::Attached;

/// What a format decides.
pub(super) struct Draft<'a> {
    pub(super) planner: SeatPlanner<'a>,
    pub(super) topic: &'a str,
    pub(super) format: &'static str,
    pub(super) setup: Payload,
    pub(super) seats: BTreeMap<SeatName, SeatPlan>,
    pub(super) timeout_ms: u64,
    pub(super) context: Attached,
    /// The candidates for seats that nobody was named for.
    pub(super) found: Found,
    /// Notes for the user.
    pub(super) reasons: Vec<String>,
}

impl Draft<'_> {
    /// The plan without a share for the verdict.
    pub(super) fn on(self, common: Common) -> Result<Plan, PlanError> {
        let SeatPlanner { planner: Planner { providers, place, settings }, effort, transport } = self.planner;
        // Every later step opens the workspace by what the plan says.
        let workspace = place.workspace.to_str().ok_or_else(|| PlanError::NoText(place.workspace.clone()))?;
        if common.workspace_readable {
            for (name, seat) in &self.seats {
                providers.check_starts(seat, &place.workspace).map_err(refused(name.as_str()))?;
            }
        }
        let on_seats = notes_on(&self.found, common.explain_seats);
        let notes = [common.notes, self.reasons, on_seats, common.prompts.notes, self.context.notes].concat();
        let mut plan = Plan {
            version: Plan::VERSION,
            // The store gives it another once it is started.
            id: DebateId::new(Clock::start().now(), 0),
            parent: None,
            topic: redact(self.topic.trim()).into_owned(),
            format: self.format.to_owned(),
            setup: self.setup,
            seats: self.seats,
            effort,
            timeout_ms: self.timeout_ms,
            context: self.context.items,
            workspace: workspace.to_owned(),
            workspace_readable: common.workspace_readable,
            evidence: common.evidence,
            budget: settings.budget.budget(),
            verdict_share: Share::default(),
            chance: common.seed.map_or_else(chance::draw, Chance::from_nonce),
            prompts: common.prompts.overrides.into_iter().map(notes::without_secrets).collect(),
            notes,
        };
        plan.notes.extend(notes::of_seats(&plan, providers, transport));
        prompts::check(&plan)?;
        Ok(plan)
    }
}

/// Reserves the share of the verdict; fails if the budget or a context window is too small.
pub(super) fn with_verdict(mut plan: Plan) -> Result<Plan, PlanError> {
    plan.verdict_share = verdict_share(&plan);
    check_budget(&plan)?;
    check_room(&plan)?;
    Ok(plan)
}

/// Refuses a budget that is too small for a verdict, and for two statements before it: there is nothing to judge in one.
fn check_budget(plan: &Plan) -> Result<(), PlanError> {
    let format = format_of(plan);
    let calls: Vec<_> = format.outline(plan).into_iter().filter(|call| !format.is_probe(call)).take(2).collect();
    let too_small = |given: String, needed: String| Err(PlanError::BudgetTooSmall { given, needed });
    let tokens: u64 = calls.iter().map(|call| call.tokens).sum();
    if let Some(given) = plan.budget.max_tokens
        && tokens + plan.verdict_share.tokens > given
    {
        return too_small(format!("{given} tokens"), format!("{} tokens", 2 * tokens));
    }
    let cost = calls.iter().filter_map(|call| Some(plan.seat(&call.seat)?.price?.of(call.tokens, call.tokens / 2)));
    let cost: u64 = cost.map(Cost::nanodollars).sum();
    if let Some(given) = plan.budget.max_cost
        && cost > 0
        && cost + plan.verdict_share.cost.nanodollars() > given.nanodollars()
    {
        return too_small(given.to_string(), Cost::from_nanodollars(2 * cost).to_string());
    }
    Ok(())
}

/// Refuses a plan that sends a seat more than it can read: it would fail after the others were paid for.
pub(super) fn check_room(plan: &Plan) -> Result<(), PlanError> {
    let format = format_of(plan);
    for call in format.outline(plan).into_iter().chain(format.verdict_calls(plan)) {
        if let Some(seat) = plan.seat(&call.seat)
            && let Some(room) = seat.context_tokens.filter(|room| *room < call.tokens)
        {
            return Err(PlanError::NoRoom { seat: call.seat.to_string(), spec: seat.spec(), needed: call.tokens, room });
        }
    }
    Ok(())
}
