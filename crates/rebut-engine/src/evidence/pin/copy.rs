//! A read-only folder with the files of a pin, for tools to look around in.
//!
//! It lies where temporary files do, outside of every repository: what looks for one above it finds none.
//!
//! A debate that revises what it is about moves its copy on: files of which a revision makes something else are replaced,
//! each as a whole, and the rest stays as it was laid out.
//!
//! Modes hold nobody who owns the files or is root, and all seats read one copy. So it is looked at before each of them is
//! asked, and whatever is not as it was laid out is laid out anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::facts::leave_out;
use super::inside;
use super::rights::{close, close_to_others, is_closed, link, number_and_mode, reopen, write};
use super::{Files, Kind, LeftOut, Pin, ReadError};
use crate::process::{TempFolder, remove};
use crate::workspace::git::as_path;

/// A copy of a pin. It is removed when this is dropped.
#[derive(Debug)]
pub struct Copy {
    folder: TempFolder,
    purpose: Use,
    missing: Vec<LeftOut>,
    laid: Mutex<Laid>,
}

/// What lies in a copy.
#[derive(Default)]
struct Laid {
    /// The paths of which a revision has made something else than the pin has.
    revised: BTreeSet<Vec<u8>>,
    /// The version that it was brought to; none where it is still the pin's own.
    version: Option<Arc<dyn Files>>,
    /// Every file and link as it was when it was laid out; nothing for a copy that may be written to.
    stamps: BTreeMap<Vec<u8>, Stamp>,
}

impl std::fmt::Debug for Laid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Laid").field("revised", &self.revised).field("files", &self.stamps.len()).finish_non_exhaustive()
    }
}

/// By what a file is known to be the one that was laid out. The last of its times cannot be set back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    file: (u64, u32),
    size: u64,
    modified: Option<SystemTime>,
    changed: SystemTime,
}

impl Stamp {
    fn of(there: &Metadata) -> Self {
        Self {
            file: number_and_mode(there),
            size: there.len(),
            modified: there.modified().ok(),
            changed: inside::changed(there),
        }
    }
}

/// What a copy is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Nobody may change it.
    Reading,
    /// Its owner may.
    Working,
}

/// What the temporary folders of copies are for, as their names say.
const PURPOSE: &str = "copy";

/// The path in the workspace of a file that is named by its place in any copy.
pub(in crate::evidence) fn below_copy(path: &str) -> Option<&str> {
    let (above, rest) = path.split_once(&TempFolder::prefix(PURPOSE))?;
    let (mark, inside) = rest.split_once(['/', '\\'])?;
    let absolute = above.ends_with(['/', '\\']) && Path::new(above).is_absolute();
    (absolute && crate::chance::is_mark(mark)).then_some(inside)
}

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// There is no folder for temporary files.
    #[error("the folder for temporary files, {folder}, cannot be used: {source}; set TMPDIR to one that is there")]
    NoFolder {
        /// Where the copy was to be.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
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
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
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
        let no_folder = |source| CopyError::NoFolder { folder: parent.to_owned(), source };
        let parent = parent.canonicalize().map_err(no_folder)?;
        if let Some(repository) = parent.ancestors().find(|folder| folder.join(".git").exists()) {
            return Err(CopyError::InRepository { folder: parent.clone(), repository: repository.to_owned() });
        }
        let folder = TempFolder::create_in(&parent, PURPOSE).map_err(CopyError::io("create a folder in", &parent))?;
        let mut copy = Copy { folder, purpose, missing: Vec::new(), laid: Mutex::default() };
        self.fill(&mut copy)?;
        Ok(copy)
    }

    fn fill(&self, copy: &mut Copy) -> Result<(), CopyError> {
        let purpose = copy.purpose;
        // Entries come in the order of their paths' bytes: the files of a folder may have others between them, such as
        // `a.rs` between `a/x` and `a`, and every folder is closed only once all is there.
        let mut folders = vec![copy.path().to_owned()];
        let mut stamps = BTreeMap::new();
        for entry in self.entries() {
            if let Some(why) = self.stays_out(entry) {
                leave_out(&mut copy.missing, why, entry.bytes());
                continue;
            }
            let target = copy.path().join(as_path(entry.bytes()));
            let above = target.parent().unwrap_or(copy.path());
            if folders.last().is_none_or(|last| last != above) {
                make_folders(copy.path(), above, &mut folders)?;
            }
            let read = self.content(entry);
            let bytes = read.map_err(|source| CopyError::Pin { path: entry.path().to_owned(), source })?.bytes;
            let made = match entry.kind {
                Kind::File { executable } => write(&target, &bytes, executable, purpose),
                _ => link(&as_path(&bytes), &target),
            };
            made.map_err(CopyError::io("write", &target))?;
            if purpose == Use::Reading
                && let Some(there) = stamp(&target)?
            {
                stamps.insert(entry.bytes().to_vec(), there);
            }
        }
        if purpose == Use::Working {
            return Ok(());
        }
        copy.laid.get_mut().unwrap_or_else(PoisonError::into_inner).stamps = stamps;
        // The deepest first: a folder that may not be written to still lets its own folders be closed.
        folders.sort_unstable();
        folders.dedup();
        let closed = folders.iter().rev().try_for_each(|folder| close(folder).map_err(CopyError::io("close", folder)));
        closed.and_then(|()| close_to_others(copy.path()).map_err(CopyError::io("close", copy.path())))
    }
}

/// How a file or a link is there; none where the system has no links.
fn stamp(target: &Path) -> Result<Option<Stamp>, CopyError> {
    match fs::symlink_metadata(target) {
        Ok(there) => Ok(Some(Stamp::of(&there))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(CopyError::io("look at", target)(error)),
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
        self.folder.path()
    }

    /// What is in the workspace and not here: everything that the pin left out, and links that lead out.
    pub fn missing(&self) -> &[LeftOut] {
        &self.missing
    }

    /// Removes it. Where that fails it says what is left, and why.
    pub fn close(self) -> Result<(), String> {
        let left = self.path().to_owned();
        self.folder
            .close()
            .map_err(|error| format!("its copy of the workspace, {}, cannot be removed: {error}", left.display()))
    }

    /// Moves it on, or back, to another version: `files` is all of it, and `revised` are the paths in which it differs from
    /// what the copy was made of. Only files differ, never links, and no path leads through one.
    pub(in crate::evidence) fn bring_to(
        &self,
        files: &Arc<dyn Files>,
        revised: &BTreeSet<Vec<u8>>,
    ) -> Result<(), CopyError> {
        let mut laid = self.laid.lock().unwrap_or_else(PoisonError::into_inner);
        let paths: BTreeSet<Vec<u8>> = laid.revised.union(revised).cloned().collect();
        // Whatever happens now, these may differ from the pin.
        laid.revised.clone_from(&paths);
        let is_file = |path: &[u8]| files.find(path).is_some_and(|entry| matches!(entry.kind, Kind::File { .. }));
        // What goes makes way first: a folder may become a file, and a file a folder.
        for path in paths.iter().filter(|path| !is_file(path)) {
            let target = self.path().join(as_path(path));
            match self.in_open_folders(&target, || take_away(self.path(), &target)) {
                // A file stands where a folder on the way to it was: so it is gone already.
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => {}
                taken => taken.map_err(CopyError::io("remove", &target))?,
            }
            laid.stamps.remove(path);
        }
        for path in paths.iter().filter(|path| is_file(path)) {
            self.lay_anew(&**files, path, &mut laid.stamps)?;
        }
        laid.revised.clone_from(revised);
        laid.version = Some(Arc::clone(files));
        Ok(())
    }

    /// Makes it what it was when it was laid out or last brought to a version; `first` is what it was made of. Whatever
    /// somebody has put there goes. Says whether anything was to be done.
    pub(in crate::evidence) fn put_right(&self, first: &Arc<dyn Files>) -> Result<bool, CopyError> {
        let mut laid = self.laid.lock().unwrap_or_else(PoisonError::into_inner);
        let Laid { version, stamps, .. } = &mut *laid;
        if self.purpose == Use::Working {
            return Ok(false);
        }
        let (as_laid, foreign) = self.look_through(stamps)?;
        for path in &foreign {
            self.in_open_folders(path, || remove(path)).map_err(CopyError::io("remove", path))?;
        }
        let lost: Vec<Vec<u8>> = stamps.keys().filter(|path| !as_laid.contains(path.as_slice())).cloned().collect();
        let files = version.as_ref().unwrap_or(first);
        for path in &lost {
            self.lay_anew(&**files, path, stamps)?;
        }
        Ok(!foreign.is_empty() || !lost.is_empty())
    }

    /// What in it is as it was laid out, and where there is something else. Folders that were opened are closed again.
    fn look_through(&self, stamps: &BTreeMap<Vec<u8>, Stamp>) -> Result<(BTreeSet<Vec<u8>>, Vec<PathBuf>), CopyError> {
        let folders: BTreeSet<PathBuf> = stamps
            .keys()
            .flat_map(|path| as_path(path).ancestors().skip(1).map(Path::to_owned).collect::<Vec<_>>())
            .collect();
        let by_path: BTreeMap<PathBuf, (&Vec<u8>, Stamp)> =
            stamps.iter().map(|(path, stamp)| (as_path(path), (path, *stamp))).collect();
        let (mut as_laid, mut foreign) = (BTreeSet::new(), Vec::new());
        let mut ahead = vec![PathBuf::new()];
        while let Some(folder) = ahead.pop() {
            let whole = self.path().join(&folder);
            let failed = |doing| CopyError::io(doing, &whole);
            // Where somebody has taken a folder away, all that was in it is lost.
            let Ok(there) = fs::symlink_metadata(&whole) else { continue };
            if !is_closed(&there, folder == Path::new("")) {
                let closed = if folder == Path::new("") { close_to_others(&whole) } else { close(&whole) };
                closed.map_err(failed("close"))?;
            }
            for entry in fs::read_dir(&whole).map_err(failed("read"))? {
                let name = folder.join(entry.map_err(failed("read"))?.file_name());
                let whole = self.path().join(&name);
                let Ok(there) = fs::symlink_metadata(&whole) else { continue };
                match by_path.get(&name) {
                    Some((path, stamp)) if Stamp::of(&there) == *stamp => {
                        as_laid.insert((*path).clone());
                    }
                    None if there.is_dir() && folders.contains(&name) => ahead.push(name),
                    _ => foreign.push(whole),
                }
            }
        }
        Ok((as_laid, foreign))
    }

    /// Puts a file or a link of a version into its place.
    fn lay_anew(&self, files: &dyn Files, path: &[u8], stamps: &mut BTreeMap<Vec<u8>, Stamp>) -> Result<(), CopyError> {
        let target = self.path().join(as_path(path));
        let Some(entry) = files.find(path) else { return Ok(()) };
        let read = files.content(entry);
        let bytes = read.map_err(|source| CopyError::Pin { path: entry.path().to_owned(), source })?.bytes;
        let put = || match entry.kind {
            Kind::File { executable } => put(&target, &bytes, executable, self.purpose),
            Kind::Link => link(&as_path(&bytes), &target),
            Kind::Left(_) => Ok(()),
        };
        self.in_open_folders(&target, put).map_err(CopyError::io("write", &target))?;
        if self.purpose == Use::Reading
            && let Some(there) = stamp(&target)?
        {
            stamps.insert(path.to_vec(), there);
        }
        Ok(())
    }

    /// Does something to a file while the folders above it may be written to. Those that are missing are made.
    fn in_open_folders(&self, target: &Path, work: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let root = self.path();
        let above = target.parent().unwrap_or(root);
        let mut folders: Vec<&Path> = above.ancestors().take_while(|folder| folder.starts_with(root)).collect();
        folders.reverse();
        let mut done = Ok(());
        for folder in &folders {
            done = done.and_then(|()| open(folder));
        }
        done = done.and_then(|()| work());
        let read_only = self.purpose == Use::Reading;
        for folder in folders.iter().rev().filter(|folder| read_only && folder.is_dir()) {
            let closed = if *folder == root { close_to_others(folder) } else { close(folder) };
            done = done.and(closed);
        }
        done
    }
}

/// Makes a folder, or gives the right to write to it back.
fn open(folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(there) if there.is_dir() => reopen(folder),
        Ok(_) => Err(io::ErrorKind::NotADirectory.into()),
        Err(_) => crate::journal::create_folder(folder),
    }
}

/// Puts a file in the place of what was there, at once.
fn put(target: &Path, content: &[u8], executable: bool, purpose: Use) -> io::Result<()> {
    // A name that no file has.
    let unfinished = target.with_file_name(format!(".{}", crate::chance::mark()));
    write(&unfinished, content, executable, purpose).and_then(|()| fs::rename(&unfinished, target)).inspect_err(|_| {
        // The error is reported; half a file must not stay behind either way.
        let _ = fs::remove_file(&unfinished);
    })
}

/// Removes a file, and the folders that are empty without it.
fn take_away(root: &Path, target: &Path) -> io::Result<()> {
    match fs::remove_file(target) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut above = target.parent();
    while let Some(folder) = above.filter(|folder| *folder != root)
        && fs::remove_dir(folder).is_ok()
    {
        above = folder.parent();
    }
    Ok(())
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
