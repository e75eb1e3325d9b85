//! The ways of debating: one folder a format, with its procedure, its prompts and its tests.

pub mod cross;
pub mod duel;
pub mod panel;
pub mod prompts;
pub mod review;
mod wording;

use crate::debate::{Action, Choice, Debate, Format, Plan, SeatName, Setup, StepKey};

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

/// The choice that is left to the person and not made yet, where a debate has come to one.
pub fn open_choice(debate: &Debate) -> Option<(StepKey, Choice)> {
    let is_left_to_the_person = matches!(&debate.plan().setup, Setup::Review(review) if review.mode == review::Mode::Manual);
    if !is_left_to_the_person || debate.outcome().is_some() {
        return None;
    }
    let steps = format_of(&debate.plan().setup).next(debate);
    steps.into_iter().find_map(|step| match step.action {
        Action::Choose(choice) if debate.may_begin(&step.key) => Some((step.key, choice)),
        _ => None,
    })
}
