//! The journal: an append-only file of events that is the truth about a debate.
//!
//! One event a line, each with the hash of the line before; long texts lie in `blobs/` under the hash of their content.
//! One process at a time may write (a lock on the file itself, so that no lock file is ever left behind); anybody may
//! read. This room knows nothing of what the events mean.
//!
//! A line that was torn off by a crash is cut when the journal is opened again. A line whose hash is wrong was changed
//! by somebody: it is reported, and nothing is appended behind it.

mod blobs;
mod fault;
mod line;
mod private;
mod reader;
mod writer;

use std::io;
use std::path::{Path, PathBuf};

use rebut_core::debate::Plan;

pub use fault::Fault;
pub use private::{create_folder, replace_file, sync_folder, write_new_file};
pub(crate) use private::{private_file, sync};
pub use reader::{Problem, Reading, read};
pub use writer::Journal;

/// The journal's name in the debate's folder.
pub const FILE: &str = "journal.jsonl";
/// The folder of long texts.
pub const BLOBS: &str = "blobs";

/// What can go wrong with a journal.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// There is none.
    #[error("there is no journal in {folder}")]
    Missing {
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// There is one, and nothing was ever written to it.
    #[error("the debate in {folder} was cut off before its first event")]
    Empty {
        /// The debate's folder.
        folder: PathBuf,
    },
    /// There is one, and a process is about to write its first event.
    #[error("the debate in {folder} is only just being begun")]
    Beginning {
        /// The debate's folder.
        folder: PathBuf,
    },
    /// Another process writes it.
    #[error("the debate in {folder} is being run by another process")]
    Locked {
        /// The debate's folder.
        folder: PathBuf,
    },
    /// A line was changed, or cannot be read.
    #[error("line {line} of {path} {what}")]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
    /// Another version of rebut wrote it.
    #[error(
        "the journal has version {version}, written by another rebut, and this one reads version {}: {folder}",
        Plan::VERSION
    )]
    OtherVersion {
        /// The debate's folder.
        folder: PathBuf,
        /// The journal's version.
        version: u64,
    },
    /// The folder or the file was removed or replaced while the debate ran.
    #[error("{path} was removed or replaced while the debate ran{}", if *.restored { "; what it held has been written there again" } else { "" })]
    Vanished {
        /// The journal.
        path: PathBuf,
        /// Whether its content could be written to its place again.
        restored: bool,
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

impl JournalError {
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }

    /// What the person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "it was never begun or its folder was removed; `rebut rm` takes it off the list",
            Self::Empty { .. } => {
                "nobody was asked and nothing was paid: start it anew, and remove this one with `rebut rm`"
            }
            Self::Beginning { .. } => "ask again in a moment; if it stays so, the disk does not answer",
            Self::Locked { .. } => "wait for it, or stop it with `rebut cancel`",
            Self::Damaged { .. } => {
                "the journal was changed by something other than rebut; `rebut show --verify` names the first line that cannot be trusted, and \
                 restoring the file from a backup mends it"
            }
            Self::OtherVersion { .. } => {
                "read it with the version of rebut that wrote it, or start the debate anew and remove this one with `rebut rm`"
            }
            Self::Vanished { restored: true, .. } => "put the folder where nothing removes it, then `rebut resume`",
            Self::Vanished { restored: false, .. } => "bring the folder back (is its disk mounted?), then `rebut resume`",
            Self::Io { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                    "make room on the disk, then `rebut resume`: everything that was shown is kept"
                }
                io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
                    "make the folder writable or choose another with --state-dir"
                }
                _ => "check the disk and the folder's permissions, then `rebut resume`",
            },
        }
    }
}
