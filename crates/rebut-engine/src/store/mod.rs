//! The store: where debates are kept. It holds journals, blobs and requests, and knows nothing of the files that are rendered
//! from them.
//!
//! A debate is written through a claim, which one process has at a time; it is read without one. Every implementation keeps
//! the same promises, which one suite of tests checks.

mod decoding;
mod error;
pub mod files;
mod line;
mod long_texts;
pub mod postgres;
mod summary;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, ready};
use jiff::Timestamp;
use rebut_core::debate::{Debate, DebateId, Event, StepKey};
use rebut_core::formats::fold;
use serde::{Deserialize, Serialize};

pub use error::{Damage, StoreError};
pub use files::{Fault, FileStore};
pub use postgres::PostgresStore;
pub use summary::{Listed, State, Summary};

/// What a store operation gives.
pub type Stored<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// Where debates are kept.
pub trait Store: Send + Sync {
    /// Makes a place for a new debate, and claims it.
    fn create(&self, at: Timestamp) -> Stored<'_, Box<dyn Claim>>;

    /// Claims a debate to go on with it. Gives its events.
    fn claim<'a>(&'a self, id: &'a DebateId, earlier: Earlier) -> Stored<'a, Claimed>;

    /// The events after the cursor, as far as they can be trusted. Needs no claim.
    fn events<'a>(&'a self, id: &'a DebateId, since: &'a Cursor) -> Stored<'a, Events>;

    /// Whether a process has a claim on it.
    fn is_claimed<'a>(&'a self, id: &'a DebateId) -> Stored<'a, bool>;

    /// Every debate, oldest first, from stored summaries.
    fn list(&self) -> Stored<'_, Vec<Listed>>;

    /// The newest debates of these workspaces, or of all, newest first and at most so many. One that cannot be read may be of
    /// any workspace.
    fn newest<'a>(&'a self, workspaces: Option<&'a [&'a Path]>, most: usize) -> Stored<'a, Vec<Listed>> {
        Box::pin(async move {
            let is_meant = |debate: &Listed| workspaces.is_none_or(|those| those.iter().any(|one| debate.is_of(one)));
            Ok(self.list().await?.into_iter().rev().filter(is_meant).take(most).collect())
        })
    }

    /// The debate whose id contains this part, or the newest for `last`.
    fn find<'a>(&'a self, part: &'a str) -> Stored<'a, DebateId>;

    /// A local file with the content of a blob; a remote store fetches it.
    fn blob<'a>(&'a self, id: &'a DebateId, hash: &'a str) -> Stored<'a, PathBuf>;

    /// Asks something of the process that has the claim, now or next. A second choice for the same step is refused, unless
    /// it is the same.
    fn request<'a>(&'a self, id: &'a DebateId, request: &'a Request) -> Stored<'a, ()>;

    /// The address of the database, for processes that are started to work with it too.
    fn address(&self) -> Option<&str> {
        None
    }

    /// Where debates wait for workers, in a store that machines share.
    fn queue(&self) -> Option<&dyn Queue> {
        None
    }

    /// Whether a debate waits for a worker.
    fn is_queued<'a>(&'a self, id: &'a DebateId) -> Stored<'a, bool> {
        let _ = id;
        Box::pin(ready(Ok(false)))
    }

    /// Keeps every process from claiming a debate that is not claimed, to remove it.
    fn hold<'a>(&'a self, id: &'a DebateId) -> Stored<'a, Box<dyn Held>>;

    /// Removes a debate that is not claimed.
    fn remove<'a>(&'a self, id: &'a DebateId) -> Stored<'a, ()> {
        Box::pin(async move { self.hold(id).await?.remove().await })
    }
}

/// A debate that no process can claim until this is dropped.
pub trait Held: Send {
    fn remove(self: Box<Self>) -> Stored<'static, ()>;
}

/// The right to write one debate. It ends when it is dropped.
pub trait Claim: Send + Sync {
    fn id(&self) -> &DebateId;

    /// How often the debate was resumed.
    fn epoch(&self) -> u64;

    /// Appends an event. When this returns, an event that is shown or paid for is safe. On an error the journal is as it was
    /// before. Once another process has taken the debate over, it is refused.
    fn append<'a>(&'a mut self, event: &'a Event) -> Stored<'a, ()>;

    /// Stores what lists show of the debate.
    fn summarize<'a>(&'a mut self, summary: &'a Summary) -> Stored<'a, ()>;

    /// A local folder for blobs: a file is written there under the hash of its content, then kept.
    fn blobs(&self) -> &Path;

    /// Makes a file in the folder for blobs part of the debate; a remote store uploads it.
    fn keep<'a>(&'a mut self, hash: &'a str) -> Stored<'a, ()>;

    /// Takes the requests that have come. A choice is returned each time until `Chosen` is appended, so a kill doesn't lose it.
    fn requests(&mut self) -> Stored<'_, Vec<Request>>;

    /// Has the debate wait for a worker, or no longer. Gives whether it waits for one once the claim has ended.
    fn queue<'a>(&'a mut self, queued: Queued<'a>) -> Stored<'a, bool> {
        let _ = queued;
        Box::pin(ready(Ok(false)))
    }

    /// Where calls are agreed on with other processes, in a store that has several.
    fn calls(&self) -> Option<Arc<dyn Calls>> {
        None
    }

    /// Removes a debate that has no event yet.
    fn discard(self: Box<Self>) -> Stored<'static, ()>;
}

/// Whether a debate waits for a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queued<'a> {
    /// For one that can fill the seats of these tools.
    For(&'a [String]),
    /// As before, if it ever did.
    Again,
    No,
}

/// Debates that wait for workers of any machine.
pub trait Queue: Send + Sync {
    /// Claims the debate that has waited longest of those whose tools are all among these.
    fn next<'a>(&'a self, tools: &'a [String]) -> Stored<'a, Option<Claimed>>;

    /// Waits until one more debate may be waiting, at most this long.
    fn news(&self, most: Duration) -> BoxFuture<'_, ()>;

    /// Takes a debate out that no process has claimed, because it cannot be run.
    fn give_up<'a>(&'a self, id: &'a DebateId, why: &'a str) -> Stored<'a, ()>;

    /// How many debates wait.
    fn waiting(&self) -> Stored<'_, u64>;
}

/// What all processes of a store agree on before a call is made.
pub trait Calls: Send + Sync {
    /// Waits until one more call may be made, and writes down that it is about to be.
    fn begin<'a>(&'a self, intent: &'a Intent<'a>) -> Stored<'a, ()>;

    /// Keeps every process from calling a provider for this long.
    fn slow_down<'a>(&'a self, provider: &'a str, wait: Duration) -> Stored<'a, ()>;
}

/// A call that is about to be made.
#[derive(Clone, Copy, Debug)]
pub struct Intent<'a> {
    pub key: &'a StepKey,
    pub provider: &'a str,
    /// How many calls the provider may have at once.
    pub most: Option<usize>,
    /// How many calls there may be at once.
    pub overall: Option<usize>,
}

/// A debate that was claimed.
pub struct Claimed {
    pub claim: Box<dyn Claim>,
    pub events: Vec<Event>,
    /// What was done to make the journal whole.
    pub note: Option<String>,
    pub in_doubt: Doubt,
}

/// Which of the calls without an outcome may have been paid for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Every one that was started.
    All,
    /// Those whose intent was written down.
    About(Vec<StepKey>),
}

impl Doubt {
    pub fn is_about(&self, key: &StepKey) -> bool {
        match self {
            Self::All => true,
            Self::About(keys) => keys.contains(key),
        }
    }
}

/// What happens to requests to stop that were made before a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// They were meant for a run that has ended.
    Dropped,
    /// They are meant for this run, which another process has handed over.
    Kept,
}

/// What is asked of the process that runs a debate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    Cancel,
    Choose { key: StepKey, option: String },
}

/// How far a journal was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    pub events: u64,
    bytes: u64,
    /// The hash of the last line that was read.
    hash: Option<String>,
}

/// Events that were read.
#[derive(Debug, Default)]
pub struct Events {
    pub events: Vec<Event>,
    /// The hash of each event's line.
    pub hashes: Vec<String>,
    pub next: Cursor,
    /// The first line that cannot be trusted. Nothing after it was read.
    pub damage: Option<Damage>,
    /// Bytes after the last newline that are no whole line: a write that was cut off, or is under way.
    pub torn_bytes: u64,
}

impl Events {
    /// The events, or the line that cannot be trusted as an error.
    pub fn trusted(self) -> Result<Vec<Event>, StoreError> {
        match self.damage {
            None => Ok(self.events),
            Some(damage) => Err(StoreError::Damaged(damage)),
        }
    }
}

/// The debate, read from its journal.
pub async fn read(store: &dyn Store, id: &DebateId) -> Result<(Debate, Cursor), StoreError> {
    // Asked first: one that begins in between is read.
    let claimed = store.is_claimed(id).await?;
    let read = store.events(id, &Cursor::default()).await?;
    let next = read.next.clone();
    let events = read.trusted()?;
    match events.is_empty() {
        true if claimed => Err(StoreError::Beginning { id: id.clone() }),
        true => Err(StoreError::Empty { id: id.clone() }),
        false => Ok((folded(id, events)?, next)),
    }
}

/// The debate that these events make.
pub fn folded(id: &DebateId, events: Vec<Event>) -> Result<Debate, StoreError> {
    fold(events).map_err(|error| StoreError::Impossible { id: id.clone(), error })
}

/// The one of these debates whose id contains the part. The short form that people type comes before any other match.
fn only_match(part: &str, mut ids: Vec<DebateId>) -> Result<DebateId, StoreError> {
    if let [id] = ids.iter().filter(|id| id.short() == part).collect::<Vec<_>>()[..] {
        return Ok(id.clone());
    }
    ids.retain(|id| !part.is_empty() && id.as_str().contains(part));
    ids.sort();
    match ids.len() {
        0 | 1 => ids.pop().ok_or_else(|| StoreError::Unknown { part: part.to_owned() }),
        _ => Err(StoreError::Ambiguous { part: part.to_owned(), matches: ids }),
    }
}
