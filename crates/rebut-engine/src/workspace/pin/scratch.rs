//! A private folder among the system's temporary files, which goes with its owner, however that ends.
//!
//! Beside the folder is a file that this process holds a lock on. The system releases it when the process ends: a folder
//! whose lock is free was left behind. If this process is killed, its guard removes both; if the guard was killed too, the
//! next process that creates such a folder does.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::CopyError;
use crate::process::guard::{self, News};
use crate::process::remove;

/// What the names of such folders begin with.
const NAME: &str = "rebut-copy-";
/// What the names of their locks end with.
const LOCK: &str = ".lock";

/// A private folder. It is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: PathBuf,
    lock: PathBuf,
    _held: File,
}

impl Scratch {
    /// Creates one below `parent`. What dead processes left there is removed first.
    pub(crate) fn below(parent: &Path) -> Result<Self, CopyError> {
        sweep(parent);
        loop {
            let folder = parent.join(format!("{NAME}{}", crate::chance::mark()));
            let lock = folder.with_added_extension(&LOCK[1..]);
            let held = private().create_new(true).open(&lock).map_err(CopyError::io("create", &lock))?;
            held.try_lock().map_err(|error| CopyError::io("lock", &lock)(error.into()))?;
            // Another process that swept between these two lines took the file for one that was left behind.
            if !is_still(&held, &lock) {
                continue;
            }
            let scratch = Self { folder, lock, _held: held };
            // The lock goes last, so that a folder is never without one.
            guard::tell(&News::Made(scratch.folder.clone()));
            guard::tell(&News::Made(scratch.lock.clone()));
            crate::journal::create_folder(&scratch.folder).map_err(CopyError::io("create", &scratch.folder))?;
            return Ok(scratch);
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    /// Removes it, and says whether that went well.
    pub(crate) fn close(self) -> io::Result<()> {
        self.remove()
    }

    fn remove(&self) -> io::Result<()> {
        remove(&self.folder)?;
        remove(&self.lock)?;
        guard::tell(&News::Deleted(self.folder.clone()));
        guard::tell(&News::Deleted(self.lock.clone()));
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is swept by the next one.
        let _ = self.remove();
    }
}

/// The path in the workspace of a path in a copy of it, whichever copy that was.
pub(crate) fn below_copy(path: &str) -> Option<&str> {
    let (above, rest) = path.split_once(NAME)?;
    let (mark, inside) = rest.split_once(['/', '\\'])?;
    let absolute = above.ends_with(['/', '\\']) && Path::new(above).is_absolute();
    (absolute && crate::chance::is_mark(mark)).then_some(inside)
}

/// Removes the folders that processes of this user left behind when they were killed. Others' are not touched.
fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_lock = name.to_str().is_some_and(|name| name.starts_with(NAME) && name.ends_with(LOCK));
        let lock = entry.path();
        if !is_lock || !is_ours(&lock) {
            continue;
        }
        let Ok(held) = private().open(&lock) else { continue };
        if held.try_lock().is_err() || !is_still(&held, &lock) {
            continue;
        }
        let folder = lock.with_extension("");
        if (is_ours(&folder) && remove(&folder).is_ok()) || !folder.exists() {
            let _ = fs::remove_file(&lock);
        }
    }
}

#[cfg(unix)]
use unix::{is_ours, is_still, private};

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

    use rustix::fs::OFlags;

    use super::{File, OpenOptions, Path};

    /// Options for a lock: for this user only, and never the target of a symlink.
    pub(super) fn private() -> OpenOptions {
        let mut options = OpenOptions::new();
        options.read(true).write(true).mode(0o600);
        options.custom_flags(i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or(0));
        options
    }

    /// Whether the file of this name is the one that is open.
    pub(super) fn is_still(open: &File, path: &Path) -> bool {
        let (Ok(open), Ok(named)) = (open.metadata(), path.symlink_metadata()) else { return false };
        (open.dev(), open.ino()) == (named.dev(), named.ino())
    }

    /// Whether it belongs to this user; a symlink itself, not its target.
    pub(super) fn is_ours(path: &Path) -> bool {
        path.symlink_metadata().is_ok_and(|there| there.uid() == rustix::process::geteuid().as_raw())
    }
}

#[cfg(not(unix))]
use elsewhere::{is_ours, is_still, private};

#[cfg(not(unix))]
mod elsewhere {
    use super::{File, OpenOptions, Path};

    pub(super) fn private() -> OpenOptions {
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        options
    }

    pub(super) fn is_still(_open: &File, path: &Path) -> bool {
        path.exists()
    }

    pub(super) fn is_ours(path: &Path) -> bool {
        // The folder for temporary files is the user's own here.
        path.exists()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_by_where_any_copy_lies_is_the_workspaces() {
        let mark = crate::chance::mark();
        assert_eq!(below_copy(&format!("/tmp/rebut-copy-{mark}/src/pool.rs")), Some("src/pool.rs"));
        assert_eq!(below_copy(&format!("/tmp/rebut-copy-{mark}/../x")), Some("../x"));
        for path in [
            format!("/tmp/rebut-copy-{mark}"),
            format!("rebut-copy-{mark}/src/pool.rs"),
            format!("/tmp/my-rebut-copy-{mark}/x"),
            format!("/tmp/rebut-copy-{mark}0/x"),
            "/tmp/rebut-copy-notes/x".to_owned(),
        ] {
            assert_eq!(below_copy(&path), None, "{path}");
        }
    }
}
