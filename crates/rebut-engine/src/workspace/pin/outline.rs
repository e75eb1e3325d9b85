//! What keeping a workspace will come to, before anything is kept: the same files, found the same way, without their
//! contents. What the plan says is then what is done.

use std::collections::BTreeMap;
use std::path::Path;

use super::files::from_here;
use super::inside::{Descent, Gist, is_binary};
use super::objects::Contents;
use super::survey::{Found, State};
use super::{Content, Entry, Files, Kind, LeftOut, Limits, PinError, ReadError, Survey, Why};

impl Survey {
    /// How many files and links a copy of these files has, and what is not in it; or that they are too large to be kept.
    /// What of them is binary is known to the survey from then on.
    pub(crate) fn outline(&mut self) -> Result<(u64, Vec<LeftOut>), PinError> {
        let mut looking = Looking {
            root: &self.root,
            limits: self.limits,
            descent: Descent::from(&self.root).map_err(PinError::io("open", &self.root))?,
            contents: Contents::of(self.repositories.clone()),
            targets: BTreeMap::new(),
        };
        let mut entries = Vec::with_capacity(self.found.len());
        self.facts.bytes = 0;
        for found in &mut self.found {
            let entry = looking.look(found)?;
            match entry.kind {
                Kind::Left(why) if !matches!(found.state, State::Left(..)) => {
                    self.facts.leave_out(why, &found.path);
                    found.state = State::Left(why, entry.size);
                }
                Kind::Left(_) => {}
                Kind::File { .. } | Kind::Link => self.facts.bytes += entry.size,
            }
            if self.facts.bytes > self.limits.bytes {
                return Err(PinError::TooLarge { most: self.limits.bytes });
            }
            entries.push(entry);
        }
        Ok(Outline { entries, targets: looking.targets }.laid_out())
    }
}

/// Looks at files as they will be when they are kept.
struct Looking<'a> {
    root: &'a Path,
    limits: Limits,
    descent: Descent,
    contents: Contents,
    /// Where links point, by their paths.
    targets: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Looking<'_> {
    fn look(&mut self, found: &Found) -> Result<Entry, PinError> {
        let path = &found.path;
        let (kind, size) = match &found.state {
            State::Left(why, size) => (Kind::Left(*why), *size),
            State::File { size, executable } => {
                let binary = self.descent.open(path).is_ok_and(|file| is_binary(&file));
                (if binary { Kind::Left(Why::Binary) } else { Kind::File { executable: *executable } }, *size)
            }
            State::Link => {
                let target = self.descent.target(path).unwrap_or_default();
                self.link(path, target)
            }
            State::Object { repository, object, executable, link } => {
                let mut bytes = Vec::new();
                match self.contents.read(*repository, object, self.limits.file_bytes, &mut bytes)? {
                    Gist::Left(why, size) => (Kind::Left(why), size),
                    Gist::Text { .. } if *link => self.link(path, bytes),
                    Gist::Text { .. } => (Kind::File { executable: *executable }, bytes.len() as u64),
                }
            }
        };
        Ok(Entry::new(path.clone(), kind, size))
    }

    fn link(&mut self, path: &[u8], target: Vec<u8>) -> (Kind, u64) {
        let target = from_here(self.root, path, target);
        let size = target.len() as u64;
        self.targets.insert(path.to_vec(), target);
        (Kind::Link, size)
    }
}

/// Files without contents, and links with their targets.
struct Outline {
    entries: Vec<Entry>,
    targets: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Files for Outline {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn content(&self, entry: &Entry) -> Result<Content, ReadError> {
        let target = self.targets.get(entry.bytes()).ok_or(ReadError::Missing)?;
        Ok(Content { bytes: target.clone(), changed_since: false })
    }

    fn is_live(&self) -> bool {
        false
    }
}
