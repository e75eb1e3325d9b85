//! Debates for workers: one is begun here with its pinned workspace, and run by a process of any machine.

use std::collections::BTreeSet;

use rebut_core::debate::{Amendment, Debate, DebateId, Plan, Scope};
use tokio_util::sync::CancellationToken;

use super::start::{nothing_begun, pin};
use super::{Record, SessionError, Sessions, Start, output};
use crate::runner::{Chooser, Runner};
use crate::store::files::BLOBS;
use crate::store::{Claim, Claimed, Queued};

impl Sessions<'_> {
    /// Begins a debate and leaves it to a worker. Where that fails, nothing is kept.
    pub async fn submit(&self, start: Start) -> Result<DebateId, SessionError> {
        if self.store.queue().is_none() {
            return Err(SessionError::usage("debates are kept in a folder, and only a database has a queue")
                .hint("name a Postgres database with store.url, REBUT_STORE or --store"));
        }
        let Start { mut plan, grounds, id, documents } = start;
        fits_in(grounds.scope())?;
        let clock = Self::clock();
        let mut claim = self.store.create(id, clock.now()).await?;
        plan.id = claim.id().clone();
        if let Err(error) = self.prepare(&mut plan, grounds, documents, claim.as_mut()).await {
            output::release(&plan);
            // What cannot be removed either is listed as empty.
            let _ = claim.discard().await;
            return Err(error);
        }
        let tools = tools_of(&plan);
        let mut runner = Runner::begin(claim, plan, clock, &mut ()).await.map_err(|error| nothing_begun(&error))?;
        runner.queue(Queued::For(&tools)).await?;
        Ok(runner.claim().id().clone())
    }

    async fn prepare(
        &self,
        plan: &mut Plan,
        grounds: crate::checks::Grounds,
        documents: Option<std::path::PathBuf>,
        claim: &mut dyn Claim,
    ) -> Result<(), SessionError> {
        output::claim(self, plan).await?;
        pin(plan, grounds, claim).await?;
        if let Some(evidence) = &plan.evidence {
            fits_in(&evidence.scope)?;
        }
        if let Some(folder) = documents.map(|place| place.join(plan.id.as_str())) {
            Record::of(self.state, &plan.id).put_documents(folder).map_err(|error| nothing_begun(&error))?;
        }
        Ok(())
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
        // The database has them; what cannot be removed is found there the next time.
        let _ = std::fs::remove_dir_all(cached);
        ran
    }
}

/// The tools whose seats a worker must be able to fill.
fn tools_of(plan: &Plan) -> Vec<String> {
    let tools: BTreeSet<&str> = plan.seats.values().map(|seat| seat.tool.as_str()).collect();
    tools.into_iter().map(str::to_owned).collect()
}

/// A worker has no workspace but the pinned one.
fn fits_in(scope: &Scope) -> Result<(), SessionError> {
    let Scope::Live { why } = scope else { return Ok(()) };
    Err(SessionError::usage(format!("the workspace is too large to send to a worker: {why}"))
        .hint("raise evidence.max_files or evidence.max_bytes, or keep the workspace out with --no-workspace")
        .hint("without --queue, the debate runs here and reads the workspace in place"))
}
