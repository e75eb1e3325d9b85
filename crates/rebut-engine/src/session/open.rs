//! A debate that was begun before, claimed to go on with it.

use std::path::Path;

use rebut_core::debate::{Amendment, Debate, DebateId, Status};
use tokio_util::sync::CancellationToken;

use super::files::Files;
use super::start::Rendered;
use super::{Session, SessionError, Sessions, detach};
use crate::runner::{Observer, Runner};
use crate::shelf::Shelved;

/// A debate that only this process may write.
pub struct OpenDebate<'s> {
    sessions: &'s Sessions<'s>,
    shelved: Shelved,
    runner: Runner,
    /// What was done to make its journal whole.
    pub note: Option<String>,
}

impl Sessions<'_> {
    /// Claims a debate to go on with it. A request to stop that was made before is dropped.
    pub async fn open(&self, id: &DebateId) -> Result<OpenDebate<'_>, SessionError> {
        let shelved = self.kept(id)?;
        let (runner, note) = Runner::open(&shelved.folder, Self::clock(), self.fault)?;
        Ok(OpenDebate { sessions: self, shelved, runner, note })
    }

    /// Claims a debate that was left with this many events. One that has more by now was cancelled since then or taken up
    /// by another process: it is left alone. A request to stop that was made in between is kept.
    pub async fn take_over(&self, id: &DebateId, events: u64) -> Result<OpenDebate<'_>, SessionError> {
        let shelved = self.kept(id)?;
        let (runner, note) = Runner::take_over(&shelved.folder, Self::clock(), self.fault)?;
        match runner.debate().status() {
            _ if runner.debate().events() == events => Ok(OpenDebate { sessions: self, shelved, runner, note }),
            Status::Cancelled => Err(SessionError::cancelled(format!("{id} was cancelled before it ran"))
                .hint(format!("go on with: rebut resume {id}"))),
            _ => Err(SessionError::failed(format!("{id} was taken up by another process"))),
        }
    }
}

impl<'s> OpenDebate<'s> {
    pub fn debate(&self) -> &Debate {
        self.runner.debate()
    }

    /// Where its documents are.
    pub fn folder(&self) -> &Path {
        &self.shelved.folder
    }

    /// Opens the seats and begins another stretch of the debate.
    pub async fn resume(
        self,
        amendment: Amendment,
        observer: &mut dyn Observer,
        stop: &CancellationToken,
    ) -> Result<Session<'s>, SessionError> {
        let Self { sessions, shelved, mut runner, .. } = self;
        let mut plan = runner.debate().plan().clone();
        plan.seats.extend(amendment.seats.clone());
        sessions.fetch_weights(&plan, observer, stop).await?;
        let debate = runner.debate();
        let (began, revisions) = (debate.began_at(), debate.revisions());
        let ground = sessions.open_ground(&plan, began, &shelved.folder, revisions, observer).await?;
        let seats = sessions.open_seats(&plan, &ground)?;
        let mut files = Files::of(sessions, &shelved, &plan, observer);
        runner.resume(amendment, &mut Rendered { files: &mut files, observer })?;
        Ok(Session { sessions, shelved, runner, ground, seats, files })
    }

    /// Leaves the debate to a worker as it is, and returns once that has taken it over.
    pub async fn detach(self) -> Result<(), SessionError> {
        let Self { sessions, shelved, runner, .. } = self;
        let events = runner.debate().events();
        // The worker waits for the lock.
        drop(runner);
        sessions.start_worker(&shelved, events).await
    }

    /// Forgets the errors of earlier workers.
    pub fn forget_worker(&self) {
        detach::forget_log(&self.shelved.folder);
    }

    pub(super) fn runner(&mut self) -> &mut Runner {
        &mut self.runner
    }
}
