//! A pinned workspace: what is in it, what never is, and that nothing changes it afterwards.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod commits;
mod copies;
mod folders;
mod ground;
mod live;
mod odd_files;
mod packs;
mod past;
mod repositories;
