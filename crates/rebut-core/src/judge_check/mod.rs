//! How good is a judge? Known cases, variants of them that pull the wrong way, and the score of a judge's answers.
//!
//! In a known case one of two statements is right by construction: `tests/judge_cases.rs` proves every answer key. [`calls`]
//! lists what to ask, [`Case::shown`] makes what the judge reads, [`score`] says what its answers are worth. The format
//! `judge_check` asks.

mod calls;
mod case;
mod record;
mod score;
mod variant;

pub use calls::{CheckCall, Extent, calls};
pub use case::{Case, CaseError, Kind, built_in, read_cases};
pub use record::JudgeRecord;
pub use score::{CheckAnswer, Pull, Score, Share, Skill, UnknownCase, score};
pub use variant::{ShownCase, ShownSide, Variant};

pub use crate::judging::{Label, Order};
