//! Fault points: the ways in which tests break a journal at an exact event.
//!
//! Only a debug build of the program reads one from its environment; a release build has none.

use std::io;
use std::str::FromStr;

/// A fault at the event with this number, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The process is killed with SIGKILL just before the event is written.
    KillBefore(u64),
    /// The process is killed with SIGKILL as soon as the event is written.
    KillAfter(u64),
    /// The process is killed with SIGKILL after this many bytes of the event are written.
    Tear(u64, usize),
    /// The disk is full from this event on.
    Full(u64),
    /// The disk is read-only from this event on.
    ReadOnly(u64),
    /// The disk accepts this event and fails to sync it.
    NotSynced(u64),
}

impl FromStr for Fault {
    type Err = String;

    /// Reads `kill-before:3`, `kill-after:3`, `tear:3:17`, `full:3`, `read-only:3` or `not-synced:3`.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let mut number =
            || parts.next().and_then(|n| n.parse::<u64>().ok()).ok_or_else(|| format!("`{text}` is not a fault"));
        match name {
            "kill-before" => Ok(Self::KillBefore(number()?)),
            "kill-after" => Ok(Self::KillAfter(number()?)),
            "tear" => Ok(Self::Tear(number()?, usize::try_from(number()?).unwrap_or(usize::MAX))),
            "full" => Ok(Self::Full(number()?)),
            "read-only" => Ok(Self::ReadOnly(number()?)),
            "not-synced" => Ok(Self::NotSynced(number()?)),
            _ => Err(format!("`{text}` is not a fault")),
        }
    }
}

impl Fault {
    /// How many bytes of an event of this length are written before the fault strikes, if it strikes before its end.
    pub(super) fn bytes_before(self, seq: u64, length: usize) -> Option<usize> {
        match self {
            Self::KillBefore(at) if at == seq => Some(0),
            Self::Tear(at, bytes) if at == seq => Some(bytes.min(length)),
            _ => None,
        }
    }

    /// The error that the disk gives for this event.
    pub(super) fn error(self, seq: u64) -> Option<io::Error> {
        match self {
            Self::Full(from) if seq >= from => Some(io::ErrorKind::StorageFull.into()),
            Self::ReadOnly(from) if seq >= from => Some(io::ErrorKind::ReadOnlyFilesystem.into()),
            _ => None,
        }
    }

    /// The error when this event is synced.
    pub(super) fn sync_error(self, seq: u64) -> Option<io::Error> {
        (self == Self::NotSynced(seq)).then(|| io::Error::other("the disk failed"))
    }

    /// Kills the process where the fault strikes before the end of this event, in a store that writes an event whole.
    pub(in crate::store) fn before(self, seq: u64) {
        if self.bytes_before(seq, 0).is_some() {
            die();
        }
    }

    /// Kills the process where the fault strikes after this event.
    pub(in crate::store) fn after(self, seq: u64) {
        if self == Self::KillAfter(seq) {
            die();
        }
    }
}

/// Ends the process as `kill -9` does: nothing is cleaned up, nothing is flushed.
pub(super) fn die() -> ! {
    #[cfg(unix)]
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    std::process::abort();
}
