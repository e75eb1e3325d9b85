//! What a debate is: events, the fold over them, the steps that may come next, and the rules common to all formats.
//!
//! This room knows nothing of any one format beyond the shapes that formats put into events.

mod account;
mod answer;
mod budget;
mod call;
mod chance;
mod content;
mod event;
mod evidence_rules;
mod failure;
mod fold;
mod id;
mod meaning;
mod plan;
mod repair;
mod scrutiny;
mod step;
pub mod structured;

pub use account::{Account, Accounts, Sum};
pub use answer::{Answer, Cost, Price, Usage};
pub use budget::{Admission, Budget, BudgetLimit, Fund, Share, estimate_tokens};
pub use call::{Call, Phase, Prompt, Shape};
pub use chance::Chance;
pub use content::Content;
pub use event::{Amendment, Decider, Event, Happening, Interruption};
pub use evidence_rules::{EvidenceRules, NotKept, PinFacts, RunOn, Scope};
pub use failure::{Cause, Complaints, Failure, Retry};
pub use fold::{AnsweredCall, CallRecord, CallState, Debate, FoldError, RejectedAnswer};
pub use id::{DebateId, SeatName, StepKey};
pub use plan::{ContextItem, Effort, Plan, PromptOverride, SeatPlan, Setup};
pub use repair::{prepared, rejected_too_often, schema_text};
pub use scrutiny::scrutinise;
pub use step::{
    Action, Check, Choice, Entry, EntryKind, Format, Outcome, OutlineCall, Rejection, Status, Step, Trial, Tried,
};
