//! The files of a version, as a patch leaves them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::workspace::pin::{Content, Entry, Facts, Files, Kind, Live, ReadError};

/// What a patch makes of files: by path, the file as it is then, or nothing.
pub(crate) type Changes = BTreeMap<String, Option<Changed>>;

/// A file that a patch made or changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Changed {
    /// Whether it may be run.
    pub(crate) executable: bool,
    pub(crate) bytes: Vec<u8>,
}

/// Files, and what a patch has made of some of them.
#[derive(Debug)]
pub(crate) struct Revised {
    before: Arc<dyn Files>,
    changes: Changes,
    entries: Vec<Entry>,
}

impl Revised {
    pub(crate) fn new(before: Arc<dyn Files>, changes: Changes) -> Self {
        let kept = before.entries().iter().filter(|entry| !changes.contains_key(entry.path())).cloned();
        let made = changes.iter().filter_map(|(path, changed)| {
            let Changed { executable, bytes } = changed.as_ref()?;
            Some(Entry::new(path.clone(), Kind::File { executable: *executable }, bytes.len() as u64))
        });
        let mut entries: Vec<Entry> = kept.chain(made).collect();
        entries.sort_by(|one, other| one.path().cmp(other.path()));
        Self { before, changes, entries }
    }
}

impl Files for Revised {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn content(&self, entry: &Entry) -> Result<Content, ReadError> {
        match self.changes.get(entry.path()) {
            Some(Some(changed)) => Ok(Content { bytes: changed.bytes.clone(), changed_since: false }),
            Some(None) => Err(ReadError::Missing),
            None => self.before.content(entry),
        }
    }

    fn live(&self) -> Option<&Live> {
        self.before.live()
    }

    fn listing(&self) -> Option<&Facts> {
        self.before.listing()
    }
}
