//! Debates for workers: one is begun here with its pinned workspace, and run by a process of any machine.

use std::collections::BTreeSet;
use std::path::Path;

use jiff::Timestamp;
use rebut_core::debate::{Amendment, Debate, DebateId, Plan, Scope};
use tokio_util::sync::CancellationToken;

use super::start::Begun;
use super::{SessionError, Sessions, Start};
use crate::runner::{Chooser, Observer};
use crate::store::files::BLOBS;
use crate::store::{Claimed, Queued};

impl Sessions<'_> {
    /// Begins a debate and leaves it to a worker. If that fails, nothing is kept.
    pub async fn submit(
        &self,
        start: Start,
        observer: &mut dyn Observer,
        stop: &CancellationToken,
    ) -> Result<DebateId, SessionError> {
        if self.store.queue().is_none() {
            return Err(SessionError::usage("only a database has a queue, and these debates are in a folder")
                .hint("name a Postgres database with store.url, REBUT_STORE or --store"));
        }
        fits_in(start.snapshot.scope())?;
        // It may have grown since it was looked at.
        let grown = async |plan: &Plan, _: Timestamp, _: &Path, _: &mut dyn Observer| {
            plan.evidence.as_ref().map_or(Ok(()), |evidence| fits_in(&evidence.scope))
        };
        let (Begun { mut runner, .. }, ()) = self.begin(start, observer, stop, grown).await?;
        let tools: BTreeSet<String> = runner.debate().plan().seats.values().map(|seat| seat.tool.clone()).collect();
        runner.queue(Queued::For(&Vec::from_iter(tools))).await?;
        Ok(runner.claim().id().clone())
    }

    /// Runs a debate of the queue to its end, to a choice, or until `drain` is cancelled and its calls have ended.
    pub async fn run_queued(&self, claimed: Claimed, drain: &CancellationToken) -> Result<Debate, SessionError> {
        let cached = self.state.join(claimed.claim.id().as_str()).join(BLOBS);
        let never = CancellationToken::new();
        let ran = async {
            let session = self.opened(claimed)?.resume(Amendment::default(), &mut (), &never).await?;
            session.draining(drain.clone()).run(Chooser::Later, &never, &mut ()).await
        };
        let ran = ran.await;
        // The database has them. What cannot be removed is used the next time.
        let _ = std::fs::remove_dir_all(cached);
        ran
    }
}

/// A worker has no workspace but the pinned one.
fn fits_in(scope: &Scope) -> Result<(), SessionError> {
    let Scope::Live { why } = scope else { return Ok(()) };
    Err(SessionError::usage(format!("the workspace is too large to send to a worker: {why}"))
        .hint("raise evidence.max_files or evidence.max_bytes, or keep the workspace out with --no-workspace")
        .hint("without --queue, the debate runs here and reads the workspace in place"))
}
