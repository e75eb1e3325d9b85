//! What a client means by `last`: the debate that it started last, else the newest one of its workspace.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rebut_core::debate::DebateId;
use rebut_engine::shelf::{Shelf, Shelved};

/// How many of the newest debates are searched for one of this workspace.
const MOST_LOOKED_AT: usize = 100;

/// The debates that this client started.
pub(super) struct Recent {
    /// The workspace that the server was started in.
    workspace: PathBuf,
    debates: Mutex<Debates>,
}

#[derive(Default)]
struct Debates {
    /// How many have no id yet.
    in_preparation: u32,
    /// Oldest first.
    ids: Vec<DebateId>,
}

impl Recent {
    pub(super) fn in_workspace(workspace: PathBuf) -> Self {
        Self { workspace, debates: Mutex::default() }
    }

    /// A debate is being prepared.
    pub(super) fn prepares(&self) {
        self.debates().in_preparation += 1;
    }

    /// The debate that was being prepared has started, or failed to.
    pub(super) fn prepared(&self, id: Option<DebateId>) {
        let mut debates = self.debates();
        debates.in_preparation = debates.in_preparation.saturating_sub(1);
        debates.ids.extend(id);
    }

    /// Whether this client started a debate.
    pub(super) fn started(&self, id: &DebateId) -> bool {
        self.debates().ids.contains(id)
    }

    pub(super) fn is_preparing(&self) -> bool {
        self.debates().in_preparation > 0
    }

    /// The debate with this part of an id, or `last`.
    pub(super) fn find(&self, all_debates: &Shelf, part: &str) -> Result<Shelved, String> {
        if part != "last" {
            return all_debates.find(part).map_err(|error| error.to_string());
        }
        let last = {
            let debates = self.debates();
            if debates.in_preparation > 0 {
                return Err(
                    "The debate is still being prepared and will start by itself: try again in a few seconds.".to_owned()
                );
            }
            debates.ids.last().cloned()
        };
        if let Some(id) = last {
            return all_debates.find(id.as_str()).map_err(|error| error.to_string());
        }
        let all = all_debates.all().map_err(|error| error.to_string())?;
        let is_of_here = |shelved: &Shelved| {
            shelved.read().is_ok_and(|debate| std::path::Path::new(&debate.plan().workspace) == self.workspace)
        };
        let here = all.into_iter().rev().take(MOST_LOOKED_AT).find(is_of_here);
        here.ok_or_else(|| {
            let folder = self.workspace.display();
            format!("no debate in {folder} yet; debate_list lists all debates with their ids")
        })
    }

    fn debates(&self) -> MutexGuard<'_, Debates> {
        self.debates.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
