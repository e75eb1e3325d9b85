//! The ways of debating: one folder per format, with its procedure, its prompts, its documents and its tests.

pub mod cross;
pub mod duel;
pub mod judge_check;
mod names;
pub mod panel;
pub mod prompts;
mod repair;
pub mod review;
pub mod said;
pub mod wording;

use std::any::Any;
use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::debate::{Action, Choice, Debate, Event, FoldError, Format, Formats, Payload, Plan, Rejection, StepKey};
use crate::evidence::marks::neutral_content;

use prompts::prompts;
pub use repair::{prepared, rejected_too_often, schema_text};

pub static FORMATS: &Formats = &[
    ("duel", &duel::Duel),
    ("review", &review::Review),
    ("ask", &cross::Cross),
    ("cross", &cross::Cross),
    ("panel", &panel::Panel),
    (judge_check::NAME, &judge_check::JudgeCheck),
];

/// The format of a plan. Every plan names one that exists.
pub fn format_of(plan: &Plan) -> &'static dyn Format {
    let known = FORMATS.iter().find(|(name, _)| *name == plan.format);
    debug_assert!(known.is_some(), "a plan of the format {:?}", plan.format);
    known.map_or(FORMATS[0].1, |(_, format)| *format)
}

pub fn begin(first: Event) -> Result<Debate, FoldError> {
    Debate::begin(first, FORMATS)
}

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

/// The content of an answer, in which no text of the model passes for a mark of a check.
fn accepted<T: Any + Debug + Send + Sync + Serialize + DeserializeOwned>(answer: &str, content: T) -> Payload {
    Payload::of(neutral_content(answer, content))
}

/// The rejection of an answer to a call of another format.
fn unknown_call() -> Rejection {
    Rejection::new("call:unknown", "this call was not asked for")
}
