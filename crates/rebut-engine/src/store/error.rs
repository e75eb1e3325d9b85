//! What can go wrong with a store.

use std::io;
use std::path::{Path, PathBuf};

use rebut_core::debate::{DebateId, FoldError, Plan};

use super::postgres::DatabaseFault;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("no debate matches `{part}`")]
    Unknown { part: String },
    #[error("`{part}` matches {} debates: {}", matches.len(), names(matches))]
    Ambiguous { part: String, matches: Vec<DebateId> },
    #[error("there is no debate yet")]
    NoDebates,
    #[error("{} was cut off before its first event", id.short())]
    Empty { id: DebateId },
    #[error("{} is being prepared", id.short())]
    Beginning { id: DebateId },
    #[error("{} is being run by another process", id.short())]
    Claimed { id: DebateId },
    /// Another option was chosen, and the debate has not gone on with it yet.
    #[error("`{option}` was chosen already")]
    Chosen { option: String },
    /// The claim was lost to another process.
    #[error("{} was taken over by another process", id.short())]
    Stale { id: DebateId },
    #[error("{0}")]
    Damaged(Damage),
    #[error("the events of {} contradict each other: {error}", id.short())]
    Impossible { id: DebateId, error: FoldError },
    #[error(
        "the journal has version {version}, written by another rebut, and this one reads version {}: {place}",
        Plan::VERSION
    )]
    OtherVersion { place: String, version: u64 },
    /// The journal was removed or replaced while the debate ran.
    #[error("{path} was removed or replaced while the debate ran{}", if *.restored { "; its content has been written there again" } else { "" })]
    Vanished { path: PathBuf, restored: bool },
    #[error("{path} is not a debate's folder and is left alone")]
    NotADebate { path: PathBuf },
    #[error("failed to {doing} the database {place}: {why}")]
    Database { doing: &'static str, place: String, why: String, fault: DatabaseFault },
    #[error("the address of the database can't be used: {why}")]
    Address { why: String },
    #[error("failed to {doing} {path}: {source}")]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
}

/// A line of a journal that cannot be trusted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of {place} {what}")]
pub struct Damage {
    /// The journal.
    pub place: String,
    /// Counted from 1.
    pub line: u64,
    /// What is wrong with it, as the rest of a sentence.
    pub what: String,
}

impl StoreError {
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unknown { .. } | Self::NoDebates => "`rebut list` shows every debate",
            Self::Ambiguous { .. } => "give more of the id",
            Self::Empty { .. } => "nothing was asked or paid for: start it again, and remove this one with `rebut rm`",
            Self::Beginning { .. } => "ask again in a moment",
            Self::Claimed { .. } | Self::Stale { .. } => "wait for it, or stop it with `rebut cancel`",
            Self::Chosen { .. } => "continue with it: `rebut resume`",
            Self::Damaged(_) | Self::Impossible { .. } => {
                "the journal was changed by something other than rebut; `rebut show --verify` names the first line that can't be trusted, and \
                 restoring the file from a backup repairs it"
            }
            Self::OtherVersion { .. } => {
                "read it with the version of rebut that wrote it, or start the debate again and remove this one with `rebut rm`"
            }
            Self::Vanished { restored: true, .. } => "put the folder where nothing removes it, then `rebut resume`",
            Self::Vanished { restored: false, .. } => "bring the folder back (is its disk mounted?), then `rebut resume`",
            Self::NotADebate { .. } => "check the folder, or choose another with --state-dir",
            Self::Database { fault, .. } => fault.hint(),
            Self::Address { .. } => {
                "write it as postgres://USER:PASSWORD@HOST/DATABASE, in store.url, REBUT_STORE or --store"
            }
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

fn names(ids: &[DebateId]) -> String {
    const SHOWN: usize = 5;
    let shown = ids.iter().take(SHOWN).map(DebateId::as_str).collect::<Vec<_>>().join(", ");
    let more = ids.len().saturating_sub(SHOWN);
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}
