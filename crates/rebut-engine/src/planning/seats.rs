//! Plans the seats of one debate: those named, and the candidates for the others.

use rebut_core::debate::{Effort, SeatPlan};

use super::{Place, PlanError, Planner};
use crate::providers::seating::{candidates, not_seated};
use crate::providers::{Found, SeatSpec, Transport};

/// What all seats of a debate share.
#[derive(Clone, Copy)]
pub(super) struct SeatPlanner<'a> {
    pub(super) planner: Planner<'a>,
    pub(super) effort: Effort,
    pub(super) transport: Transport,
}

impl SeatPlanner<'_> {
    /// Probes the tools of all named seats at the same time. A malformed seat is reported when it is planned.
    pub(super) fn probe<'s>(&self, named: impl IntoIterator<Item = &'s String>) {
        let specs = named.into_iter().filter_map(|seat| SeatSpec::parse(seat).ok());
        self.planner.providers.get_to_know(&specs.map(|spec| spec.tool).collect(), self.transport);
    }

    /// A seat that was named.
    pub(super) fn seat(&self, seat: &str, text: &str) -> Result<SeatPlan, PlanError> {
        let spec = SeatSpec::parse(text).map_err(|source| PlanError::Spec { seat: seat.to_owned(), source })?;
        self.resolve(seat, spec)
    }

    pub(super) fn resolve(&self, seat: &str, spec: SeatSpec) -> Result<SeatPlan, PlanError> {
        let Planner { providers, place, .. } = self.planner;
        let planned = providers.plan(&place.seen_from_workspace(spec), self.effort, self.transport, &place.workspace);
        planned.map_err(|source| PlanError::Seat { seat: seat.to_owned(), source })
    }

    /// The same where files are named from another folder.
    pub(super) fn seen_from<'a>(&self, place: &'a Place) -> SeatPlanner<'a>
    where
        Self: 'a,
    {
        SeatPlanner { planner: Planner { place, ..self.planner }, ..*self }
    }

    /// Every candidate.
    pub(super) fn found(&self) -> Found {
        self.planner.providers.look_around(self.effort, self.transport)
    }

    /// The same, and the embedded model if there is none: unless it is named, it debates only itself.
    pub(super) fn found_or_embedded(&self, no_debater: bool) -> Found {
        let mut found = self.found();
        if found.seats.is_empty() && no_debater {
            found.seats.extend(self.planner.providers.embedded());
        }
        found
    }
}

/// Notes on candidates that were skipped and, with `explain`, on all of them.
pub(super) fn notes_on(found: &Found, explain: bool) -> Vec<String> {
    let all = if explain { candidates(&found.seats) } else { Vec::new() };
    all.into_iter().chain(not_seated(&found.passed_over, explain)).collect()
}
