//! The workspace as it is now, if it is too large to pin.
//!
//! The same files as in a pin, listed once. Whether a file may have changed since the debate began follows from its mtime,
//! and its ctime, which no program can set back. Files that are not checked out are known by name alone.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::files::relative_target;
use super::walker::{self, FileRead, PathKind, Walker, is_missing};
use super::{Content, Entry, Facts, Files, Kind, Limits, PathError, PinError, ReadError, Survey, Why};
use crate::store::files::{create_folder, replace_file};

#[derive(Debug)]
pub struct Live {
    root: PathBuf,
    began: SystemTime,
    file_bytes: u64,
    /// Once it is asked for; the folder may be gone or unreadable.
    listed: OnceLock<Result<Survey, PinError>>,
    /// What existed when a debate began whose seats read the folder.
    before: Option<Before>,
}

/// Names of files and the commit that was checked out, kept with a debate's blobs: after a resume it is still known what was
/// deleted or amended meanwhile.
#[derive(Debug, Serialize, Deserialize)]
struct Before {
    names: BTreeSet<String>,
    head: Option<String>,
}

const BEFORE: &str = "workspace-names.json";

impl Live {
    /// For a debate that began then. At most `file_bytes` of a file are read.
    pub fn over(workspace: &Path, home: Option<&Path>, began: SystemTime, file_bytes: u64) -> Result<Self, PinError> {
        let root = workspace.canonicalize().map_err(PathError::at("look at", workspace))?;
        super::survey::is_a_project(&root, home)?;
        super::survey::has_a_work_tree(&root)?;
        Ok(Self { root, began, file_bytes, listed: OnceLock::new(), before: None })
    }

    /// The same for a debate whose seats read the folder. At its first start the files are listed now, so that deleted ones
    /// are known later.
    pub fn for_seats(mut self, blobs: &Path) -> Result<Self, PinError> {
        let path = blobs.join(BEFORE);
        let before = match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|_| PinError::Damaged { path: path.clone(), what: "is not a list of names" })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let names = self.entries().iter().map(|entry| entry.path().to_owned()).collect();
                let before = Before { names, head: self.head().map(str::to_owned) };
                let written = create_folder(blobs)
                    .and_then(|()| replace_file(&path, &path.with_extension("unfinished"), &serde_json::to_vec(&before)?));
                written.map_err(PathError::at("write", &path))?;
                before
            }
            Err(error) => Err(PathError::at("read", &path)(error))?,
        };
        self.before = Some(before);
        Ok(self)
    }

    /// HEAD when the debate began.
    pub(crate) fn head(&self) -> Option<&str> {
        self.before.as_ref().map_or_else(|| self.listing()?.commit.as_deref(), |before| before.head.as_deref())
    }

    /// Whether seats read this folder itself and not a copy: then they see more files.
    pub(crate) fn seats_read(&self) -> bool {
        self.before.is_some()
    }

    /// Whether a file that is not listed was there when the debate began.
    pub(crate) fn was_there(&self, path: &str) -> bool {
        self.before.as_ref().is_some_and(|before| before.names.contains(path))
    }

    /// Why the files could not be listed.
    pub(crate) fn unlisted(&self) -> Option<&PinError> {
        self.listed().as_ref().err()
    }

    fn listed(&self) -> &Result<Survey, PinError> {
        self.listed.get_or_init(|| {
            let limits = Limits { files: u64::MAX, bytes: u64::MAX, file_bytes: self.file_bytes };
            let mut survey = Survey::of(&self.root, None, limits)?;
            for entry in survey.entries.iter_mut().filter(|entry| survey.objects.contains_key(entry.path())) {
                entry.kind = Kind::Left(Why::Unfetched);
            }
            Ok(survey)
        })
    }

    fn changed_since(&self, there: &Metadata) -> bool {
        there.modified().map_or(true, |modified| modified > self.began) || walker::changed(there) > self.began
    }
}

impl Files for Live {
    fn entries(&self) -> &[Entry] {
        self.listed().as_ref().map_or(&[], |survey| &survey.entries)
    }

    fn content(&self, entry: &Entry) -> Result<Content, ReadError> {
        let missing = |error: io::Error| if is_missing(&error) { ReadError::Missing } else { ReadError::Io(error) };
        let mut walker = Walker::from(&self.root).map_err(missing)?;
        match entry.kind {
            Kind::Left(why) => Err(ReadError::Left(why)),
            Kind::Symlink => {
                let target = walker.target(entry.bytes()).map_err(missing)?;
                let bytes = relative_target(&self.root, entry.bytes(), target);
                let changed_since = walker.symlink_changed(entry.bytes()).map_err(missing)? > self.began;
                Ok(Content { bytes, changed_since })
            }
            Kind::File { .. } => {
                match walker.look(entry.bytes()).map_err(missing)? {
                    PathKind::File { .. } => {}
                    PathKind::Special => return Err(ReadError::Left(Why::Special)),
                    PathKind::Symlink | PathKind::Folder => return Err(ReadError::Missing),
                }
                let mut file = walker.open(entry.bytes()).map_err(missing)?;
                let mut bytes = Vec::new();
                match walker::read(&mut file, self.file_bytes, &mut bytes)? {
                    FileRead::Left(why, _) => Err(ReadError::Left(why)),
                    FileRead::Text { unsteady } => {
                        let changed_since = unsteady || self.changed_since(&file.metadata()?);
                        Ok(Content { bytes, changed_since })
                    }
                }
            }
        }
    }

    fn live(&self) -> Option<&Live> {
        Some(self)
    }

    /// This lists the files, if that has not happened yet.
    fn listing(&self) -> Option<&Facts> {
        self.listed().as_ref().ok().map(Survey::facts)
    }
}
