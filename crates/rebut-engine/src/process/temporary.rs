//! Temporary folders: one type and one clean-up rule for all of them; and removal.
//!
//! A folder is private to this user and locked while its owner lives. It is removed on drop; if this process is killed,
//! by its guard; if the guard was killed too, when another folder is made in the same place: one that can be locked and is
//! not new has no owner. Nothing inside the folder shows this, so a tool sees an empty one.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::guard::{self, Notice};
use super::lending::give_back;
use crate::chance::{is_mark, mark};

/// The system's folder for temporary files. An empty variable counts as unset.
pub(crate) fn temporary_folder() -> PathBuf {
    let folder = std::env::temp_dir();
    if folder.as_os_str().is_empty() { PathBuf::from("/tmp") } else { folder }
}

/// A temporary folder, deleted with everything in it on drop.
#[derive(Debug)]
pub(crate) struct TempFolder {
    path: PathBuf,
    /// The open, locked folder. `None` if the filesystem cannot lock folders; no sweep takes it then.
    _lock: Option<File>,
    /// The user's own files that are lent here: where they are in the folder, and where they belong.
    lent: Mutex<Vec<(PathBuf, PathBuf)>>,
}

/// Folders are called `rebut-PURPOSE-MARK`.
const PREFIX: &str = "rebut-";
/// How long a folder may be unlocked. Locking takes a moment; after this its maker must be dead.
const FRESH: Duration = Duration::from_mins(1);

impl TempFolder {
    /// The start of the name of every folder for this purpose.
    pub(crate) fn prefix(purpose: &str) -> String {
        format!("{PREFIX}{purpose}-")
    }

    /// Creates a folder in `parent`, and removes what killed processes left there.
    pub(crate) fn create_in(parent: &Path, purpose: &str) -> io::Result<Self> {
        sweep(parent);
        let path = parent.join(Self::prefix(purpose) + &mark());
        let mut builder = DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        let lock = try_lock(&path);
        guard::tell(&Notice::Made(path.clone()));
        Ok(Self { path, _lock: lock, lent: Mutex::default() })
    }

    /// Creates a folder for a tool that runs with this `TMPDIR`.
    pub(crate) fn for_tool(tmpdir: Option<&str>) -> io::Result<Self> {
        let parent = tmpdir.filter(|folder| !folder.is_empty()).map_or_else(temporary_folder, PathBuf::from);
        Self::create_in(&parent, "tool")
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes files; their names may contain folders.
    pub(crate) fn put(&self, files: &[(&'static str, String)]) -> io::Result<()> {
        files.iter().try_for_each(|(name, content)| fs::write(self.place(name)?, content))
    }

    /// Lends the user's own files: what a tool writes into one ends up in the user's file.
    pub(crate) fn lend(&self, files: &[(&'static str, PathBuf)]) -> io::Result<()> {
        for (name, file) in files {
            let place = self.place(name)?;
            // An agent that is started again finds them there.
            if place.symlink_metadata().is_err() {
                std::os::unix::fs::symlink(file, &place)?;
                guard::tell(&Notice::Lent { place: place.clone(), file: file.clone() });
                self.lent.lock().unwrap_or_else(PoisonError::into_inner).push((place, file.clone()));
            }
        }
        Ok(())
    }

    /// The variables that make a program keep its temporary files here.
    pub(crate) fn variables(&self) -> [(OsString, OsString); 3] {
        ["TMPDIR", "TMP", "TEMP"].map(|name| (name.into(), self.path().into()))
    }

    /// Removes it now, and reports errors. On drop the removal is tried once more.
    pub(crate) fn close(self) -> io::Result<()> {
        self.return_lent();
        remove(&self.path)
    }

    fn place(&self, name: &str) -> io::Result<PathBuf> {
        let place = self.path.join(name);
        fs::create_dir_all(place.parent().unwrap_or(&self.path))?;
        Ok(place)
    }

    fn return_lent(&self) {
        for (place, file) in self.lent.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            give_back(&place, &file, self.path.parent().unwrap_or(&self.path));
        }
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        self.return_lent();
        // What cannot be removed now is left to the guard and the next sweep.
        if remove(&self.path).is_ok() {
            guard::tell(&Notice::Deleted(self.path.clone()));
        }
    }
}

/// Removes the folders of killed processes: all of ours that can be locked and are not new.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
        let is_ours = name.rsplit_once('-').is_some_and(|(_, mark)| is_mark(mark));
        // A symlink of this name is not ours; another user's folder cannot be opened.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_ours && is_folder && !is_fresh(&entry) && try_lock(&entry.path()).is_some() {
            let _ = remove(&entry.path());
        }
    }
}

/// Removes a file, or a folder with everything in it, even if it is read-only as copies of a workspace are. Follows no
/// symlink; a missing place is no error.
pub(crate) fn remove(place: &Path) -> io::Result<()> {
    let removed = match place.symlink_metadata() {
        Ok(there) if there.is_dir() => {
            fs::remove_dir_all(place).or_else(|_| make_writable(place).and_then(|()| fs::remove_dir_all(place)))
        }
        Ok(_) => fs::remove_file(place),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn make_writable(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            make_writable(&entry.path())?;
        }
    }
    Ok(())
}

fn try_lock(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    file.try_lock().ok().map(|()| file)
}

fn is_fresh(entry: &fs::DirEntry) -> bool {
    let modified = entry.metadata().and_then(|metadata| metadata.modified()).ok();
    modified.and_then(|modified| modified.elapsed().ok()).is_none_or(|age| age < FRESH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_in_use_stays() {
        let parent = tempfile::tempdir().unwrap();
        let [left, being_made, of_others] = ["rebut-copy", "rebut-tool", "other"].map(|purpose| {
            let folder = parent.path().join(format!("{purpose}-{}", mark()));
            fs::create_dir(&folder).unwrap();
            folder
        });
        let an_hour_ago = std::time::SystemTime::now() - Duration::from_hours(1);
        for folder in [&left, &of_others] {
            File::open(folder).unwrap().set_modified(an_hour_ago).unwrap();
        }
        let living = TempFolder::create_in(parent.path(), "tool").unwrap();
        File::open(living.path()).unwrap().set_modified(an_hour_ago).unwrap();
        let _next = TempFolder::create_in(parent.path(), "copy").unwrap();
        assert!(!left.exists());
        assert!(being_made.exists() && living.path().exists() && of_others.exists());
    }

    #[test]
    fn credentials_that_a_tool_renews_reach_the_users_file_however_it_writes_them() {
        let home = tempfile::tempdir().unwrap();
        let (first, second, third) = (home.path().join("a"), home.path().join("b"), home.path().join("c"));
        for file in [&first, &second, &third] {
            fs::write(file, "old").unwrap();
        }
        let folder = TempFolder::for_tool(None).unwrap();
        let lent = [("x/a", first.clone()), ("x/b", second.clone()), ("c", third.clone())];
        folder.lend(&lent).unwrap();
        folder.lend(&lent).unwrap();
        fs::write(folder.path().join("x/a"), "written through").unwrap();
        fs::write(folder.path().join("new"), "renamed over it").unwrap();
        fs::rename(folder.path().join("new"), folder.path().join("x/b")).unwrap();
        fs::remove_file(folder.path().join("c")).unwrap();
        drop(folder);
        let held = [&first, &second, &third].map(|file| fs::read_to_string(file).unwrap());
        assert_eq!(held, ["written through", "renamed over it", "old"]);
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 3, "nothing is left beside them");
    }
}
