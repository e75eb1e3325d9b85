//! The workspace as it is now, for one that is too large to be kept.
//!
//! The same files as a pin would hold, listed once. Whether a file may have changed since the debate began is told by the
//! times that the system keeps of it: when it was written, and when anything about it was changed, which no program can
//! set back. Files that are not checked out are known by name alone.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::descent::{self, Descent, Gist, Seen, is_missing};
use super::files::relative_target;
use super::{Content, Entry, Facts, Files, Kind, Limits, PinError, ReadError, Source, Survey, Why};
use crate::store::files::{create_folder, replace_file};

/// A workspace that is read where it is.
#[derive(Debug)]
pub struct Live {
    root: PathBuf,
    began: SystemTime,
    file_bytes: u64,
    listed: OnceLock<Listed>,
    /// What there was when a debate began whose seats read the folder.
    before: Option<Before>,
}

/// Names of files and hashes of commits, kept beside a debate's blobs: a process that resumes it still knows what was
/// deleted or amended away meanwhile.
#[derive(Debug, Serialize, Deserialize)]
struct Before {
    names: BTreeSet<String>,
    history: Vec<String>,
}

const BEFORE: &str = "workspace-names.json";

/// The files, once they are listed.
#[derive(Debug)]
struct Listed {
    facts: Facts,
    entries: Vec<Entry>,
    /// Why there are none, where they could not be listed.
    unlisted: Option<String>,
}

impl Live {
    /// Over this workspace, for a debate that began then. Of a file at most `file_bytes` are read.
    pub fn over(workspace: &Path, home: Option<&Path>, began: SystemTime, file_bytes: u64) -> Result<Self, PinError> {
        let root = workspace.canonicalize().map_err(PinError::io("look at", workspace))?;
        super::survey::is_a_project(&root, home)?;
        super::survey::has_a_work_tree(&root)?;
        Ok(Self { root, began, file_bytes, listed: OnceLock::new(), before: None })
    }

    /// The same for a debate whose seats read the folder, and whose blobs are in `blobs`. The first time its files are
    /// listed now: one that is deleted later was there.
    pub fn for_seats(mut self, blobs: &Path) -> Result<Self, PinError> {
        let path = blobs.join(BEFORE);
        let before = match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|_| PinError::Damaged { path: path.clone(), what: "is no list of names" })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let Listed { entries, facts, .. } = self.listed();
                let names = entries.iter().map(|entry| entry.path().to_owned()).collect();
                let before = Before { names, history: facts.history.clone() };
                let written = create_folder(blobs)
                    .and_then(|()| replace_file(&path, &path.with_extension("unfinished"), &serde_json::to_vec(&before)?));
                written.map_err(PinError::io("write", &path))?;
                before
            }
            Err(error) => return Err(PinError::io("read", &path)(error)),
        };
        self.before = Some(before);
        Ok(self)
    }

    /// The commit that was checked out when the debate began and those before it, newest first.
    pub(crate) fn history(&self) -> &[String] {
        self.before.as_ref().map_or_else(|| &self.facts().history[..], |before| &before.history)
    }

    /// What is there. This lists the files, if nothing has yet.
    pub fn facts(&self) -> &Facts {
        &self.listed().facts
    }

    fn listed(&self) -> &Listed {
        self.listed.get_or_init(|| {
            let limits = Limits { files: u64::MAX, bytes: u64::MAX, file_bytes: self.file_bytes };
            match Survey::of(&self.root, None, limits) {
                Ok(Survey { facts, mut entries, objects, .. }) => {
                    for entry in entries.iter_mut().filter(|entry| objects.contains_key(entry.path())) {
                        entry.kind = Kind::Left(Why::Unfetched);
                    }
                    Listed { facts, entries, unlisted: None }
                }
                // The folder is gone or closed to us: nothing is known of what is in it.
                Err(error) => {
                    let said = error.to_string();
                    let facts = Facts::new(Source::FolderWithoutGit { said: said.clone() });
                    Listed { facts, entries: Vec::new(), unlisted: Some(said) }
                }
            }
        })
    }

    fn changed_since(&self, there: &Metadata) -> bool {
        // Where the system keeps no such time, the file may have changed.
        there.modified().map_or(true, |modified| modified > self.began) || descent::changed(there) > self.began
    }
}

impl Files for Live {
    fn entries(&self) -> &[Entry] {
        &self.listed().entries
    }

    fn content(&self, entry: &Entry) -> Result<Content, ReadError> {
        let missing = |error: io::Error| if is_missing(&error) { ReadError::Missing } else { ReadError::Io(error) };
        let mut descent = Descent::from(&self.root).map_err(missing)?;
        match entry.kind {
            Kind::Left(why) => Err(ReadError::Left(why)),
            Kind::Symlink => {
                let target = descent.target(entry.bytes()).map_err(missing)?;
                let bytes = relative_target(&self.root, entry.bytes(), target);
                let changed_since = descent.symlink_changed(entry.bytes()).map_err(missing)? > self.began;
                Ok(Content { bytes, changed_since })
            }
            Kind::File { .. } => {
                match descent.look(entry.bytes()).map_err(missing)? {
                    Seen::File { .. } => {}
                    Seen::Special => return Err(ReadError::Left(Why::Special)),
                    Seen::Symlink | Seen::Folder => return Err(ReadError::Missing),
                }
                let mut file = descent.open(entry.bytes()).map_err(missing)?;
                let mut bytes = Vec::new();
                match descent::read(&mut file, self.file_bytes, &mut bytes)? {
                    Gist::Left(why, _) => Err(ReadError::Left(why)),
                    Gist::Text { unsteady } => {
                        let changed_since = unsteady || self.changed_since(&file.metadata()?);
                        Ok(Content { bytes, changed_since })
                    }
                }
            }
        }
    }

    fn is_live(&self) -> bool {
        true
    }

    fn seats_read(&self) -> bool {
        self.before.is_some()
    }

    fn was_there(&self, path: &str) -> bool {
        self.before.as_ref().is_some_and(|before| before.names.contains(path))
    }

    fn unlisted(&self) -> Option<&str> {
        self.listed().unlisted.as_deref()
    }

    fn listed_as(&self) -> Option<&Facts> {
        Some(self.facts())
    }
}
