//! The runner: asks the format what comes next, does it, writes down what happened, and asks again.
//!
//! Everything that happens is an event; an event is journaled first, then folded into the debate, then shown. The
//! runner decides nothing about the debate itself: running, resuming after a crash and going on after the end are the
//! same loop.

mod call;
mod limits;
mod observer;
mod run;
mod secrets;
mod tasks;

use std::collections::BTreeMap;

use rebut_core::debate::{
    Amendment, Debate, Event, FoldError, Happening, Interruption, Plan, Procedure, SeatName, StepKey, Usage,
};
use rebut_core::formats::begin;
use rebut_core::formats::prompts::PromptError;

use crate::checks::Examiner;
use crate::clock::Clock;
use crate::providers::Seat;
use crate::store::{Claim, Claimed, Doubt, Queued, StoreError, Summary, folded};

pub use limits::Limits;
pub use observer::{Chooser, Observer, Tail, User};
use run::Run;
pub use run::Stop;

/// The seats of a debate, open.
pub type Seats = BTreeMap<SeatName, Box<dyn Seat>>;

/// A debate that is claimed, ready to go on.
pub struct Runner {
    debate: Debate,
    claim: Box<dyn Claim>,
    clock: Clock,
    examiner: Examiner,
    /// Which calls of earlier processes may have been paid for.
    in_doubt: Doubt,
}

/// Why a run ended without the debate having ended.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The store failed. Answers that had arrived and are in no journal are handed back, so that nothing that was paid for is
    /// lost.
    #[error("{source}")]
    Store { source: StoreError, unsaved: Vec<(StepKey, String)> },
    #[error("the events of the debate contradict each other: {0}")]
    Fold(#[from] FoldError),
    #[error(transparent)]
    Prompt(#[from] PromptError),
    #[error("the seat `{0}` is not open")]
    NoSeat(SeatName),
    /// The format has nothing to do and does not end: a fault in the format.
    #[error("the debate can neither continue nor end; this is a bug in rebut")]
    Stuck,
}

impl From<StoreError> for RunError {
    fn from(source: StoreError) -> Self {
        Self::Store { source, unsaved: Vec::new() }
    }
}

impl Runner {
    /// Begins a debate. Where its first event cannot be written, its place is given up.
    pub async fn begin(
        mut claim: Box<dyn Claim>,
        plan: Plan,
        clock: Clock,
        observer: &mut dyn Observer,
    ) -> Result<Self, RunError> {
        let event = Event { at: clock.now(), happening: Happening::Planned { plan: Box::new(plan) } };
        if let Err(error) = claim.append(&event).await {
            // The error is reported; what cannot be removed either is listed as empty.
            let _ = claim.discard().await;
            return Err(error.into());
        }
        let debate = begin(event.clone())?;
        let mut runner = Self { debate, claim, clock, examiner: unexamined(), in_doubt: Doubt::All };
        runner.summarize().await;
        observer.event(&runner.debate, 0, &event);
        Ok(runner)
    }

    /// A debate that was claimed, to look at it and perhaps go on.
    pub fn open(claimed: Claimed, clock: Clock) -> Result<Self, RunError> {
        let Claimed { claim, events, in_doubt, .. } = claimed;
        Ok(Self { debate: folded(claim.id(), events)?, claim, clock, examiner: unexamined(), in_doubt })
    }

    /// The same, with evidence looked up. Without an examiner it stays unchecked.
    #[must_use]
    pub fn with_examiner(self, examiner: Examiner) -> Self {
        let examiner = examiner.knowing(&self.debate);
        Self { examiner, ..self }
    }

    pub fn claim(&self) -> &dyn Claim {
        self.claim.as_ref()
    }

    /// Has the debate wait for a worker; whether it does then.
    pub async fn queue(&mut self, queued: Queued<'_>) -> Result<bool, StoreError> {
        self.claim.queue(queued).await
    }

    /// The debate so far.
    pub fn debate(&self) -> &Debate {
        &self.debate
    }

    /// Takes over what was said in the debate that this one is a fork of. It was shown then.
    pub async fn take_over(&mut self, happenings: Vec<Happening>) -> Result<(), RunError> {
        for happening in happenings {
            self.happen(happening, &mut ()).await?;
        }
        Ok(())
    }

    /// Takes the debate up again: a new stretch begins, and calls that were cut off are given up for another attempt.
    pub async fn resume(&mut self, amendment: Amendment, observer: &mut dyn Observer) -> Result<(), RunError> {
        self.happen(Happening::Resumed { amendment }, observer).await?;
        let cut_off: Vec<StepKey> = self.debate.under_way_keys().cloned().collect();
        for key in cut_off {
            let in_doubt = self.in_doubt.is_about(&key);
            self.happen(Happening::Abandoned { key, usage: Usage::default(), in_doubt }, observer).await?;
        }
        Ok(())
    }

    /// Marks a debate that is not running as stopped by the user.
    pub async fn interrupt(mut self, by: Interruption, observer: &mut dyn Observer) -> Result<(), RunError> {
        self.happen(Happening::Interrupted { by }, observer).await?;
        self.summarize().await;
        Ok(())
    }

    /// Runs the debate by this procedure to its end, or until `stop` asks it to stop. The seats are closed in any case.
    pub async fn run(
        mut self,
        procedure: &dyn Procedure,
        seats: Seats,
        limits: &Limits,
        chooser: Chooser<'_>,
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> Result<Debate, RunError> {
        let state = run::State::default();
        let run =
            Run { runner: &mut self, observer: &mut *observer, procedure, seats: &seats, limits, chooser, stop, state };
        let outcome = run.finish_debate().await;
        observer.stopped(&self.debate);
        // At a choice it waits for the user, and no worker can help with a fault.
        if !stop.drain.is_cancelled() && !matches!(outcome, Err(RunError::Store { .. })) {
            // If that fails, a worker takes it once more.
            let _ = self.claim.queue(Queued::No).await;
        }
        self.summarize().await;
        for (_, seat) in seats {
            seat.close().await;
        }
        outcome.map(|()| self.debate)
    }

    /// Journals what happened, folds it in and shows it, in this order.
    async fn happen(&mut self, happening: Happening, observer: &mut dyn Observer) -> Result<(), RunError> {
        let event = Event { at: self.clock.now(), happening };
        let seq = self.debate.events();
        self.claim.append(&event).await?;
        self.debate.apply(event.clone())?;
        observer.event(&self.debate, seq, &event);
        Ok(())
    }

    /// Stores what lists show.
    async fn summarize(&mut self) {
        // If it cannot be stored, lists read the journal.
        let _ = self.claim.summarize(&Summary::of(&self.debate)).await;
    }
}

fn unexamined() -> Examiner {
    Examiner::over_nothing("evidence is not looked up here", None)
}
