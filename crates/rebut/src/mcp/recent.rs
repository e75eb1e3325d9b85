//! What a client means by `last`: the last debate it started, else the newest of its workspace.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rebut_core::debate::DebateId;
use rebut_engine::store::Store;
use tokio::sync::{OwnedRwLockReadGuard, RwLock};

use super::server::LOOK;

pub(super) struct Recent {
    /// The workspace that the server was started in.
    workspace: PathBuf,
    /// Those that were started here, oldest first.
    ids: Mutex<Vec<DebateId>>,
    /// Held for reading while a debate has no id yet.
    preparing: Arc<RwLock<()>>,
}

impl Recent {
    pub(super) fn in_workspace(workspace: PathBuf) -> Self {
        Self { workspace, ids: Mutex::default(), preparing: Arc::default() }
    }

    /// A debate is being prepared for as long as the guard is held.
    pub(super) async fn prepares(&self) -> OwnedRwLockReadGuard<()> {
        Arc::clone(&self.preparing).read_owned().await
    }

    pub(super) fn add(&self, id: DebateId) {
        self.ids().push(id);
    }

    pub(super) fn started(&self, id: &DebateId) -> bool {
        self.ids().contains(id)
    }

    /// The debate with this part of an id, or `last`, for which one that is being prepared is waited for.
    pub(super) async fn find(&self, store: &dyn Store, part: &str, patience: Duration) -> Result<DebateId, String> {
        if part != "last" {
            return store.find(part).await.map_err(|error| error.to_string());
        }
        // `write()` would queue, and keep the next debate from starting.
        let prepared = async {
            while self.preparing.try_write().is_err() {
                tokio::time::sleep(LOOK).await;
            }
        };
        if tokio::time::timeout(patience, prepared).await.is_err() {
            return Err("The debate is still being prepared; try again in a few seconds.".to_owned());
        }
        if let Some(id) = self.ids().last() {
            return Ok(id.clone());
        }
        // Those that cannot be read are among these too, and may be of any workspace.
        let newest = store.newest(Some(&[&self.workspace]), usize::MAX).await.map_err(|error| error.to_string())?;
        let found = newest.into_iter().find(|debate| debate.summary.is_some() && debate.is_of(&self.workspace));
        found.map(|debate| debate.id).ok_or_else(|| {
            let folder = self.workspace.display();
            format!("no debate in {folder} yet; debate_list lists all debates with their ids")
        })
    }

    fn ids(&self) -> MutexGuard<'_, Vec<DebateId>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
