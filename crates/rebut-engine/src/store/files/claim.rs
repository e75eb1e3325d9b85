//! A claim in files: the locked journal, written in whole lines that are synced before they are shown.

use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use rebut_core::debate::{DebateId, Event, Happening};

use super::blobs::Blobs;
use super::private::{create_folder, private_file, sync_folder, write_new_file};
use super::{Fault, JOURNAL, done, fault, listing, reader, requests};
use crate::store::line::{self, Encoded};
use crate::store::{Claim, Cursor, Earlier, Request, StoreError, Stored, Summary};

/// How often a lock is tried that a reader may hold for a moment to see whether the debate is running.
const LOCK_TRIES: u32 = 40;
const LOCK_WAIT: std::time::Duration = std::time::Duration::from_millis(5);

/// A journal that is locked and open for writing.
#[derive(Debug)]
pub(super) struct FileClaim {
    id: DebateId,
    folder: PathBuf,
    path: PathBuf,
    file: File,
    /// What tells the file from others that may take its place.
    identity: Option<(u64, u64)>,
    blobs: Blobs,
    /// The place of the next event.
    at: Cursor,
    epoch: u64,
    fault: Option<Fault>,
}

impl FileClaim {
    /// Creates the journal in a new folder.
    pub(super) fn create(folder: &Path, id: DebateId, fault: Option<Fault>) -> Result<Self, StoreError> {
        let path = folder.join(JOURNAL);
        let file = private_file().read(true).append(true).create_new(true).open(&path);
        let claim = Self::locked(folder, id, file.map_err(StoreError::io("create", &path))?, fault)?;
        for folder in [Some(folder), folder.parent()].into_iter().flatten() {
            sync_folder(folder).map_err(StoreError::io("sync", folder))?;
        }
        Ok(claim)
    }

    /// Locks a journal to go on writing, cuts a torn last line, and refuses one that was changed. Gives the events so far,
    /// and a note if something was cut.
    pub(super) fn open(
        folder: &Path,
        id: &DebateId,
        fault: Option<Fault>,
        earlier: Earlier,
    ) -> Result<(Self, Vec<Event>, Option<String>), StoreError> {
        let path = folder.join(JOURNAL);
        let file = match private_file().read(true).append(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                reader::read(folder, &Cursor::default())?.trusted()?;
                return Err(StoreError::Empty { id: id.clone() });
            }
            opened => opened.map_err(StoreError::io("open", &path))?,
        };
        // Looked for before the lock is taken: a request that comes later is for this run.
        let old = if earlier == Earlier::Dropped { requests::to_stop(folder) } else { Vec::new() };
        let mut claim = Self::locked(folder, id.clone(), file, fault)?;
        for request in old {
            requests::forget(&request)?;
        }
        let mut bytes = Vec::new();
        claim.file.read_to_end(&mut bytes).map_err(StoreError::io("read", &path))?;
        let reading = reader::decode(folder, &bytes, Cursor::default())?;
        claim.at = reading.events.next.clone();
        let (torn, lacks_newline) = (reading.events.torn_bytes, reading.lacks_newline);
        let events = reading.events.trusted()?;
        let mut note = None;
        if torn > 0 {
            claim.file.set_len(claim.at.bytes).map_err(StoreError::io("cut the torn line of", &path))?;
            note =
                Some(format!("the last line of the journal was cut off in the middle ({torn} bytes) and has been removed"));
        } else if lacks_newline {
            claim.file.write_all(b"\n").map_err(StoreError::io("write", &path))?;
            claim.at.bytes += 1;
        }
        if events.is_empty() {
            return Err(StoreError::Empty { id: id.clone() });
        }
        claim.epoch = events.iter().filter(|event| matches!(event.happening, Happening::Resumed { .. })).count() as u64;
        Ok((claim, events, note))
    }

    fn locked(folder: &Path, id: DebateId, file: File, fault: Option<Fault>) -> Result<Self, StoreError> {
        lock(&file, folder, &id)?;
        let claim = Self {
            id,
            folder: folder.to_owned(),
            path: folder.join(JOURNAL),
            identity: identity(file.metadata()),
            file,
            blobs: Blobs::new(folder),
            at: Cursor::default(),
            epoch: 0,
            fault,
        };
        // The process that had the lock before may have removed the debate.
        if claim.is_in_its_place() { Ok(claim) } else { Err(StoreError::Unknown { part: claim.id.to_string() }) }
    }

    fn append_now(&mut self, event: &Event) -> Result<(), StoreError> {
        let seq = self.at.events;
        let encoded = line::encode(seq, self.at.hash.as_deref(), event);
        let Encoded { line, hash, texts } =
            encoded.map_err(|error| StoreError::io("encode an event for", &self.path)(error.into()))?;
        texts.iter().try_for_each(|(hash, text)| self.blobs.store(hash, text))?;
        if let Err(error) = self.write(&line) {
            // Should this fail as well, the torn line is cut by the next claim; the write's own error is the news.
            let _ = self.file.set_len(self.at.bytes);
            return Err(StoreError::Io { doing: "write", path: self.path.clone(), source: error });
        }
        if is_synced(&event.happening) {
            self.sync(line.len() as u64).inspect_err(|_| {
                // It is not shown, so it must not stay; the same as above if this fails.
                let _ = self.file.set_len(self.at.bytes);
            })?;
        }
        self.at = Cursor { events: seq + 1, bytes: self.at.bytes + line.len() as u64, hash: Some(hash) };
        self.epoch += u64::from(matches!(event.happening, Happening::Resumed { .. }));
        if let Happening::Chosen { key, .. } = &event.happening {
            // If it can't be removed, it asks for what is done already.
            let _ = requests::settle(&self.folder, key);
        }
        if let Some(fault) = self.fault {
            fault.after(seq);
        }
        Ok(())
    }

    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        if let Some(fault) = self.fault {
            if let Some(bytes) = fault.bytes_before(self.at.events, line.len()) {
                self.file.write_all(&line[..bytes])?;
                fault::die();
            }
            if let Some(error) = fault.error(self.at.events) {
                return Err(error);
            }
        }
        self.file.write_all(line)
    }

    fn sync(&mut self, added: u64) -> Result<(), StoreError> {
        let texts = self.blobs.sync();
        let fault = self.fault.and_then(|fault| fault.sync_error(self.at.events)).map_or(Ok(()), Err);
        let synced =
            texts.and_then(|()| fault.and_then(|()| self.file.sync_data()).map_err(StoreError::io("sync", &self.path)));
        // A file whose folder was removed takes writes without complaint, and keeps none of them.
        if !self.is_in_its_place() {
            // Blobs went with the folder: where the journal refers to one, not all of it is there again.
            let restored = self.restore(self.at.bytes + added).is_ok()
                && reader::read(&self.folder, &Cursor::default()).is_ok_and(|events| events.damage.is_none());
            return Err(StoreError::Vanished { path: self.path.clone(), restored });
        }
        synced
    }

    fn is_in_its_place(&self) -> bool {
        self.identity.is_some() && identity(fs::metadata(&self.path)) == self.identity
    }

    /// Writes what the open file still holds to its place again; nothing that is there now is touched.
    fn restore(&mut self, length: u64) -> io::Result<()> {
        let mut content = Vec::new();
        self.file.rewind()?;
        (&mut self.file).take(length).read_to_end(&mut content)?;
        create_folder(&self.folder)?;
        write_new_file(&self.path, &content)
    }
}

impl Claim for FileClaim {
    fn id(&self) -> &DebateId {
        &self.id
    }

    fn epoch(&self) -> u64 {
        self.epoch
    }

    fn append<'a>(&'a mut self, event: &'a Event) -> Stored<'a, ()> {
        done(self.append_now(event))
    }

    fn summarize<'a>(&'a mut self, summary: &'a Summary) -> Stored<'a, ()> {
        done(listing::write_summary(&self.folder, summary))
    }

    fn blobs(&self) -> &Path {
        self.blobs.folder()
    }

    fn keep<'a>(&'a mut self, _hash: &'a str) -> Stored<'a, ()> {
        // It is where it belongs.
        done(Ok(()))
    }

    fn requests(&mut self) -> Stored<'_, Vec<Request>> {
        done(requests::take(&self.folder))
    }

    fn discard(self: Box<Self>) -> Stored<'static, ()> {
        if self.at.events > 0 {
            return done(Err(StoreError::NotADebate { path: self.folder.clone() }));
        }
        done(fs::remove_dir_all(&self.folder).map_err(StoreError::io("remove", &self.folder)))
    }
}

#[cfg(unix)]
fn identity(file: io::Result<Metadata>) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    file.ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn identity(file: io::Result<Metadata>) -> Option<(u64, u64)> {
    file.ok().map(|_| (0, 0))
}

/// Whether a process has the debate in this folder claimed.
pub(super) fn is_locked(folder: &Path) -> bool {
    let Ok(file) = File::open(folder.join(JOURNAL)) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

/// Keeps every process from claiming the debate until the file is dropped; none if there is no journal.
pub(super) fn hold(folder: &Path, id: &DebateId) -> Result<Option<File>, StoreError> {
    let path = folder.join(JOURNAL);
    match File::open(&path) {
        Ok(file) => lock(&file, folder, id).map(|()| Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StoreError::Io { doing: "open", path, source }),
    }
}

fn lock(file: &File, folder: &Path, id: &DebateId) -> Result<(), StoreError> {
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(source)) => {
                return Err(StoreError::Io { doing: "lock", path: folder.join(JOURNAL), source });
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_WAIT),
        }
    }
    Err(StoreError::Claimed { id: id.clone() })
}

/// Whether it must be on the disk before it is shown. The others are synced with the next one.
fn is_synced(happening: &Happening) -> bool {
    use Happening::{Abandoned, Planned, Resumed, Retrying, Started};
    !matches!(happening, Planned { .. } | Resumed { .. } | Started { .. } | Retrying { .. } | Abandoned { .. })
}
