//! How good is a judge? Known cases: in each, one of two statements is right by construction, and
//! `tests/judge_cases.rs` proves every answer key.

mod case;

pub use case::{Case, CaseError, Kind, Label, built_in, read_cases};
