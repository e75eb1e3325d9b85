//! Reads a journal: every event up to the first line that cannot be trusted.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use rebut_core::debate::{Event, Plan};

use super::{JOURNAL, blobs, line};
use crate::store::{Cursor, Damage, Events, StoreError};

/// A part of a journal that was read.
pub(super) struct Reading {
    pub(super) events: Events,
    /// Whether the last good line lacks only its newline.
    pub(super) lacks_newline: bool,
}

/// Reads the events after the cursor. Needs no lock: a line that another process is writing right now is torn.
pub(super) fn read(folder: &Path, since: &Cursor) -> Result<Events, StoreError> {
    let path = folder.join(JOURNAL);
    let mut bytes = Vec::new();
    let read = File::open(&path).and_then(|mut file| {
        file.seek(SeekFrom::Start(since.bytes))?;
        file.read_to_end(&mut bytes)
    });
    match read {
        // A debate that was cut off before its journal was created has no event.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        read => drop(read.map_err(StoreError::io("read", &path))?),
    }
    let mut reading = decode(folder, &bytes, since.clone())?;
    if reading.lacks_newline {
        // Its newline comes with the next claim: the next read begins after it.
        reading.events.next.bytes += 1;
    }
    Ok(reading.events)
}

/// Reads the lines after the cursor.
pub(super) fn decode(folder: &Path, bytes: &[u8], since: Cursor) -> Result<Reading, StoreError> {
    let place = || folder.join(JOURNAL).display().to_string();
    let mut events = Events { next: since, ..Events::default() };
    let mut lacks_newline = false;
    for chunk in bytes.split_inclusive(|byte| *byte == b'\n') {
        let (line, whole) = chunk.strip_suffix(b"\n").map_or((chunk, false), |line| (line, true));
        let next = &mut events.next;
        match event(folder, line, next) {
            Ok((event, hash)) => {
                events.events.push(event);
                events.hashes.push(hash.clone());
                *next = Cursor { events: next.events + 1, bytes: next.bytes + chunk.len() as u64, hash: Some(hash) };
                lacks_newline = !whole;
            }
            Err(Refused::OtherVersion(version)) => return Err(StoreError::OtherVersion { place: place(), version }),
            Err(_) if !whole => events.torn_bytes = chunk.len() as u64,
            Err(Refused::Damaged(what)) => {
                events.damage = Some(Damage { place: place(), line: next.events + 1, what });
                break;
            }
        }
    }
    Ok(Reading { events, lacks_newline })
}

/// Why a line is refused.
enum Refused {
    Damaged(String),
    OtherVersion(u64),
}

impl From<String> for Refused {
    fn from(what: String) -> Self {
        Self::Damaged(what)
    }
}

fn event(folder: &Path, bytes: &[u8], at: &Cursor) -> Result<(Event, String), Refused> {
    let mut line = line::decode(bytes, at.events, at.hash.as_deref())?;
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
