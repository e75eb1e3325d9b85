//! The workspace as it is now, for one that is too large to be kept.
//!
//! The same files as a pin would hold, listed once. Whether a file may have changed since the debate began is told by the
//! times that the system keeps of it: when it was written, and when anything about it was changed, which no program can
//! set back. Files that are not checked out are known by name alone.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use super::descent::{self, Descent, Gist, Seen, is_missing};
use super::files::relative_target;
use super::{Content, Entry, Facts, Files, Kind, Limits, PinError, ReadError, Source, Survey, Why};

/// A workspace that is read where it is.
#[derive(Debug)]
pub struct Live {
    root: PathBuf,
    began: SystemTime,
    file_bytes: u64,
    listed: OnceLock<Listed>,
    seats_read: bool,
}

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
        Ok(Self { root, began, file_bytes, listed: OnceLock::new(), seats_read: false })
    }

    /// The same for a debate whose seats read the folder. Its files are listed now: one that is deleted later was there.
    #[must_use]
    pub fn for_seats(mut self) -> Self {
        self.seats_read = true;
        self.listed();
        self
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
        let missing = |error: std::io::Error| if is_missing(&error) { ReadError::Missing } else { ReadError::Io(error) };
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
        self.seats_read
    }

    fn unlisted(&self) -> Option<&str> {
        self.listed().unlisted.as_deref()
    }

    fn listed_as(&self) -> Option<&Facts> {
        Some(self.facts())
    }
}
