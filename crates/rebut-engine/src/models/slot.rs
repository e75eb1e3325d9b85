//! What belongs to one model in the folder, and the lock that lets one process at a time change it.
//!
//! | file | what it is |
//! |---|---|
//! | `NAME.gguf`, `NAME.json` | the installed weights and their record; both or nothing |
//! | `.NAME-HASH.part` | weights of one source that are not installed yet; a download is resumed from there |
//! | `.NAME.json` | a record that is not installed yet |
//! | `.NAME.lock` | held by the process that pulls or removes the model |

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{Checksum, ModelError, ModelName, PullEvent, Source, Stage, Watch};
use crate::store::files::{sync_folder, write_new_file};

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

    /// Each source has a part of its own, so that no download is resumed with the bytes of another.
    pub(super) fn part(&self, source: &Source) -> PathBuf {
        let hash = Checksum::of(source.to_string().as_bytes()).to_string();
        self.folder.join(format!(".{}-{hash:.8}.part", self.name))
    }

    /// Moves a part into place, and then the record that makes it count. The parts of other sources are of no use then.
    pub(super) fn install(&self, part: &Path, name: &ModelName, record: &[u8]) -> Result<(), ModelError> {
        let (weights, path, draft) = (weights(&self.folder, name), record_of(&self.folder, name), self.draft());
        let synced = File::open(part).and_then(|file| file.sync_all());
        synced.and_then(|()| fs::rename(part, &weights)).map_err(ModelError::io("move into place", &weights))?;
        remove(&draft)?;
        let written = write_new_file(&draft, record).and_then(|()| fs::rename(&draft, &path));
        written.and_then(|()| sync_folder(&self.folder)).map_err(ModelError::io("write", &path))?;
        self.parts().iter().try_for_each(|part| remove(part))
    }

    /// Removes everything but the lock. Gives the number of bytes of weights freed, or nothing if nothing was there.
    pub(super) fn clear(&self) -> Result<Option<u64>, ModelError> {
        // The record goes first: weights without one do not count.
        let files = [record_of(&self.folder, &self.name), weights(&self.folder, &self.name), self.draft()];
        let mut freed = None;
        for path in files.into_iter().chain(self.parts()) {
            let Ok(metadata) = path.symlink_metadata() else { continue };
            remove(&path)?;
            let is_record = path.extension().is_some_and(|end| end == "json");
            freed = Some(freed.unwrap_or(0) + if is_record { 0 } else { metadata.len() });
        }
        Ok(freed)
    }

    fn draft(&self) -> PathBuf {
        self.folder.join(format!(".{}.json", self.name))
    }

    /// The parts of all sources. What another name appends to this one has a dash before its hash.
    fn parts(&self) -> Vec<PathBuf> {
        let start = format!(".{}-", self.name);
        let hash = |path: &PathBuf| {
            let file = path.file_name()?.to_str()?;
            file.strip_prefix(&start)?.strip_suffix(".part").filter(|hash| !hash.contains('-')).map(drop)
        };
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| hash(path).is_some()).collect()
    }
}

pub(super) fn weights(folder: &Path, name: &ModelName) -> PathBuf {
    folder.join(format!("{name}.gguf"))
}

pub(super) fn record_of(folder: &Path, name: &ModelName) -> PathBuf {
    folder.join(format!("{name}.json"))
}

pub(super) fn remove(path: &Path) -> Result<(), ModelError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(ModelError::io("remove", path)(error)),
        _ => Ok(()),
    }
}
