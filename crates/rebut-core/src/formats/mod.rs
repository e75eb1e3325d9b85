//! The ways of debating: one folder a format, with its procedure, its prompts and its tests.

pub mod duel;
pub mod panel;
pub mod prompts;
pub mod review;

use crate::debate::{Format, Setup};

/// The format that a plan asks for.
pub fn format_of(setup: &Setup) -> &'static dyn Format {
    match setup {
        Setup::Duel(_) => &duel::Duel,
        Setup::Review(_) => &review::Review,
        Setup::Panel(_) => &panel::Panel,
    }
}
