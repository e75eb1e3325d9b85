//! From a plan to a debate that runs, and to its end.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rebut_core::debate::{Debate, Event, Plan, Scope, StepKey};
use tokio_util::sync::CancellationToken;

use super::evidence::Ground;
use super::files::Files;
use super::watching::Watching;
use super::{Notice, Record, SessionError, Sessions, note, output};
use crate::checks::Grounds;
use crate::clock::Clock;
use crate::models::{Known, Models, size};
use crate::providers::Progress;
use crate::runner::{Chooser, Limits, Observer, Runner, Seats, Stop};
use crate::store::{Claim, Name};

/// What a debate is started from.
pub struct Start {
    /// Its id is set when it is started.
    pub plan: Plan,
    pub grounds: Grounds,
    /// Makes its id.
    pub id: Name,
    /// The folder above the debate's documents, where it is not the state folder.
    pub documents: Option<PathBuf>,
}

/// A debate with its seats open, ready to run.
pub struct Session<'s> {
    pub(super) sessions: &'s Sessions<'s>,
    pub(super) documents: PathBuf,
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
        let clock = Self::clock();
        let claim = self.store.create(id, clock.now()).await?;
        plan.id = claim.id().clone();
        if let Err(error) = output::claim(self, &plan).await {
            // What cannot be removed either is listed as empty.
            let _ = claim.discard().await;
            return Err(error);
        }
        let documents = documents.map(|place| place.join(plan.id.as_str()));
        let begun = self.begin(plan.clone(), grounds, documents.clone(), claim, clock, observer).await;
        if begun.is_err() {
            output::release(&plan);
            // It holds nothing yet.
            let _ = documents.map(std::fs::remove_dir_all);
        }
        begun
    }

    async fn begin(
        &self,
        mut plan: Plan,
        grounds: Grounds,
        documents: Option<PathBuf>,
        mut claim: Box<dyn Claim>,
        clock: Clock,
        observer: &mut dyn Observer,
    ) -> Result<Session<'_>, SessionError> {
        let opened = async {
            let scope = grounds.keep(claim.blobs()).map_err(|error| nothing_begun(&error))?;
            if let Scope::Pinned(facts) = &scope {
                claim.keep(&facts.pack).await?;
            }
            plan.workspace_readable &= !matches!(scope, Scope::Nothing { .. });
            if let Some(evidence) = &mut plan.evidence {
                evidence.scope = scope;
            }
            let ground = self.open_ground(&plan, clock.now(), claim.blobs(), &[], observer).await?;
            let seats = self.open_seats(&plan, &ground)?;
            let mut record = Record::of(self.state, &plan.id);
            if let Some(folder) = documents {
                record.put_documents(folder).map_err(|error| nothing_begun(&error))?;
            }
            Ok((ground, seats, record))
        };
        let (ground, seats, record) = match opened.await {
            Ok(opened) => opened,
            Err(error) => {
                // What cannot be removed either is listed as empty.
                let _ = claim.discard().await;
                return Err(error);
            }
        };
        let documents = record.documents().to_owned();
        let mut files = Files::of(self, record, &plan);
        let mut rendered = Rendered { files: &mut files, observer };
        let runner = Runner::begin(claim, plan, clock, &mut rendered).await.map_err(|error| nothing_begun(&error))?;
        Ok(Session { sessions: self, documents, runner, ground, seats, files })
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

fn nothing_begun(error: &dyn std::fmt::Display) -> SessionError {
    SessionError::failed(error.to_string())
        .hint("nothing was begun; make room or choose another folder with --state-dir, then start again")
}

impl Session<'_> {
    pub fn debate(&self) -> &Debate {
        self.runner.debate()
    }

    /// Where its documents are.
    pub fn folder(&self) -> &Path {
        &self.documents
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
        for change in &changes {
            observer.notice(change);
        }
        ground.close(observer);
        let debate = outcome?;
        if !debate.format().awaits_word(&debate) {
            output::release(debate.plan());
        }
        Ok(debate)
    }

    /// Leaves the debate to a worker, and returns once that has taken it over.
    pub async fn detach(self) -> Result<(), SessionError> {
        self.sessions.hand_over(self.runner).await
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
        self.files.progress(key, progress);
        self.observer.progress(key, progress);
    }

    fn notice(&mut self, notice: &Notice) {
        self.observer.notice(notice);
    }
}
