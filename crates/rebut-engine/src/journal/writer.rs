//! Writing a journal: one process at a time, whole lines, synced before anybody is told.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use rebut_core::debate::{Event, Happening};

use super::blobs::Blobs;
use super::line::{self, NOTHING_BEFORE};
use super::private::{create_folder, private_file, sync_folder};
use super::{FILE, Fault, JournalError, fault, private, reader};

/// How often a lock is tried that a reader may hold for a moment to see whether the debate runs.
const LOCK_TRIES: u32 = 40;
/// How long is waited between two tries.
const LOCK_WAIT: std::time::Duration = std::time::Duration::from_millis(5);

/// A journal that is open for writing, and locked.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    path: PathBuf,
    file: File,
    blobs: Blobs,
    seq: u64,
    last_hash: String,
    length: u64,
    fault: Option<Fault>,
}

impl Journal {
    /// Creates a journal in a folder that is this debate's own.
    pub fn create(folder: &Path, fault: Option<Fault>) -> Result<Self, JournalError> {
        create_folder(folder).map_err(JournalError::io("create", folder))?;
        let path = folder.join(FILE);
        let file = private_file().read(true).append(true).create_new(true).open(&path);
        let file = file.map_err(JournalError::io("create", &path))?;
        let journal = Self::locked(folder, file, fault)?;
        sync_folder(folder).map_err(JournalError::io("sync", folder))?;
        if let Some(parent) = folder.parent() {
            sync_folder(parent).map_err(JournalError::io("sync", parent))?;
        }
        Ok(journal)
    }

    /// Opens a journal to go on writing: locks it, cuts a torn last line, and refuses one that was changed.
    ///
    /// Gives the events so far, and a note where something was cut.
    pub fn open(folder: &Path, fault: Option<Fault>) -> Result<(Self, Vec<Event>, Option<String>), JournalError> {
        let path = folder.join(FILE);
        let file = private_file().read(true).append(true).open(&path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => JournalError::Missing { folder: folder.to_owned() },
            _ => JournalError::Io { doing: "open", path: path.clone(), source },
        })?;
        let mut journal = Self::locked(folder, file, fault)?;
        let mut bytes = Vec::new();
        journal.file.read_to_end(&mut bytes).map_err(JournalError::io("read", &path))?;
        let mut reading = reader::decode(folder, &path, &bytes)?;
        journal.seq = reading.events.len() as u64;
        journal.last_hash = std::mem::take(&mut reading.last_hash);
        journal.length = reading.good_bytes;
        let mut note = None;
        if reading.problem.is_none() {
            if reading.torn_bytes > 0 {
                journal.file.set_len(reading.good_bytes).map_err(JournalError::io("cut the torn line of", &path))?;
                note = Some(format!(
                    "the last line of the journal was cut off in the middle ({} bytes) and has been removed",
                    reading.torn_bytes
                ));
            } else if reading.lacks_newline {
                journal.file.write_all(b"\n").map_err(JournalError::io("write", &path))?;
                journal.length += 1;
            }
        }
        Ok((journal, reading.trusted()?, note))
    }

    /// Whether a process is writing the journal in this folder right now.
    pub fn is_being_written(folder: &Path) -> bool {
        let Ok(file) = File::open(folder.join(FILE)) else { return false };
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    /// Keeps everybody from writing the journal in this folder for as long as what it gives lives; nothing where there is
    /// none.
    pub fn hold(folder: &Path) -> Result<Option<File>, JournalError> {
        let path = folder.join(FILE);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(None),
            Err(source) => return Err(JournalError::Io { doing: "open", path, source }),
        };
        lock(&file, folder)?;
        Ok(Some(file))
    }

    /// The debate's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The number of the next event.
    pub fn next_seq(&self) -> u64 {
        self.seq
    }

    /// Appends an event. When this returns, an event that somebody is told of has reached the disk.
    ///
    /// On an error the journal is as it was before, as far as the disk allows: a part of a line that could not be taken
    /// back is cut when the journal is opened again.
    pub fn append(&mut self, event: &Event) -> Result<(), JournalError> {
        let seq = self.seq;
        let not_encoded = |error: serde_json::Error| JournalError::io("encode an event for", &self.path)(error.into());
        let mut value = serde_json::to_value(event).map_err(not_encoded)?;
        self.blobs.put_away(&mut value)?;
        let (line, hash) = line::encode(seq, &self.last_hash, &value).map_err(not_encoded)?;
        if let Err(error) = self.write(&line) {
            // Should this fail as well, the torn line is cut on the next opening; the write's own error is the news.
            let _ = self.file.set_len(self.length);
            return Err(JournalError::Io { doing: "write", path: self.path.clone(), source: error });
        }
        if is_synced(&event.happening) {
            self.sync(line.len() as u64).inspect_err(|_| {
                // Nobody is told of it, so that it must not stand there; the same as above where this fails.
                let _ = self.file.set_len(self.length);
            })?;
        }
        self.seq += 1;
        self.last_hash = hash;
        self.length += line.len() as u64;
        if let Some(fault) = self.fault {
            fault.after(seq);
        }
        Ok(())
    }

    fn locked(folder: &Path, file: File, fault: Option<Fault>) -> Result<Self, JournalError> {
        lock(&file, folder)?;
        let journal = Self {
            folder: folder.to_owned(),
            path: folder.join(FILE),
            file,
            blobs: Blobs::new(folder),
            seq: 0,
            last_hash: NOTHING_BEFORE.to_owned(),
            length: 0,
            fault,
        };
        // Whoever had the lock before may have removed the debate.
        if journal.is_in_its_place() { Ok(journal) } else { Err(JournalError::Missing { folder: folder.to_owned() }) }
    }

    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        if let Some(fault) = self.fault {
            if let Some(bytes) = fault.bytes_before(self.seq, line.len()) {
                self.file.write_all(&line[..bytes])?;
                fault::die();
            }
            if let Some(error) = fault.error(self.seq) {
                return Err(error);
            }
        }
        self.file.write_all(line)
    }

    fn sync(&mut self, added: u64) -> Result<(), JournalError> {
        let texts = self.blobs.sync();
        let fault = self.fault.and_then(|fault| fault.sync_error(self.seq)).map_or(Ok(()), Err);
        let synced = texts
            .and_then(|()| fault.and_then(|()| private::sync(&self.file)).map_err(JournalError::io("sync", &self.path)));
        // A file whose folder was removed takes writes without complaint, and keeps none of them.
        if !self.is_in_its_place() {
            // Long texts went with the folder: where the journal refers to one, not all of it is there again.
            let restored = self.restore(self.length + added).is_ok()
                && reader::read(&self.folder).is_ok_and(|reading| reading.problem.is_none());
            return Err(JournalError::Vanished { path: self.path.clone(), restored });
        }
        synced
    }

    #[cfg(unix)]
    fn is_in_its_place(&self) -> bool {
        use std::os::unix::fs::MetadataExt;
        match (fs::metadata(&self.path), self.file.metadata()) {
            (Ok(there), Ok(ours)) => (there.dev(), there.ino()) == (ours.dev(), ours.ino()),
            _ => false,
        }
    }

    #[cfg(not(unix))]
    fn is_in_its_place(&self) -> bool {
        self.path.exists()
    }

    /// Writes what the open file still holds to its place again; nothing that stands there now is touched.
    fn restore(&mut self, length: u64) -> io::Result<()> {
        let mut content = Vec::new();
        self.file.rewind()?;
        (&mut self.file).take(length).read_to_end(&mut content)?;
        create_folder(&self.folder)?;
        super::write_new_file(&self.path, &content)
    }
}

/// Locks a journal. Somebody who only looks whether it is being written holds it for a moment, and is waited for.
fn lock(file: &File, folder: &Path) -> Result<(), JournalError> {
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(source)) => {
                return Err(JournalError::Io { doing: "lock", path: folder.join(FILE), source });
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_WAIT),
        }
    }
    Err(JournalError::Locked { folder: folder.to_owned() })
}

/// Whether somebody is told of it: then it must be on the disk before. What a crash may take away again without
/// anybody having paid for it rides along with the next one.
fn is_synced(happening: &Happening) -> bool {
    match happening {
        Happening::Answered { .. }
        | Happening::Rejected { .. }
        | Happening::Failed { .. }
        | Happening::Recorded { .. }
        | Happening::Checked { .. }
        | Happening::Tried { .. }
        | Happening::Chosen { .. }
        | Happening::BudgetSpent { .. }
        | Happening::Interrupted { .. }
        | Happening::Finished { .. } => true,
        Happening::Planned { .. }
        | Happening::Resumed { .. }
        | Happening::Started { .. }
        | Happening::Retrying { .. }
        | Happening::Abandoned { .. } => false,
    }
}
