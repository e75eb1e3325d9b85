//! The workspace as it is now, for one that is too large to be kept.
//!
//! The same files as a pin would hold, listed when somebody first asks. Whether a file may have changed since the debate
//! began is told by the times that the system keeps of it: when it was written, and when anything about it was changed,
//! which no program can set back.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use super::files::from_here;
use super::inside::{self, Descent, Gist, is_missing};
use super::objects::Contents;
use super::roll::Roll;
use super::survey::State;
use super::{Content, Entry, Facts, Files, Kind, Limits, PinError, ReadError, Source, Survey, Why};

/// A workspace that is read where it is.
#[derive(Debug)]
pub struct Live {
    root: PathBuf,
    began: SystemTime,
    file_bytes: u64,
    listed: OnceLock<Found>,
    /// Whether it is that of a debate, whose seats read it.
    debated: bool,
    /// What an earlier process of the same debate has found.
    before: Option<Roll>,
    later: Mutex<Later>,
}

/// What was found when somebody looked again.
#[derive(Debug, Default)]
struct Later {
    /// The names of the last list.
    names: BTreeSet<Vec<u8>>,
    /// The files for which it was made, each as it was changed last.
    asked: BTreeMap<Vec<u8>, SystemTime>,
    /// When it was begun.
    at: Option<SystemTime>,
    /// When one was begun since that came to nothing.
    failed: Option<SystemTime>,
}

/// By how much the times of files may lag behind the clock of the system that they lie on.
const GRAIN: Duration = Duration::from_millis(50);

/// By how much they may where it is another machine's.
const LAG: Duration = Duration::from_secs(2);

/// The files, once they are listed.
#[derive(Debug)]
struct Found {
    /// When somebody began to list them.
    at: SystemTime,
    facts: Facts,
    entries: Vec<Entry>,
    /// Those that a sparse checkout leaves out of the folder, and git holds.
    skipped: BTreeMap<Vec<u8>, Object>,
    contents: Mutex<Contents>,
    /// Why there are none, where they could not be listed.
    unlisted: Option<String>,
}

/// What git calls a content.
#[derive(Debug)]
struct Object {
    repository: usize,
    name: String,
}

impl Live {
    /// Over this workspace, for a debate that began then. Of a file at most `file_bytes` are read.
    pub fn over(workspace: &Path, home: Option<&Path>, began: SystemTime, file_bytes: u64) -> Result<Self, PinError> {
        let root = workspace.canonicalize().map_err(PinError::io("look at", workspace))?;
        super::survey::is_a_project(&root, home)?;
        super::survey::has_a_work_tree(&root)?;
        Ok(Self { root, began, file_bytes, listed: OnceLock::new(), debated: false, before: None, later: Mutex::default() })
    }

    /// The same for a debate that keeps its texts in this folder: its files are listed now, and their names are kept there
    /// for a process that resumes it, or taken from there.
    pub fn remembering(mut self, folder: &Path) -> Result<Self, PinError> {
        self.debated = true;
        self.before = Roll::read(folder)?;
        if self.before.is_none() {
            let Found { entries, facts, .. } = self.listed();
            let names = entries.iter().map(|entry| entry.path().to_owned()).collect();
            Roll { names, history: facts.history.clone() }.write(folder)?;
        }
        Ok(self)
    }

    /// The commit that was checked out when the debate began and those before it, as far as they are known.
    pub(crate) fn history(&self) -> Vec<String> {
        match &self.before {
            Some(before) => before.history.clone(),
            None => self.facts().history.clone(),
        }
    }

    /// What is there. This lists the files, where nobody has yet.
    pub fn facts(&self) -> &Facts {
        &self.listed().facts
    }

    fn listed(&self) -> &Found {
        self.listed.get_or_init(|| {
            let at = SystemTime::now();
            let limits = Limits { files: u64::MAX, bytes: u64::MAX, file_bytes: self.file_bytes };
            match Survey::of(&self.root, None, limits) {
                Ok(survey) => {
                    let mut skipped = BTreeMap::new();
                    let entries = survey.found.into_iter().map(|found| {
                        let (kind, size) = match found.state {
                            State::File { size, executable } => (Kind::File { executable }, size),
                            State::Link => (Kind::Link, 0),
                            State::Object { repository, object, executable, link } => {
                                skipped.insert(found.path.clone(), Object { repository, name: object });
                                (if link { Kind::Link } else { Kind::File { executable } }, 0)
                            }
                            State::Left(why, size) => (Kind::Left(why), size),
                        };
                        Entry::new(found.path, kind, size)
                    });
                    let entries = entries.collect();
                    let contents = Mutex::new(Contents::of(survey.repositories));
                    Found { at, facts: survey.facts, entries, skipped, contents, unlisted: None }
                }
                // The folder is gone or closed to us: what is in it nobody can say.
                Err(error) => {
                    let said = error.to_string();
                    let facts = Facts::new(Source::FolderWithoutGit { said: said.clone() });
                    let (skipped, contents) = (BTreeMap::new(), Mutex::new(Contents::of(Vec::new())));
                    Found { at, facts, entries: Vec::new(), skipped, contents, unlisted: Some(said) }
                }
            }
        })
    }

    /// Reads what git holds of a file that is not in the folder.
    fn skipped(&self, object: &Object) -> Result<Content, ReadError> {
        let mut contents = self.listed().contents.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = Vec::new();
        let read = contents.read(object.repository, &object.name, self.file_bytes, &mut bytes);
        match read.map_err(|error| ReadError::Io(std::io::Error::other(error)))? {
            Gist::Left(why, _) => Err(ReadError::Left(why)),
            // Only the index says which content the file has, and whatever changes that writes the index anew.
            Gist::Text { .. } => {
                let index = contents.index(object.repository).and_then(|index| std::fs::metadata(index).ok());
                Ok(Content { bytes, changed_since: index.is_none_or(|index| self.changed_since(&index)) })
            }
        }
    }

    fn changed_since(&self, there: &Metadata) -> bool {
        // Where the system keeps no such time, nobody can say that the file is as it was.
        there.modified().map_or(true, |modified| modified > self.began) || inside::changed(there) > self.began
    }
}

impl Files for Live {
    fn entries(&self) -> &[Entry] {
        &self.listed().entries
    }

    fn content(&self, entry: &Entry) -> Result<Content, ReadError> {
        let missing = |error: std::io::Error| if is_missing(&error) { ReadError::Missing } else { ReadError::Io(error) };
        if let Some(object) = self.listed().skipped.get(entry.bytes()) {
            let mut content = self.skipped(object)?;
            if entry.kind == Kind::Link {
                content.bytes = from_here(&self.root, entry.bytes(), content.bytes);
            }
            return Ok(content);
        }
        let mut descent = Descent::from(&self.root).map_err(missing)?;
        match entry.kind {
            Kind::Left(why) => Err(ReadError::Left(why)),
            Kind::Link => {
                let target = descent.target(entry.bytes()).map_err(missing)?;
                let bytes = from_here(&self.root, entry.bytes(), target);
                let changed_since = descent.link_changed(entry.bytes()).map_err(missing)? > self.began;
                Ok(Content { bytes, changed_since })
            }
            Kind::File { .. } => {
                match descent.look(entry.bytes()).map_err(missing)? {
                    inside::Seen::File { .. } => {}
                    inside::Seen::Special => return Err(ReadError::Left(Why::Special)),
                    inside::Seen::Link | inside::Seen::Folder => return Err(ReadError::Missing),
                }
                let mut file = descent.open(entry.bytes()).map_err(missing)?;
                let mut bytes = Vec::new();
                match inside::read(&mut file, self.file_bytes, &mut bytes)? {
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
        self.debated
    }

    fn unlisted(&self) -> Option<&str> {
        self.listed().unlisted.as_deref()
    }

    fn listed_as(&self) -> Option<&Facts> {
        Some(self.facts())
    }

    fn names_then(&self) -> &[String] {
        self.before.as_ref().map_or(&[], |before| &before.names)
    }

    fn has_appeared(&self, path: &[u8]) -> bool {
        let Ok(mut descent) = Descent::from(&self.root) else { return false };
        let is_file = matches!(descent.look(path), Ok(inside::Seen::File { .. } | inside::Seen::Link));
        let Some(changed) = is_file.then(|| last_changed(&mut descent, path)).flatten() else { return false };
        // It stood there when the files were listed, and was none of them: so it is ignored.
        if changed + LAG < self.listed().at {
            return false;
        }
        let mut later = self.later.lock().unwrap_or_else(PoisonError::into_inner);
        later.has(path, changed, || {
            let limits = Limits { files: u64::MAX, bytes: u64::MAX, file_bytes: self.file_bytes };
            let survey = Survey::of(&self.root, None, limits).ok()?;
            Some(survey.found.into_iter().map(|found| found.path).collect())
        })
    }
}

/// When a file, or a folder on its way, was last changed: what is in a folder that was moved here is as old as it was.
fn last_changed(descent: &mut Descent, path: &[u8]) -> Option<SystemTime> {
    let ends = (0..path.len()).filter(|at| path[*at] == b'/').chain([path.len()]);
    let changed: Option<Vec<SystemTime>> = ends.map(|end| descent.link_changed(&path[..end]).ok()).collect();
    changed?.into_iter().max()
}

impl Later {
    /// Whether a file that was last changed then is one of the workspace's by now. `list` names them anew, where no list
    /// tells yet; or nothing, where they cannot be listed.
    fn has(&mut self, path: &[u8], changed: SystemTime, list: impl FnOnce() -> Option<BTreeSet<Vec<u8>>>) -> bool {
        let is_older = |at: SystemTime| changed + GRAIN < at;
        if self.names.contains(path) {
            return true;
        }
        // A list that was begun when the file was there already has it or never will: it is not made for each file anew.
        if self.at.is_some_and(is_older) || self.asked.get(path) == Some(&changed) {
            return false;
        }
        // The file is there; where nobody can say whether it is ignored, it is not called missing.
        if self.failed.is_some_and(is_older) {
            return true;
        }
        let now = SystemTime::now();
        let Some(names) = list() else {
            self.failed = Some(now);
            return true;
        };
        (self.names, self.at, self.failed) = (names, Some(now), None);
        self.asked.insert(path.to_vec(), changed);
        self.names.contains(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_fails_calls_nothing_missing_and_the_next_one_tells() {
        let mut later = Later::default();
        let before = SystemTime::now() - Duration::from_secs(10);
        assert!(later.has(b"new", before, || None));
        // Neither the same file nor another one is missing for it, and nobody lists for each of them anew.
        for path in [b"new", b"old"] {
            assert!(later.has(path, before, || panic!("it was asked a moment ago")));
        }
        let soon = SystemTime::now() + Duration::from_secs(10);
        let names = || Some([b"new".to_vec()].into());
        assert!(!later.has(b"ignored", soon, names));
        assert!(later.has(b"new", before, || None));
        assert!(!later.has(b"old", before, || None) && !later.has(b"ignored", soon, || None));
    }
}
