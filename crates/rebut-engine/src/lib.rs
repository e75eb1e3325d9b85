//! Runs debates: everything of rebut that touches the world.
//!
//! | module | what it holds |
//! |---|---|
//! | [`runner`] | the loop: what comes next is asked of the format, done, written down |
//! | [`session`] | start, resume, detach: from a plan to its end |
//! | [`planning`] | from what a person asks for to a plan |
//! | [`store`] | where debates are kept: journals, blobs, requests |
//! | [`providers`] | who can sit on a seat |
//! | [`models`] | the weights of the embedded model: pulled, checked, kept |
//! | [`process`] | programs that are started, listened to and ended |
//! | [`workspace`] | the folder a debate is about: pinned as content, git, patches, attachments |
//! | [`checks`] | evidence looked up |
//! | [`config`] | settings in four levels, and where each value comes from |
//! | [`redact`] | secrets are taken out on arrival |

mod blocking;
pub mod chance;
pub mod checks;
pub mod clock;
pub mod config;
pub mod models;
mod parse_errors;
pub mod planning;
pub mod process;
pub mod providers;
pub mod redact;
pub mod runner;
pub mod session;
pub mod store;
mod time_limits;
pub mod workspace;
