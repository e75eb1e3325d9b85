//! The plan of a check of a judge.

use std::collections::BTreeMap;

use rebut_core::debate::{Payload, Plan};
use rebut_core::formats::judge_check::{CheckSetup, NAME, judge};
use rebut_core::judge_check::{Case, Extent, calls};

use super::draft::{Draft, check_room};
use super::{Common, PlanError, Planner};
use crate::providers::Found;
use crate::workspace::Attached;

#[derive(Clone, Debug)]
pub struct JudgeCheckRequest {
    /// The judge, as `tool` or `tool:model`.
    pub seat: String,
    pub cases: Vec<Case>,
    pub extent: Extent,
    pub common: Common,
}

/// Plans a check. The judge is asked as in a duel with the same settings.
pub fn plan_judge_check(request: JudgeCheckRequest, planner: Planner<'_>) -> Result<Plan, PlanError> {
    let JudgeCheckRequest { seat, mut cases, extent, common } = request;
    let duel = &planner.settings.duel;
    let seat_planner = planner.seats(duel.effort, duel.transport);
    seat_planner.probe([&seat]);
    let seat = seat_planner.seat(judge().as_str(), &seat)?;
    let asked = calls(&cases, extent);
    cases.retain(|case| asked.iter().any(|call| call.case == case.id));
    let draft = Draft {
        planner: seat_planner,
        topic: &format!("How good a judge is {}?", seat.spec()),
        format: NAME,
        setup: Payload::of(CheckSetup { cases, extent }),
        seats: BTreeMap::from([(judge(), seat)]),
        timeout_ms: duel.timeout_seconds.millis(),
        context: Attached::default(),
        found: Found::default(),
        reasons: Vec::new(),
    };
    let plan = draft.on(common)?;
    check_room(&plan)?;
    Ok(plan)
}
