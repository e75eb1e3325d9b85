//! What installing made: it is written down among the debates, so that uninstalling removes that and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::EntryError;
use super::change::text_of;
use super::write::{Privacy, replace};

const NAME: &str = "installed.json";

/// What installing made, by its path.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Of the record itself.
    version: u32,
    /// Files that were written.
    files: BTreeMap<PathBuf, Written>,
    /// Folders that were made.
    folders: BTreeSet<PathBuf>,
    #[serde(skip)]
    path: PathBuf,
}

/// A file that installing wrote.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Written {
    /// Whether it was not there before.
    pub(super) made: bool,
    /// Where that is kept which it was before our entry was put in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) origin: Option<PathBuf>,
    /// What was written, of a file that is ours as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
}

impl Record {
    /// The record in a folder; an empty one where there is none.
    pub(crate) fn read(folder: &Path) -> Result<Self, EntryError> {
        let path = folder.join(NAME);
        let unreadable = |why: String| EntryError::Unreadable { path: path.clone(), why };
        let record = match text_of(&path) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self { version: 1, ..Self::default() },
            Err(error) => return Err(unreadable(error.to_string())),
        };
        Ok(Self { path, ..record })
    }

    /// Whether a file was written by us.
    pub(super) fn knows(&self, path: &Path) -> bool {
        self.files.contains_key(path)
    }

    /// What is known of a file.
    pub(super) fn file(&self, path: &Path) -> Written {
        self.files.get(path).cloned().unwrap_or_default()
    }

    pub(super) fn wrote(&mut self, path: &Path, written: Written) {
        self.files.insert(path.to_owned(), written);
    }

    /// Makes the folder of a file with those above it.
    pub(super) fn make_folder_of(&mut self, path: &Path) -> io::Result<()> {
        let missing: Vec<&Path> = path.ancestors().skip(1).take_while(|folder| !folder.exists()).collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder)?;
            self.folders.insert(folder.to_owned());
        }
        Ok(())
    }

    /// Forgets a file, with the folders above it that were made for it. Those that hold nothing go; the others are somebody
    /// else's by now.
    pub(super) fn forget(&mut self, path: &Path) {
        self.files.remove(path);
        for folder in path.ancestors().skip(1) {
            let holds_another = self.files.keys().any(|file| file.starts_with(folder));
            if holds_another || !self.folders.remove(folder) {
                return;
            }
            // One that holds something stays.
            let _ = fs::remove_dir(folder);
        }
    }

    /// Writes it down.
    pub(super) fn keep(&self) -> io::Result<()> {
        if self.files.is_empty() && self.folders.is_empty() {
            return match fs::remove_file(&self.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        if let Some(folder) = self.path.parent() {
            rebut_engine::journal::create_folder(folder)?;
        }
        let text = serde_json::to_string_pretty(self)?;
        replace(&self.path, &(text + "\n"), Privacy::Own)
    }

    /// Where it is kept.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}
