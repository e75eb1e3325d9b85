//! What a debate is: events, the fold over them, the steps that may come next, and the rules common to all formats.
//!
//! This module knows no format: data that only a format can read is a [`Payload`].

mod account;
mod answer;
mod brief;
mod budget;
mod call;
mod chance;
mod event;
mod evidence_rules;
mod failure;
mod fold;
mod fork;
mod format;
mod id;
mod meaning;
pub mod page;
mod payload;
mod plan;
mod scrutiny;
mod step;
pub mod structured;

pub use account::{Account, Accounts, Sum};
pub use answer::{Answer, Cost, Price, Usage};
pub use brief::{Brief, Tone};
pub use budget::{Admission, Budget, BudgetLimit, Fund, Share, estimate_tokens};
pub use call::{Call, Phase, Prompt, Shape};
pub use chance::Chance;
pub use event::{Amendment, Decider, Event, Happening, Interruption};
pub use evidence_rules::{EvidenceRules, NotKept, PinFacts, RunOn, Scope};
pub use failure::{Cause, Complaints, Failure, Retry};
pub(crate) use fold::MOST_REJECTIONS;
pub use fold::{AnsweredCall, CallRecord, CallState, Debate, FoldError, RejectedAnswer};
pub use fork::{Parent, end_of, taken_over};
pub use format::{Decode, Documents, Features, Format, Formats, NewVersion, PlanWords, Procedure, Reach, Refusal};
pub use id::{DebateId, SeatName, StepKey};
pub use payload::Payload;
pub use plan::{ContextItem, Effort, Plan, PromptOverride, SeatPlan};
pub use scrutiny::scrutinise;
pub use step::{Action, Check, Choice, Entry, EntryKind, Outcome, OutlineCall, Rejection, Status, Step, Trial, Tried};

/// Whether a value is the usual one, which journals leave out.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
