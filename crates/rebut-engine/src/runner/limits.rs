//! How many calls may run at once, over all debates of this process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::providers::Lane;

/// Limits on calls at the same time: overall, and to each provider by its kind (`local`, `cli`, …).
#[derive(Debug, Default)]
pub struct Limits {
    most: Option<usize>,
    overall: Option<Arc<Semaphore>>,
    kinds: BTreeMap<&'static str, usize>,
    lanes: Mutex<BTreeMap<Lane, Arc<Semaphore>>>,
}

/// Permission to make one call, given back when dropped.
#[derive(Debug)]
pub(super) struct Permit {
    _lane: Option<OwnedSemaphorePermit>,
    _overall: Option<OwnedSemaphorePermit>,
}

impl Limits {
    /// No limit but these.
    pub fn new(overall: Option<usize>, kinds: &[(&'static str, usize)]) -> Self {
        Self {
            most: overall,
            overall: overall.map(semaphore),
            kinds: kinds.iter().copied().collect(),
            lanes: Mutex::default(),
        }
    }

    /// Waits until a call may be made. The lane comes first, so that a call which waits for its lane holds nothing that
    /// a call of another lane could use.
    pub(super) async fn permit(&self, lane: Lane) -> Permit {
        let lane = acquire(self.lane(lane)).await;
        Permit { _lane: lane, _overall: acquire(self.overall.clone()).await }
    }

    /// How many calls of a lane there may be at once, and how many of all.
    pub(super) fn most(&self, lane: &Lane) -> (Option<usize>, Option<usize>) {
        (self.kinds.get(lane.kind).copied(), self.most)
    }

    fn lane(&self, lane: Lane) -> Option<Arc<Semaphore>> {
        let most = *self.kinds.get(lane.kind)?;
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(lanes.entry(lane).or_insert_with(|| semaphore(most))))
    }
}

fn semaphore(most: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(most.clamp(1, Semaphore::MAX_PERMITS)))
}

async fn acquire(semaphore: Option<Arc<Semaphore>>) -> Option<OwnedSemaphorePermit> {
    // The semaphores are never closed, so that acquiring cannot fail.
    semaphore?.acquire_owned().await.ok()
}
