//! A folder for the temporary files of one call, or of an agent as long as it is kept.
//!
//! Tools leave things behind where they are killed, and some when they fail: one writes the whole prompt into a file
//! there. What is in this folder goes with it.

use std::ffi::OsString;
#[cfg(unix)]
use std::fs::File;
use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use crate::process::guard::{self, News};
use crate::process::lending::give_back;
use crate::process::{remove, temporary_folder};

/// The folder. It is deleted with everything in it when this is dropped.
#[derive(Debug)]
pub(in crate::providers) struct Scratch {
    folder: PathBuf,
    /// The folder itself, locked as long as this lives: one whose lock can be had is nobody's.
    _owned: Lock,
    /// Files of the person that stand in it too: where, and where they really are.
    lent: Mutex<Vec<(PathBuf, PathBuf)>>,
}

#[cfg(unix)]
type Lock = File;
#[cfg(not(unix))]
type Lock = ();

/// How the name of every such folder begins.
const PREFIX: &str = "rebut-";

/// How the rest begins until it is locked.
const NEW: &str = "new-";

impl Scratch {
    /// Makes a folder of its own below `parent`, or below the system's folder for such things, for this user only.
    ///
    /// What earlier processes left there when they were killed is cleared away first, once a process.
    pub(in crate::providers) fn create(parent: Option<&str>) -> io::Result<Self> {
        static CLEARED: Once = Once::new();
        let parent = parent.filter(|parent| !parent.is_empty()).map_or_else(temporary_folder, PathBuf::from);
        CLEARED.call_once(|| clear(&parent));
        let mark = crate::chance::mark();
        let folder = parent.join(format!("{PREFIX}{mark}"));
        // Under a name that nobody clears away, until it is locked: somebody else may be clearing at this moment.
        let unlocked = parent.join(format!("{PREFIX}{NEW}{mark}"));
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&unlocked)?;
        let made = locked(&unlocked).and_then(|owned| fs::rename(&unlocked, &folder).map(|()| owned));
        let owned = made.inspect_err(|_| drop(fs::remove_dir(&unlocked)))?;
        guard::tell(&News::Made(folder.clone()));
        Ok(Self { _owned: owned, folder, lent: Mutex::default() })
    }

    /// Puts files there; their names may have folders in them.
    pub(in crate::providers) fn put(&self, files: &[(&'static str, String)]) -> io::Result<()> {
        files.iter().try_for_each(|(name, content)| fs::write(self.place(name)?, content))
    }

    /// Lets files of the person stand there too: what a tool writes into one of them is written into the person's own.
    pub(in crate::providers) fn lend(&self, files: &[(&'static str, PathBuf)]) -> io::Result<()> {
        for (name, file) in files {
            let place = self.place(name)?;
            // An agent that is started again finds them there.
            if place.symlink_metadata().is_err() {
                #[cfg(unix)]
                std::os::unix::fs::symlink(file, &place)?;
                #[cfg(not(unix))]
                fs::copy(file, &place)?;
                guard::tell(&News::Lent { place: place.clone(), file: file.clone() });
                self.lent.lock().unwrap_or_else(PoisonError::into_inner).push((place, file.clone()));
            }
        }
        Ok(())
    }

    fn place(&self, name: &str) -> io::Result<PathBuf> {
        let place = self.folder.join(name);
        fs::create_dir_all(place.parent().unwrap_or(&self.folder))?;
        Ok(place)
    }

    /// The variables that send a program there.
    pub(in crate::providers) fn variables(&self) -> [(OsString, OsString); 3] {
        ["TMPDIR", "TMP", "TEMP"].map(|name| (name.into(), self.path().into()))
    }

    /// Where it is.
    pub(in crate::providers) fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        for (place, file) in self.lent.get_mut().unwrap_or_else(PoisonError::into_inner) {
            give_back(place, file, self.folder.parent().unwrap_or(&self.folder));
        }
        // Nothing can be done about what cannot be deleted, and the answer counts more.
        let _ = remove(&self.folder);
        guard::tell(&News::Deleted(self.folder.clone()));
    }
}

/// A folder is locked as a file is; nothing in it tells of that.
#[cfg(unix)]
fn locked(folder: &Path) -> io::Result<Lock> {
    let owned = File::open(folder)?;
    owned.try_lock()?;
    Ok(owned)
}

/// Elsewhere a folder cannot be locked, and nobody clears away.
#[cfg(not(unix))]
fn locked(_folder: &Path) -> io::Result<Lock> {
    Ok(())
}

/// Deletes what processes left that were killed: every folder of ours whose lock can be had. One that was being made is
/// locked within a moment: after a minute nobody is at it any more.
fn clear(parent: &Path) {
    const MAKING: Duration = Duration::from_mins(1);
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let is_mark = |mark: &str| mark.len() == 32 && mark.chars().all(|c| c.is_ascii_hexdigit());
    let is_old = |entry: &fs::DirEntry| {
        let made = entry.metadata().and_then(|there| there.modified()).ok();
        made.and_then(|made| made.elapsed().ok()).is_some_and(|age| age > MAKING)
    };
    let is_ours = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let name = name.to_str().and_then(|name| name.strip_prefix(PREFIX)).unwrap_or_default();
        is_mark(name) || name.strip_prefix(NEW).is_some_and(is_mark) && is_old(entry)
    };
    for entry in entries.filter(is_ours) {
        // A link of this name is not ours; a folder of somebody else cannot be deleted.
        #[cfg(unix)]
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && locked(&entry.path()).is_ok() {
            let _ = remove(&entry.path());
        }
        #[cfg(not(unix))]
        let _ = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_is_set_to_nothing_is_not_set() {
        let scratch = Scratch::create(Some("")).unwrap();
        assert!(scratch.path().is_absolute(), "{}", scratch.path().display());
    }

    #[test]
    fn what_a_call_leaves_in_its_folder_goes_with_it() {
        let scratch = Scratch::create(None).unwrap();
        let folder = scratch.path().to_owned();
        std::fs::create_dir(folder.join("deep")).unwrap();
        std::fs::write(folder.join("deep/prompt.json"), "secret").unwrap();
        drop(scratch);
        assert!(!folder.exists());
    }

    #[test]
    fn what_a_killed_process_left_is_cleared_away_and_what_is_in_use_stays() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        let left = at(&format!("{PREFIX}{}", crate::chance::mark()));
        let [half_made, being_made] = [(); 2].map(|()| at(&format!("{PREFIX}{NEW}{}", crate::chance::mark())));
        for folder in [&left, &half_made, &being_made, &at("rebut-notes"), &at("other")] {
            fs::create_dir(folder).unwrap();
        }
        let an_hour_ago = std::time::SystemTime::now() - Duration::from_hours(1);
        File::open(&half_made).unwrap().set_modified(an_hour_ago).unwrap();
        let living = Scratch::create(parent.path().to_str()).unwrap();
        // Whichever test of this process was the first has cleared another folder.
        clear(parent.path());
        assert!(!left.exists() && !half_made.exists());
        assert!(being_made.exists());
        assert!(living.path().exists() && at("rebut-notes").exists() && at("other").exists());
    }

    #[test]
    fn a_folder_that_is_being_made_is_cleared_away_by_nobody() {
        let parent = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            let clearing: Vec<_> = (0..2).map(|_| scope.spawn(|| (0..300).for_each(|_| clear(parent.path())))).collect();
            while clearing.iter().any(|thread| !thread.is_finished()) {
                let scratch = Scratch::create(parent.path().to_str()).unwrap();
                scratch.put(&[("deep/file", "x".to_owned())]).unwrap();
                assert!(scratch.path().join("deep/file").exists());
            }
        });
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn credentials_that_a_tool_renews_are_the_persons_however_it_writes_them() {
        let home = tempfile::tempdir().unwrap();
        let (first, second, third) = (home.path().join("a"), home.path().join("b"), home.path().join("c"));
        for file in [&first, &second, &third] {
            fs::write(file, "old").unwrap();
        }
        let scratch = Scratch::create(None).unwrap();
        let lent = [("x/a", first.clone()), ("x/b", second.clone()), ("c", third.clone())];
        scratch.lend(&lent).unwrap();
        scratch.lend(&lent).unwrap();
        fs::write(scratch.path().join("x/a"), "written through").unwrap();
        fs::write(scratch.path().join("new"), "put in its place").unwrap();
        fs::rename(scratch.path().join("new"), scratch.path().join("x/b")).unwrap();
        fs::remove_file(scratch.path().join("c")).unwrap();
        drop(scratch);
        let held = [&first, &second, &third].map(|file| fs::read_to_string(file).unwrap());
        assert_eq!(held, ["written through", "put in its place", "old"]);
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 3, "nothing is left beside them");
    }
}
