//! From a plan to a debate that runs, and to its end.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;

use jiff::Timestamp;
use rebut_core::debate::{Debate, DebateId, Event, Plan, Scope, StepKey};
use tokio_util::sync::CancellationToken;

use super::evidence::Ground;
use super::files::Files;
use super::watching::Watching;
use super::{Notice, SessionError, Sessions, note, output};
use crate::checks::Grounds;
use crate::models::{Known, Models, size};
use crate::providers::Progress;
use crate::runner::{Chooser, Limits, Observer, Runner, Seats, Stop};
use crate::shelf::Shelved;

/// What a debate is started from.
pub struct Start {
    /// Its id is set when it is started.
    pub plan: Plan,
    pub grounds: Grounds,
    /// Names it.
    pub id: fn(Timestamp, u16) -> DebateId,
    /// The folder above the debate's documents, where it is not the state folder.
    pub documents: Option<PathBuf>,
}

/// A debate with its seats open, ready to run.
pub struct Session<'s> {
    pub(super) sessions: &'s Sessions<'s>,
    pub(super) shelved: Shelved,
    pub(super) runner: Runner,
    pub(super) ground: Ground,
    pub(super) seats: Seats,
    pub(super) files: Files,
}

impl Sessions<'_> {
    /// Pins the workspace, opens the seats and begins the journal. Where that fails, nothing is kept.
    pub async fn start(
        &self,
        start: Start,
        observer: &mut dyn Observer,
        stop: &CancellationToken,
    ) -> Result<Session<'_>, SessionError> {
        let Start { mut plan, grounds, id, documents } = start;
        self.fetch_weights(&plan, observer, stop).await?;
        let shelved = self.shelf.claim_as(id, Self::clock().now(), documents.as_deref())?;
        plan.id = shelved.id.clone();
        let begun = match output::claim(self, &plan) {
            Ok(()) => {
                self.begin(plan.clone(), grounds, shelved.clone(), observer).await.inspect_err(|_| output::release(&plan))
            }
            Err(error) => Err(error),
        };
        begun.inspect_err(|_| {
            // What cannot be removed either is listed as empty.
            let _ = self.shelf.take_back(&shelved);
        })
    }

    async fn begin(
        &self,
        mut plan: Plan,
        grounds: Grounds,
        shelved: Shelved,
        observer: &mut dyn Observer,
    ) -> Result<Session<'_>, SessionError> {
        let nothing_begun = |error: &dyn std::fmt::Display| {
            SessionError::failed(error.to_string())
                .hint("nothing was begun; make room or choose another folder with --state-dir, then start again")
        };
        let clock = Self::clock();
        let scope = grounds.keep(&shelved.folder).map_err(|error| nothing_begun(&error))?;
        plan.workspace_readable &= !matches!(scope, Scope::Nothing { .. });
        if let Some(evidence) = &mut plan.evidence {
            evidence.scope = scope;
        }
        let ground = self.open_ground(&plan, clock.now(), &shelved.folder, &[], observer).await?;
        let seats = self.open_seats(&plan, &ground)?;
        let mut files = Files::of(self, &shelved, &plan, observer);
        let mut observed = Rendered { files: &mut files, observer };
        let runner =
            Runner::begin(&shelved.folder, plan, clock, self.fault, &mut observed).map_err(|error| nothing_begun(&error))?;
        Ok(Session { sessions: self, shelved, runner, ground, seats, files })
    }

    /// Fetches the weights of the embedded model, where a seat needs them and they are missing.
    pub(super) async fn fetch_weights(
        &self,
        plan: &Plan,
        observer: &mut dyn Observer,
        stop: &CancellationToken,
    ) -> Result<(), SessionError> {
        let missing = self.providers.must_fetch_weights(plan.seats.values());
        if !missing.map_err(|error| SessionError::usage(error.to_string()))? {
            return Ok(());
        }
        let root = self.models.ok_or_else(|| {
            SessionError::usage("there is no home folder to keep models in").hint("name a folder with REBUT_MODEL_DIR")
        })?;
        let Known { name, shipped, licence, .. } = Known::DEFAULT;
        note(
            observer,
            format!("the embedded model is fetched, once for all debates: {name}, {}, licence {licence}", size(shipped)),
        );
        let observer = Mutex::new(observer);
        let show = |event| observer.lock().unwrap_or_else(PoisonError::into_inner).notice(&Notice::Model(event));
        Models::at(root).pull_default(&show, stop).await?;
        Ok(())
    }
}

impl Session<'_> {
    pub fn debate(&self) -> &Debate {
        self.runner.debate()
    }

    /// Where its documents are.
    pub fn folder(&self) -> &Path {
        &self.shelved.folder
    }

    /// Runs the debate until it ends, waits for a choice, or is stopped.
    pub async fn run(
        self,
        chooser: Chooser<'_>,
        stop: &CancellationToken,
        observer: &mut dyn Observer,
    ) -> Result<Debate, SessionError> {
        let Self { sessions, runner, ground, seats, mut files, .. } = self;
        let limits = &sessions.settings.limits;
        let allowed = Limits::new(limits.calls, &[("local", limits.local), ("cli", limits.cli), ("http", limits.http)]);
        let stop = Stop { signal: stop.clone(), retry_wait_ms: limits.retry_wait_ms };
        let leaves_choices = runner.debate().format().leaves_choices(runner.debate().plan());
        let chooser = if leaves_choices { chooser } else { Chooser::Recommendation };
        let plan = runner.debate().plan().clone();
        let runner = runner.with_examiner(ground.examiner.clone());
        let mut rendered = Rendered { files: &mut files, observer };
        let mut watching = Watching::new(&mut rendered);
        let outcome = runner.run(seats, &allowed, chooser, &stop, &mut watching).await;
        let changes = watching.changes(sessions, &plan, &ground.names);
        changes.iter().for_each(|change| observer.notice(change));
        ground.close(observer);
        let debate = outcome?;
        if !debate.format().awaits_word(&debate) {
            output::release(debate.plan());
        }
        Ok(debate)
    }

    /// Leaves the debate to a worker, and returns once that has taken it over.
    pub async fn detach(self) -> Result<(), SessionError> {
        let Self { sessions, shelved, runner, .. } = self;
        let events = runner.debate().events();
        // The worker waits for the lock.
        drop(runner);
        sessions.start_worker(&shelved, events).await
    }
}

/// Shows what happens, then renders the files.
pub(super) struct Rendered<'o> {
    pub(super) files: &'o mut Files,
    pub(super) observer: &'o mut dyn Observer,
}

impl Observer for Rendered<'_> {
    fn event(&mut self, debate: &Debate, seq: u64, event: &Event) {
        self.observer.event(debate, seq, event);
        self.files.event(debate, event, self.observer);
    }

    fn progress(&mut self, key: &StepKey, progress: &Progress) {
        self.observer.progress(key, progress);
    }

    fn notice(&mut self, notice: &Notice) {
        self.observer.notice(notice);
    }
}
