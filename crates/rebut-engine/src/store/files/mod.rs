//! Debates in a folder: each has a folder of its own, named by its id.
//!
//! | file | content |
//! |---|---|
//! | `journal.jsonl` | one event per line, each with the hash of the line before |
//! | `blobs/` | long texts and the pinned workspace, each under the hash of its content |
//! | `summary.json` | what lists show |
//! | `requests/` | what is asked of the process that runs it |
//!
//! A claim is a lock on the journal, so that no lock file is ever left behind. A last line that a crash tore is cut when the
//! debate is claimed; a line whose hash is wrong was changed: it is reported, and nothing is appended after it.

mod blobs;
mod claim;
mod fault;
mod listing;
mod private;
mod reader;
mod requests;

use std::collections::HashSet;
use std::fs::{self, File};
use std::future::ready;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use rebut_core::debate::DebateId;

use super::{Claim, Claimed, Cursor, Doubt, Earlier, Events, Held, Listed, Request, Store, StoreError, Stored};
use claim::FileClaim;
pub use fault::Fault;
pub(crate) use private::private_file;
pub use private::{create_folder, replace_by, replace_file, sync_folder, write_new_file};

/// The journal's name in the debate's folder.
pub const JOURNAL: &str = "journal.jsonl";
/// The folder of blobs in the debate's folder.
pub const BLOBS: &str = "blobs";
/// How many ids are tried before giving up on finding a free one.
const ID_TRIES: u32 = 64;

/// Debates in a folder.
#[derive(Clone, Debug)]
pub struct FileStore {
    root: PathBuf,
    fault: Option<Fault>,
    /// The short ids that are taken; the folder is listed for the first new debate, not for each.
    taken: Arc<Mutex<HashSet<String>>>,
}

impl FileStore {
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), fault: None, taken: Arc::default() }
    }

    /// The same with a fault that a test asks for.
    #[must_use]
    pub fn with_fault(self, fault: Option<Fault>) -> Self {
        Self { fault, ..self }
    }

    fn folder(&self, id: &DebateId) -> PathBuf {
        self.root.join(id.as_str())
    }

    /// The folder of a debate that exists.
    fn known(&self, id: &DebateId) -> Result<PathBuf, StoreError> {
        let folder = self.folder(id);
        if folder.is_dir() { Ok(folder) } else { Err(StoreError::Unknown { part: id.to_string() }) }
    }

    fn create_now(&self, at: Timestamp) -> Result<FileClaim, StoreError> {
        let root = &self.root;
        create_folder(root).map_err(StoreError::io("create", root))?;
        let is_hidden = || fs::read(root.join(".gitignore")).is_ok_and(|lines| lines == b"*\n");
        let mut is_unseen = !self.is_seen_by_git() || is_hidden();
        if !is_unseen && fs::read_dir(root).map_err(StoreError::io("read", root))?.next().is_none() {
            hide_from_git(root)?;
            is_unseen = is_hidden();
        }
        for _ in 0..ID_TRIES {
            let id = DebateId::new(at, crate::chance::small_number());
            if !self.takes(&id)? {
                continue;
            }
            let folder = self.folder(&id);
            match private::create_new_folder(&folder) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                created => created.map_err(StoreError::io("create", &folder))?,
            }
            let hidden = if is_unseen { Ok(()) } else { hide_from_git(&folder) };
            return hidden.and_then(|()| FileClaim::create(&folder, id, self.fault)).inspect_err(|_| {
                // The error is reported; no empty folder stays.
                let _ = fs::remove_dir_all(&folder);
            });
        }
        let taken = io::Error::other("every id that was tried is taken");
        Err(StoreError::io("find a free id in", root)(taken))
    }

    /// Whether the id's short form was free: users type it, so two debates should not share one. Those that other processes
    /// have taken since the folder was listed are not seen.
    fn takes(&self, id: &DebateId) -> Result<bool, StoreError> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.is_empty() {
            taken.extend(listing::ids(&self.root)?.iter().map(|id| id.short().to_owned()));
        }
        Ok(taken.insert(id.short().to_owned()))
    }

    /// Whether git sees what is written here: in a work tree, and not in the folder that git keeps itself.
    fn is_seen_by_git(&self) -> bool {
        let of_git = self.root.components().any(|part| part.as_os_str() == ".git");
        !of_git && self.root.ancestors().any(|folder| folder.join(".git").exists())
    }

    fn hold_now(&self, id: &DebateId) -> Result<HeldFolder, StoreError> {
        let folder = self.folder(id);
        match fs::symlink_metadata(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(StoreError::Unknown { part: id.to_string() });
            }
            Err(error) => return Err(StoreError::io("look at", &folder)(error)),
            Ok(there) if !there.is_dir() => return Err(StoreError::NotADebate { path: folder }),
            Ok(_) => {}
        }
        Ok(HeldFolder { _lock: claim::hold(&folder, id)?, folder })
    }
}

/// A debate's folder whose journal, if there is one, is locked.
struct HeldFolder {
    folder: PathBuf,
    _lock: Option<File>,
}

impl Held for HeldFolder {
    fn remove(self: Box<Self>) -> Stored<'static, ()> {
        done(fs::remove_dir_all(&self.folder).map_err(StoreError::io("remove", &self.folder)))
    }
}

/// A new folder of debates within a work tree is ignored as a whole, so that no debate is committed by mistake or reviewed as
/// a change. In a folder with other files, each debate is ignored on its own.
fn hide_from_git(folder: &Path) -> Result<(), StoreError> {
    let path = folder.join(".gitignore");
    match write_new_file(&path, b"*\n") {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(StoreError::io("write", &path)(error)),
        _ => Ok(()),
    }
}

/// The disk is asked directly: a call costs less than handing it to another thread.
fn done<'a, T: Send + 'a>(result: Result<T, StoreError>) -> Stored<'a, T> {
    Box::pin(ready(result))
}

impl Store for FileStore {
    fn create(&self, at: Timestamp) -> Stored<'_, Box<dyn Claim>> {
        done(self.create_now(at).map(|claim| Box::new(claim) as Box<dyn Claim>))
    }

    fn claim<'a>(&'a self, id: &'a DebateId, earlier: Earlier) -> Stored<'a, Claimed> {
        let claimed = self.known(id).and_then(|folder| FileClaim::open(&folder, id, self.fault, earlier));
        done(claimed.map(|(claim, events, note)| Claimed { claim: Box::new(claim), events, note, in_doubt: Doubt::All }))
    }

    fn events<'a>(&'a self, id: &'a DebateId, since: &'a Cursor) -> Stored<'a, Events> {
        done(self.known(id).and_then(|folder| reader::read(&folder, since)))
    }

    fn is_claimed<'a>(&'a self, id: &'a DebateId) -> Stored<'a, bool> {
        done(self.known(id).map(|folder| claim::is_locked(&folder)))
    }

    fn list(&self) -> Stored<'_, Vec<Listed>> {
        done(listing::list(&self.root))
    }

    fn find<'a>(&'a self, part: &'a str) -> Stored<'a, DebateId> {
        done(listing::find(&self.root, part))
    }

    fn blob<'a>(&'a self, id: &'a DebateId, hash: &'a str) -> Stored<'a, PathBuf> {
        done(self.known(id).map(|folder| folder.join(BLOBS).join(hash)))
    }

    fn request<'a>(&'a self, id: &'a DebateId, request: &'a Request) -> Stored<'a, ()> {
        done(self.known(id).and_then(|folder| requests::write(&folder, request)))
    }

    fn hold<'a>(&'a self, id: &'a DebateId) -> Stored<'a, Box<dyn Held>> {
        done(self.hold_now(id).map(|held| Box::new(held) as Box<dyn Held>))
    }
}
