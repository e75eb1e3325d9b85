//! Patches: a unified diff read as data, tried on the files of a debate, or applied to the user's own.
//!
//! A patch is data that a model wrote. To try one, no file is ever created under a name that it contains: it is applied to
//! the index of a private repository, and the result is read from there.

mod applying;
pub(crate) mod diff;
mod placing;
mod revised;
mod workbench;
pub(crate) mod working_tree;

pub(crate) use applying::{Applied, apply, apply_exactly};
pub(crate) use revised::{Changes, Revised};
