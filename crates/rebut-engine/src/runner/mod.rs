//! The runner: asks the format what comes next, does it, writes down what happened, and asks again.
//!
//! Everything that happens is an event; an event is journaled first, then folded into the debate, then shown. The
//! runner decides nothing about the debate itself: running, resuming after a crash and going on after the end are the
//! same loop.

mod call;
mod floor;
mod limits;
mod observer;

use std::collections::BTreeMap;
use std::path::Path;

use rebut_core::debate::{
    Amendment, Debate, Decider, Event, FoldError, Happening, Interruption, Plan, Procedure, SeatName, StepKey, Usage,
};
use rebut_core::formats::prompts::PromptError;
use rebut_core::formats::{begin, fold};

use crate::checks::Examiner;
use crate::clock::Clock;
use crate::journal::{Fault, Journal, JournalError};
use crate::providers::Seat;
use crate::shelf::CANCEL;

pub use floor::Stop;
use floor::{Floor, UnderWay};
pub use limits::Limits;
pub use observer::{Chooser, Observer, Person, Tail};

/// The seats of a debate, open.
pub type Seats = BTreeMap<SeatName, Box<dyn Seat>>;

/// A debate with its journal, ready to go on.
pub struct Runner {
    debate: Debate,
    journal: Journal,
    clock: Clock,
    examiner: Examiner,
}

/// Why a run ended without the debate having ended.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The journal could not be written or read. Answers that had arrived and are in no journal are handed back, so
    /// that nothing that was paid for is lost.
    #[error("{source}")]
    Journal {
        /// What is wrong with it.
        source: JournalError,
        /// The answers, by key.
        unsaved: Vec<(StepKey, String)>,
    },
    /// The journal tells of what cannot have happened.
    #[error("the journal tells of what cannot have happened: {0}")]
    Fold(#[from] FoldError),
    /// A prompt cannot be rendered.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// A seat that the format asks for is not there.
    #[error("nobody sits on the seat `{0}`")]
    NoSeat(SeatName),
    /// The format has nothing to do and does not end: a fault in the format.
    #[error("the debate can neither go on nor end; this is a fault in rebut")]
    Stuck,
}

impl From<JournalError> for RunError {
    fn from(source: JournalError) -> Self {
        Self::Journal { source, unsaved: Vec::new() }
    }
}

impl Runner {
    /// Begins a debate in a folder of its own.
    pub fn begin(
        folder: &Path,
        plan: Plan,
        clock: Clock,
        fault: Option<Fault>,
        observer: &mut dyn Observer,
    ) -> Result<Self, RunError> {
        let mut journal = Journal::create(folder, fault)?;
        let event = Event { at: clock.now(), happening: Happening::Planned { plan: Box::new(plan) } };
        journal.append(&event)?;
        let debate = begin(event.clone())?;
        observer.event(&debate, 0, &event);
        Ok(Self { debate, journal, clock, examiner: nobody_looks() })
    }

    /// Opens a debate to look at it and perhaps go on. Nothing is written but a torn last line cut.
    ///
    /// A request to stop that is found here was meant for a process that has ended, and is dropped; one that comes from now
    /// on is for this process. Gives a note where something was cut.
    pub fn open(folder: &Path, clock: Clock, fault: Option<Fault>) -> Result<(Self, Option<String>), RunError> {
        let opened = Self::take_over(folder, clock, fault)?;
        match std::fs::remove_file(folder.join(CANCEL)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(JournalError::io("remove", &folder.join(CANCEL))(error).into())
            }
            _ => Ok(opened),
        }
    }

    /// The same for a worker, to which the process that had the debate open leaves it: a request to stop that came in the
    /// meantime is for the worker.
    pub fn take_over(folder: &Path, clock: Clock, fault: Option<Fault>) -> Result<(Self, Option<String>), RunError> {
        let (journal, events, note) = Journal::open(folder, fault)?;
        if events.is_empty() {
            return Err(JournalError::Empty { folder: folder.to_owned() }.into());
        }
        let debate = fold(events)?;
        Ok((Self { debate, journal, clock, examiner: nobody_looks() }, note))
    }

    /// The same, with somebody who looks citations up. Without one they stay unchecked.
    #[must_use]
    pub fn with_examiner(self, examiner: Examiner) -> Self {
        let examiner = examiner.knowing(&self.debate);
        Self { examiner, ..self }
    }

    /// The folder of the debate.
    pub fn folder(&self) -> &Path {
        self.journal.folder()
    }

    /// The debate so far.
    pub fn debate(&self) -> &Debate {
        &self.debate
    }

    /// Takes the debate up again: a new stretch begins, and calls that were cut off are given up for another attempt.
    pub fn resume(&mut self, amendment: Amendment, observer: &mut dyn Observer) -> Result<(), RunError> {
        self.happen(Happening::Resumed { amendment }, observer)?;
        let cut_off: Vec<StepKey> = self.debate.under_way_keys().cloned().collect();
        cut_off.into_iter().try_for_each(|key| self.happen(Happening::Abandoned { key, usage: Usage::default() }, observer))
    }

    /// Marks a debate that nobody runs as stopped by the person.
    pub fn interrupt(&mut self, by: Interruption, observer: &mut dyn Observer) -> Result<(), RunError> {
        self.happen(Happening::Interrupted { by }, observer)
    }

    /// Writes down what the person has chosen of a choice that a debate waits for, as [`open_choice`] tells it.
    ///
    /// [`open_choice`]: rebut_core::formats::open_choice
    pub fn choose(&mut self, key: StepKey, option: String, observer: &mut dyn Observer) -> Result<(), RunError> {
        self.happen(Happening::Chosen { key, option, by: Decider::Person }, observer)
    }

    /// Runs the debate to its end, or until `stop` asks it to stop. The seats are closed in any case.
    pub async fn run(
        self,
        seats: Seats,
        limits: &Limits,
        chooser: Chooser<'_>,
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> Result<Debate, RunError> {
        let format = self.debate.format();
        self.run_as(format, seats, limits, chooser, stop, observer).await
    }

    /// Runs the debate by this procedure.
    pub async fn run_as(
        mut self,
        procedure: &dyn Procedure,
        seats: Seats,
        limits: &Limits,
        chooser: Chooser<'_>,
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> Result<Debate, RunError> {
        let under_way = UnderWay::nothing();
        let examiner = self.examiner.clone();
        let floor =
            Floor { examiner, runner: &mut self, observer, procedure, seats: &seats, limits, chooser, stop, under_way };
        let outcome = floor.run().await;
        for (_, seat) in seats {
            seat.close().await;
        }
        outcome.map(|()| self.debate)
    }

    /// Journals what happened, folds it in and shows it, in this order.
    fn happen(&mut self, happening: Happening, observer: &mut dyn Observer) -> Result<(), RunError> {
        let event = Event { at: self.clock.now(), happening };
        let seq = self.journal.next_seq();
        self.journal.append(&event)?;
        self.debate.apply(event.clone())?;
        observer.event(&self.debate, seq, &event);
        Ok(())
    }
}

fn nobody_looks() -> Examiner {
    Examiner::over_nothing("there is nobody who looks it up", None)
}
