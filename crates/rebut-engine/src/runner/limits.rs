//! How many calls may run at once, over all debates of this process.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Limits on calls at the same time: overall, and for each lane (`local`, `cli`, …).
#[derive(Clone, Debug, Default)]
pub struct Limits {
    overall: Option<Arc<Semaphore>>,
    lanes: BTreeMap<&'static str, Arc<Semaphore>>,
}

/// Leave to make one call, given back when dropped.
#[derive(Debug)]
pub(super) struct Leave {
    _lane: Option<OwnedSemaphorePermit>,
    _overall: Option<OwnedSemaphorePermit>,
}

impl Limits {
    /// No limit but these.
    pub fn new(overall: Option<usize>, lanes: &[(&'static str, usize)]) -> Self {
        let semaphore = |most: usize| Arc::new(Semaphore::new(most.clamp(1, Semaphore::MAX_PERMITS)));
        Self { overall: overall.map(semaphore), lanes: lanes.iter().map(|(lane, most)| (*lane, semaphore(*most))).collect() }
    }

    /// Waits for leave to make a call. The lane comes first, so that a call which waits for its lane holds nothing that
    /// a call of another lane could use.
    pub(super) async fn leave(&self, lane: &str) -> Leave {
        let lane = acquire(self.lanes.get(lane)).await;
        Leave { _lane: lane, _overall: acquire(self.overall.as_ref()).await }
    }
}

async fn acquire(semaphore: Option<&Arc<Semaphore>>) -> Option<OwnedSemaphorePermit> {
    // The semaphores are never closed, so that acquiring cannot fail.
    Arc::clone(semaphore?).acquire_owned().await.ok()
}
