//! What a client means by `last`: the last debate it started, else the newest of its workspace.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rebut_core::debate::DebateId;
use rebut_engine::store::Store;

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

    pub(super) fn prepares(&self) {
        self.debates().in_preparation += 1;
    }

    /// The debate that was being prepared has started, or failed to.
    pub(super) fn prepared(&self, id: Option<DebateId>) {
        let mut debates = self.debates();
        debates.in_preparation = debates.in_preparation.saturating_sub(1);
        debates.ids.extend(id);
    }

    pub(super) fn started(&self, id: &DebateId) -> bool {
        self.debates().ids.contains(id)
    }

    pub(super) fn is_preparing(&self) -> bool {
        self.debates().in_preparation > 0
    }

    /// The debate with this part of an id, or `last`.
    pub(super) async fn find(&self, store: &dyn Store, part: &str) -> Result<DebateId, String> {
        if part != "last" {
            return store.find(part).await.map_err(|error| error.to_string());
        }
        let last = {
            let debates = self.debates();
            if debates.in_preparation > 0 {
                return Err("The debate is still being prepared; try again in a few seconds.".to_owned());
            }
            debates.ids.last().cloned()
        };
        if let Some(id) = last {
            return Ok(id);
        }
        // Those that cannot be read are among these too, and may be of any workspace.
        let newest = store.newest(Some(&[&self.workspace]), usize::MAX).await.map_err(|error| error.to_string())?;
        newest
            .into_iter()
            .find(|debate| debate.summary.is_some() && debate.is_of(&self.workspace))
            .map(|debate| debate.id)
            .ok_or_else(|| {
                let folder = self.workspace.display();
                format!("no debate in {folder} yet; debate_list lists all debates with their ids")
            })
    }

    fn debates(&self) -> MutexGuard<'_, Debates> {
        self.debates.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
