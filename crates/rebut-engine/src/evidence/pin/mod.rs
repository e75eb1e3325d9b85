//! The workspace, pinned: what a debate is about is kept as content, so that a later edit, amend or clean-up changes
//! nothing.
//!
//! ```text
//! Survey::of(workspace)  which files there are, asked of git or by walking the folder
//!   └ survey.pack(blobs) their content in one file under its hash  ─▶ Pin::open ─▶ entries, read, lay_out
//! Live::over(workspace)  the same files as they are now, where there are too many to keep; `roll` has their names
//! ```
//!
//! [`Pin`] and [`Live`] are both [`Files`]. Nothing outside the workspace is ever read: a path is walked folder by folder
//! and no link is followed on the way; links are kept as links, and read through only where they stay inside. What git or
//! the folder's rules ignore is in neither.
//!
//! This room knows nothing of citations, prompts or events.

mod copy;
mod facts;
mod files;
mod folder;
mod git;
mod inside;
mod live;
mod manifest;
mod objects;
mod outline;
mod pack;
mod rights;
mod roll;
mod survey;
mod touched;

use std::io;
use std::path::{Path, PathBuf};

pub(super) use copy::below_copy;
pub use copy::{Copy, CopyError};
pub use facts::{Facts, LeftOut, Source};
pub use files::{Content, Entry, Files, Kind, ReadError, Why};
pub use live::Live;
pub use pack::{Packed, Pin};
pub use survey::Survey;
pub use touched::{Touched, touched_since};

use crate::config::EvidenceSettings;

/// Whether a pipe, a socket or a device stands there by now. Git lists none of these, and none is ever opened.
pub(super) fn is_special(root: &Path, path: &[u8]) -> bool {
    matches!(seen(root, path), Ok(inside::Seen::Special))
}

/// Whether a file or a link stands there by now, whoever ignores it.
pub(super) fn is_on_disk(root: &Path, path: &[u8]) -> bool {
    matches!(seen(root, path), Ok(inside::Seen::File { .. } | inside::Seen::Link))
}

/// Whether the system does not let us see what stands there.
pub(super) fn is_closed(root: &Path, path: &[u8]) -> bool {
    seen(root, path).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}

fn seen(root: &Path, path: &[u8]) -> io::Result<inside::Seen> {
    inside::Descent::from(root).and_then(|mut descent| descent.look(path))
}

/// How much is kept. The settings `evidence.*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many files.
    pub files: u64,
    /// How many bytes, all files together.
    pub bytes: u64,
    /// How many bytes of one file; a larger one is known by name and size alone.
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
    /// The person's home folder, or one above it.
    #[error("{0} is your home folder or holds it, which is no project; start the debate in the project's folder")]
    NoProject(PathBuf),
    /// A folder in which git keeps what it knows, or one in it.
    #[error(
        "{0} is a git repository without files that are checked out, and git's own files are no project; start the debate where its files are checked out"
    )]
    GitsOwn(PathBuf),
    /// More files than are kept.
    #[error(
        "the workspace is too large to be kept: it has more than {most} files; set evidence.max_files higher, or start in a folder of it"
    )]
    TooMany {
        /// How many may be kept.
        most: u64,
    },
    /// More bytes than are kept.
    #[error(
        "the workspace is too large to be kept: it has more than {most} bytes of text; set evidence.max_bytes higher, or start in a folder of it"
    )]
    TooLarge {
        /// How many may be kept.
        most: u64,
    },
    /// Git has no answer.
    #[error("git cannot say which files there are: {0}")]
    Git(String),
    /// The pin's file was changed or cut off.
    #[error("the pinned workspace {path} {what}; the debate goes on only with the file as it was written")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, as the rest of a sentence.
        what: &'static str,
    },
    /// The pin was written by a later rebut.
    #[error("the pinned workspace {path} has version {version}, which this rebut does not know; use a later one")]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// The system said no.
    #[error("failed to {doing} {path}: {source}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl PinError {
    fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }
}
