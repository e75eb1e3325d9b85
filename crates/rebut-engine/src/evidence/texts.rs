//! The files of a workspace as texts: found by what people write, read once and kept while there is room.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rebut_core::claims::check::{FileText, PathIndex, Unread};

use super::pin::{Files, Kind, ReadError};

/// How many bytes of texts are kept; then all are let go of, and reading begins anew.
const KEPT: usize = 64 * 1024 * 1024;

/// A workspace as texts.
pub(super) struct Texts {
    files: Arc<dyn Files>,
    /// How the workspace itself may be written at the beginning of a path.
    roots: Vec<String>,
    index: OnceLock<PathIndex>,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    texts: HashMap<usize, Result<Arc<FileText>, Unread>>,
    bytes: usize,
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

    /// The text of the file at a place of the index.
    pub(super) fn read(&self, at: usize) -> Result<Arc<FileText>, Unread> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.texts.get(&at) {
            return known.clone();
        }
        let text = self.read_anew(at).map(Arc::new);
        let size = text.as_ref().map_or(0, |text| text.len());
        if kept.bytes + size > KEPT {
            *kept = Kept::default();
        }
        kept.bytes += size;
        kept.texts.insert(at, text.clone());
        text
    }

    fn read_anew(&self, at: usize) -> Result<FileText, Unread> {
        let path = &self.index().paths()[at];
        let entry = self.files.find(path.as_bytes()).ok_or_else(|| Unread::Closed("its name is no text".to_owned()))?;
        match self.files.read(entry) {
            Ok(content) if content.changed_since => Err(Unread::Changed),
            Ok(content) => Ok(FileText::new(&content.bytes)),
            Err(ReadError::Outside | ReadError::Circle) => Err(Unread::Outside),
            Err(ReadError::Missing) if entry.kind == Kind::Link => {
                Err(Unread::Closed("its link leads to nothing".to_owned()))
            }
            Err(ReadError::Missing) => Err(Unread::Gone),
            Err(error) => Err(Unread::Closed(error.to_string())),
        }
    }
}
