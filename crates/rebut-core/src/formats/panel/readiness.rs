//! Before the first turn every seat is asked whether it is ready, in the form that later calls have.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::session::{Session, Walk, all};
use super::tasks::{Request, Task};
use super::{Office, cues};
use crate::debate::{Outcome, Payload, Plan, SeatName, SeatPlan, StepKey, structured};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ready {
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
        let debaters = self.setup().debaters.iter().map(super::Debater::seat);
        let probes = probes(self.debate.plan(), debaters.chain(Office::ALL.map(Office::seat)));
        // Without budget no seat is asked; the first turn then reports that the budget is used up.
        all(probes.iter().map(|probe| {
            self.answer(Task::Ready, &probe.key, false, |session| {
                let (seat, schema) = (probe.seats[0].clone(), structured::schema::<Ready>());
                let prompt = cues::readiness(session, &seat)?;
                Ok(Request { seat, task: Task::Ready, asks: Payload::of(()), prompt, schema })
            })
        }))?;
        let failed = probes.iter().filter(|probe| self.debate.failed(&probe.key).is_some());
        let mut missing: Vec<String> = failed.map(|probe| self.missing(probe)).collect();
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
