//! A session takes a debate from its plan to its end: the one entry point for the command line, the MCP server and workers.
//!
//! It pins the workspace, opens the seats, runs the debate or leaves it to a worker, and writes the files that are rendered
//! from the journal. What the user should see is reported to an [`Observer`]; nothing is printed here.

mod arriving;
mod detach;
mod error;
mod evidence;
mod files;
mod follow;
mod fork;
mod judges;
mod open;
mod output;
mod projection;
mod queue;
mod record;
mod requests;
mod start;
mod watching;

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;

use rebut_core::debate::{Debate, DebateId};

use crate::checks::Names;
use crate::clock::Clock;
use crate::config::Settings;
use crate::planning::Host;
use crate::providers::Providers;
use crate::runner::Observer;
use crate::store::{self, Store};

pub use arriving::{ArrivingText, Piece};
pub use detach::{announce_takeover, worker_error};
pub use error::{ErrorKind, SessionError};
pub use follow::{Follower, show_events};
pub use fork::Fork;
pub use judges::KnownJudges;
pub use open::OpenDebate;
pub use output::release as release_output;
pub use projection::Projection;
pub use record::{OwnFiles, Record};
pub use requests::Stopped;
pub use start::{Session, Start};

/// Everything that sessions need of their surroundings.
pub struct Sessions<'e> {
    pub store: &'e dyn Store,
    /// The folder of this machine for files that are rendered from debates, and for the logs of workers.
    pub state: &'e Path,
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
    pub documents: Documents,
    /// Where workers are started.
    pub folder: &'e Path,
    /// The command that takes over a debate of this state folder in this epoch.
    pub worker: fn(&Path, &DebateId, u64) -> io::Result<Command>,
}

/// Whether documents are rendered while a debate runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Documents {
    Rendered,
    /// They are left to the machine that has the workspace.
    Left,
}

impl Sessions<'_> {
    /// The debate, read from its journal.
    pub async fn read(&self, id: &DebateId) -> Result<Debate, SessionError> {
        Ok(store::read(self.store, id).await?.0)
    }

    /// Removes a debate that is not running, with its documents, unless they are in a folder of the user's.
    pub async fn remove(&self, id: &DebateId) -> Result<(), SessionError> {
        // Nothing resumes it while its documents are removed.
        let held = self.store.hold(id).await?;
        let record = Record::of(self.state, id);
        let is_its_own = |folder: &&Path| folder.file_name().is_some_and(|name| name == id.folder_name().as_str());
        record.elsewhere().filter(is_its_own).map_or(Ok(()), remove_folder)?;
        held.remove().await?;
        remove_folder(&self.state.join(id.as_str()))
    }

    fn clock() -> Clock {
        Clock::start()
    }
}

fn remove_folder(folder: &Path) -> Result<(), SessionError> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            let message = format!("failed to remove {}: {error}", folder.display());
            Err(SessionError::failed(message).hint("remove it yourself"))
        }
        _ => Ok(()),
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
