//! A debate that another process may be running, followed event by event.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rebut_core::debate::{Debate, DebateId, Event};
use rebut_core::formats::begin;

use super::{SessionError, Sessions};
use crate::runner::Observer;
use crate::store::{self, Cursor, State, Store, StoreError};

/// How often a debate that another process has is looked at.
pub(super) const LOOK: Duration = Duration::from_millis(100);

/// How long a debate may take to pass from one process to the next.
const HANDOVER: SignedDuration = SignedDuration::from_secs(3);

/// A debate as far as it was followed.
pub struct Follower<'s> {
    store: &'s dyn Store,
    id: DebateId,
    debate: Debate,
    read: Cursor,
    running: bool,
}

impl Sessions<'_> {
    /// Reads a debate, to follow it from there.
    pub async fn follow(&self, id: &DebateId) -> Result<Follower<'_>, SessionError> {
        Follower::of(self.store, id).await
    }
}

impl Sessions<'_> {
    /// Shows a debate from its first event on, until no process runs it any more.
    pub async fn watch(&self, id: &DebateId, observer: &mut dyn Observer) -> Result<Debate, SessionError> {
        let (mut read, mut debate): (Cursor, Option<Debate>) = (Cursor::default(), None);
        loop {
            // Asked first: one that ends in between is read to its end.
            let running = self.is_running(id).await?;
            let new = self.store.events(id, &read).await?;
            let next = new.next.clone();
            for (seq, event) in (read.events..).zip(new.trusted()?) {
                let so_far = debate
                    .take()
                    .map_or_else(|| begin(event.clone()), |mut debate| debate.apply(event.clone()).map(|()| debate));
                let so_far = so_far.map_err(|error| SessionError::failed(error.to_string()))?;
                observer.event(&so_far, seq, &event);
                debate = Some(so_far);
            }
            read = next;
            match &debate {
                _ if running => {}
                None => return Err(StoreError::Empty { id: id.clone() }.into()),
                Some(debate) if is_passed_on(debate) => {}
                Some(_) => break,
            }
            tokio::time::sleep(LOOK).await;
        }
        debate.ok_or_else(|| StoreError::Empty { id: id.clone() }.into())
    }
}

/// Whether another process may be about to take it over.
fn is_passed_on(debate: &Debate) -> bool {
    State::at_rest(debate) == State::Interrupted && Timestamp::now().duration_since(debate.last_at()) < HANDOVER
}

impl<'s> Follower<'s> {
    /// Reads a debate, to follow it from there.
    pub async fn of(store: &'s dyn Store, id: &DebateId) -> Result<Self, SessionError> {
        // Asked first: one that ends in between is read to its end.
        let running = store.is_claimed(id).await? || store.is_queued(id).await?;
        let (debate, read) = store::read(store, id).await?;
        Ok(Self { store, id: id.clone(), debate, read, running })
    }

    pub fn debate(&self) -> &Debate {
        &self.debate
    }

    /// Whether a process was running it when it was last looked at.
    pub fn is_running(&self) -> bool {
        self.running
    }

    /// Reads what has happened since the last look.
    pub async fn catch_up(&mut self) -> Result<Vec<Event>, SessionError> {
        self.running = self.store.is_claimed(&self.id).await? || self.store.is_queued(&self.id).await?;
        let read = self.store.events(&self.id, &self.read).await?;
        let next = read.next.clone();
        let new = read.trusted()?;
        for event in &new {
            self.debate.apply(event.clone()).map_err(|error| SessionError::failed(error.to_string()))?;
        }
        self.read = next;
        Ok(new)
    }

    /// Waits for the next events; none once no process runs the debate and everything was read.
    pub async fn next(&mut self) -> Result<Vec<Event>, SessionError> {
        loop {
            let new = self.catch_up().await?;
            if !new.is_empty() || !self.running {
                return Ok(new);
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}
