//! The files of a workspace as texts: found by what people write, read once and kept while there is room.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rebut_core::claims::check::{FileText, PathIndex, Resolved, Unread};

use super::pin::{self, Files, Kind, ReadError};
use crate::redact::redact_keeping_lines;

/// How many bytes of texts are kept.
const KEPT: usize = 64 * 1024 * 1024;
/// What a text that is kept costs beside its bytes.
const EACH: usize = 128;

/// A workspace as texts.
pub(super) struct Texts {
    files: Arc<dyn Files>,
    /// How the workspace itself may be written at the beginning of a path.
    roots: Vec<String>,
    index: OnceLock<PathIndex>,
    kept: Mutex<Kept>,
}

/// Where links lead.
pub(super) enum Behind {
    /// To this path of the workspace, at which there need be nothing.
    Inside(String),
    /// Out of the workspace, or in a circle.
    Outside,
}

/// The texts that are kept. Where one more does not fit, others go, whichever the dice choose: whoever goes round and
/// round over more files than fit would never find one of them again if always the oldest went.
#[derive(Default)]
struct Kept {
    texts: HashMap<usize, Result<Arc<FileText>, Unread>>,
    /// The keys, in any order.
    places: Vec<usize>,
    bytes: usize,
    dice: u64,
}

impl Kept {
    fn keep(&mut self, at: usize, text: Result<Arc<FileText>, Unread>, most: usize) {
        let size = cost(&text);
        while self.bytes + size > most && !self.places.is_empty() {
            let place = self.throw() % self.places.len();
            let out = self.places.swap_remove(place);
            self.bytes -= self.texts.remove(&out).map_or(0, |text| cost(&text));
        }
        if self.texts.insert(at, text).is_none() {
            self.places.push(at);
            self.bytes += size;
        }
    }

    /// Dice that fall alike in every run: nothing that is found depends on them.
    fn throw(&mut self) -> usize {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.dice >> 33).unwrap_or(0)
    }
}

fn cost(text: &Result<Arc<FileText>, Unread>) -> usize {
    EACH + text.as_ref().map_or(0, |text| text.len())
}

impl Texts {
    pub(super) fn new(files: Arc<dyn Files>, roots: Vec<String>) -> Self {
        Self { files, roots, index: OnceLock::new(), kept: Mutex::default() }
    }

    pub(super) fn index(&self) -> &PathIndex {
        self.index.get_or_init(|| {
            let paths = self.files.entries().iter().map(|entry| entry.path().to_owned());
            PathIndex::new(paths, self.roots.iter().cloned())
        })
    }

    /// Whether a path that leads to nothing lies in a submodule that is not checked out: nobody can say what is there.
    pub(super) fn in_absent_submodule(&self, path: &str) -> bool {
        let path = self.below_root(path);
        let is_below = |folder: &String| path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
        self.files.absent_submodules().iter().any(is_below)
    }

    /// Where the links on the way of a path that leads to nothing by itself lead: to a path of the workspace, or out of it.
    /// None where there are no links on it.
    pub(super) fn behind_links(&self, path: &str) -> Option<Behind> {
        let path = self.below_root(path);
        match self.files.leads_to(path.as_bytes()) {
            Ok(real) if real == path.as_bytes() => None,
            // A folder's name may be no text; then no written path means what is in it.
            Ok(real) => String::from_utf8(real).ok().map(Behind::Inside),
            // Where it is absolute by itself, no link leads out.
            Err(ReadError::Outside | ReadError::Circle) if !path.starts_with('/') => Some(Behind::Outside),
            Err(_) => None,
        }
    }

    /// Whether a path that leads to no file that is listed leads to a pipe, a socket or a device.
    pub(super) fn is_special(&self, path: &str) -> bool {
        let inside = self.below_root(path);
        self.roots.first().is_some_and(|root| pin::is_special(Path::new(root), inside.as_bytes()))
    }

    /// Whether a path leads into a folder in which git keeps what it knows.
    pub(super) fn is_gits_own(&self, path: &str) -> bool {
        self.below_root(path).split('/').any(|part| part == ".git")
    }

    /// Whether a link stands at a place of the index.
    pub(super) fn is_link(&self, at: usize) -> bool {
        let path = self.index().paths()[at].as_bytes();
        self.files.find(path).is_some_and(|entry| entry.kind == Kind::Link)
    }

    /// A written path without the workspace's own before it.
    fn below_root(&self, path: &str) -> String {
        let written = path.trim().replace('\\', "/");
        let below = self.roots.iter().find_map(|root| written.strip_prefix(root.as_str())?.strip_prefix('/'));
        below.unwrap_or(&written).trim_start_matches("./").to_owned()
    }

    /// The text of the file at a place of the index.
    pub(super) fn read(&self, at: usize) -> Result<Arc<FileText>, Unread> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.texts.get(&at) {
            return known.clone();
        }
        let text = self.read_anew(at).map(Arc::new);
        kept.keep(at, text.clone(), KEPT);
        text
    }

    /// The same without secrets, line by line where it was.
    pub(super) fn read_redacted(&self, at: usize) -> Result<Arc<FileText>, Unread> {
        self.read(at).map(|text| {
            let whole = text.lines().collect::<Vec<_>>().join("\n");
            Arc::new(FileText::new(redact_keeping_lines(&whole).as_bytes()))
        })
    }

    fn read_anew(&self, at: usize) -> Result<FileText, Unread> {
        let path = &self.index().paths()[at];
        let entry = self.files.find(path.as_bytes()).ok_or_else(|| Unread::Closed("its name is no text".to_owned()))?;
        match self.files.read(entry) {
            Ok(content) if content.changed_since => Err(Unread::Changed),
            Ok(content) => Ok(FileText::new(&content.bytes)),
            Err(ReadError::Outside | ReadError::Circle) => Err(Unread::Outside),
            Err(ReadError::Missing) if entry.kind == Kind::Link => {
                let folder = match self.behind_links(path) {
                    Some(Behind::Inside(real)) => self.index().resolve(&real) == Resolved::Folder,
                    Some(Behind::Outside) | None => false,
                };
                Err(Unread::Closed(if folder { "it is a link to a folder" } else { "its link leads to nothing" }.to_owned()))
            }
            Err(ReadError::Missing) => Err(Unread::Gone),
            Err(error) => Err(Unread::Closed(error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_goes_and_going_round_still_finds_some() {
        let text = || Ok(Arc::new(FileText::new(&[b'a'; 872])));
        let (most, files) = (100 * 1_000, 150);
        let mut kept = Kept::default();
        let mut found = 0;
        for at in (0..20).flat_map(|_| 0..files) {
            if kept.texts.contains_key(&at) {
                found += 1;
            } else {
                kept.keep(at, text(), most);
            }
            assert!(kept.bytes <= most && kept.bytes == 1_000 * kept.texts.len(), "{}", kept.bytes);
            assert_eq!(kept.places.len(), kept.texts.len());
        }
        // Two thirds fit. Of the nineteen rounds that can find any, a good part must.
        assert!(found > 19 * files / 3, "{found}");
    }

    #[test]
    fn a_text_that_is_larger_than_all_is_kept_alone() {
        let mut kept = Kept::default();
        kept.keep(1, Err(Unread::Gone), 500);
        kept.keep(2, Ok(Arc::new(FileText::new(&[b'a'; 900]))), 500);
        assert_eq!(kept.places, [2]);
    }
}
