//! Reads a journal: every event up to the first line that cannot be trusted.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::{JOURNAL, blobs};
use crate::store::decoding::{self, Reading};
use crate::store::{Cursor, Events, StoreError};

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
    decoding::decode(&place, bytes, since, &|hash| blobs::find(folder, hash))
}
