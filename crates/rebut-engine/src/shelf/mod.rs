//! The shelf: where debates are kept, and how they are found again.
//!
//! The root holds one pointer file a debate (`index/ID.json`), written before the debate's first event, which names the
//! debate's own folder. Most folders stand in the root itself; a format may keep its debates elsewhere.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use rebut_core::debate::{Debate, DebateId, Event};
use rebut_core::formats::fold;
use serde::{Deserialize, Serialize};

use crate::journal::{self, Journal, JournalError, create_folder, replace_file, sync_folder, write_new_file};

/// Where the pointers are.
const INDEX: &str = "index";
/// The file that asks a running debate to stop.
pub const CANCEL: &str = "cancel";
/// How many ids are tried before giving up on finding a free one.
const ID_TRIES: u32 = 64;

/// How often, and after how long a wait, the first event of a debate that somebody has just begun is looked for.
const FIRST_EVENT_TRIES: u32 = 200;
const FIRST_EVENT_WAIT: Duration = Duration::from_millis(5);

/// The place where debates are kept.
#[derive(Clone, Debug)]
pub struct Shelf {
    root: PathBuf,
}

/// A debate on the shelf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shelved {
    /// Its id.
    pub id: DebateId,
    /// Its folder.
    pub folder: PathBuf,
}

/// What can go wrong on the shelf.
#[derive(Debug, thiserror::Error)]
pub enum ShelfError {
    /// No debate has this in its id.
    #[error("no debate matches `{part}`")]
    Unknown {
        /// What was asked for.
        part: String,
    },
    /// Several debates have this in their id.
    #[error("`{part}` matches {} debates: {}", matches.len(), names(matches))]
    Ambiguous {
        /// What was asked for.
        part: String,
        /// The debates.
        matches: Vec<DebateId>,
    },
    /// There is none at all.
    #[error("there is no debate yet")]
    Empty,
    /// The debate is running.
    #[error("{id} is being run by another process")]
    Running {
        /// The debate.
        id: DebateId,
    },
    /// The pointer names a folder that is no debate's.
    #[error("{path} is not a debate's folder and is left alone")]
    NotADebate {
        /// The folder.
        path: PathBuf,
    },
    /// The system said no.
    #[error("failed to {doing} {path}: {source}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

#[derive(Serialize, Deserialize)]
struct Pointer {
    /// Relative to the root where it stands in it, so that the shelf can be moved.
    folder: PathBuf,
    /// Files that the debate writes outside of its folder.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    wrote: BTreeSet<PathBuf>,
}

impl Shelf {
    /// The shelf at a root.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Claims a new id and folder: the pointer is written here, the folder by the journal. `elsewhere` is a format's
    /// own place for its folders.
    pub fn claim(&self, at: Timestamp, elsewhere: Option<&Path>) -> Result<Shelved, ShelfError> {
        self.claim_as(DebateId::new, at, elsewhere)
    }

    /// A new state folder within a work tree is ignored as a whole, so that no debate is committed by mistake or reviewed
    /// as a change. A folder in which other files stand is left alone: they would vanish from git's sight.
    /// There the folders of rebut's own are ignored, each by itself.
    fn keep_out_of_git(folder: &Path) -> Result<(), ShelfError> {
        let path = folder.join(".gitignore");
        match write_new_file(&path, b"*\n") {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(failed_to("write", &path)(error)),
            _ => Ok(()),
        }
    }

    /// Whether git sees what is written here: in a work tree, and not in the folder that git keeps itself.
    fn is_seen_by_git(&self) -> bool {
        let within = |folder: &Path| folder.join(".git").exists();
        let of_git = self.root.components().any(|part| part.as_os_str() == ".git");
        !of_git && (within(&self.root) || self.root.ancestors().skip(1).any(within))
    }

    pub fn claim_as(
        &self,
        id: fn(Timestamp, u16) -> DebateId,
        at: Timestamp,
        elsewhere: Option<&Path>,
    ) -> Result<Shelved, ShelfError> {
        let index = self.root.join(INDEX);
        let is_fresh = fs::read_dir(&self.root).map_or(true, |mut entries| entries.next().is_none());
        create_folder(&index).map_err(failed_to("create", &index))?;
        let seen = self.is_seen_by_git();
        if seen {
            Self::keep_out_of_git(if is_fresh { &self.root } else { &index })?;
        }
        let as_a_whole = || fs::read(self.root.join(".gitignore")).is_ok_and(|lines| lines == b"*\n");
        let one_by_one = seen && elsewhere.is_none() && !as_a_whole();
        for _ in 0..ID_TRIES {
            let id = id(at, crate::chance::small_number());
            let (folder, named) = match elsewhere {
                Some(place) => (place.join(id.as_str()), place.join(id.as_str())),
                None => (self.root.join(id.as_str()), PathBuf::from(id.as_str())),
            };
            let path = self.pointer(&id);
            // A folder whose name is no UTF-8 cannot be written down.
            let content = serde_json::to_vec(&Pointer { folder: named, wrote: BTreeSet::new() });
            let content = content.map_err(io::Error::other).map_err(failed_to("name the debate's folder in", &path))?;
            match write_new_file(&path, &content) {
                Ok(()) => {
                    sync_folder(&index).map_err(failed_to("sync", &index))?;
                    if one_by_one {
                        create_folder(&folder).map_err(failed_to("create", &folder))?;
                        Self::keep_out_of_git(&folder)?;
                    }
                    return Ok(Shelved { id, folder });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    // A pointer without content leads nowhere; the error itself is reported.
                    let _ = fs::remove_file(&path);
                    return Err(failed_to("write", &path)(error));
                }
            }
        }
        let taken = io::Error::other("every id that was tried is taken");
        Err(failed_to("find a free id in", &index)(taken))
    }

    /// Every debate, oldest first.
    pub fn all(&self) -> Result<Vec<Shelved>, ShelfError> {
        let index = self.root.join(INDEX);
        let entries = match fs::read_dir(&index) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed_to("read", &index)(error)),
        };
        let mut debates = Vec::new();
        for entry in entries {
            let path = entry.map_err(failed_to("read", &index))?.path();
            let id = path.file_stem().and_then(|stem| DebateId::parse(&stem.to_string_lossy()));
            if let Some(id) = id.filter(|_| path.extension().is_some_and(|end| end == "json") && path.is_file()) {
                match self.follow(id) {
                    Ok(debate) => debates.push(debate),
                    // Somebody removed it since the folder was read.
                    Err(ShelfError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
        }
        // Ids tell the second; of debates of the same second the one whose pointer was written first is the older.
        debates.sort_by_cached_key(|debate| {
            let claimed = fs::metadata(self.pointer(&debate.id)).and_then(|there| there.modified()).ok();
            (debate.id.second(), claimed, debate.id.clone())
        });
        Ok(debates)
    }

    /// The debate whose id holds this part, or the newest for `last`.
    pub fn find(&self, part: &str) -> Result<Shelved, ShelfError> {
        let mut debates = self.all()?;
        if part == "last" {
            return debates.pop().ok_or(ShelfError::Empty);
        }
        let unknown = || ShelfError::Unknown { part: part.to_owned() };
        debates.retain(|debate| debate.id.as_str().contains(part));
        match debates.len() {
            _ if part.is_empty() => Err(unknown()),
            0 => Err(unknown()),
            1 => debates.pop().ok_or_else(unknown),
            _ => {
                let matches = debates.into_iter().map(|debate| debate.id).collect();
                Err(ShelfError::Ambiguous { part: part.to_owned(), matches })
            }
        }
    }

    /// Removes a debate that is not running: its folder and its pointer.
    pub fn remove(&self, debate: &Shelved) -> Result<(), ShelfError> {
        // Nobody begins to write it while it is removed.
        let _held = match Journal::hold(&debate.folder) {
            Ok(held) => held,
            Err(JournalError::Locked { .. }) => return Err(ShelfError::Running { id: debate.id.clone() }),
            Err(error) => return Err(failed_to("lock", &debate.folder)(io::Error::other(error.to_string()))),
        };
        match fs::symlink_metadata(&debate.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed_to("look at", &debate.folder)(error)),
            Ok(there) => {
                let is_its_own = debate.folder.file_name().is_some_and(|name| name == debate.id.as_str());
                let is_a_debate = debate.folder.join(journal::FILE).exists() || is_empty(&debate.folder);
                if !there.is_dir() || !is_its_own || !is_a_debate {
                    return Err(ShelfError::NotADebate { path: debate.folder.clone() });
                }
                fs::remove_dir_all(&debate.folder).map_err(failed_to("remove", &debate.folder))?;
            }
        }
        let pointer = self.pointer(&debate.id);
        fs::remove_file(&pointer).map_err(failed_to("remove", &pointer))
    }

    /// Takes back the claim of a debate that was not begun, with whatever was put into its folder for it.
    pub fn take_back(&self, debate: &Shelved) -> Result<(), ShelfError> {
        let is_its_own = debate.folder.file_name().is_some_and(|name| name == debate.id.as_str());
        if !is_its_own || debate.folder.join(journal::FILE).exists() {
            return Err(ShelfError::NotADebate { path: debate.folder.clone() });
        }
        fs::remove_dir_all(&debate.folder).map_err(failed_to("remove", &debate.folder))?;
        let pointer = self.pointer(&debate.id);
        fs::remove_file(&pointer).map_err(failed_to("remove", &pointer))
    }

    /// Puts down in the index which files a debate writes outside of its folder. Call it before they are written.
    pub fn will_write(&self, debate: &Shelved, files: Vec<PathBuf>) -> Result<(), ShelfError> {
        let path = self.pointer(&debate.id);
        let content = fs::read(&path).map_err(failed_to("read", &path))?;
        let Ok(mut pointer) = serde_json::from_slice::<Pointer>(&content) else { return Ok(()) };
        let known = pointer.wrote.len();
        pointer.wrote.extend(files);
        if pointer.wrote.len() == known {
            return Ok(());
        }
        let content = serde_json::to_vec(&pointer).map_err(io::Error::other).map_err(failed_to("write", &path))?;
        replace_file(&path, &path.with_extension("new"), &content).map_err(failed_to("write", &path))
    }

    /// Where a debate was left for other tools before.
    pub fn last_debate_of(&self, debate: &Shelved) -> Option<PathBuf> {
        self.wrote(&debate.id).into_iter().find(|path| path.ends_with(crate::session::LAST_DEBATE))
    }

    /// The files that a debate has written outside of its folder.
    pub(crate) fn wrote(&self, id: &DebateId) -> BTreeSet<PathBuf> {
        let content = fs::read(self.pointer(id)).unwrap_or_default();
        serde_json::from_slice::<Pointer>(&content).map(|pointer| pointer.wrote).unwrap_or_default()
    }

    fn pointer(&self, id: &DebateId) -> PathBuf {
        self.root.join(INDEX).join(format!("{id}.json"))
    }

    fn follow(&self, id: DebateId) -> Result<Shelved, ShelfError> {
        let path = self.pointer(&id);
        let content = fs::read(&path).map_err(failed_to("read", &path))?;
        // A pointer that a crash left unwritten leads to where the folder would have been.
        let folder = serde_json::from_slice::<Pointer>(&content).map_or_else(|_| PathBuf::from(id.as_str()), |p| p.folder);
        Ok(Shelved { folder: self.root.join(folder), id })
    }
}

impl Shelved {
    /// Its events so far, at least one. Between a journal and its first event lies a moment in which the disk is waited
    /// for; whoever looks just then waits too.
    pub fn events(&self) -> Result<Vec<Event>, JournalError> {
        let folder = || self.folder.clone();
        for _ in 0..FIRST_EVENT_TRIES {
            let was_running = self.is_running();
            let events = journal::read(&self.folder)?.trusted()?;
            if !events.is_empty() {
                return Ok(events);
            }
            if !was_running && !self.is_running() {
                return Err(JournalError::Empty { folder: folder() });
            }
            std::thread::sleep(FIRST_EVENT_WAIT);
        }
        Err(JournalError::Beginning { folder: folder() })
    }

    /// The debate as its journal tells it.
    pub fn read(&self) -> Result<Debate, JournalError> {
        let events = self.events()?;
        let lines = events.len() as u64;
        fold(events).map_err(|error| JournalError::Damaged {
            path: self.folder.join(journal::FILE),
            line: lines,
            what: format!("or one before it tells of what cannot have happened: {error}"),
        })
    }

    /// Whether a process is running it right now.
    pub fn is_running(&self) -> bool {
        Journal::is_being_written(&self.folder)
    }

    /// Asks the process that runs it to stop.
    pub fn ask_to_stop(&self) -> Result<(), ShelfError> {
        let path = self.folder.join(CANCEL);
        match write_new_file(&path, b"") {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(failed_to("write", &path)(error)),
            _ => Ok(()),
        }
    }
}

fn failed_to(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ShelfError {
    let path = path.to_owned();
    move |source| ShelfError::Io { doing, path, source }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

fn names(ids: &[DebateId]) -> String {
    ids.iter().map(DebateId::as_str).collect::<Vec<_>>().join(", ")
}
