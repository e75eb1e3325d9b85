//! Changes to files of other tools: shown before they are made, made only to what was shown, and with what was there kept
//! beside it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rebut_engine::workspace::read_given;
use similar::TextDiff;

use super::backup;
use super::entry::EntryError;
use super::record::{Record, Written};
use super::write::{Privacy, replace};

/// A file before and after.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    /// None where it is not there.
    pub(super) before: Option<String>,
    /// None where it goes away.
    pub(super) after: Option<String>,
    /// Who may read it where it is not there yet.
    pub(super) privacy: Privacy,
    /// Whether what is there is somebody's own, and is kept.
    pub(super) is_kept: bool,
    /// Backups that are not needed afterwards: what they hold is in the file again.
    pub(super) spent: Vec<PathBuf>,
    /// What is written down of it; none where it is forgotten.
    pub(super) written: Option<Written>,
}

/// Changes to several files.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) changes: Vec<Change>,
    /// What a person should know before.
    pub(crate) notes: Vec<String>,
    /// Files of which nothing stays written down.
    pub(super) forgotten: Vec<PathBuf>,
    pub(super) record: Record,
}

/// Why changes were not made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WriteError {
    /// Somebody else was faster.
    #[error("{} changed meanwhile, and is left alone; run it again", .0.display())]
    Changed(PathBuf),
    /// It can't be read any more.
    #[error(transparent)]
    Read(#[from] EntryError),
    /// A file could not be written.
    #[error("{} cannot be written: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl Change {
    /// Those that change anything. A file that its owner has locked is not changed.
    pub(super) fn real_ones(changes: impl IntoIterator<Item = Self>) -> Result<Vec<Self>, EntryError> {
        let changes: Vec<Self> = changes.into_iter().filter(|change| change.before != change.after).collect();
        let is_locked = |change: &&Self| fs::metadata(&change.path).is_ok_and(|there| there.permissions().readonly());
        match changes.iter().find(is_locked) {
            Some(locked) => Err(EntryError::ReadOnly(locked.path.clone())),
            None => Ok(changes),
        }
    }

    /// The change as a diff.
    pub(crate) fn diff(&self) -> String {
        let name = self.path.display().to_string();
        let side = |text: &Option<String>| if text.is_some() { name.clone() } else { "/dev/null".to_owned() };
        let (before, after) = (self.before.as_deref().unwrap_or_default(), self.after.as_deref().unwrap_or_default());
        let diff = TextDiff::from_lines(before, after);
        diff.unified_diff().context_radius(2).header(&side(&self.before), &side(&self.after)).to_string()
    }

    fn is_still_true(&self) -> Result<(), WriteError> {
        if read(&self.path)? == self.before { Ok(()) } else { Err(WriteError::Changed(self.path.clone())) }
    }
}

impl Plan {
    /// Makes the changes; gives what was kept. Where one of the files is no longer what was shown, nothing is changed.
    pub(crate) fn carry_out(mut self) -> Result<Vec<PathBuf>, WriteError> {
        self.changes.iter().try_for_each(Change::is_still_true)?;
        let mut kept = Vec::new();
        let mut made = Ok(());
        for change in &self.changes {
            made = make(change, &mut self.record, &mut kept);
            if made.is_err() {
                break;
            }
        }
        if made.is_ok() {
            self.forgotten.iter().for_each(|path| self.record.forget(path));
        }
        // What was made before an error is written down too.
        let failed = |source| WriteError::Write { path: self.record.path().to_owned(), source };
        let written_down = self.record.keep().map_err(failed);
        made.and(written_down).map(|()| kept)
    }
}

/// The text of a file, where it is there.
pub(super) fn read(path: &Path) -> Result<Option<String>, EntryError> {
    let unreadable = |error: io::Error| EntryError::Unreadable { path: path.to_owned(), why: error.to_string() };
    match fs::metadata(path) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.is_symlink() => {
            return Err(EntryError::Dangling(path.to_owned()));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    }
    text_of(path).map(Some).map_err(unreadable)
}

/// The text of a file that is there. A pipe in its place is no file, and is not waited for.
pub(super) fn text_of(path: &Path) -> io::Result<String> {
    const MOST: u64 = 16 << 20;
    let bytes = read_given(path, MOST)?;
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
}

/// Where a file really is. One that is kept elsewhere and linked to from here is changed where it is kept.
pub(super) fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn make(change: &Change, record: &mut Record, kept: &mut Vec<PathBuf>) -> Result<(), WriteError> {
    let failed = |source| WriteError::Write { path: change.path.clone(), source };
    let path = real(&change.path);
    let mut backup = None;
    if let (true, Some(text)) = (change.is_kept, &change.before) {
        let there = backup::keep(&path, text).map_err(failed)?;
        kept.push(there.clone());
        backup = Some(there);
    }
    if change.after.is_some() {
        record.make_folder_of(&path).map_err(failed)?;
    }
    change.is_still_true()?;
    match &change.after {
        None => fs::remove_file(&path),
        Some(text) => replace(&path, text, change.privacy),
    }
    .map_err(failed)?;
    if let Some(written) = &change.written {
        let origin = written.origin.clone().or(backup);
        record.wrote(&change.path, Written { origin, ..written.clone() });
    }
    for spent in &change.spent {
        fs::remove_file(spent).map_err(failed)?;
    }
    Ok(())
}
