//! A session takes a debate from its plan to its end: the one entry point for the command line, the MCP server and workers.
//!
//! It pins the workspace, opens the seats, runs the debate or leaves it to a worker, and writes the files that are rendered
//! from the journal. What the user should see is reported to an [`Observer`]; nothing is printed here.

mod detach;
mod error;
mod evidence;
mod files;
mod follow;
mod open;
mod output;
mod own_files;
mod projection;
mod requests;
mod start;
mod watching;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use rebut_core::debate::{Debate, DebateId};

use crate::checks::Names;
use crate::clock::Clock;
use crate::config::Settings;
use crate::journal::Fault;
use crate::planning::Host;
use crate::providers::Providers;
use crate::runner::Observer;
use crate::shelf::{Shelf, Shelved};

pub use detach::{announce_takeover, worker_error};
pub use error::{ErrorKind, SessionError};
pub use files::{missing_documents, render_again, render_missing, render_taken_over};
pub use follow::Follower;
pub use open::OpenDebate;
pub use output::release as release_output;
pub use own_files::OwnFiles;
pub(crate) use projection::LAST_DEBATE;
pub use projection::{Projection, SharedFolder};
pub use requests::Stopped;
pub use start::{Session, Start};

/// Everything that sessions need of their surroundings.
pub struct Sessions<'e> {
    pub shelf: &'e Shelf,
    pub settings: &'e Settings,
    pub providers: &'e Providers,
    /// The folder of the embedded model's weights.
    pub models: Option<&'e Path>,
    /// Resolves the hosts of cited pages.
    pub names: Names,
    /// The user's home folder, which is no project.
    pub home: Option<&'e Path>,
    /// The tool that rebut is called from.
    pub host: Option<Host>,
    /// The variable `AI_STATE_DIR`.
    pub ai_state_dir: Option<OsString>,
    /// Where workers are started.
    pub folder: &'e Path,
    /// The command that takes over a debate of this state folder with this many events.
    pub worker: fn(&Path, &DebateId, u64) -> io::Result<Command>,
    /// A fault that a test asks for.
    pub fault: Option<Fault>,
}

impl Sessions<'_> {
    /// The debate whose id contains this part, or the newest for `last`.
    pub async fn find(&self, part: &str) -> Result<DebateId, SessionError> {
        Ok(self.shelf.find(part)?.id)
    }

    /// The debate as its journal tells it.
    pub async fn read(&self, id: &DebateId) -> Result<Debate, SessionError> {
        Ok(self.kept(id)?.read()?)
    }

    /// Whether a process is running it.
    pub async fn is_running(&self, id: &DebateId) -> Result<bool, SessionError> {
        Ok(self.kept(id)?.is_running())
    }

    /// Where a debate's documents are.
    pub fn folder_of(&self, id: &DebateId) -> Result<PathBuf, SessionError> {
        Ok(self.kept(id)?.folder)
    }

    /// Removes a debate that is not running.
    pub async fn remove(&self, id: &DebateId) -> Result<(), SessionError> {
        Ok(self.shelf.remove(&self.kept(id)?)?)
    }

    fn kept(&self, id: &DebateId) -> Result<Shelved, SessionError> {
        Ok(self.shelf.find(id.as_str())?)
    }

    fn clock() -> Clock {
        Clock::start()
    }
}

/// Something the user should know that is no event of the debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    Note(String),
    /// The weights of the embedded model are on their way.
    Model(crate::models::PullEvent),
    /// Files in the workspace changed while these seats were answering.
    WorkspaceChanged {
        files: Vec<String>,
        during: Vec<String>,
    },
}

fn note(observer: &mut dyn Observer, text: impl Into<String>) {
    observer.notice(&Notice::Note(text.into()));
}
