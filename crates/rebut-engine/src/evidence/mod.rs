//! Evidence: what a debate is about, kept as content, and citations looked up in it.
//!
//! The rules by which a citation is judged are the core's ([`rebut_core::evidence::check`]). This room has what they are
//! judged by: the pinned files, the commits of the repository, and where the person allows it searches, commands, and
//! pages on the web.

mod commands;
mod commits;
mod examiner;
mod grounds;
mod past;
pub mod pin;
mod revising;
mod said;
mod searches;
mod sources;
mod spellings;
mod texts;

pub use commands::{AllowedCommands, NamedCommand};
pub use examiner::{Allowed, Examiner};
pub use grounds::{Grounds, Opened, verify_kept};
pub use sources::{Names, Sources, TEST_VARIABLE};
