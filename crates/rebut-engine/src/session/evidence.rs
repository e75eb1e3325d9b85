//! What the seats of a debate read and what evidence is looked up in, while the debate runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rebut_core::debate::{Plan, Scope, SeatName, SeatPlan};
use rebut_core::formats::format_of;

use super::{SessionError, Sessions, note};
use crate::checks::{Allowed, AllowedCommands, Examiner, NamedCommand, OpenSnapshot, Sources};
use crate::config::CheckSettings;
use crate::providers::Search;
use crate::runner::{Observer, Seats};
use crate::workspace::pin::Copy;

/// The workspace of a debate while it runs: what evidence is looked up in, and the copy that seats read.
pub(super) struct OpenWorkspace {
    pub(super) examiner: Examiner,
    copy: Option<Arc<Copy>>,
    /// The files of the workspace when the debate began, if they were pinned.
    pub(super) names: Vec<String>,
}

impl OpenWorkspace {
    /// Removes the copy.
    pub(super) fn close(self, observer: &mut dyn Observer) {
        let Self { examiner, copy, .. } = self;
        drop(examiner);
        if let Some(Err(left)) = copy.and_then(Arc::into_inner).map(Copy::close) {
            note(observer, format!("the debate has ended, and {left}; remove it yourself"));
        }
    }
}

impl Sessions<'_> {
    /// Opens what the debate's evidence is looked up in, with these revisions of what is debated, oldest first.
    pub(super) async fn open_workspace(
        &self,
        plan: &Plan,
        began: Timestamp,
        blobs: &Path,
        revisions: &[String],
        observer: &mut dyn Observer,
    ) -> Result<OpenWorkspace, SessionError> {
        if let Some(Scope::Pinned(facts)) = plan.evidence.as_ref().map(|evidence| &evidence.scope) {
            self.store.blob(&plan.id, &facts.pack).await?;
        }
        if plan.evidence.as_ref().is_some_and(|evidence| evidence.fetch_sources)
            && let Some(text) = self.names.note()
        {
            note(observer, text);
        }
        let file_bytes = self.settings.evidence.max_file_bytes;
        let opened = OpenSnapshot::of(plan, began, blobs, file_bytes, self.allowed(plan));
        let opened = opened.map_err(|error| SessionError::failed(error.to_string()))?;
        if let Some(text) = &opened.note {
            note(observer, text);
        }
        let copy = opened.copy_for_seats(plan).map_err(|error| SessionError::failed(error.to_string()))?;
        let examiner = opened.examiner(copy.as_ref());
        let base = format_of(plan).reach(plan).base.map(str::to_owned);
        let patches: Vec<String> = base.into_iter().chain(revisions.iter().cloned()).collect();
        if !patches.is_empty() {
            examiner.catch_up(&patches).await.map_err(SessionError::failed)?;
        }
        Ok(OpenWorkspace { examiner, copy, names: opened.names_in_folder(plan) })
    }

    /// What may be done to check evidence beyond reading files.
    fn allowed(&self, plan: &Plan) -> Allowed {
        let Some(evidence) = &plan.evidence else { return Allowed::default() };
        let command = |check: &CheckSettings| NamedCommand {
            words: check.command.clone(),
            env: check.env.clone(),
            limit: Duration::from_secs(check.time_limit),
        };
        let commands = evidence.commands.as_deref().map(|names| AllowedCommands {
            named: (self.settings.checks.iter().filter(|(name, _)| names.contains(name)))
                .map(|(name, check)| (name.clone(), command(check)))
                .collect(),
            run_on: evidence.run_on,
            base: format_of(plan).reach(plan).base.iter().count(),
        });
        Allowed { commands, sources: evidence.fetch_sources.then(|| Sources::new(self.names.clone())) }
    }

    /// Opens every seat of the debate.
    pub(super) fn open_seats(&self, debate: &Plan, opened: &OpenWorkspace) -> Result<Seats, SessionError> {
        let workspace = PathBuf::from(&debate.workspace);
        let reading = match (opened.copy.as_deref(), debate.evidence.as_ref().map(|evidence| &evidence.scope)) {
            _ if !debate.workspace_readable => None,
            (Some(copy), _) => Some(copy.path()),
            // Only what is too large for a copy is read where it is; the plan says so.
            (None, Some(Scope::Live { .. })) if workspace.is_dir() => Some(workspace.as_path()),
            (None, _) => None,
        };
        let search = if format_of(debate).reach(debate).web { Search::Web } else { Search::Nothing };
        let open = |(name, plan): (&SeatName, &SeatPlan)| {
            // What is read may be another version than that which was planned with.
            let checked = reading.map_or(Ok(()), |folder| self.providers.check_starts(plan, folder));
            let seat = checked.and_then(|()| self.providers.open_with(plan, &workspace, reading, search));
            seat.map(|seat| (name.clone(), seat)).map_err(|error| SessionError::usage(format!("{name}: {error}")))
        };
        debate.seats.iter().map(open).collect()
    }
}
