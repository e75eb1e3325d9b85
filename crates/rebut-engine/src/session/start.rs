//! From a plan to a debate that runs, and to its end.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use rebut_core::debate::{Debate, DebateId, Plan, Scope};
use tokio_util::sync::CancellationToken;

use super::evidence::OpenWorkspace;
use super::files::{Files, Rendered};
use super::{Notice, Record, SessionError, Sessions, note, output};
use crate::checks::Snapshot;
use crate::models::{Known, Models, size};
use crate::runner::{Chooser, Limits, Observer, Runner, Seats, Stop};

/// What a debate is started from.
pub struct Start {
    /// Its id is set when it is started.
    pub plan: Plan,
    pub snapshot: Snapshot,
    /// The folder above the debate's documents, where it is not the state folder.
    pub documents: Option<PathBuf>,
}

/// A debate with its seats open, ready to run.
pub struct Session<'s> {
    pub(super) sessions: &'s Sessions<'s>,
    pub(super) begun: Begun,
    pub(super) workspace: OpenWorkspace,
    pub(super) seats: Seats,
    pub(super) drain: CancellationToken,
}

/// A debate of which a stretch has begun.
pub(super) struct Begun {
    pub(super) documents: PathBuf,
    pub(super) runner: Runner,
    pub(super) files: Files,
}

impl Sessions<'_> {
    /// Pins the workspace, opens the seats and begins the journal. If that fails, nothing is kept.
    pub async fn start(
        &self,
        start: Start,
        observer: &mut dyn Observer,
        stop: &CancellationToken,
    ) -> Result<Session<'_>, SessionError> {
        let open = async |plan: &Plan, began: Timestamp, blobs: &Path, observer: &mut dyn Observer| {
            let workspace = self.open_workspace(plan, began, blobs, &[], observer).await?;
            let seats = self.open_seats(plan, &workspace)?;
            Ok((workspace, seats))
        };
        let (begun, (workspace, seats)) = self.begin(start, observer, stop, open).await?;
        Ok(Session { sessions: self, begun, workspace, seats, drain: CancellationToken::new() })
    }

    /// Pins the workspace, begins the journal and leaves the debate to a worker, which opens the seats. Where it can't
    /// begin, nothing is kept; where no worker takes it over, it can be resumed. Gives its id and its documents' folder.
    pub async fn start_detached(
        &self,
        start: Start,
        observer: &mut dyn Observer,
        stop: &CancellationToken,
    ) -> Result<(DebateId, PathBuf), SessionError> {
        let (begun, ()) = self.begin(start, observer, stop, async |_, _, _, _| Ok(())).await?;
        let id = begun.runner.claim().id().clone();
        self.hand_over(begun.runner).await.map(|()| (id, begun.documents))
    }

    /// Begins the journal once `open` has opened what the debate needs here.
    pub(super) async fn begin<T>(
        &self,
        start: Start,
        observer: &mut dyn Observer,
        stop: &CancellationToken,
        open: impl AsyncFnOnce(&Plan, Timestamp, &Path, &mut dyn Observer) -> Result<T, SessionError>,
    ) -> Result<(Begun, T), SessionError> {
        let Start { mut plan, snapshot, documents } = start;
        self.fetch_weights(&plan, observer, stop).await?;
        let clock = Self::clock();
        let mut claim = self.store.create(clock.now()).await?;
        plan.id = claim.id().clone();
        let documents = documents.map(|place| place.join(plan.id.folder_name()));
        let opened = async {
            output::claim(self, &plan).await?;
            let scope = snapshot.pin(claim.blobs()).map_err(|error| nothing_begun(&error))?;
            if let Scope::Pinned(facts) = &scope {
                claim.keep(&facts.pack).await?;
            }
            plan.workspace_readable &= !matches!(scope, Scope::Nothing { .. });
            if let Some(evidence) = &mut plan.evidence {
                evidence.scope = scope;
            }
            let opened = open(&plan, clock.now(), claim.blobs(), observer).await?;
            let mut record = Record::of(self.state, &plan.id);
            if let Some(folder) = documents.clone() {
                record.put_documents(folder).map_err(|error| nothing_begun(&error))?;
            }
            Ok((record, opened))
        };
        let begun = match opened.await {
            Ok((record, opened)) => {
                let documents = record.documents().to_owned();
                let mut files = Files::of(self, record, &plan);
                let mut rendered = Rendered { files: &mut files, observer };
                let runner = Runner::begin(claim, plan.clone(), clock, &mut rendered).await;
                runner.map(|runner| (Begun { documents, runner, files }, opened)).map_err(|error| nothing_begun(&error))
            }
            Err(error) => {
                // What cannot be removed either is listed as empty.
                let _ = claim.discard().await;
                Err(error)
            }
        };
        if begun.is_err() {
            output::release(&plan);
            // Nothing is in it yet.
            let _ = documents.map(std::fs::remove_dir_all);
        }
        begun
    }

    /// Fetches the weights of the embedded model, if a seat needs them and they are missing.
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
        note(observer, format!("downloading the embedded model (only once): {name}, {}, licence {licence}", size(shipped)));
        let observer = Mutex::new(observer);
        let show = |event| observer.lock().unwrap_or_else(PoisonError::into_inner).notice(&Notice::Model(event));
        Models::at(root).pull_default(&show, stop).await?;
        Ok(())
    }
}

fn nothing_begun(error: &dyn std::fmt::Display) -> SessionError {
    SessionError::failed(error.to_string())
        .hint("nothing was started; free some space or choose another folder with --state-dir, then start again")
}

impl Session<'_> {
    pub fn debate(&self) -> &Debate {
        self.begun.runner.debate()
    }

    /// Where its documents are.
    pub fn folder(&self) -> &Path {
        &self.begun.documents
    }

    /// The same; once this is cancelled, calls under way are awaited, no other begins, and another process goes on.
    #[must_use]
    pub fn draining(self, drain: CancellationToken) -> Self {
        Self { drain, ..self }
    }

    /// Runs the debate until it ends, waits for a choice, or is stopped.
    pub async fn run(
        self,
        chooser: Chooser<'_>,
        stop: &CancellationToken,
        observer: &mut dyn Observer,
    ) -> Result<Debate, SessionError> {
        let Self { sessions, begun: Begun { runner, mut files, .. }, workspace, seats, drain } = self;
        let limits = &sessions.settings.limits;
        let allowed = Limits::new(limits.calls, &[("local", limits.local), ("cli", limits.cli), ("http", limits.http)]);
        let stop = Stop { signal: stop.clone(), drain, retry_wait_ms: limits.retry_wait_ms };
        let leaves_choices = runner.debate().format().leaves_choices(runner.debate().plan());
        let chooser = if leaves_choices { chooser } else { Chooser::Recommendation };
        let plan = runner.debate().plan().clone();
        let runner = runner.with_examiner(workspace.examiner.clone());
        let mut rendered = Rendered { files: &mut files, observer };
        let format = runner.debate().format();
        let outcome = runner.run(format, seats, &allowed, chooser, &stop, &mut rendered).await;
        for change in files.watching.changes(sessions, &plan, &workspace.names) {
            observer.notice(&change);
        }
        workspace.close(observer);
        let debate = outcome?;
        if !debate.format().waits_for_user(&debate) {
            output::release(debate.plan());
        }
        Ok(debate)
    }
}
