//! What every store promises, and what those in files and in a database promise beyond that.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod files;
#[cfg(unix)]
mod postgres;
mod removal;
mod suite;
