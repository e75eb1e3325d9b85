//! Citations, found in texts as people and models write them and looked up in a small repository: a labelled corpus with
//! its figures, and what no text and no file may do to whoever looks.
//!
//! `fixture/` holds the repository's files, `texts/` the labelled texts. In a text `{ws}` stands for the workspace's
//! path, `{c1}` for the first commit's short hash and `{c1:full}` for all of it.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bad_input;
mod cases;
mod corpus;
mod passages;
mod repository;
