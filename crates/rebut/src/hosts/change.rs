//! Changes to files of other tools: shown before they are made, made as a whole, and with what was there kept beside it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use similar::TextDiff;

use super::entry::EntryError;

/// What is added to a file's name for what it was before.
const BACKUP: &str = "before-rebut";

/// A file before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    /// None where it is not there.
    pub(crate) before: Option<String>,
    /// None where it goes away.
    pub(crate) after: Option<String>,
}

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be written: {source}", path.display())]
pub(crate) struct WriteError {
    path: PathBuf,
    source: io::Error,
}

impl Change {
    /// Whether anything changes.
    pub(crate) fn is_one(&self) -> bool {
        self.before != self.after
    }

    /// The change as a diff.
    pub(crate) fn diff(&self) -> String {
        let name = self.path.display().to_string();
        let side = |text: &Option<String>| if text.is_some() { name.clone() } else { "/dev/null".to_owned() };
        let (before, after) = (self.before.as_deref().unwrap_or_default(), self.after.as_deref().unwrap_or_default());
        let diff = TextDiff::from_lines(before, after);
        diff.unified_diff().context_radius(2).header(&side(&self.before), &side(&self.after)).to_string()
    }
}

/// The text of a file, where it is there.
pub(super) fn read(path: &Path) -> Result<Option<String>, EntryError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(EntryError::Unreadable { path: path.to_owned(), why: error.to_string() }),
    }
}

/// Makes the changes. What was there is kept beside each file, and goes once the file is what it was again; gives what was
/// kept.
pub(crate) fn carry_out(changes: &[Change]) -> Result<Vec<PathBuf>, WriteError> {
    let mut kept = Vec::new();
    for change in changes {
        let failed = |source| WriteError { path: change.path.clone(), source };
        kept.extend(make(change).map_err(failed)?);
    }
    Ok(kept)
}

fn make(change: &Change) -> io::Result<Option<PathBuf>> {
    // A file that is kept elsewhere and linked to from here is changed where it is kept.
    let path = fs::canonicalize(&change.path).unwrap_or_else(|_| change.path.clone());
    let backup = beside(&path, BACKUP);
    match &change.after {
        None => {
            fs::remove_file(&path)?;
            remove_empty_folders(&path);
        }
        Some(text) => {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            replace(&path, text)?;
        }
    }
    let is_as_it_was = match (&change.after, fs::read_to_string(&backup)) {
        (Some(text), Ok(kept)) => *text == kept,
        (None, Ok(_)) => true,
        (_, Err(_)) => false,
    };
    if is_as_it_was {
        fs::remove_file(&backup)?;
        return Ok(None);
    }
    // The first version is the person's own; later ones are ours.
    match &change.before {
        Some(text) if change.after.is_some() && !backup.exists() => {
            replace(&backup, text)?;
            if let Ok(there) = fs::metadata(&path) {
                fs::set_permissions(&backup, there.permissions())?;
            }
            Ok(Some(backup))
        }
        _ => Ok(None),
    }
}

/// Writes a file as a whole: whoever reads it meanwhile reads the one or the other.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let permissions = fs::metadata(path).ok().map(|there| there.permissions());
    let fresh = beside(path, &format!("rebut-{}", std::process::id()));
    let written = fs::File::create_new(&fresh).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&fresh, path)).inspect_err(|_| {
        // The error itself is reported.
        let _ = fs::remove_file(&fresh);
    })
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(ending);
    path.with_file_name(name)
}

/// Removes the folders that were made for the file and hold nothing else, up to two.
fn remove_empty_folders(path: &Path) {
    for folder in path.ancestors().skip(1).take(2) {
        // One that holds something else stays.
        if fs::remove_dir(folder).is_err() {
            return;
        }
    }
}
