//! What is debated, revised: patches are tried on the files of a version, and what they make of it is the next version.
//!
//! ```text
//! Versions ─▶ version 0: the pin ─▶ version 1: Revised over it ─▶ …      one for each list of revisions
//!   └ apply(files, patch)   Workbench: the touched files in a private repository, and the real `git apply`
//!                           placing: hunks whose lines stand in the file once, wherever they say they do
//! ```
//!
//! A patch is data that a model wrote. No file of it is ever made under the name that it says: it is applied to the index
//! of a repository that has nothing else, and what came of it is read from there.

mod applying;
mod placing;
mod revised;
mod versions;
mod workbench;

pub(super) use versions::{Version, Versions};
