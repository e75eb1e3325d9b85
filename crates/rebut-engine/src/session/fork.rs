//! A fork: a debate of its own that begins with what another one has said up to a step. Nothing is written to the other.

use std::fs;
use std::path::{Path, PathBuf};

use rebut_core::debate::{
    Amendment, ContextItem, DebateId, Event, Happening, Parent, Plan, Scope, StepKey, end_of, taken_over,
};
use tokio_util::sync::CancellationToken;

use super::{OpenDebate, Session, SessionError, Sessions};
use crate::runner::{Observer, Runner};
use crate::store::{Claim, Cursor, folded};

/// What a fork is made of.
pub struct Fork {
    pub parent: DebateId,
    /// The last step that is taken over.
    pub after: StepKey,
    /// What is different after it.
    pub amendment: Amendment,
    /// More material for the prompts after it.
    pub context: Vec<ContextItem>,
}

impl Sessions<'_> {
    /// Makes a fork with its seats open. The copied answers cost nothing. If it fails, nothing is kept; a kill leaves a fork that
    /// no command resumes, since the first stretch begins after the last copied event.
    pub async fn fork(
        &self,
        fork: Fork,
        observer: &mut dyn Observer,
        stop: &CancellationToken,
    ) -> Result<Session<'_>, SessionError> {
        let amendment = fork.amendment.clone();
        let copied = self.copied(fork).await?;
        let id = copied.debate().plan().id.clone();
        let begun = copied.resume(amendment, observer, stop).await;
        self.kept_if(&id, begun).await
    }

    /// The same, left to a worker. Gives its id and the folder of its documents.
    pub async fn fork_detached(
        &self,
        fork: Fork,
        observer: &mut dyn Observer,
        stop: &CancellationToken,
    ) -> Result<(DebateId, PathBuf), SessionError> {
        let amendment = fork.amendment.clone();
        let copied = self.copied(fork).await?;
        let (id, folder) = (copied.debate().plan().id.clone(), copied.folder().to_owned());
        copied.resume_detached(amendment, observer, stop).await?;
        Ok((id, folder))
    }

    /// A debate that holds what was said up to the step, before its first stretch.
    async fn copied(&self, fork: Fork) -> Result<OpenDebate<'_>, SessionError> {
        let Fork { parent, after, context, .. } = fork;
        let (mut plan, events) = self.branch(&parent, after).await?;
        plan.context.extend(context);
        let clock = Self::clock();
        let mut claim = self.store.create(clock.now()).await?;
        plan.id = claim.id().clone();
        let id = plan.id.clone();
        let copied = async {
            self.share_pin(&parent, &plan, claim.as_mut()).await?;
            let mut runner = Runner::begin(claim, plan, clock, &mut ()).await?;
            runner.take_over(taken_over(&events)).await?;
            Ok(self.opened_as(runner, None))
        };
        let copied = copied.await;
        self.kept_if(&id, copied).await
    }

    /// Removes a fork that could not be made.
    async fn kept_if<T>(&self, id: &DebateId, made: Result<T, SessionError>) -> Result<T, SessionError> {
        if made.is_err() {
            // The error is reported; what cannot be removed is listed as empty.
            let _ = self.remove(id).await;
        }
        made
    }

    /// The plan of a debate as it was after a step, and its events up to there.
    async fn branch(&self, parent: &DebateId, after: StepKey) -> Result<(Plan, Vec<Event>), SessionError> {
        let read = self.store.events(parent, &Cursor::default()).await?;
        let hashes = read.hashes.clone();
        let mut events = read.trusted()?;
        let Some(last) = end_of(&events, &after) else {
            let answered = events.iter().filter_map(|event| match &event.happening {
                Happening::Answered { key, .. } => Some(key.as_str()),
                _ => None,
            });
            let known = answered.collect::<Vec<_>>().join(", ");
            let known = if known.is_empty() { "it has no answer yet".to_owned() } else { format!("its steps: {known}") };
            return Err(SessionError::usage(format!("{parent} has no answer at `{after}`")).hint(known));
        };
        events.truncate(last + 1);
        let debate = folded(parent, events.clone())?;
        if !debate.format().features().can_fork {
            let format = &debate.plan().format;
            return Err(SessionError::usage(format!("a {format} can't be forked"))
                .hint("`rebut fork` takes a duel, an ask or a cross"));
        }
        let parent = Parent { id: parent.clone(), after, seq: last as u64, hash: hashes[last].clone() };
        let plan = Plan { parent: Some(parent), ..debate.plan().clone() };
        Ok((plan, events))
    }

    /// Makes the pinned workspace of the parent the fork's own too.
    async fn share_pin(&self, parent: &DebateId, plan: &Plan, claim: &mut dyn Claim) -> Result<(), SessionError> {
        let Some(Scope::Pinned(facts)) = plan.evidence.as_ref().map(|evidence| &evidence.scope) else { return Ok(()) };
        let from = self.store.blob(parent, &facts.pack).await?;
        let to = claim.blobs().join(&facts.pack);
        link(&from, &to).map_err(|error| SessionError::failed(format!("failed to copy {}: {error}", from.display())))?;
        Ok(claim.keep(&facts.pack).await?)
    }
}

/// Links a blob, which never changes; copies it if that is not possible.
fn link(from: &Path, to: &Path) -> std::io::Result<()> {
    to.parent().map_or(Ok(()), crate::store::files::create_folder)?;
    fs::hard_link(from, to).or_else(|_| fs::copy(from, to).map(|_| ()))
}
