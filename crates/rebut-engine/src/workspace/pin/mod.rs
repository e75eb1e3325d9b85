//! The pinned workspace: its content is kept, so that a later edit, amend or `gc` changes nothing.
//!
//! ```text
//! Survey::of(workspace)  which files there are, from git or by walking the folder
//!   └ survey.pack(blobs) their content in one blob, named by its hash  ─▶ Pin::open ─▶ entries, read, lay_out
//! Live::over(workspace)  the same files as they are now, if there are too many to pin
//! ```
//!
//! [`Pin`] and [`Live`] are both [`Files`]. Nothing outside the workspace is ever read: a path is walked folder by folder
//! without following symlinks; symlinks are kept as such, and followed only if they stay inside. Ignored files are in
//! neither.
//!
//! This module knows nothing of citations, prompts or events.

mod copy;
mod facts;
mod files;
mod folder;
mod live;
mod objects;
mod pack;
mod repository;
mod survey;
mod touched;
mod walker;

use std::io;
use std::path::{Path, PathBuf};

pub(crate) use copy::below_copy;
pub use copy::{Copy, CopyError};
pub use facts::{Facts, LeftOut, Source};
pub use files::{Content, Entry, Files, Kind, ReadError, Why};
pub use live::Live;
pub use pack::{Packed, Pin};
pub use survey::Survey;
pub use touched::{Touched, touched_since};
pub(crate) use walker::PathKind;

use super::git::GitError;
use crate::config::EvidenceSettings;

/// What is on disk under a path of the workspace, whether or not it is listed; no symlink is followed.
pub(crate) fn kind_on_disk(root: &Path, path: &[u8]) -> io::Result<PathKind> {
    walker::Walker::from(root)?.look(path)
}

/// How much is pinned: the settings `evidence.*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub files: u64,
    /// Of all files together.
    pub bytes: u64,
    /// Of one file; a larger one is known by name and size alone.
    pub file_bytes: u64,
}

impl From<&EvidenceSettings> for Limits {
    fn from(settings: &EvidenceSettings) -> Self {
        Self { files: settings.max_files, bytes: settings.max_bytes, file_bytes: settings.max_file_bytes }
    }
}

/// Why there is no pin.
#[derive(Debug, thiserror::Error)]
pub enum PinError {
    #[error("{0} is or contains your home folder, not a project; start the debate in a project's folder")]
    NoProject(PathBuf),
    #[error("{0} is a git repository without a working tree; start the debate where its files are checked out")]
    GitsOwn(PathBuf),
    #[error(
        "the workspace is too large to pin: it has more than {most} files; raise evidence.max_files, or start in a folder of it"
    )]
    TooMany { most: u64 },
    #[error(
        "the workspace is too large to pin: it has more than {most} bytes of text; raise evidence.max_bytes, or start in a folder of it"
    )]
    TooLarge { most: u64 },
    #[error("git can't list the files: `{0}` is not a commit")]
    NoCommit(String),
    #[error("git can't list the files: {0}")]
    Git(#[from] GitError),
    #[error("the pinned workspace {path} {what}; restore the file to continue")]
    Damaged {
        path: PathBuf,
        /// The rest of the sentence.
        what: &'static str,
    },
    #[error(transparent)]
    Io(#[from] PathError),
}

/// What was attempted at a path, and why it failed.
#[derive(Debug, thiserror::Error)]
#[error("failed to {doing} {path}: {source}")]
pub struct PathError {
    doing: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) source: io::Error,
}

impl PathError {
    pub(crate) fn at(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self { doing, path, source }
    }
}
