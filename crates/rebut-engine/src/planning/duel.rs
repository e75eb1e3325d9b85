//! The plan of a duel.

use std::collections::BTreeMap;

use rebut_core::debate::{Chance, Cost, DebateId, Plan, SeatPlan, Setup, Share};
use rebut_core::formats::duel::{DuelSetup, Role, check_prompts};
use rebut_core::formats::format_of;

use super::{Place, PlanError, Terms, check_room, notes, resolve, verdict_share};
use crate::config::Settings;
use crate::providers::seating::{Named, Wanted, candidates, not_seated, seat, why};
use crate::providers::{Found, Providers, SeatSpec, check_model, script};
use crate::redact::redact;
use crate::workspace::{Attachment, attach};

/// What is asked for, beside the settings.
#[derive(Clone, Debug)]
pub struct DuelRequest {
    /// What is debated.
    pub topic: String,
    /// The model for the proposer, whatever its tool.
    pub model_proposer: Option<String>,
    /// The model for the challenger, whatever its tool.
    pub model_challenger: Option<String>,
    /// The terms on which it is held.
    pub terms: Terms,
}

/// Plans a duel. Nothing is begun and nothing written; the id is given by whoever begins it.
pub fn plan_duel(
    request: DuelRequest,
    settings: &Settings,
    providers: &Providers,
    place: &Place,
    id: DebateId,
    chance: Chance,
) -> Result<Plan, PlanError> {
    if request.topic.trim().is_empty() {
        return Err(PlanError::NoTopic);
    }
    let named = |role: Role, text: &Option<String>, model: &Option<String>| -> Result<Option<SeatPlan>, PlanError> {
        let Some(text) = text else { return Ok(None) };
        let spec_error = |source| PlanError::Spec { seat: role.to_string(), source };
        let mut spec = SeatSpec::parse(text).map_err(spec_error)?;
        if let Some(model) = model {
            if spec.tool == script::NAME {
                return Err(PlanError::NoModels { seat: role.to_string() });
            }
            spec.model = check_model(model).map_err(spec_error)?;
        }
        resolve(providers, role.as_str(), spec, settings.duel.effort, settings.duel.transport, place).map(Some)
    };
    let duel = &settings.duel;
    let seats = [&duel.proposer, &duel.challenger, &duel.judge].into_iter().flatten();
    let tools = seats.filter_map(|seat| SeatSpec::parse(seat).ok()).map(|spec| spec.tool).collect();
    providers.get_to_know(&tools, duel.transport);
    let wanted = Wanted {
        proposer: named(Role::Proposer, &duel.proposer, &request.model_proposer)?,
        challenger: named(Role::Challenger, &duel.challenger, &request.model_challenger)?,
        judge: named(Role::Judge, &duel.judge, &None)?,
    };
    let Found { seats: available, passed_over } =
        if wanted.proposer.is_some() && wanted.challenger.is_some() && wanted.judge.is_some() {
            Found::default()
        } else {
            providers.look_around(duel.effort, duel.transport)
        };
    let nobody_is_named = wanted.proposer.is_none() && wanted.challenger.is_none() && wanted.judge.is_none();
    let available = match providers.embedded() {
        Some(embedded) if available.is_empty() && nobody_is_named => vec![embedded],
        _ => available,
    };
    let by_name = Named {
        proposer: wanted.proposer.is_some(),
        challenger: wanted.challenger.is_some(),
        judge: wanted.judge.is_some(),
    };
    let mut seating = seat(wanted, &available)?;
    // A model that was named for a seat which was not: it goes to whoever was found for the seat.
    for (role, chosen, asked, model) in [
        (Role::Proposer, &mut seating.proposer, &duel.proposer, &request.model_proposer),
        (Role::Challenger, &mut seating.challenger, &duel.challenger, &request.model_challenger),
    ] {
        if let (None, Some(_)) = (asked, model)
            && let Some(replanned) = named(role, &Some(chosen.tool.clone()), model)?
        {
            *chosen = replanned;
        }
    }
    let mut seat_reasons: Vec<String> = why(by_name, &seating).into_iter().collect();
    if request.terms.explain_seats {
        seat_reasons.extend(candidates(&available));
    }
    seat_reasons.extend(not_seated(&passed_over, request.terms.explain_seats));
    let wanted: Vec<Attachment> = duel.context.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let attached = attach(&wanted, &place.folder, &place.workspace, settings.limits.context_bytes)?;
    let mut plan = Plan {
        version: Plan::VERSION,
        id,
        topic: redact(request.topic.trim()).into_owned(),
        setup: Setup::Duel(DuelSetup { rounds: duel.rounds }),
        seats: BTreeMap::from([
            (Role::Proposer.seat(), seating.proposer),
            (Role::Challenger.seat(), seating.challenger),
            (Role::Judge.seat(), seating.judge),
        ]),
        effort: duel.effort,
        timeout_ms: duel.timeout_seconds.millis(),
        context: attached.items,
        workspace: place.workspace.display().to_string(),
        workspace_readable: request.terms.workspace_readable,
        evidence: request.terms.evidence,
        budget: settings.budget.budget(),
        verdict_share: Share::default(),
        chance,
        prompts: request.terms.prompts.overrides.into_iter().map(notes::without_secrets).collect(),
        notes: request
            .terms
            .notes
            .into_iter()
            .chain(seat_reasons)
            .chain(request.terms.prompts.notes)
            .chain(attached.notes)
            .collect(),
    };
    notes::of_seats(&mut plan, providers, duel.transport);
    check_prompts(&plan)?;
    plan.verdict_share = verdict_share(&plan);
    check_budget(&plan)?;
    check_room(&plan)?;
    Ok(plan)
}

/// Refuses a budget that does not reach for the first call and the verdict: nothing would come of it.
pub(super) fn check_budget(plan: &Plan) -> Result<(), PlanError> {
    // Whether somebody is there is asked before the debate, and costs next to nothing.
    let first = format_of(&plan.setup).outline(plan).into_iter().find(|call| !call.key.as_str().starts_with("ready/"));
    let Some(first) = first else { return Ok(()) };
    let too_small = |given: String, needed: String| Err(PlanError::BudgetTooSmall { given, needed });
    if let Some(given) = plan.budget.max_tokens
        && first.tokens + plan.verdict_share.tokens > given
    {
        return too_small(format!("{given} tokens"), format!("{} tokens", 2 * first.tokens));
    }
    let price = plan.seat(&first.seat).and_then(|seat| seat.price);
    if let (Some(given), Some(price)) = (plan.budget.max_cost, price) {
        let cost = price.of(first.tokens, first.tokens / 2);
        if cost.nanodollars() + plan.verdict_share.cost.nanodollars() > given.nanodollars() {
            return too_small(given.to_string(), Cost::from_nanodollars(2 * cost.nanodollars()).to_string());
        }
    }
    Ok(())
}
