//! The seats of one debate: those named, and the candidates for the others.

use rebut_core::debate::{Effort, SeatPlan};

use super::{Place, PlanError, plan_seat};
use crate::providers::seating::{candidates, not_seated};
use crate::providers::{Found, Providers, SeatSpec, Transport};

/// What all seats of a debate share.
#[derive(Clone, Copy)]
pub(super) struct Reach<'a> {
    pub(super) providers: &'a Providers,
    pub(super) place: &'a Place,
    pub(super) effort: Effort,
    pub(super) transport: Transport,
}

impl Reach<'_> {
    /// Probes the tools of all named seats at the same time. A malformed seat is reported when it is planned.
    pub(super) fn greet<'s>(&self, named: impl IntoIterator<Item = &'s String>) {
        let specs = named.into_iter().filter_map(|seat| SeatSpec::parse(seat).ok());
        self.providers.get_to_know(&specs.map(|spec| spec.tool).collect(), self.transport);
    }

    pub(super) fn seat(&self, seat: &str, text: &str) -> Result<SeatPlan, PlanError> {
        plan_seat(self.providers, seat, text, self.effort, self.transport, self.place)
    }

    /// Every candidate.
    pub(super) fn found(&self) -> Found {
        self.providers.look_around(self.effort, self.transport)
    }

    /// The same, and the embedded model if there is none: it debates only if named or alone.
    pub(super) fn found_or_embedded(&self, none_named: bool) -> Found {
        let mut found = self.found();
        if found.seats.is_empty() && none_named {
            found.seats.extend(self.providers.embedded());
        }
        found
    }
}

/// Notes on candidates that were skipped and, with `explain`, on all of them.
pub(super) fn told(found: &Found, explain: bool) -> Vec<String> {
    let all = if explain { candidates(&found.seats) } else { Vec::new() };
    all.into_iter().chain(not_seated(&found.passed_over, explain)).collect()
}
