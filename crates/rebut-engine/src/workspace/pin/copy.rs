//! A read-only folder with the files of a pin, for tools to look around in.
//!
//! It is a temporary folder outside of every repository: a tool that looks for one above it finds none.
//!
//! Modes stop neither root nor the owner, and all seats read one copy. So before each call the copy is compared with its
//! files, and whatever differs is written again. Moving to another version after a revision is the same work.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::{Entry, Files, Kind, LeftOut, PathError, Pin, ReadError, walker};
use crate::process::{TempFolder, remove};
use crate::workspace::git::as_path;

/// A copy of a pin. It is removed when this is dropped.
#[derive(Debug)]
pub struct Copy {
    folder: TempFolder,
    purpose: Use,
    missing: Vec<LeftOut>,
    laid: Mutex<CopyState>,
}

/// What lies in a copy.
#[derive(Debug, Default)]
struct CopyState {
    /// The paths in which it may differ from the pin.
    revised: BTreeSet<String>,
    /// The version that it was brought to; none if it is still the pin's own.
    version: Option<Arc<dyn Files>>,
    stamps: Stamps,
}

/// Every file and symlink as it was when it was written, by path.
type Stamps = BTreeMap<String, Stamp>;

/// What identifies a file as the one that was written. The last of its times cannot be set back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    inode_and_mode: (u64, u32),
    size: u64,
    modified: Option<SystemTime>,
    changed: SystemTime,
}

impl Stamp {
    fn of(there: &Metadata) -> Self {
        Self {
            inode_and_mode: (there.ino(), there.mode()),
            size: there.len(),
            modified: there.modified().ok(),
            changed: walker::changed(there),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// Nothing may change it.
    Reading,
    Working,
}

const PURPOSE: &str = "copy";

/// The path in the workspace of a file that is named by its path in any copy.
pub(crate) fn below_copy(path: &str) -> Option<&str> {
    let (above, rest) = path.split_once(&TempFolder::prefix(PURPOSE))?;
    let (mark, inside) = rest.split_once(['/', '\\'])?;
    let absolute = above.ends_with(['/', '\\']) && Path::new(above).is_absolute();
    (absolute && crate::chance::is_mark(mark)).then_some(inside)
}

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    #[error("can't use the folder for temporary files, {folder}: {source}; set TMPDIR to one that exists")]
    NoFolder { folder: PathBuf, source: io::Error },
    /// Tools would find that repository above the copy, and look there.
    #[error("the folder for temporary files, {folder}, is inside the repository {repository}; set TMPDIR to one outside")]
    InRepository { folder: PathBuf, repository: PathBuf },
    #[error(transparent)]
    Io(#[from] PathError),
    #[error("failed to read {path} of the pinned workspace: {source}")]
    Pin { path: String, source: ReadError },
}

impl Pin {
    /// Writes the files to a new folder in `parent`, except what the pin left out and symlinks that lead out or in a
    /// circle.
    pub fn lay_out(&self, parent: &Path) -> Result<Copy, CopyError> {
        self.lay_out_for(Use::Reading, parent)
    }

    /// The same in a writable folder, for a command of the user: tests and builds leave files.
    pub fn lay_out_to_work_in(&self, parent: &Path) -> Result<Copy, CopyError> {
        self.lay_out_for(Use::Working, parent)
    }

    fn lay_out_for(&self, purpose: Use, parent: &Path) -> Result<Copy, CopyError> {
        let no_folder = |source| CopyError::NoFolder { folder: parent.to_owned(), source };
        let parent = parent.canonicalize().map_err(no_folder)?;
        if let Some(repository) = parent.ancestors().find(|folder| folder.join(".git").exists()) {
            return Err(CopyError::InRepository { folder: parent.clone(), repository: repository.to_owned() });
        }
        let folder = TempFolder::create_in(&parent, PURPOSE).map_err(PathError::at("create a folder in", &parent))?;
        let (_, missing) = self.laid_out();
        let copy = Copy { folder, purpose, missing, laid: Mutex::default() };
        copy.make_equal(self, &mut copy.laid.lock().unwrap_or_else(PoisonError::into_inner).stamps)?;
        Ok(copy)
    }
}

impl Copy {
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// What is in the workspace and not here: everything that the pin left out, and symlinks that lead out.
    pub fn missing(&self) -> &[LeftOut] {
        &self.missing
    }

    pub fn close(self) -> Result<(), String> {
        let left = self.path().to_owned();
        self.folder.close().map_err(|error| format!("can't remove its copy of the workspace, {}: {error}", left.display()))
    }

    /// Brings it to another version, later or earlier: `files` is all of it, and `revised` are the paths in which it
    /// differs from what the copy was made of.
    pub(crate) fn bring_to(&self, files: &Arc<dyn Files>, revised: &BTreeSet<String>) -> Result<(), CopyError> {
        let mut laid = self.laid.lock().unwrap_or_else(PoisonError::into_inner);
        // Even if this fails half-way, these are the paths that may differ from the pin.
        laid.revised.extend(revised.iter().cloned());
        let CopyState { revised: differing, stamps, .. } = &mut *laid;
        stamps.retain(|path, _| !differing.contains(path));
        self.make_equal(&**files, stamps)?;
        laid.revised.clone_from(revised);
        laid.version = Some(Arc::clone(files));
        Ok(())
    }

    /// Makes it what it was when it was laid out or last brought to a version; `first` is what it was made of.
    pub(crate) fn restore(&self, first: &Arc<dyn Files>) -> Result<(), CopyError> {
        let mut laid = self.laid.lock().unwrap_or_else(PoisonError::into_inner);
        let CopyState { version, stamps, .. } = &mut *laid;
        self.make_equal(&**version.as_ref().unwrap_or(first), stamps)
    }

    /// Writes every file that is not there as its stamp says, and removes whatever else is there.
    fn make_equal(&self, files: &dyn Files, stamps: &mut Stamps) -> Result<(), CopyError> {
        let entries = files.entries().iter().filter(|entry| files.stays_out(entry).is_none());
        let wanted: BTreeMap<&str, &Entry> = entries.map(|entry| (entry.path(), entry)).collect();
        let (intact, foreign) = self.compare(&wanted, stamps)?;
        let lost: Vec<&Entry> = wanted.values().filter(|entry| !intact.contains(entry.path())).copied().collect();
        let mut opened = BTreeSet::new();
        let made = self.replace(files, &foreign, &lost, &mut opened, stamps);
        // The deepest first: a folder that may not be written to still lets its own folders be closed.
        let closed = opened.iter().rev().filter(|folder| folder.exists()).try_for_each(|folder| self.close_folder(folder));
        made.and(closed)?;
        stamps.retain(|path, _| wanted.contains_key(path.as_str()));
        Ok(())
    }

    /// What in it is as it was written, and what does not belong there. Folders that were opened are closed again.
    fn compare(
        &self,
        wanted: &BTreeMap<&str, &Entry>,
        stamps: &Stamps,
    ) -> Result<(BTreeSet<String>, Vec<PathBuf>), CopyError> {
        let parents = |path: &str| path.match_indices('/').map(|(at, _)| path[..at].to_owned()).collect::<Vec<_>>();
        let folders: BTreeSet<String> = wanted.keys().flat_map(|path| parents(path)).collect();
        let is_file = |path: &str| wanted.get(path).is_some_and(|entry| matches!(entry.kind, Kind::File { .. }));
        let (mut intact, mut foreign) = (BTreeSet::new(), Vec::new());
        let mut ahead = vec![String::new()];
        while let Some(folder) = ahead.pop() {
            let whole = self.path().join(&folder);
            let failed = || PathError::at("read", &whole);
            // Where the folder was removed, all that was in it is lost.
            if fs::symlink_metadata(&whole).is_err() {
                continue;
            }
            if self.purpose == Use::Reading {
                self.close_folder(&whole)?;
            }
            for entry in fs::read_dir(&whole).map_err(failed())? {
                let entry = entry.map_err(failed())?;
                let Ok(there) = fs::symlink_metadata(entry.path()) else { continue };
                let path = entry.file_name().into_string().ok();
                let path = path.map(|name| if folder.is_empty() { name } else { format!("{folder}/{name}") });
                match path {
                    Some(path) if stamps.get(&path) == Some(&Stamp::of(&there)) && wanted.contains_key(path.as_str()) => {
                        intact.insert(path);
                    }
                    Some(path) if there.is_dir() && folders.contains(&path) => ahead.push(path),
                    // It is replaced as a whole, and is never missing meanwhile.
                    Some(path) if there.is_file() && is_file(path.as_str()) => {}
                    _ => foreign.push(entry.path()),
                }
            }
        }
        Ok((intact, foreign))
    }

    fn replace(
        &self,
        files: &dyn Files,
        foreign: &[PathBuf],
        lost: &[&Entry],
        opened: &mut BTreeSet<PathBuf>,
        stamps: &mut Stamps,
    ) -> Result<(), CopyError> {
        for path in foreign {
            self.open_down_to(path.parent().unwrap_or(self.path()), opened)?;
            remove(path).map_err(PathError::at("remove", path))?;
        }
        for entry in lost {
            let target = self.path().join(as_path(entry.bytes()));
            self.open_down_to(target.parent().unwrap_or(self.path()), opened)?;
            let read = files.content(entry);
            let bytes = read.map_err(|source| CopyError::Pin { path: entry.path().to_owned(), source })?.bytes;
            let written = match entry.kind {
                Kind::File { executable } => self.write(&target, &bytes, executable),
                Kind::Symlink | Kind::Left(_) => symlink(as_path(&bytes), &target),
            };
            written.map_err(PathError::at("write", &target))?;
            let there = fs::symlink_metadata(&target).map_err(PathError::at("read", &target))?;
            stamps.insert(entry.path().to_owned(), Stamp::of(&there));
        }
        Ok(())
    }

    /// Makes the folders down to this one writable, and creates those that are missing.
    fn open_down_to(&self, folder: &Path, opened: &mut BTreeSet<PathBuf>) -> Result<(), CopyError> {
        if opened.contains(folder) {
            return Ok(());
        }
        if let Some(above) = folder.parent().filter(|above| above.starts_with(self.path())) {
            self.open_down_to(above, opened)?;
        }
        let made = match fs::symlink_metadata(folder) {
            Ok(there) if there.is_dir() => set_mode(folder, 0o700),
            Ok(_) => Err(io::ErrorKind::NotADirectory.into()),
            Err(_) => crate::store::files::create_folder(folder),
        };
        made.map_err(PathError::at("create", folder))?;
        opened.insert(folder.to_owned());
        Ok(())
    }

    /// Takes the right to write to a folder away; what is in the copy is no other user's business.
    fn close_folder(&self, folder: &Path) -> Result<(), CopyError> {
        let mode = match self.purpose {
            Use::Working => return Ok(()),
            Use::Reading if folder == self.path() => 0o500,
            Use::Reading => 0o555,
        };
        Ok(set_mode(folder, mode).map_err(PathError::at("close", folder))?)
    }

    /// Writes a file; one that is there is replaced as a whole.
    fn write(&self, target: &Path, content: &[u8], executable: bool) -> io::Result<()> {
        let mode = match (self.purpose, executable) {
            (Use::Reading, true) => 0o555,
            (Use::Reading, false) => 0o444,
            (Use::Working, true) => 0o700,
            (Use::Working, false) => 0o600,
        };
        match create(target, content, mode) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // A name that no file has.
                let unfinished = target.with_file_name(format!(".{}", crate::chance::mark()));
                create(&unfinished, content, mode).and_then(|()| fs::rename(&unfinished, target)).inspect_err(|_| {
                    // The error is reported; half a file must not stay behind either way.
                    let _ = fs::remove_file(&unfinished);
                })
            }
            created => created,
        }
    }
}

/// Writes a new file. The mode counts from then on, not for this write.
fn create(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    options.open(path)?.write_all(content)
}

fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, PermissionsExt::from_mode(mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_any_copy_names_a_file_of_the_workspace() {
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
