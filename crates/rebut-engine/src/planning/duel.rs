//! The plan of a duel.

use std::collections::BTreeMap;

use rebut_core::debate::{Chance, DebateId, Payload, Plan, SeatPlan};
use rebut_core::formats::duel::{DuelSetup, Role, check_prompts};

use super::draft::{Draft, attached, with_verdict};
use super::reach::{Reach, told};
use super::{Place, PlanError, Terms, resolve};
use crate::config::Settings;
use crate::providers::seating::{Named, Wanted, seat, why};
use crate::providers::{Found, Providers, SeatSpec, check_model, script};
use crate::workspace::WhoseWish;

#[derive(Clone, Debug)]
pub struct DuelRequest {
    pub topic: String,
    /// The model for the proposer, whatever its tool.
    pub model_proposer: Option<String>,
    /// The model for the challenger, whatever its tool.
    pub model_challenger: Option<String>,
    /// Who set `duel.context`.
    pub context_wish: WhoseWish,
    pub terms: Terms,
}

/// Plans a duel. Nothing is started or written.
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
    let duel = &settings.duel;
    let reach = Reach { providers, place, effort: duel.effort, transport: duel.transport };
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
        resolve(providers, role.as_str(), spec, duel.effort, duel.transport, place).map(Some)
    };
    reach.greet([&duel.proposer, &duel.challenger, &duel.judge].into_iter().flatten());
    let wanted = Wanted {
        proposer: named(Role::Proposer, &duel.proposer, &request.model_proposer)?,
        challenger: named(Role::Challenger, &duel.challenger, &request.model_challenger)?,
        judge: named(Role::Judge, &duel.judge, &None)?,
    };
    let all_named = wanted.proposer.is_some() && wanted.challenger.is_some() && wanted.judge.is_some();
    let none_named = wanted.proposer.is_none() && wanted.challenger.is_none() && wanted.judge.is_none();
    let found = if all_named { Found::default() } else { reach.found_or_embedded(none_named) };
    let by_name = Named {
        proposer: wanted.proposer.is_some(),
        challenger: wanted.challenger.is_some(),
        judge: wanted.judge.is_some(),
    };
    let mut seating = seat(wanted, &found.seats)?;
    // A model named for a seat without a tool goes to the tool found for it.
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
    let draft = Draft {
        reach,
        topic: &request.topic,
        format: "duel",
        setup: Payload::of(DuelSetup { rounds: duel.rounds }),
        seats: BTreeMap::from([
            (Role::Proposer.seat(), seating.proposer.clone()),
            (Role::Challenger.seat(), seating.challenger.clone()),
            (Role::Judge.seat(), seating.judge.clone()),
        ]),
        timeout_ms: duel.timeout_seconds.millis(),
        context: attached(&duel.context, request.context_wish, reach, settings, &request.terms)?,
        budget: settings.budget.budget(),
        reasons: why(by_name, &seating).into_iter().chain(told(&found, request.terms.explain_seats)).collect(),
    };
    let plan = draft.on(request.terms, id, chance)?;
    check_prompts(&plan)?;
    with_verdict(plan)
}
