//! A debate that another process may be running, followed event by event.

use std::time::Duration;

use rebut_core::debate::{Debate, DebateId, Event};

use super::{SessionError, Sessions};
use crate::shelf::Shelved;

/// How often a debate is looked at while its next event is waited for.
const LOOK: Duration = Duration::from_millis(100);

/// A debate as far as it was followed.
pub struct Follower {
    shelved: Shelved,
    debate: Debate,
    running: bool,
}

impl Sessions<'_> {
    /// Reads a debate, to follow it from there.
    pub async fn follow(&self, id: &DebateId) -> Result<Follower, SessionError> {
        let shelved = self.kept(id)?;
        // Asked first: one that ends in between is read to its end.
        let running = shelved.is_running();
        let debate = shelved.read()?;
        Ok(Follower { shelved, debate, running })
    }
}

impl Follower {
    pub fn debate(&self) -> &Debate {
        &self.debate
    }

    /// Whether a process was running it when it was last looked at.
    pub fn is_running(&self) -> bool {
        self.running
    }

    /// Reads what has happened since the last look.
    pub async fn catch_up(&mut self) -> Result<Vec<Event>, SessionError> {
        self.running = self.shelved.is_running();
        let known = usize::try_from(self.debate.events()).unwrap_or(usize::MAX);
        let new: Vec<Event> = self.shelved.events()?.into_iter().skip(known).collect();
        for event in &new {
            self.debate.apply(event.clone()).map_err(|error| SessionError::failed(error.to_string()))?;
        }
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
