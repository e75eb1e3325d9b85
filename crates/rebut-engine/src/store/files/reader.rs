//! Reads a journal: every event up to the first line that cannot be trusted.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::{JOURNAL, blobs, listing};
use crate::store::decoding::{self, Reading};
use crate::store::{Cursor, Damage, Events, StoreError};

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
    let mut reading = decoding::decode(&place, bytes, since, &|hash| blobs::find(folder, hash))?;
    let events = &mut reading.events;
    // A summary is stored once the first event is in the journal: a debate that has one was not cut off before that. A debate
    // that has begun since the journal was read is not damaged either.
    if events.next.events == 0
        && events.damage.is_none()
        && let Some(length) = listing::summarized_length(folder)
        && fs::metadata(folder.join(JOURNAL)).map_or(0, |journal| journal.len()) == bytes.len() as u64
    {
        let what = format!("is missing: the journal had {length} bytes and has {} now", bytes.len());
        events.damage = Some(Damage { place: place(), line: 1, what });
    }
    Ok(reading)
}
