//! Evidence looked up: files, commits, pages, searches and commands that a debate cites.
//!
//! The rules for judging a citation are in the core ([`rebut_core::evidence::check`]); this module fetches what they
//! are applied to. The files themselves come from [`workspace::pin`](crate::workspace::pin).

mod commands;
mod commits;
mod examiner;
mod excerpts;
mod searches;
mod snapshot;
mod sources;
mod texts;
mod versions;

pub use commands::{AllowedCommands, NamedCommand};
pub use examiner::{Allowed, Examiner};
pub use excerpts::{Excerpt, Excerpts};
pub use snapshot::{OpenSnapshot, Snapshot, verify_kept};
pub use sources::{Names, Sources, TEST_VARIABLE};
