//! The folder a debate is about, and what of it goes into prompts.

mod attach;
mod git;

use std::path::{Path, PathBuf};

pub use attach::{AttachError, Attachment, attach};

/// The workspace of a folder: the nearest folder above it that git knows, else the folder itself.
pub fn around(folder: &Path) -> PathBuf {
    folder.ancestors().find(|ancestor| ancestor.join(".git").exists()).unwrap_or(folder).to_owned()
}
