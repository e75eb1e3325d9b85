//! What every store promises, and what the one in files promises beyond that.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod files;
mod removal;
mod suite;
