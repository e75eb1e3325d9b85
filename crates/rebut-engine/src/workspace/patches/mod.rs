//! Patches: a unified diff read as data, tried on the files of a debate, or applied to the user's own.
//!
//! A patch is data that a model wrote. It is tried in memory: no file is ever created under a name that it contains.

mod applying;
pub(crate) mod diff;
mod placing;
mod revised;
pub(crate) mod working_tree;
mod writing;

pub(crate) use applying::{Applied, apply, apply_exactly};
pub(crate) use revised::{Changes, Revised};
