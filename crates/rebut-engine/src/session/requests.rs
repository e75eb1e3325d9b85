//! What is asked of a debate from outside of the process that runs it: to stop, and to go on with a choice.

use rebut_core::debate::{Choice, Debate, DebateId, Status, StepKey};
use rebut_core::formats::open_choice;

use super::follow::LOOK;
use super::{SessionError, Sessions};
use crate::store::{Earlier, Request, StoreError};

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
        if !self.store.is_claimed(id).await? {
            let debate = self.read(id).await?;
            if let Some(outcome) = debate.outcome() {
                return Err(SessionError::usage(format!("{} has already ended ({})", id.short(), outcome.status.as_str())));
            }
            if debate.status() == Status::Cancelled {
                return Err(SessionError::usage(format!("{} is already stopped", id.short())));
            }
            match self.store.claim(id, Earlier::Dropped).await {
                // It was taken up just now.
                Err(StoreError::Claimed { .. }) => {}
                claimed => {
                    self.opened(claimed?)?.interrupt().await?;
                    return Ok(Stopped::Marked);
                }
            }
        }
        self.store.request(id, &Request::Cancel).await?;
        Ok(Stopped::Asked)
    }

    /// The choice that a debate waits for.
    pub async fn open_choice(&self, id: &DebateId) -> Result<(StepKey, Choice), SessionError> {
        awaited(&self.read(id).await?)
    }

    /// Makes the choice that a debate waits for. Returns once it is in the journal, or a worker has the debate to go on with
    /// it.
    pub async fn choose(&self, id: &DebateId, option: &str) -> Result<(), SessionError> {
        let (key, choice) = self.open_choice(id).await?;
        let Some((option, _)) = choice.options.iter().find(|(name, _)| name.eq_ignore_ascii_case(option.trim())) else {
            let names: Vec<&str> = choice.options.iter().map(|(name, _)| name.as_str()).collect();
            return Err(SessionError::usage(format!("`{option}` is not an option; choose {}", names.join(", "))));
        };
        self.store.request(id, &Request::Choose { key: key.clone(), option: option.clone() }).await?;
        loop {
            let claimed = self.store.claim(id, Earlier::Dropped).await;
            match self.read(id).await?.choice(&key) {
                Some(chosen) if chosen == option => return Ok(()),
                Some(chosen) => return Err(StoreError::Chosen { option: chosen.to_owned() }.into()),
                None => {}
            }
            match claimed {
                // The process that has it may take no more requests before it ends.
                Err(StoreError::Claimed { .. }) => tokio::time::sleep(LOOK).await,
                claimed => {
                    let open = self.opened(claimed?)?;
                    awaited(open.debate())?;
                    return open.detach().await;
                }
            }
        }
    }
}

fn awaited(debate: &Debate) -> Result<(StepKey, Choice), SessionError> {
    let id = &debate.plan().id;
    if debate.status() == Status::Cancelled {
        return Err(SessionError::usage(format!("{} was stopped", id.short()))
            .hint(format!("continue with: rebut resume {}", id.short())));
    }
    open_choice(debate).ok_or_else(|| SessionError::usage(format!("{} is not waiting for a choice", id.short())))
}
