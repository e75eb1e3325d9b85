//! What belongs to one model in the folder, and the lock that lets one process at a time change it.
//!
//! | file | what it is |
//! |---|---|
//! | `NAME.gguf`, `NAME.json` | the installed weights and their record; both or nothing |
//! | `.NAME.part` | weights that are not installed yet; a download is resumed from there |
//! | `.NAME.lock` | held by the process that pulls or removes the model |

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{ModelError, ModelName, PullEvent, Stage, Watch};
use crate::store::files::{replace_file, sync_folder};

/// How often a lock that another process holds is tried.
const POLL: Duration = Duration::from_millis(100);

/// The files of one model, locked.
pub(super) struct Slot {
    folder: PathBuf,
    name: ModelName,
    _lock: File,
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

    pub(super) fn part(&self) -> PathBuf {
        self.folder.join(format!(".{}.part", self.name))
    }

    /// The length of the part.
    pub(super) fn received(&self) -> u64 {
        fs::metadata(self.part()).map_or(0, |metadata| metadata.len())
    }

    pub(super) fn remove_part(&self) -> Result<(), ModelError> {
        remove(&self.part())
    }

    /// Moves the part into place, and then writes the record that makes it count.
    pub(super) fn install(&self, name: &ModelName, record: &[u8]) -> Result<(), ModelError> {
        let (part, weights) = (self.part(), weights(&self.folder, name));
        let synced = File::open(&part).and_then(|file| file.sync_all());
        synced.and_then(|()| fs::rename(&part, &weights)).map_err(ModelError::io("move into place", &weights))?;
        let (path, draft) = (record_of(&self.folder, name), self.folder.join(format!(".{name}.json")));
        let written = replace_file(&path, &draft, record).and_then(|()| File::open(&path)?.sync_all());
        written.and_then(|()| sync_folder(&self.folder)).map_err(ModelError::io("write", &path))
    }

    /// Removes everything but the lock.
    pub(super) fn clear(&self) -> Result<(), ModelError> {
        // The record goes first: weights without one do not count.
        remove(&record_of(&self.folder, &self.name))?;
        remove(&weights(&self.folder, &self.name))?;
        self.remove_part()
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
