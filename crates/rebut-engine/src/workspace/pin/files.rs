//! Files by path, and how symlinks among them are followed.

use std::fmt::Debug;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::facts::leave_out;
use super::{Facts, LeftOut, Live};

/// How many symlinks a path may have, as on Linux.
const MOST_LINKS: usize = 40;

/// The files of a workspace.
pub trait Files: Debug + Send + Sync {
    /// Every file and symlink, sorted by the bytes of its path.
    fn entries(&self) -> &[Entry];

    /// The content of a file, the target of a symlink.
    fn content(&self, entry: &Entry) -> Result<Content, ReadError>;

    /// The folder that is read as it is now, not as it was at the start.
    fn live(&self) -> Option<&Live> {
        None
    }

    /// What is known of how the files were listed.
    fn listing(&self) -> Option<&Facts> {
        None
    }

    /// The entry of exactly this path, even a symlink.
    fn find(&self, path: &[u8]) -> Option<&Entry> {
        let entries = self.entries();
        entries.binary_search_by(|entry| entry.bytes().cmp(path)).ok().map(|at| &entries[at])
    }

    /// The file that a path leads to; symlinks are followed as long as they stay inside.
    fn lookup(&self, path: &[u8]) -> Result<&Entry, ReadError> {
        match self.find(path) {
            Some(entry) if entry.kind != Kind::Symlink => Ok(entry),
            _ => self.find(&self.leads_to(path)?).ok_or(ReadError::Missing),
        }
    }

    /// The content of the file that the entry is or leads to.
    fn read(&self, entry: &Entry) -> Result<Content, ReadError> {
        match entry.kind {
            Kind::Symlink => {
                let (path, changed_since) = follow(self, entry.bytes())?;
                let mut content = self.content(self.find(&path).ok_or(ReadError::Missing)?)?;
                // A symlink that points elsewhere by now is a change too.
                content.changed_since |= changed_since;
                Ok(content)
            }
            _ => self.content(entry),
        }
    }

    /// The path with all symlinks resolved; there need not be a file.
    fn leads_to(&self, path: &[u8]) -> Result<Vec<u8>, ReadError> {
        follow(self, path).map(|(path, _)| path)
    }

    /// Why an entry is not in copies of these files.
    fn stays_out(&self, entry: &Entry) -> Option<Why> {
        match entry.kind {
            Kind::Left(why) => Some(why),
            Kind::Symlink => match self.leads_to(entry.bytes()) {
                Ok(_) => None,
                Err(ReadError::Circle) => Some(Why::Circle),
                Err(_) => Some(Why::LeadsOut),
            },
            Kind::File { .. } => None,
        }
    }

    /// How many files and symlinks a copy has, and what is not in it.
    fn laid_out(&self) -> (u64, Vec<LeftOut>) {
        let (mut laid, mut left) = (0, Vec::new());
        for entry in self.entries() {
            match self.stays_out(entry) {
                Some(why) => leave_out(&mut left, why, entry.bytes()),
                None => laid += 1,
            }
        }
        (laid, left)
    }
}

/// A symlink's target. An absolute one in the workspace becomes relative, so that it leads to the same file in a copy.
pub(super) fn relative_target(root: &Path, link: &[u8], target: Vec<u8>) -> Vec<u8> {
    let root = root.as_os_str().as_encoded_bytes();
    let below = match target.strip_prefix(root) {
        Some(below) if below.is_empty() || below.starts_with(b"/") => below,
        _ => return target,
    };
    let depth = link.split(|byte| *byte == b'/').count() - 1;
    // Without any part the root itself is meant.
    let below = &below[below.iter().position(|byte| *byte != b'/').unwrap_or(below.len())..];
    [&b"../".repeat(depth)[..], if below.is_empty() { b"." } else { below }].concat()
}

/// The path with all symlinks resolved, and whether one of them may have pointed elsewhere at the start.
fn follow<F: Files + ?Sized>(files: &F, path: &[u8]) -> Result<(Vec<u8>, bool), ReadError> {
    if path.starts_with(b"/") {
        return Err(ReadError::Outside);
    }
    let mut ahead = parts_reversed(path);
    let (mut at, mut changed_since) = (Vec::with_capacity(path.len()), false);
    let mut links = 0;
    while let Some(part) = ahead.pop() {
        if part == b".." {
            if at.is_empty() {
                return Err(ReadError::Outside);
            }
            at.truncate(at.iter().rposition(|byte| *byte == b'/').unwrap_or(0));
            continue;
        }
        let above = at.len();
        if above > 0 {
            at.push(b'/');
        }
        at.extend_from_slice(&part);
        let Some(link) = files.find(&at).filter(|entry| entry.kind == Kind::Symlink) else { continue };
        links += 1;
        if links > MOST_LINKS {
            return Err(ReadError::Circle);
        }
        let target = files.content(link)?;
        if target.bytes.starts_with(b"/") {
            return Err(ReadError::Outside);
        }
        at.truncate(above);
        changed_since |= target.changed_since;
        ahead.extend(parts_reversed(&target.bytes));
    }
    Ok((at, changed_since))
}

/// The parts of a path, last one first.
fn parts_reversed(path: &[u8]) -> Vec<Vec<u8>> {
    let parts = path.split(|byte| *byte == b'/').filter(|part| !part.is_empty() && *part != b".");
    let mut parts: Vec<_> = parts.map(<[u8]>::to_vec).collect();
    parts.reverse();
    parts
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    path: String,
    pub kind: Kind,
    /// In bytes, even if they are not kept.
    pub size: u64,
    /// Of its content in a pack.
    pub(super) hash: u64,
    /// Where a pack has its content.
    #[serde(skip)]
    pub(super) offset: u64,
}

impl Entry {
    pub(crate) fn new(path: String, kind: Kind, size: u64) -> Self {
        Self { path, kind, size, hash: 0, offset: 0 }
    }

    /// The path in the workspace, with `/` between its parts.
    pub fn path(&self) -> &str {
        &self.path
    }

    pub fn bytes(&self) -> &[u8] {
        self.path.as_bytes()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A file whose content is kept.
    File { executable: bool },
    /// Its content is its target.
    Symlink,
    /// A file that is there, and whose content is not kept.
    Left(Why),
}

/// Why something is not pinned, or not as it seems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It has a NUL byte near its start.
    Binary,
    TooLarge,
    Unreadable,
    /// A pipe, a socket, a device.
    Special,
    /// Git has only its name: the clone is partial or damaged, or the file is not checked out in a live folder.
    Unfetched,
    LeadsOut,
    Circle,
    Vanished,
    /// It changed while it was read, and is pinned as it was read.
    Unsteady,
    /// A nested repository that is not a submodule.
    Repository,
    /// A submodule that is not initialised.
    Submodule,
    /// Named like a file that holds keys, and untracked.
    Private,
    /// Its name is not UTF-8.
    Unnamable,
}

impl Why {
    /// In words, after "it is" or before a list of names.
    pub fn words(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::TooLarge => "larger than evidence.max_file_bytes",
            Self::Unreadable => "not readable",
            Self::Special => "no regular file",
            Self::Unfetched => "not available in this clone",
            Self::LeadsOut => "a symlink that leads out of the workspace",
            Self::Circle => "a symlink that leads in a circle",
            Self::Vanished => "gone before it was read",
            Self::Unsteady => "changed while it was read",
            Self::Repository => "a nested repository",
            Self::Submodule => "a submodule that is not initialised",
            Self::Private => "named like a file that holds keys",
            Self::Unnamable => "named in bytes that are not UTF-8",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    pub bytes: Vec<u8>,
    /// Whether they may have changed since the start, in a live folder.
    pub changed_since: bool,
}

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("it is {}", .0.words())]
    Left(Why),
    #[error("there is no such file")]
    Missing,
    #[error("it leads out of the workspace")]
    Outside,
    #[error("its links lead in a circle")]
    Circle,
    #[error("its pinned content was changed")]
    Damaged,
    #[error("it can't be read: {0}")]
    Io(#[from] io::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absolute_target_in_the_workspace_becomes_relative() {
        for (link, target, expected) in [
            ("in", "/ws/n/y.txt", "n/y.txt"),
            ("a/b/in", "/ws/n/y.txt", "../../n/y.txt"),
            ("a/in", "/ws//n/", "../n/"),
            ("a/root", "/ws", "../."),
            ("root", "/ws/", "."),
            ("up", "/ws/../secret", "../secret"),
            ("beside", "/wsx/y.txt", "/wsx/y.txt"),
            ("out", "/etc/passwd", "/etc/passwd"),
            ("near", "../y.txt", "../y.txt"),
        ] {
            let relative = relative_target(Path::new("/ws"), link.as_bytes(), target.as_bytes().to_vec());
            assert_eq!(String::from_utf8(relative).unwrap(), expected, "{link} -> {target}");
        }
    }
}
