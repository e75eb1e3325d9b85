//! What a client means by `last`. Others hold debates on this machine too: it is the debate that this client began last, else
//! the newest one of its folder.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rebut_core::debate::DebateId;
use rebut_engine::shelf::{Shelf, Shelved};

/// How many of the newest debates are looked through for one of this folder.
const MOST_LOOKED_AT: usize = 100;

/// What this client has begun.
pub(super) struct Recent {
    /// The workspace that the server was started in.
    workspace: PathBuf,
    begun: Mutex<Begun>,
}

#[derive(Default)]
struct Begun {
    /// Debates that have no id yet.
    in_preparation: u32,
    /// Those that have one, oldest first.
    ids: Vec<DebateId>,
}

impl Recent {
    pub(super) fn in_workspace(workspace: PathBuf) -> Self {
        Self { workspace, begun: Mutex::default() }
    }

    /// A debate is being prepared.
    pub(super) fn prepares(&self) {
        self.begun().in_preparation += 1;
    }

    /// What was prepared has begun, or came to nothing.
    pub(super) fn prepared(&self, id: Option<DebateId>) {
        let mut begun = self.begun();
        begun.in_preparation = begun.in_preparation.saturating_sub(1);
        begun.ids.extend(id);
    }

    /// Whether this client began a debate.
    pub(super) fn began(&self, id: &DebateId) -> bool {
        self.begun().ids.contains(id)
    }

    /// Whether a debate has no id yet.
    pub(super) fn is_preparing(&self) -> bool {
        self.begun().in_preparation > 0
    }

    /// The debate with this part of an id, or `last`; or why it cannot be told.
    pub(super) fn find(&self, debates: &Shelf, part: &str) -> Result<Shelved, String> {
        if part != "last" {
            return debates.find(part).map_err(|error| error.to_string());
        }
        let last = {
            let begun = self.begun();
            if begun.in_preparation > 0 {
                return Err(
                    "The debate is still being prepared, and begins by itself: ask again in a few seconds.".to_owned()
                );
            }
            begun.ids.last().cloned()
        };
        if let Some(id) = last {
            return debates.find(id.as_str()).map_err(|error| error.to_string());
        }
        let all = debates.all().map_err(|error| error.to_string())?;
        let is_of_here = |shelved: &Shelved| {
            shelved.read().is_ok_and(|debate| std::path::Path::new(&debate.plan().workspace) == self.workspace)
        };
        let here = all.into_iter().rev().take(MOST_LOOKED_AT).find(is_of_here);
        here.ok_or_else(|| {
            let folder = self.workspace.display();
            format!("there is no debate of {folder} yet; debate_list tells of those elsewhere, to be named by their ids")
        })
    }

    fn begun(&self) -> MutexGuard<'_, Begun> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
