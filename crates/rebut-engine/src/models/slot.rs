//! What belongs to one model in the folder, and the lock that lets one process at a time change it.
//!
//! | file | what it is |
//! |---|---|
//! | `NAME.gguf`, `NAME.json` | the installed weights and their record; both or nothing |
//! | `.NAME.part`, `.NAME.part.json` | a download that can be resumed, and what must hold for that |
//! | `.NAME.lock` | held by the process that pulls or removes the model |

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::{ModelError, ModelName, PullEvent, Stage, Watch};
use crate::store::files::sync_folder;

/// How often a lock that another process holds is tried.
const POLL: Duration = Duration::from_millis(100);

/// The files of one model, locked.
pub(super) struct Slot {
    folder: PathBuf,
    name: ModelName,
    _lock: File,
}

/// What must hold for a download to be resumed.
#[derive(Serialize, Deserialize)]
pub(super) struct Notes {
    pub(super) source: String,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

impl Slot {
    /// Locks the files of a model; waits while another process has them.
    pub(super) async fn lock(
        folder: &Path,
        name: &ModelName,
        watch: Watch<'_>,
        cancel: &CancellationToken,
    ) -> Result<Self, ModelError> {
        // The lock file stays: removing it would let two processes lock two files of the same name.
        let path = folder.join(format!(".{name}.lock"));
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(ModelError::io("open", &path))?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { folder: folder.to_owned(), name: name.clone(), _lock: file }),
                Err(TryLockError::Error(error)) => return Err(ModelError::io("lock", &path)(error)),
                Err(TryLockError::WouldBlock) => watch(PullEvent::Progress { stage: Stage::Waiting, done: 0, total: None }),
            }
            tokio::select! {
                () = cancel.cancelled() => return Err(ModelError::stopped(0)),
                () = tokio::time::sleep(POLL) => {}
            }
        }
    }

    /// Where a download goes.
    pub(super) fn part(&self) -> PathBuf {
        self.folder.join(format!(".{}.part", self.name))
    }

    /// How much of a download is here.
    pub(super) fn received(&self) -> u64 {
        fs::metadata(self.part()).map_or(0, |metadata| metadata.len())
    }

    /// The notes on the download that is here.
    pub(super) fn notes(&self) -> Option<Notes> {
        serde_json::from_slice(&fs::read(self.notes_path()).ok()?).ok()
    }

    pub(super) fn note(&self, notes: &Notes) -> Result<(), ModelError> {
        let path = self.notes_path();
        fs::write(&path, serde_json::to_vec(notes).unwrap_or_default()).map_err(ModelError::io("write", &path))
    }

    /// Removes the download that is here.
    pub(super) fn discard(&self) -> Result<(), ModelError> {
        [self.part(), self.notes_path()].iter().try_for_each(|path| remove(path))
    }

    /// Moves weights into place, and then the record that makes them count.
    pub(super) fn install(&self, from: &Path, name: &ModelName, record: &[u8]) -> Result<(), ModelError> {
        let draft = self.notes_path();
        fs::write(&draft, record).map_err(ModelError::io("write", &draft))?;
        for (from, to) in [(from, weights(&self.folder, name)), (&draft, record_of(&self.folder, name))] {
            let synced = File::open(from).and_then(|file| file.sync_all());
            synced.and_then(|()| fs::rename(from, &to)).map_err(ModelError::io("move into place", &to))?;
        }
        sync_folder(&self.folder).map_err(ModelError::io("sync", &self.folder))
    }

    /// Removes everything but the lock.
    pub(super) fn clear(&self) -> Result<(), ModelError> {
        // The record goes first: weights without one do not count.
        remove(&record_of(&self.folder, &self.name))?;
        remove(&weights(&self.folder, &self.name))?;
        self.discard()
    }

    fn notes_path(&self) -> PathBuf {
        self.folder.join(format!(".{}.part.json", self.name))
    }
}

pub(super) fn weights(folder: &Path, name: &ModelName) -> PathBuf {
    folder.join(format!("{name}.gguf"))
}

pub(super) fn record_of(folder: &Path, name: &ModelName) -> PathBuf {
    folder.join(format!("{name}.json"))
}

fn remove(path: &Path) -> Result<(), ModelError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(ModelError::io("remove", path)(error)),
        _ => Ok(()),
    }
}
