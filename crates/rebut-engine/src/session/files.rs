//! Writes the files that are rendered from the journal, on the machine that has the workspace.

use std::path::{Path, PathBuf};

use rebut_core::debate::{Debate, DebateId, Event, Happening, NewVersion, Plan, StepKey};
use rebut_core::formats::format_of;

use super::arriving::{self, Arriving};
use super::projection::{LAST_DEBATE, Unwritten, Written};
use super::watching::Watching;
use super::{Documents, Notice, Projection, Record, Sessions, note};
use crate::providers::Progress;
use crate::runner::Observer;

/// Folders of other tools in which they keep state, in the order in which one is chosen.
const TOOL_FOLDERS: [&str; 3] = [".claude", ".opencode", ".codex"];

/// Renders the files while a debate goes on, and watches over those of the workspace.
pub(super) struct Files {
    /// None where another machine renders them.
    projection: Option<Projection>,
    arriving: Arriving,
    warned: bool,
    pub(super) watching: Watching,
}

impl Files {
    pub(super) fn of(sessions: &Sessions<'_>, record: Record, plan: &Plan) -> Self {
        let arriving = Arriving::of(sessions.state, &plan.id);
        let projection = (sessions.documents == Documents::Rendered).then(|| {
            let shared = sessions.shared_folder(&record, plan);
            let projection = Projection::new(record, plan, shared);
            projection.sweep();
            projection
        });
        Self { projection, arriving, warned: false, watching: Watching::new() }
    }
}

/// Shows what happens, then renders the files.
pub(super) struct Rendered<'o> {
    pub(super) files: &'o mut Files,
    pub(super) observer: &'o mut dyn Observer,
}

impl Rendered<'_> {
    fn render(&mut self, render: impl FnOnce(&mut Projection) -> Unwritten) {
        for (path, error) in self.files.projection.as_mut().map(render).unwrap_or_default() {
            if !std::mem::replace(&mut self.files.warned, true) {
                let path = path.display();
                note(self.observer, format!("{path} can't be written ({error}); the journal is not affected"));
            }
        }
    }
}

impl Observer for Rendered<'_> {
    fn event(&mut self, debate: &Debate, seq: u64, event: &Event) {
        self.observer.event(debate, seq, event);
        self.files.watching.event(debate, event);
        match (&event.happening, event.happening.ended_call()) {
            (Happening::Retrying { key, .. }, _) | (_, Some(key)) => self.files.arriving.end(key),
            _ => {}
        }
        self.render(|projection| projection.event(debate, &event.happening));
    }

    fn progress(&mut self, key: &StepKey, progress: &Progress) {
        if let Progress::Text(text) = progress {
            self.files.arriving.take(key, text);
        }
        self.observer.progress(key, progress);
    }

    fn idle(&mut self, debate: &Debate) {
        self.render(|projection| projection.catch_up(debate));
    }

    fn stopped(&mut self, debate: &Debate) {
        self.render(|projection| projection.finish(debate));
    }

    fn notice(&mut self, notice: &Notice) {
        self.observer.notice(notice);
    }
}

impl Sessions<'_> {
    /// `debate/` in `$AI_STATE_DIR`, else in the host's own folder, else where this debate was before, else in the first
    /// tool's folder that exists in the workspace; and none that leads out of it.
    fn shared_folder(&self, record: &Record, plan: &Plan) -> Option<PathBuf> {
        let workspace = Path::new(&plan.workspace);
        if !format_of(plan).features().is_shared {
            return None;
        }
        if let Some(folder) = self.ai_state_dir.as_ref().filter(|folder| !folder.is_empty()) {
            return Some(workspace.join(folder).join("debate"));
        }
        let of_host = self.host.map(|host| workspace.join(host.folder()).join("debate"));
        let before = || record.wrote(LAST_DEBATE)?.parent().map(Path::to_owned);
        let there = || TOOL_FOLDERS.iter().map(|name| workspace.join(name)).find(|folder| folder.is_dir());
        let folder = of_host.or_else(before).or_else(|| there().map(|folder| folder.join("debate")))?;
        let existing = folder.ancestors().find(|ancestor| ancestor.exists())?;
        let inside = existing.canonicalize().ok()?.starts_with(workspace.canonicalize().ok()?);
        inside.then_some(folder)
    }

    /// Where a debate's documents are.
    pub fn documents(&self, id: &DebateId) -> PathBuf {
        Record::of(self.state, id).documents().to_owned()
    }

    /// Renders the own files of a debate that is not running: a kill between its last event and the writing leaves them
    /// stale. What other tools look at is left alone: an old debate is no news for them.
    pub fn render_again(&self, debate: &Debate, version: NewVersion) -> Unwritten {
        self.own(debate, Written::Nothing).write(debate, version)
    }

    /// The same, with the documents that are missing; returns those with other content.
    pub fn render_missing(&self, debate: &Debate) -> (Vec<PathBuf>, Unwritten) {
        let mut projection = self.own(debate, Written::Missing);
        let failed = projection.write(debate, NewVersion::Proposed);
        (projection.stale(debate), failed)
    }

    /// The documents whose content is not that of the debate.
    pub fn missing_documents(&self, debate: &Debate) -> Vec<PathBuf> {
        self.own(debate, Written::Nothing).stale(debate)
    }

    fn own(&self, debate: &Debate, written: Written) -> Projection {
        arriving::sweep(self.state, &debate.plan().id);
        Projection::own(Record::of(self.state, &debate.plan().id), debate.plan(), written)
    }
}
