//! The folder of a pull that is under way: `pulling/NAME` on the shelf, which one process at a time works in.
//!
//! | file | what it is |
//! |---|---|
//! | `lock` | held by the process that works here |
//! | `weights.part` | what has arrived |
//! | `weights.json` | of a download: what must still be so for it to be continued |
//! | `pip/` | where pip works |
//!
//! All of it is gone when the pull is done. What a killed process leaves is cleaned up by the next pull, of whatever
//! model; only a download that can be continued is kept for its own.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::{ModelError, ModelName, Progress, Stage, Watch};
use crate::journal::sync_folder;

/// The folder of all pulls.
const ALL: &str = "pulling";
const LOCK: &str = "lock";
const PART: &str = "weights.part";
const NOTES: &str = "weights.json";
const PIP: &str = "pip";

/// How often a lock that another process holds is tried.
const TURN: Duration = Duration::from_millis(100);

/// The folder of one pull, locked.
pub(super) struct Pulling {
    shelf: PathBuf,
    folder: PathBuf,
    name: ModelName,
    /// Held for its lock.
    _lock: File,
}

/// What must still be so for a download to be continued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Notes {
    /// Where it comes from.
    pub(super) source: String,
    /// The server's own mark of what it gave.
    pub(super) etag: Option<String>,
    /// How long it is.
    pub(super) bytes: Option<u64>,
    /// The checksum that it must have.
    pub(super) sha256: Option<String>,
}

impl Pulling {
    /// Takes the folder of a model. Where another process has it, that one is waited for.
    pub(super) async fn take(
        shelf: &Path,
        name: &ModelName,
        watch: Watch<'_>,
        cancel: &CancellationToken,
    ) -> Result<Self, ModelError> {
        let folder = shelf.join(ALL).join(name.as_str());
        let mut waiting = false;
        loop {
            if let Some(lock) = try_lock(&folder)? {
                return Ok(Self { shelf: shelf.to_owned(), folder, name: name.clone(), _lock: lock });
            }
            if !waiting {
                waiting = true;
                watch.at(Progress { stage: Stage::Waiting, done: 0, total: None });
            }
            tokio::select! {
                () = cancel.cancelled() => return Err(ModelError::Stopped { kept: 0 }),
                () = tokio::time::sleep(TURN) => {}
            }
        }
    }

    /// The folder itself.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where what has arrived is.
    pub(super) fn part(&self) -> PathBuf {
        self.folder.join(PART)
    }

    /// Where pip works.
    pub(super) fn pip(&self) -> PathBuf {
        self.folder.join(PIP)
    }

    /// How many bytes have arrived.
    pub(super) fn arrived(&self) -> u64 {
        fs::metadata(self.part()).map_or(0, |there| there.len())
    }

    /// What was noted of the download that is here, if it may be continued.
    pub(super) fn notes(&self) -> Option<Notes> {
        serde_json::from_slice(&fs::read(self.folder.join(NOTES)).ok()?).ok()
    }

    /// Notes what must be so for the download to be continued.
    pub(super) fn note(&self, notes: &Notes) -> Result<(), ModelError> {
        let path = self.folder.join(NOTES);
        let text = serde_json::to_vec(notes).unwrap_or_default();
        fs::write(&path, text).map_err(ModelError::io("write", &path))
    }

    /// Lets go of what has arrived.
    pub(super) fn drop_part(&self) -> Result<(), ModelError> {
        for path in [self.part(), self.folder.join(NOTES)] {
            gone(fs::remove_file(&path)).map_err(ModelError::io("remove", &path))?;
        }
        Ok(())
    }

    /// Opens a part that is empty.
    pub(super) fn new_part(&self) -> Result<File, ModelError> {
        self.drop_part()?;
        let path = self.part();
        File::create_new(&path).map_err(ModelError::io("create", &path))
    }

    /// Opens the part to go on at its end.
    pub(super) fn grown_part(&self) -> Result<File, ModelError> {
        let path = self.part();
        OpenOptions::new().append(true).create(true).open(&path).map_err(ModelError::io("open", &path))
    }

    /// Removes what killed processes have left, here and in the folders of other models.
    pub(super) fn sweep(&self) -> Result<(), ModelError> {
        let pip = self.pip();
        gone(fs::remove_dir_all(&pip)).map_err(ModelError::io("remove", &pip))?;
        if self.notes().is_none() {
            self.drop_part()?;
        }
        // That of others is tidied as far as it goes: it is no reason not to pull.
        let others = fs::read_dir(self.shelf.join(ALL)).into_iter().flatten().flatten();
        for other in others.map(|entry| entry.path()).filter(|path| *path != self.folder && path.is_dir()) {
            let Ok(Some(lock)) = try_lock(&other) else { continue };
            let _ = fs::remove_dir_all(other.join(PIP));
            if !other.join(NOTES).is_file() {
                let _ = fs::remove_file(other.join(PART));
                leave(&other);
            }
            drop(lock);
        }
        Ok(())
    }

    /// Puts the part into its place for good, and then the record that says so.
    pub(super) fn shelve(self, weights: &Path, record_path: &Path, record: &[u8]) -> Result<(), ModelError> {
        let part = self.part();
        let draft = self.folder.join(format!("{}.json", self.name));
        fs::write(&draft, record).map_err(ModelError::io("write", &draft))?;
        for path in [&part, &draft] {
            let sync = File::open(path).and_then(|file| file.sync_all());
            sync.map_err(ModelError::io("sync", path))?;
        }
        fs::rename(&part, weights).map_err(ModelError::io("put into place", weights))?;
        fs::rename(&draft, record_path).map_err(ModelError::io("put into place", record_path))?;
        sync_folder(&self.shelf).map_err(ModelError::io("sync", &self.shelf))?;
        self.clear()
    }

    /// Removes the folder with all that is in it.
    pub(super) fn clear(self) -> Result<(), ModelError> {
        self.drop_part()?;
        let pip = self.pip();
        gone(fs::remove_dir_all(&pip)).map_err(ModelError::io("remove", &pip))?;
        leave(&self.folder);
        Ok(())
    }
}

/// Removes the lock and then the folder, as long as the lock is held: what another process has put there since stays.
fn leave(folder: &Path) {
    let _ = fs::remove_file(folder.join(LOCK));
    let _ = fs::remove_dir(folder);
    if let Some(all) = folder.parent() {
        let _ = fs::remove_dir(all);
    }
}

/// The lock of a folder, which is made if it is not there; `None` where another process holds it.
fn try_lock(folder: &Path) -> Result<Option<File>, ModelError> {
    let path = folder.join(LOCK);
    let mut patience = 1_000;
    loop {
        match fs::create_dir_all(folder) {
            // Another process removes what is empty between two of the folders that are made.
            Err(error) if error.kind() == io::ErrorKind::NotFound && patience > 0 => {
                patience -= 1;
                continue;
            }
            made => made.map_err(ModelError::io("create", folder))?,
        }
        let file = match OpenOptions::new().write(true).create(true).truncate(false).open(&path) {
            Ok(file) => file,
            // The process that was here before has just removed the folder.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(ModelError::io("open", &path)(error)),
        };
        match file.try_lock() {
            // It may be the lock of a folder that is gone by now: then nobody else would know of it.
            Ok(()) if is_still(&file, &path) => return Ok(Some(file)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(ModelError::io("lock", &path)(error)),
        }
    }
}

/// Whether an open file is the one of this path.
#[cfg(unix)]
fn is_still(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(there)) => (open.dev(), open.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_still(_file: &File, path: &Path) -> bool {
    path.exists()
}

/// Removing what is not there has succeeded.
fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn take(shelf: &Path, name: &str) -> Pulling {
        let name = ModelName::parse(name).unwrap();
        Pulling::take(shelf, &name, Watch::nobody(), &CancellationToken::new()).await.unwrap()
    }

    #[tokio::test]
    async fn one_process_at_a_time_works_on_a_model_and_nothing_is_left() {
        let shelf = tempfile::tempdir().unwrap();
        let one = take(shelf.path(), "a").await;
        let _other = take(shelf.path(), "b").await;
        let name = ModelName::parse("a").unwrap();
        let stop = CancellationToken::new();
        stop.cancel();
        let refused = Pulling::take(shelf.path(), &name, Watch::nobody(), &stop).await;
        assert!(matches!(refused, Err(ModelError::Stopped { .. })));
        one.clear().unwrap();
        take(shelf.path(), "a").await.clear().unwrap();
        assert!(!shelf.path().join("pulling/a").exists());
    }

    #[tokio::test]
    async fn two_that_wait_get_it_one_after_the_other() {
        let shelf = tempfile::tempdir().unwrap();
        let first = take(shelf.path(), "a").await;
        let inside = std::sync::atomic::AtomicU32::new(0);
        let work = || async {
            let pulling = take(shelf.path(), "a").await;
            assert_eq!(inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0, "nobody else is here");
            tokio::task::yield_now().await;
            inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
            pulling.clear().unwrap();
        };
        tokio::join!(work(), work(), work(), async { first.clear().unwrap() });
        assert!(!shelf.path().join("pulling").exists());
    }

    #[tokio::test]
    async fn what_killed_processes_left_is_removed_but_for_downloads_that_can_go_on() {
        let shelf = tempfile::tempdir().unwrap();
        let all = shelf.path().join("pulling");
        for (folder, file) in [
            ("dead", "pip/wheels/a.whl"),
            ("dead", "weights.part"),
            ("later", "weights.part"),
            ("later", "weights.json"),
            ("own", "weights.part"),
            ("own", "pip/work/x"),
            ("busy", "weights.part"),
        ] {
            let path = all.join(folder).join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let busy = take(shelf.path(), "busy").await;
        let own = take(shelf.path(), "own").await;
        own.sweep().unwrap();
        assert!(!all.join("dead").exists());
        assert!(all.join("later/weights.part").exists(), "it can be continued");
        assert!(busy.part().exists(), "somebody is at it");
        assert_eq!(own.arrived(), 0);
        assert!(!own.pip().exists());
    }
}
