//! Files that debates have written outside of their folders, by what the index knows: a path proves nothing, since anybody
//! can put a file there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Projection, Shelf, Shelved};

/// The files that the debates of a shelf have written outside of their folders.
#[derive(Clone, Debug, Default)]
pub struct OwnFiles {
    /// By path, with the debates that wrote it, newest first.
    written: BTreeMap<PathBuf, Vec<Shelved>>,
}

impl Shelf {
    /// What the index knows of files that were written. A debate that cannot be looked at has written none.
    pub fn own_files(&self) -> OwnFiles {
        let mut written: BTreeMap<PathBuf, Vec<Shelved>> = BTreeMap::new();
        for debate in self.all().unwrap_or_default().into_iter().rev() {
            for path in self.wrote(&debate.id) {
                written.entry(path).or_default().push(debate.clone());
            }
        }
        OwnFiles { written }
    }
}

impl OwnFiles {
    /// Whether a file is as a debate has written it.
    pub fn holds(&self, path: &Path) -> bool {
        self.written.get(path).is_some_and(|debates| debates.iter().any(|debate| is_as_written(debate, path)))
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
