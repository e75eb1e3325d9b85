//! How the seats of one debate are reached: who was named, and who can be had for the seats that nobody was named for.

use rebut_core::debate::{Effort, SeatPlan};

use super::{Place, PlanError, plan_seat};
use crate::providers::seating::{candidates, not_seated};
use crate::providers::{Found, Providers, SeatSpec, Transport};

/// What holds for every seat of a debate.
#[derive(Clone, Copy)]
pub(super) struct Reach<'a> {
    pub(super) providers: &'a Providers,
    pub(super) place: &'a Place,
    pub(super) effort: Effort,
    pub(super) transport: Transport,
}

impl Reach<'_> {
    /// Gets to know the tools of those who were named, all at the same time. What is no seat is told when it is planned.
    pub(super) fn greet<'s>(&self, named: impl IntoIterator<Item = &'s String>) {
        let specs = named.into_iter().filter_map(|seat| SeatSpec::parse(seat).ok());
        self.providers.get_to_know(&specs.map(|spec| spec.tool).collect(), self.transport);
    }

    /// The plan for a seat that was named.
    pub(super) fn seat(&self, seat: &str, text: &str) -> Result<SeatPlan, PlanError> {
        plan_seat(self.providers, seat, text, self.effort, self.transport, self.place)
    }

    /// Everybody who can be had without being named.
    pub(super) fn found(&self) -> Found {
        self.providers.look_around(self.effort, self.transport)
    }

    /// The same, and where there is nobody at all the embedded model: it debates only where it is named or alone.
    pub(super) fn found_or_embedded(&self, nobody_is_named: bool) -> Found {
        let mut found = self.found();
        if found.seats.is_empty() && nobody_is_named {
            found.seats.extend(self.providers.embedded());
        }
        found
    }
}

/// What a person is told of those who were found: who was passed over and, where that was asked for, everybody.
pub(super) fn told(found: &Found, explain: bool) -> Vec<String> {
    let everybody = if explain { candidates(&found.seats) } else { Vec::new() };
    everybody.into_iter().chain(not_seated(&found.passed_over, explain)).collect()
}
