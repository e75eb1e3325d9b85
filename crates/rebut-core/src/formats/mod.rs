//! The ways of debating: one folder a format, with its procedure, its prompts, its documents and its tests.

pub mod cross;
pub mod duel;
pub mod panel;
pub mod prompts;
mod repair;
pub mod review;
pub mod wording;

use serde::de::Error;

use crate::debate::{Action, Choice, Debate, Event, FoldError, Format, Formats, Plan, Rejection, StepKey};

use prompts::prompts;
pub use repair::{prepared, rejected_too_often, schema_text};

/// Every format.
pub static FORMATS: &Formats = &[
    ("duel", &duel::Duel),
    ("review", &review::Review),
    ("ask", &cross::Cross),
    ("cross", &cross::Cross),
    ("panel", &panel::Panel),
];

/// The format of a plan. Whoever plans names one, and no debate begins of a plan that does not.
pub fn format_of(plan: &Plan) -> &'static dyn Format {
    let known = FORMATS.iter().find(|(name, _)| *name == plan.format);
    debug_assert!(known.is_some(), "a plan of the format {:?}", plan.format);
    known.map_or(FORMATS[0].1, |(_, format)| *format)
}

/// Begins a debate of any format.
pub fn begin(first: Event) -> Result<Debate, FoldError> {
    Debate::begin(first, FORMATS)
}

/// Folds the events of a debate of any format.
pub fn fold(events: impl IntoIterator<Item = Event>) -> Result<Debate, FoldError> {
    Debate::from_events(events, FORMATS)
}

/// The choice that is left to the user and not made yet, where a debate has come to one.
pub fn open_choice(debate: &Debate) -> Option<(StepKey, Choice)> {
    if !debate.format().leaves_choices(debate.plan()) || debate.outcome().is_some() {
        return None;
    }
    debate.format().next(debate).into_iter().find_map(|step| match step.action {
        Action::Choose(choice) if debate.may_begin(&step.key) => Some((step.key, choice)),
        _ => None,
    })
}

/// The rejection of an answer to a call of another format.
fn nobody_asked() -> Rejection {
    Rejection::new("call:unknown", "nobody asked for this")
}

/// What is said of a part that a format writes nothing into.
fn no_such_part() -> serde_json::Error {
    serde_json::Error::custom("this format writes nothing of the kind")
}
