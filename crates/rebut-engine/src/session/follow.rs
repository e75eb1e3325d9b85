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
    /// Whether a process is running it, or will as soon as one is free.
    pub async fn is_running(&self, id: &DebateId) -> Result<bool, SessionError> {
        is_running(self.store, id).await
    }

    /// Shows a debate from its first event on, until no process runs it any more.
    pub async fn watch(&self, id: &DebateId, observer: &mut dyn Observer) -> Result<Debate, SessionError> {
        let (mut read, mut debate) = (Cursor::default(), None);
        loop {
            // Asked first: a debate that ends in between is read to its end.
            let running = self.is_running(id).await?;
            let new = self.store.events(id, &read).await?;
            read = new.next.clone();
            show_events(&mut debate, new.trusted()?, observer)?;
            if !running && !debate.as_ref().is_some_and(is_passed_on) {
                return debate.ok_or_else(|| StoreError::Empty { id: id.clone() }.into());
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

async fn is_running(store: &dyn Store, id: &DebateId) -> Result<bool, SessionError> {
    Ok(store.is_claimed(id).await? || store.is_queued(id).await?)
}

/// Adds events to a debate, and shows each with the debate as it is then.
pub fn show_events(
    debate: &mut Option<Debate>,
    events: Vec<Event>,
    observer: &mut dyn Observer,
) -> Result<(), SessionError> {
    for event in events {
        let seq = debate.as_ref().map_or(0, Debate::events);
        let so_far = match debate.take() {
            None => begin(event.clone()),
            Some(mut debate) => debate.apply(event.clone()).map(|()| debate),
        };
        let so_far = so_far.map_err(|error| SessionError::failed(error.to_string()))?;
        observer.event(&so_far, seq, &event);
        *debate = Some(so_far);
    }
    Ok(())
}

/// Whether another process may be about to take it over.
fn is_passed_on(debate: &Debate) -> bool {
    State::at_rest(debate) == State::Interrupted && Timestamp::now().duration_since(debate.last_at()) < HANDOVER
}

impl<'s> Follower<'s> {
    /// Reads a debate, to follow it from there.
    pub async fn of(store: &'s dyn Store, id: &DebateId) -> Result<Self, SessionError> {
        // Asked first: a debate that ends in between is read to its end.
        let running = is_running(store, id).await?;
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
    pub async fn catch_up(&mut self) -> Result<(), SessionError> {
        self.running = is_running(self.store, &self.id).await?;
        let new = self.store.events(&self.id, &self.read).await?;
        self.read = new.next.clone();
        for event in new.trusted()? {
            self.debate.apply(event).map_err(|error| SessionError::failed(error.to_string()))?;
        }
        Ok(())
    }
}
