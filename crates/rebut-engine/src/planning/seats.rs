//! Plans the seats of one debate: those named, and the candidates for the others.

use std::fmt::Display;

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

    pub(super) fn seat(&self, seat: &str, text: &str) -> Result<SeatPlan, PlanError> {
        self.resolve(seat, SeatSpec::parse(text).map_err(refused(seat))?)
    }

    /// The same for a seat that may be left open.
    pub(super) fn named(&self, seat: &str, text: Option<&String>) -> Result<Option<SeatPlan>, PlanError> {
        text.map(|text| self.seat(seat, text)).transpose()
    }

    pub(super) fn resolve(&self, seat: &str, spec: SeatSpec) -> Result<SeatPlan, PlanError> {
        let Planner { providers, place, .. } = self.planner;
        let spec = place.seen_from_workspace(spec);
        providers.plan(&spec, self.effort, self.transport, &place.workspace).map_err(refused(seat))
    }

    /// The same where files are named from another folder.
    pub(super) fn seen_from<'a>(&self, place: &'a Place) -> SeatPlanner<'a>
    where
        Self: 'a,
    {
        SeatPlanner { planner: Planner { place, ..self.planner }, ..*self }
    }

    /// The candidates for the seats that nobody was named for.
    pub(super) fn found(&self, all_named: bool) -> Found {
        if all_named { Found::default() } else { self.planner.providers.look_around(self.effort, self.transport) }
    }
}

/// Why a seat can't be planned.
pub(super) fn refused<E: Display>(seat: &str) -> impl Fn(E) -> PlanError {
    move |why| PlanError::Seat { seat: seat.to_owned(), why: why.to_string() }
}

/// The first seat of each vendor.
pub(super) fn one_per_vendor(available: &[SeatPlan]) -> Vec<&SeatPlan> {
    let mut seats: Vec<&SeatPlan> = Vec::new();
    for seat in available {
        if seats.iter().all(|other| other.family != seat.family) {
            seats.push(seat);
        }
    }
    seats
}

/// Notes on candidates that were skipped and, with `explain`, on all of them.
pub(super) fn notes_on(found: &Found, explain: bool) -> Vec<String> {
    let all = if explain { candidates(&found.seats) } else { Vec::new() };
    all.into_iter().chain(not_seated(&found.passed_over, explain)).collect()
}
