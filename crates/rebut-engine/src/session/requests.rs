//! What is asked of a debate from outside of the process that runs it: to stop, and to go on with a choice.

use rebut_core::debate::{Choice, DebateId, Interruption, Status, StepKey};
use rebut_core::formats::open_choice;

use super::{SessionError, Sessions};
use crate::journal::JournalError;
use crate::runner::{RunError, Runner};

/// How a debate was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The process that runs it was asked to stop.
    Asked,
    /// It was not running, and is marked as cancelled.
    Marked,
}

impl Sessions<'_> {
    /// Stops a debate.
    pub async fn cancel(&self, id: &DebateId) -> Result<Stopped, SessionError> {
        let shelved = self.kept(id)?;
        let debate = shelved.read()?;
        if shelved.is_running() {
            shelved.ask_to_stop()?;
            return Ok(Stopped::Asked);
        }
        if let Some(outcome) = debate.outcome() {
            return Err(SessionError::usage(format!("{id} has ended already ({})", outcome.status.as_str())));
        }
        if debate.status() == Status::Cancelled {
            return Err(SessionError::usage(format!("{id} is stopped already")));
        }
        match Runner::open(&shelved.folder, Self::clock(), self.fault) {
            // It was taken up just now.
            Err(RunError::Journal { source: JournalError::Locked { .. }, .. }) => {
                shelved.ask_to_stop()?;
                Ok(Stopped::Asked)
            }
            opened => {
                opened?.0.interrupt(Interruption::Command, &mut ())?;
                Ok(Stopped::Marked)
            }
        }
    }

    /// The choice that a debate waits for.
    pub async fn open_choice(&self, id: &DebateId) -> Result<(StepKey, Choice), SessionError> {
        let shelved = self.kept(id)?;
        let running = shelved.is_running();
        let debate = shelved.read()?;
        if debate.status() == Status::Cancelled {
            return Err(SessionError::usage(format!("{id} was stopped")).hint(format!("go on with: rebut resume {id}")));
        }
        // A worker whose debate has ended may still be writing what is rendered from it.
        let how = if running && debate.outcome().is_none() { "is running" } else { "waits for no choice" };
        open_choice(&debate).filter(|_| !running).ok_or_else(|| SessionError::usage(format!("{id} {how}")))
    }

    /// Makes the choice that a debate waits for, and leaves the debate to a worker.
    pub async fn choose(&self, id: &DebateId, option: &str) -> Result<(), SessionError> {
        let (key, choice) = self.open_choice(id).await?;
        let Some((option, _)) = choice.options.iter().find(|(name, _)| name.eq_ignore_ascii_case(option.trim())) else {
            let names: Vec<&str> = choice.options.iter().map(|(name, _)| name.as_str()).collect();
            return Err(SessionError::usage(format!("`{option}` is not offered; there is {}", names.join(", "))));
        };
        let mut open = self.open(id).await?;
        // Another process may have made it in the meantime.
        if open_choice(open.debate()).is_none_or(|(open, _)| open != key) {
            return Err(SessionError::usage(format!("{id} waits for no choice any more")));
        }
        open.runner().choose(key, option.clone(), &mut ())?;
        open.detach().await
    }
}
