//! Files that debates have written outside of their folders, by what the index knows: a path proves nothing, since anybody
//! can put a file there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::Projection;
use crate::shelf::{Shelf, Shelved};

/// The files that the debates of a shelf have written outside of their folders. The index is read when the first file is
/// asked about.
#[derive(Clone, Debug, Default)]
pub struct OwnFiles {
    shelf: Option<Shelf>,
    /// By path, with the debates that wrote it, newest first.
    written: OnceLock<BTreeMap<PathBuf, Vec<Shelved>>>,
}

impl Shelf {
    /// What the index knows of files that were written. A debate that cannot be looked at has written none.
    pub fn own_files(&self) -> OwnFiles {
        OwnFiles { shelf: Some(self.clone()), written: OnceLock::new() }
    }

    fn all_written(&self) -> BTreeMap<PathBuf, Vec<Shelved>> {
        let mut written: BTreeMap<PathBuf, Vec<Shelved>> = BTreeMap::new();
        for debate in self.all().unwrap_or_default().into_iter().rev() {
            for path in self.wrote(&debate.id) {
                written.entry(path).or_default().push(debate.clone());
            }
        }
        written
    }
}

impl OwnFiles {
    /// Whether a file is as a debate has written it.
    pub fn holds(&self, path: &Path) -> bool {
        let written = self.written.get_or_init(|| self.shelf.as_ref().map(Shelf::all_written).unwrap_or_default());
        written.get(path).is_some_and(|debates| debates.iter().any(|debate| is_as_written(debate, path)))
    }
}

fn is_as_written(debate: &Shelved, path: &Path) -> bool {
    // Other tools get the debate's state as it is kept with its journal.
    let state = fs::read(debate.folder.join("debate.json"));
    if state.is_ok_and(|state| fs::read(path).is_ok_and(|there| there == state)) {
        return true;
    }
    let Ok(read) = debate.read() else { return false };
    let projection = Projection::own(&debate.folder, read.plan());
    projection.documents().contains(&path.to_owned()) && !projection.stale(&read).contains(&path.to_owned())
}
