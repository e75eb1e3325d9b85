//! What is under way in a debate: calls, checks, and questions to the user.

use std::collections::BTreeMap;

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use rebut_core::debate::{Answer, Call, Choice, Failure, StepKey, Tried};
use rebut_core::evidence::check::Checked;
use tokio_util::sync::CancellationToken;

use crate::redact::redact;

/// How a task has ended.
pub(super) enum Ended {
    Call(Box<Call>, Result<Answer, Failure>),
    Choice(Choice, Option<String>),
    Check(Vec<Checked>),
    Trial(Tried),
    /// A check or a question to the user that was cancelled.
    Cancelled,
}

#[derive(Default)]
pub(super) struct Tasks<'a> {
    running: FuturesUnordered<BoxFuture<'a, (StepKey, Ended)>>,
    cancels: BTreeMap<StepKey, CancellationToken>,
}

impl<'a> Tasks<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    pub(super) fn has(&self, key: &StepKey) -> bool {
        self.cancels.contains_key(key)
    }

    /// Starts a task that ends soon once it is cancelled.
    pub(super) fn start<F>(&mut self, key: StepKey, task: impl FnOnce(CancellationToken) -> F)
    where
        F: Future<Output = Ended> + Send + 'a,
    {
        let cancel = CancellationToken::new();
        let ended = task(cancel.clone());
        self.cancels.insert(key.clone(), cancel);
        self.running.push(Box::pin(async move { (key, ended.await) }));
    }

    /// The next that ends; `None` if nothing is under way.
    pub(super) async fn next(&mut self) -> Option<(StepKey, Ended)> {
        let (key, ended) = self.running.next().await?;
        self.cancels.remove(&key);
        Some((key, ended))
    }

    pub(super) fn cancel(&self, key: &StepKey) {
        if let Some(cancel) = self.cancels.get(key) {
            cancel.cancel();
        }
    }

    pub(super) fn cancel_all(&self) {
        self.cancels.values().for_each(CancellationToken::cancel);
    }

    /// Cancels everything and waits for its end; gives the answers that still arrived.
    pub(super) async fn end_all(&mut self) -> Vec<(StepKey, String)> {
        self.cancel_all();
        let mut unsaved = Vec::new();
        while let Some((key, ended)) = self.next().await {
            if let Ended::Call(_, Ok(answer)) = ended {
                unsaved.push((key, redact(&answer.text).into_owned()));
            }
        }
        unsaved
    }
}
