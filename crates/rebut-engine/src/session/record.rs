//! What is known on this machine of the files that are rendered from a debate: where its documents are, and what was
//! written outside of its own folder. A path proves nothing, since anyone can put a file there; the hash of the content does.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rebut_core::debate::DebateId;
use serde::{Deserialize, Serialize};

use crate::store::files::{create_folder, replace_file};

const FILE: &str = "projections.json";
/// How many versions of a file are remembered: the one that is being written, and the one before.
const VERSIONS: usize = 2;

/// The record of one debate.
#[derive(Clone, Debug)]
pub struct Record {
    path: PathBuf,
    content: Content,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Content {
    /// The folder of its documents, if it is not the debate's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    documents: Option<PathBuf>,
    /// The hashes of what was written outside of that folder, by path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    wrote: BTreeMap<PathBuf, Vec<String>>,
}

impl Record {
    /// The record of a debate of this state folder.
    pub fn of(state: &Path, id: &DebateId) -> Self {
        let path = state.join(id.as_str()).join(FILE);
        let content = fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
        Self { path, content }
    }

    /// The folder of the debate's documents.
    pub fn documents(&self) -> &Path {
        let own = self.path.parent().unwrap_or(Path::new("."));
        self.content.documents.as_deref().unwrap_or(own)
    }

    /// The documents' folder, if it is not the debate's own.
    pub(super) fn elsewhere(&self) -> Option<&Path> {
        self.content.documents.as_deref()
    }

    pub(super) fn put_documents(&mut self, folder: PathBuf) -> io::Result<()> {
        self.content.documents = Some(folder);
        self.write()
    }

    /// A file with this name that was written outside.
    pub(super) fn wrote(&self, name: &str) -> Option<PathBuf> {
        self.content.wrote.keys().find(|path| path.ends_with(name)).cloned()
    }

    /// Remembers what is about to be written outside.
    pub(super) fn will_write<'f>(&mut self, files: impl Iterator<Item = (&'f Path, &'f str)>) -> io::Result<()> {
        let mut changed = false;
        for (path, content) in files {
            let hash = blake3::hash(content.as_bytes()).to_hex().to_string();
            let known = self.content.wrote.entry(path.to_owned()).or_default();
            if !known.contains(&hash) {
                known.insert(0, hash);
                known.truncate(VERSIONS);
                changed = true;
            }
        }
        if changed { self.write() } else { Ok(()) }
    }

    fn write(&self) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            create_folder(folder)?;
        }
        replace_file(&self.path, &self.path.with_file_name(format!(".{FILE}.new")), &serde_json::to_vec(&self.content)?)
    }
}

/// The files that the debates of a state folder have written outside of their own folders. The records are read when the
/// first file is asked about.
#[derive(Clone, Debug, Default)]
pub struct OwnFiles {
    state: PathBuf,
    written: OnceLock<BTreeMap<PathBuf, Vec<String>>>,
}

impl OwnFiles {
    pub fn of(state: &Path) -> Self {
        Self { state: state.to_owned(), written: OnceLock::new() }
    }

    /// Whether a file is as a debate has written it.
    pub fn holds(&self, path: &Path) -> bool {
        let Some(hashes) = self.written.get_or_init(|| self.read()).get(path) else { return false };
        fs::read(path).is_ok_and(|content| hashes.iter().any(|hash| *hash == *blake3::hash(&content).to_hex()))
    }

    fn read(&self) -> BTreeMap<PathBuf, Vec<String>> {
        let mut written: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
        for entry in fs::read_dir(&self.state).into_iter().flatten().flatten() {
            let Some(id) = DebateId::parse(&entry.file_name().to_string_lossy()) else { continue };
            for (path, hashes) in Record::of(&self.state, &id).content.wrote {
                written.entry(path).or_default().extend(hashes);
            }
        }
        written
    }
}
