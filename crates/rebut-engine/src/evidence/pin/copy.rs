//! A read-only folder with the files of a pin, for tools to look around in.
//!
//! It lies where temporary files do, outside of every repository: what looks for one above it finds none. Beside the
//! folder stands a file that this process holds a lock on. The system lets go of it when the process ends, however it
//! ends: a copy whose lock is free was left behind, and the next one that is made takes it away.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::facts::leave_out;
use super::{Files, Kind, LeftOut, Pin, ReadError, Why};
use crate::workspace::git::as_path;

/// What the names of copies begin with.
const NAME: &str = "rebut-copy-";
/// What the names of their locks end with.
const LOCK: &str = ".lock";

/// A copy of a pin. It is removed when this is dropped.
#[derive(Debug)]
pub struct Copy {
    folder: PathBuf,
    lock: PathBuf,
    /// Held, not used.
    _held: File,
    missing: Vec<LeftOut>,
}

/// What a copy is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// Nobody may change it.
    Reading,
    /// Its owner may.
    Working,
}

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// Tools would find that repository above the copy, and look there.
    #[error("the folder for temporary files, {folder}, lies in the repository {repository}; set TMPDIR to one outside")]
    InRepository {
        /// Where the copy was to be.
        folder: PathBuf,
        /// The repository.
        repository: PathBuf,
    },
    /// The system said no.
    #[error("failed to {doing} {path}: {source}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The pin gives no content.
    #[error("failed to read {path} of the pinned workspace: {source}")]
    Pin {
        /// The file.
        path: String,
        /// Why.
        source: ReadError,
    },
}

impl CopyError {
    fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }
}

impl Pin {
    /// Lays the files out in a new folder below `parent`, the system's folder for temporary files. What dead processes
    /// left there is taken away first.
    ///
    /// Contents that are not kept are not there, and neither are links that lead out or in a circle.
    pub fn lay_out(&self, parent: &Path) -> Result<Copy, CopyError> {
        self.lay_out_for(Use::Reading, parent)
    }

    /// The same in a folder that may be written to, for a command of the person's own: tests and builds leave files.
    pub fn lay_out_to_work_in(&self, parent: &Path) -> Result<Copy, CopyError> {
        self.lay_out_for(Use::Working, parent)
    }

    fn lay_out_for(&self, purpose: Use, parent: &Path) -> Result<Copy, CopyError> {
        let parent = parent.canonicalize().map_err(CopyError::io("look at", parent))?;
        if let Some(repository) = parent.ancestors().find(|folder| folder.join(".git").exists()) {
            return Err(CopyError::InRepository { folder: parent.clone(), repository: repository.to_owned() });
        }
        sweep(&parent);
        let mut copy = Copy::begin(&parent)?;
        self.fill(&mut copy, purpose)?;
        Ok(copy)
    }

    fn fill(&self, copy: &mut Copy, purpose: Use) -> Result<(), CopyError> {
        // Entries come in the order of their paths' bytes: the files of a folder may have others between them, such as
        // `a.rs` between `a/x` and `a`, and every folder is closed only once all is there.
        let mut folders = vec![copy.folder.clone()];
        for entry in self.entries() {
            let target = match entry.kind {
                Kind::Left(why) => {
                    leave_out(&mut copy.missing, why, entry.bytes());
                    continue;
                }
                Kind::Link if self.leads_to(entry.bytes()).is_err() => {
                    leave_out(&mut copy.missing, Why::LeadsOut, entry.bytes());
                    continue;
                }
                Kind::Link | Kind::File { .. } => copy.folder.join(as_path(entry.bytes())),
            };
            let above = target.parent().unwrap_or(&copy.folder);
            if folders.last().is_none_or(|last| last != above) {
                make_folders(&copy.folder, above, &mut folders)?;
            }
            let read = self.content(entry);
            let bytes = read.map_err(|source| CopyError::Pin { path: entry.path().to_owned(), source })?.bytes;
            let made = match entry.kind {
                Kind::File { executable } => write(&target, &bytes, executable, purpose),
                _ => link(&as_path(&bytes), &target),
            };
            made.map_err(CopyError::io("write", &target))?;
        }
        if purpose == Use::Working {
            return Ok(());
        }
        // The deepest first: a folder that may not be written to still lets its own folders be closed.
        folders.sort_unstable();
        folders.dedup();
        let closed = folders.iter().rev().try_for_each(|folder| close(folder).map_err(CopyError::io("close", folder)));
        closed.and_then(|()| close_to_others(&copy.folder).map_err(CopyError::io("close", &copy.folder)))
    }
}

/// Makes the folders down to `folder`, and remembers them.
fn make_folders(root: &Path, folder: &Path, folders: &mut Vec<PathBuf>) -> Result<(), CopyError> {
    fs::create_dir_all(folder).map_err(CopyError::io("create", folder))?;
    let mut above: Vec<_> = folder.ancestors().take_while(|ancestor| *ancestor != root).map(Path::to_owned).collect();
    above.reverse();
    folders.extend(above);
    Ok(())
}

impl Copy {
    /// Where the files are.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// What is in the workspace and not here: everything that the pin left out, and links that lead out.
    pub fn missing(&self) -> &[LeftOut] {
        &self.missing
    }

    /// Removes it, and says whether that went well.
    pub fn close(self) -> io::Result<()> {
        self.remove()
    }

    fn begin(parent: &Path) -> Result<Self, CopyError> {
        loop {
            let folder = parent.join(format!("{NAME}{}", crate::chance::mark()));
            let lock = folder.with_added_extension(&LOCK[1..]);
            let held = private().create_new(true).open(&lock).map_err(CopyError::io("create", &lock))?;
            held.try_lock().map_err(|error| CopyError::io("lock", &lock)(error.into()))?;
            // Somebody who swept between these two lines took the file for one that was left behind.
            if !is_still(&held, &lock) {
                continue;
            }
            let copy = Self { folder, lock, _held: held, missing: Vec::new() };
            crate::journal::create_folder(&copy.folder).map_err(CopyError::io("create", &copy.folder))?;
            return Ok(copy);
        }
    }

    fn remove(&self) -> io::Result<()> {
        remove(&self.folder)?;
        // The lock goes last, so that a copy is never without one.
        fs::remove_file(&self.lock)
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        // What cannot be removed now is swept by the next one; nobody is left to be told.
        let _ = self.remove();
    }
}

/// Removes the copies that processes of this user left behind when they were killed. Others' are not touched.
pub(super) fn sweep(parent: &Path) {
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

/// Removes a folder that may be read-only. What is not there is removed already.
fn remove(folder: &Path) -> io::Result<()> {
    open_up(folder)?;
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(unix)]
use unix::{close, close_to_others, is_ours, is_still, link, open_up, private, write};

#[cfg(unix)]
mod unix {
    use std::io::Write;
    use std::os::fd::{AsFd, BorrowedFd};
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};

    use rustix::fs::{Dir, FileType, Mode, OFlags};

    use super::{File, OpenOptions, Path, Use, fs, io};

    /// Options for a lock: nobody else's, and never another file behind a link.
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

    /// Whether it belongs to this user. A link is its own, not what it points to.
    pub(super) fn is_ours(path: &Path) -> bool {
        path.symlink_metadata().is_ok_and(|there| there.uid() == rustix::process::geteuid().as_raw())
    }

    pub(super) fn write(path: &Path, content: &[u8], executable: bool, purpose: Use) -> io::Result<()> {
        // Whoever creates a file may write to it, also where nobody may from then on.
        let mode = match (purpose, executable) {
            (Use::Reading, true) => 0o555,
            (Use::Reading, false) => 0o444,
            (Use::Working, true) => 0o700,
            (Use::Working, false) => 0o600,
        };
        OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?.write_all(content)
    }

    pub(super) fn link(target: &Path, path: &Path) -> io::Result<()> {
        std::os::unix::fs::symlink(target, path)
    }

    /// Takes the right to write to a folder away.
    pub(super) fn close(folder: &Path) -> io::Result<()> {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o555))
    }

    /// The same for the copy as a whole, which is nobody else's business.
    pub(super) fn close_to_others(folder: &Path) -> io::Result<()> {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o500))
    }

    /// Gives it back, for the folder and all below it. No link is followed.
    pub(super) fn open_up(folder: &Path) -> io::Result<()> {
        match rustix::fs::open(folder, FOLDER, Mode::empty()) {
            Ok(folder) => open_up_below(folder.as_fd()),
            Err(rustix::io::Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

    fn open_up_below(folder: BorrowedFd<'_>) -> io::Result<()> {
        rustix::fs::fchmod(folder, Mode::RWXU)?;
        for entry in Dir::read_from(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(entry.file_type(), FileType::Directory | FileType::Unknown)
                && !matches!(name.to_bytes(), b"." | b"..")
            {
                // What is no folder, or gone, needs no opening up.
                if let Ok(below) = rustix::fs::openat(folder, name, FOLDER, Mode::empty()) {
                    open_up_below(below.as_fd())?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(not(unix))]
use elsewhere::{close, close_to_others, is_ours, is_still, link, open_up, private, write};

#[cfg(not(unix))]
mod elsewhere {
    use super::{File, OpenOptions, Path, Use, fs, io};

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

    pub(super) fn write(path: &Path, content: &[u8], _executable: bool, purpose: Use) -> io::Result<()> {
        fs::write(path, content)?;
        if purpose == Use::Working {
            return Ok(());
        }
        let mut permissions = fs::metadata(path)?.permissions();
        permissions.set_readonly(true);
        fs::set_permissions(path, permissions)
    }

    pub(super) fn link(_target: &Path, _path: &Path) -> io::Result<()> {
        // Links need a right of their own here; the file that it leads to is there under its own name.
        Ok(())
    }

    pub(super) fn close(_folder: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn close_to_others(_folder: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn open_up(folder: &Path) -> io::Result<()> {
        let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
        for entry in entries.flatten() {
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open_up(&entry.path())?;
            } else if kind.is_file() {
                let mut permissions = entry.metadata()?.permissions();
                #[expect(clippy::permissions_set_readonly_false, reason = "the file is about to be removed")]
                permissions.set_readonly(false);
                fs::set_permissions(entry.path(), permissions)?;
            }
        }
        Ok(())
    }
}
