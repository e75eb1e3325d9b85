//! The ways of debating: one folder a format, with its procedure, its prompts and its tests.

pub mod cross;
pub mod duel;
pub mod panel;
pub mod prompts;
pub mod review;

use crate::debate::{Format, Plan, SeatName, Setup};

/// The format that a plan asks for.
pub fn format_of(setup: &Setup) -> &'static dyn Format {
    match setup {
        Setup::Duel(_) => &duel::Duel,
        Setup::Review(_) => &review::Review,
        Setup::Cross(_) => &cross::Cross,
        Setup::Panel(_) => &panel::Panel,
    }
}

/// The stable title of a seat's thread, for tools that take one; none where every call stands alone.
pub fn thread_of(plan: &Plan, seat: &SeatName) -> Option<String> {
    match &plan.setup {
        Setup::Cross(_) => Some(cross::thread(plan, seat)),
        Setup::Duel(_) | Setup::Review(_) | Setup::Panel(_) => None,
    }
}
