//! The plan of a check of a judge.

use std::collections::{BTreeMap, BTreeSet};

use rebut_core::debate::{Chance, DebateId, Payload, Plan};
use rebut_core::formats::duel::check_prompts;
use rebut_core::formats::judge_check::{CheckSetup, NAME, judge, prompt_hash};
use rebut_core::judge_check::{Case, Extent, calls};

use super::draft::{Draft, check_room};
use super::reach::Reach;
use super::{Place, PlanError, Terms, plan_seat};
use crate::config::Settings;
use crate::providers::Providers;
use crate::workspace::Attached;

#[derive(Clone, Debug)]
pub struct JudgeCheckRequest {
    /// The judge, as `tool` or `tool:model`.
    pub seat: String,
    pub cases: Vec<Case>,
    pub extent: Extent,
    pub terms: Terms,
}

/// Plans a check. The judge is asked as in a duel under the same settings.
pub fn plan_judge_check(
    request: JudgeCheckRequest,
    settings: &Settings,
    providers: &Providers,
    place: &Place,
    id: DebateId,
    chance: Chance,
) -> Result<Plan, PlanError> {
    let JudgeCheckRequest { seat, mut cases, extent, terms } = request;
    let duel = &settings.duel;
    let reach = Reach { providers, place, effort: duel.effort, transport: duel.transport };
    reach.greet([&seat]);
    let seat = plan_seat(providers, judge().as_str(), &seat, duel.effort, duel.transport, place)?;
    let asked: BTreeSet<String> = calls(&cases, extent).into_iter().map(|call| call.case).collect();
    cases.retain(|case| asked.contains(&case.id));
    let draft = Draft {
        reach,
        topic: &format!("How good a judge is {}?", seat.spec()),
        format: NAME,
        setup: Payload::of(CheckSetup { cases: Vec::new(), extent, prompt: String::new() }),
        seats: BTreeMap::from([(judge(), seat.clone())]),
        timeout_ms: duel.timeout_seconds.millis(),
        context: Attached::default(),
        budget: settings.budget.budget(),
        reasons: Vec::new(),
    };
    let mut plan = draft.on(terms, id, chance)?;
    check_prompts(&plan)?;
    let prompt = prompt_hash(&plan, &seat).unwrap_or_default();
    plan.setup = Payload::of(CheckSetup { cases, extent, prompt });
    check_room(&plan)?;
    Ok(plan)
}
