//! The rules of rebut, as pure functions.
//!
//! A debate is its journal: [`debate::Debate`] is a fold over [`debate::Event`]s, and what must happen next is
//! [`debate::Procedure::next`] of that fold. This crate decides; it never does. It has no clock, no files, no network, no
//! async and no randomness: time arrives in events, chance arrives as the plan's nonce.
//!
//! | module | what it holds |
//! |---|---|
//! | [`debate`] | events, the fold, steps, budgets, failures, accounts |
//! | [`diff`] | unified diffs, read and written back |
//! | [`evidence`] | what a speaker lists and mentions, what a check finds of it, and the ledger |
//! | [`formats`] | one folder per way of debating, with its prompts |
//! | [`judging`] | what judging has in common in every format: ballots, labels, case files, firmness |
//! | [`judge_check`] | known cases that show how good a judge is, and the score |
//! | [`report`] | a debate rendered to documents |

mod named;

pub mod debate;
pub mod diff;
pub mod evidence;
pub mod formats;
pub mod judge_check;
pub mod judging;
pub mod report;
