//! A debate that was begun before, claimed to go on with it.

use std::path::Path;

use rebut_core::debate::{Amendment, Debate, DebateId, Interruption, Plan, Status};
use tokio_util::sync::CancellationToken;

use super::files::{Files, Rendered};
use super::start::Begun;
use super::{Record, Session, SessionError, Sessions};
use crate::runner::{Observer, Runner};
use crate::store::{Claimed, Earlier};

/// A debate that only this process may write.
pub struct OpenDebate<'s> {
    sessions: &'s Sessions<'s>,
    record: Record,
    runner: Runner,
    /// Whether this process is a worker that was started for it, whose errors go to the log.
    by_worker: bool,
    /// What was done to make its journal whole.
    pub note: Option<String>,
}

impl Sessions<'_> {
    /// Claims a debate to go on with it. A request to stop that was made before is dropped.
    pub async fn open(&self, id: &DebateId) -> Result<OpenDebate<'_>, SessionError> {
        self.opened(self.store.claim(id, Earlier::Dropped).await?)
    }

    /// Claims a debate that was left in this epoch. One that was cancelled since then or taken up by another process is left
    /// alone. A request to stop that was made in between is kept.
    pub async fn take_over(&self, id: &DebateId, epoch: u64) -> Result<OpenDebate<'_>, SessionError> {
        let open = OpenDebate { by_worker: true, ..self.opened(self.store.claim(id, Earlier::Kept).await?)? };
        let is_left = open.epoch() == epoch && open.debate().status() != Status::Cancelled;
        open.if_left(is_left)
    }

    /// The same for a debate that was left as it is here.
    pub async fn go_on(&self, debate: &Debate) -> Result<OpenDebate<'_>, SessionError> {
        let open = self.opened(self.store.claim(&debate.plan().id, Earlier::Kept).await?)?;
        let is_left = open.debate().events() == debate.events();
        open.if_left(is_left)
    }

    pub(super) fn opened(&self, mut claimed: Claimed) -> Result<OpenDebate<'_>, SessionError> {
        let note = claimed.note.take();
        let runner = Runner::open(claimed, Self::clock())?;
        if runner.debate().is_torn_fork() {
            let id = &runner.debate().plan().id;
            let torn = format!("{id} is a fork that was cut off while it was made; nothing was paid for");
            let again = format!("remove it with `rebut rm {}`, then fork again", id.short());
            return Err(SessionError::usage(torn).hint(again));
        }
        Ok(self.opened_as(runner, note))
    }

    pub(super) fn opened_as(&self, runner: Runner, note: Option<String>) -> OpenDebate<'_> {
        let record = Record::of(self.state, runner.claim().id());
        OpenDebate { sessions: self, record, runner, by_worker: false, note }
    }
}

impl<'s> OpenDebate<'s> {
    pub fn debate(&self) -> &Debate {
        self.runner.debate()
    }

    fn if_left(self, is_left: bool) -> Result<Self, SessionError> {
        let id = &self.debate().plan().id;
        match self.debate().status() {
            _ if is_left => Ok(self),
            Status::Cancelled => Err(SessionError::cancelled(format!("{} was cancelled before it ran", id.short()))
                .hint(format!("continue with: rebut resume {}", id.short()))),
            _ => Err(SessionError::failed(format!("{} was taken over by another process", id.short()))),
        }
    }

    /// How often it was resumed.
    pub fn epoch(&self) -> u64 {
        self.runner.claim().epoch()
    }

    /// Where its documents are.
    pub fn folder(&self) -> &Path {
        self.record.documents()
    }

    /// Opens the seats and begins another stretch of the debate.
    pub async fn resume(
        self,
        amendment: Amendment,
        observer: &mut dyn Observer,
        stop: &CancellationToken,
    ) -> Result<Session<'s>, SessionError> {
        let plan = self.amended(&amendment, observer, stop).await?;
        let (sessions, debate, blobs) = (self.sessions, self.runner.debate(), self.runner.claim().blobs());
        let opened = sessions.open_workspace(&plan, debate.began_at(), blobs, debate.revisions(), observer).await?;
        let seats = sessions.open_seats(&plan, &opened)?;
        let begun = self.begin(&plan, amendment, observer).await?;
        Ok(Session { sessions, begun, workspace: opened, seats, drain: CancellationToken::new() })
    }

    /// Begins another stretch of the debate and leaves it to a worker, which opens the seats.
    pub async fn resume_detached(
        self,
        amendment: Amendment,
        observer: &mut dyn Observer,
        stop: &CancellationToken,
    ) -> Result<(), SessionError> {
        let plan = self.amended(&amendment, observer, stop).await?;
        let sessions = self.sessions;
        sessions.hand_over(self.begin(&plan, amendment, observer).await?.runner).await
    }

    /// The plan with what an amendment changes of its seats, whose weights are fetched.
    async fn amended(
        &self,
        amendment: &Amendment,
        observer: &mut dyn Observer,
        stop: &CancellationToken,
    ) -> Result<Plan, SessionError> {
        let mut plan = self.debate().plan().clone();
        plan.seats.extend(amendment.seats.clone());
        self.sessions.fetch_weights(&plan, observer, stop).await?;
        Ok(plan)
    }

    async fn begin(self, plan: &Plan, amendment: Amendment, observer: &mut dyn Observer) -> Result<Begun, SessionError> {
        let Self { sessions, record, mut runner, by_worker, .. } = self;
        if !by_worker {
            // An error of an earlier worker says nothing about this run.
            sessions.forget_worker(&plan.id);
        }
        let documents = record.documents().to_owned();
        let mut files = Files::of(sessions, record, plan);
        runner.resume(amendment, &mut Rendered { files: &mut files, observer }).await?;
        Ok(Begun { documents, runner, files })
    }

    /// Leaves the debate to a worker as it is, and returns once that has taken it over.
    pub async fn detach(self) -> Result<(), SessionError> {
        self.sessions.hand_over(self.runner).await
    }

    /// Marks the debate as stopped.
    pub(super) async fn interrupt(self) -> Result<(), SessionError> {
        Ok(self.runner.interrupt(Interruption::Command, &mut ()).await?)
    }
}
