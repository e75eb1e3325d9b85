//! What a review stands on: scopes, the reviewed version, and patches to it.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod applying;
mod bench;
mod copies;
mod ground;
mod scopes;
mod trials;
mod versions;
