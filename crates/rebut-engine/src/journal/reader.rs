//! Reading a journal: every event up to the first line that cannot be trusted.

use std::fs;
use std::path::{Path, PathBuf};

use rebut_core::debate::{Event, Plan};

use super::line::{self, NOTHING_BEFORE};
use super::{FILE, JournalError, blobs};

/// A journal that was read.
#[derive(Debug)]
pub struct Reading {
    /// The events of all good lines.
    pub events: Vec<Event>,
    /// The first line that cannot be trusted. Nothing behind it was read.
    pub problem: Option<Problem>,
    /// Bytes behind the last newline that are no whole line: a write that was cut off.
    pub torn_bytes: u64,
    pub(super) good_bytes: u64,
    pub(super) last_hash: String,
    /// Whether the last good line lacks only its newline.
    pub(super) lacks_newline: bool,
}

/// A line that cannot be trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The journal.
    pub path: PathBuf,
    /// The line, counted from 1.
    pub line: u64,
    /// What is wrong with it, as the rest of a sentence.
    pub what: String,
}

impl Reading {
    /// The events, or the line that cannot be trusted as an error.
    pub fn trusted(self) -> Result<Vec<Event>, JournalError> {
        match self.problem {
            None => Ok(self.events),
            Some(Problem { path, line, what }) => Err(JournalError::Damaged { path, line, what }),
        }
    }
}

/// Reads the journal in a debate's folder. Needs no lock: a line that another process is writing right now is torn.
pub fn read(folder: &Path) -> Result<Reading, JournalError> {
    let path = folder.join(FILE);
    let bytes = fs::read(&path).map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => JournalError::Missing { folder: folder.to_owned() },
        _ => JournalError::Io { doing: "read", path: path.clone(), source },
    })?;
    decode(folder, &path, &bytes)
}

pub(super) fn decode(folder: &Path, path: &Path, bytes: &[u8]) -> Result<Reading, JournalError> {
    let mut reading = Reading {
        events: Vec::new(),
        problem: None,
        torn_bytes: 0,
        good_bytes: 0,
        last_hash: NOTHING_BEFORE.to_owned(),
        lacks_newline: false,
    };
    for chunk in bytes.split_inclusive(|byte| *byte == b'\n') {
        let (line, whole) = chunk.strip_suffix(b"\n").map_or((chunk, false), |line| (line, true));
        match event(folder, line, reading.events.len() as u64, &reading.last_hash) {
            Ok((event, hash)) => {
                reading.events.push(event);
                reading.last_hash = hash;
                reading.good_bytes += chunk.len() as u64;
                reading.lacks_newline = !whole;
            }
            Err(Refused::OtherVersion(version)) => {
                return Err(JournalError::OtherVersion { folder: folder.to_owned(), version });
            }
            Err(_) if !whole => reading.torn_bytes = chunk.len() as u64,
            Err(Refused::Damaged(what)) => {
                let line = reading.events.len() as u64 + 1;
                reading.problem = Some(Problem { path: path.to_owned(), line, what });
                break;
            }
        }
    }
    Ok(reading)
}

/// Why a line is not taken.
enum Refused {
    /// It cannot be trusted, for this reason.
    Damaged(String),
    /// It is a plan of another version.
    OtherVersion(u64),
}

impl From<String> for Refused {
    fn from(what: String) -> Self {
        Self::Damaged(what)
    }
}

fn event(folder: &Path, bytes: &[u8], seq: u64, prev: &str) -> Result<(Event, String), Refused> {
    let mut line = line::decode(bytes, seq, prev)?;
    // Asked before the event is read: what another version wrote may not read as one.
    let version = line.event["happening"]["plan"]["version"].as_u64();
    if let Some(other) = version.filter(|version| *version != u64::from(Plan::VERSION)) {
        return Err(Refused::OtherVersion(other));
    }
    blobs::bring_back(folder, &mut line.event)?;
    let event =
        serde_json::from_value(line.event).map_err(|error| format!("holds no event that this version knows ({error})"))?;
    Ok((event, line.hash))
}
