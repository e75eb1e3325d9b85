//! Evidence: what a debate is about, kept as content, and citations looked up in it.
//!
//! The rules by which a citation is judged are the core's ([`rebut_core::claims::check`]). This room has what they are
//! judged by: the pinned files, the commits of the repository, searches, and the commands that the person allows.

mod commands;
mod commits;
mod examiner;
mod grounds;
pub mod pin;
mod revising;
mod searches;
mod texts;

pub use commands::NamedCommand;
pub use examiner::{Allowed, Examiner};
pub use grounds::{Grounds, Opened, evidence, verify_kept};
