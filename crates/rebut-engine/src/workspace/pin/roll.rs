//! What there was when a debate began whose workspace is too large to be kept: names of files and hashes of commits.
//!
//! It is written when the debate is opened for the first time. A debate that is resumed then still knows what was taken
//! away meanwhile: nobody has invented it.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::PinError;
use crate::journal::{create_folder, replace_file};

/// The name of its file, beside the texts of the debate.
const FILE: &str = "workspace-names.json";

/// Names and hashes.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Roll {
    /// Every file, by its path.
    pub(super) names: Vec<String>,
    /// The commit that was checked out and those before it, newest first.
    pub(super) history: Vec<String>,
}

impl Roll {
    /// The one of an earlier process, if there was any.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, PinError> {
        let path = folder.join(FILE);
        match fs::read(&path) {
            Ok(bytes) => {
                let damaged = |_| PinError::Damaged { path: path.clone(), what: "is no list of names" };
                serde_json::from_slice(&bytes).map(Some).map_err(damaged)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(PinError::io("read", &path)(error)),
        }
    }

    /// Writes it down for later ones.
    pub(super) fn write(&self, folder: &Path) -> Result<(), PinError> {
        let path = folder.join(FILE);
        let write = || -> io::Result<()> {
            create_folder(folder)?;
            replace_file(&path, &path.with_extension("unfinished"), &serde_json::to_vec(self)?)
        };
        write().map_err(PinError::io("write", &path))
    }
}
