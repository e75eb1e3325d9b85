//! Before the first turn every seat is asked whether it is ready, in the form that later calls have.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::cues;
use super::procedure::Asked;
use super::session::{Pause, Request, Session, Walk};
use super::setup::Office;
use crate::debate::{CallState, Fund, Outcome, Plan, SeatName, SeatPlan, Step, StepKey, structured};

/// How long an answer is waited for.
const TIMEOUT_MS: u64 = 90_000;
/// About how many tokens an answer has.
const READY_TOKENS: u64 = 20;

/// The answer to a readiness probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ready {
    /// Whether the seat is ready.
    pub ready: bool,
}

/// Seats that are the very same tool and model, and answer as one.
pub(super) struct Probe<'a> {
    pub(super) key: StepKey,
    pub(super) seats: Vec<SeatName>,
    pub(super) plan: &'a SeatPlan,
}

/// One probe for each tool and model that plays one of these seats, in their order.
pub(super) fn probes(plan: &Plan, seats: impl IntoIterator<Item = SeatName>) -> Vec<Probe<'_>> {
    let mut probes: Vec<Probe<'_>> = Vec::new();
    for seat in seats {
        let Some(own) = plan.seat(&seat) else { continue };
        match probes.iter_mut().find(|probe| probe.plan == own) {
            Some(probe) => probe.seats.push(seat),
            None => probes.push(Probe { key: StepKey::new(format!("ready/{seat}")), seats: vec![seat], plan: own }),
        }
    }
    probes
}

impl Session<'_> {
    /// Asks all seats at once; gives the end of the debate if one is not ready.
    pub(super) fn readiness(&self) -> Walk<Option<Outcome>> {
        let mut steps = Vec::new();
        let mut waiting = false;
        let mut missing = Vec::new();
        let debaters = self.setup().debaters.iter().map(super::Debater::seat);
        for probe in probes(self.debate.plan(), debaters.chain(Office::ALL.map(Office::seat))) {
            match self.debate.call(&probe.key).map(|call| &call.state) {
                Some(CallState::Answered(_)) => {}
                Some(CallState::Failed(_)) => missing.push(self.missing(&probe)),
                Some(CallState::UnderWay { .. }) => waiting = true,
                // Without budget no seat is asked; the first turn then reports that the budget is used up.
                Some(CallState::Open) | None if self.debate.budget_spent().is_some() => {}
                Some(CallState::Open) | None => {
                    let seat = &probe.seats[0];
                    let schema: Value = structured::schema::<Ready>();
                    let request = Request {
                        seat: seat.clone(),
                        phase: "readiness",
                        prompt: cues::readiness(self, seat)?,
                        asked: Asked::Ready,
                        schema,
                        tokens: READY_TOKENS,
                        fund: Fund::Debate,
                        timeout_ms: Some(TIMEOUT_MS),
                    };
                    steps.push(Step { key: probe.key, action: self.call(request) });
                }
            }
        }
        if waiting || !steps.is_empty() {
            return Err(Pause::Steps(steps));
        }
        if missing.is_empty() {
            return Ok(None);
        }
        missing.push(format!("Fix this, then: rebut resume {}", self.debate.plan().id.short()));
        Ok(Some(super::ending::failed(missing)))
    }

    fn missing(&self, probe: &Probe<'_>) -> String {
        let seats: Vec<&str> = probe.seats.iter().map(SeatName::as_str).collect();
        let (seats, spec, why) = (seats.join(", "), probe.plan.spec(), self.failure(&probe.key));
        format!("The debate did not start: {seats} ({spec}) {why}.")
    }
}
