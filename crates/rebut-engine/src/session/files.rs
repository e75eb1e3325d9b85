//! Writes the files that are rendered from the journal, on the machine that has the workspace.

use std::path::PathBuf;

use rebut_core::debate::{Debate, DebateId, Event, Happening, NewVersion, Plan, StepKey};

use super::arriving::{self, Arriving};
use super::projection::{LAST_DEBATE, Unwritten};
use super::watching::Watching;
use super::{Documents, Projection, Record, Sessions, SharedFolder, note};
use crate::providers::Progress;
use crate::runner::Observer;

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
        if sessions.documents == Documents::Left {
            return Self { projection: None, arriving, warned: false, watching: Watching::new() };
        }
        let shared = SharedFolder {
            ai_state_dir: sessions.ai_state_dir.clone(),
            host: sessions.host,
            before: record.wrote(LAST_DEBATE),
        };
        let projection = Projection::new(record, plan, shared);
        projection.sweep();
        Self { projection: Some(projection), arriving, warned: false, watching: Watching::new() }
    }

    pub(super) fn event(&mut self, debate: &Debate, event: &Event, observer: &mut dyn Observer) {
        self.watching.event(debate, event);
        match (&event.happening, event.happening.ended_call()) {
            (Happening::Retrying { key, .. }, _) | (_, Some(key)) => self.arriving.end(key),
            _ => {}
        }
        self.render(observer, |projection| projection.event(debate, &event.happening));
    }

    pub(super) fn idle(&mut self, debate: &Debate, observer: &mut dyn Observer) {
        self.render(observer, |projection| projection.catch_up(debate));
    }

    pub(super) fn finish(&mut self, debate: &Debate, observer: &mut dyn Observer) {
        self.render(observer, |projection| projection.finish(debate));
    }

    fn render(&mut self, observer: &mut dyn Observer, render: impl FnOnce(&mut Projection) -> Unwritten) {
        for (path, error) in self.projection.as_mut().map(render).unwrap_or_default() {
            if !std::mem::replace(&mut self.warned, true) {
                let path = path.display();
                note(observer, format!("{path} can't be written ({error}); the journal is not affected"));
            }
        }
    }

    pub(super) fn progress(&mut self, key: &StepKey, progress: &Progress) {
        if let Progress::Text(text) = progress {
            self.arriving.take(key, text);
        }
    }
}

impl Sessions<'_> {
    /// Where a debate's documents are.
    pub fn documents(&self, id: &DebateId) -> PathBuf {
        Record::of(self.state, id).documents().to_owned()
    }

    /// Renders the own files of a debate that is not running: a kill between its last event and the writing leaves them
    /// stale. What other tools look at is left alone: an old debate is no news for them.
    pub fn render_again(&self, debate: &Debate) -> Unwritten {
        self.own(debate).write(debate)
    }

    /// The same, once the new version of a review was written to the working tree.
    pub fn render_taken_over(&self, debate: &Debate) -> Unwritten {
        self.own(debate).write_after(debate, NewVersion::TakenOver)
    }

    /// The same, with the documents that are missing; returns those with other content.
    pub fn render_missing(&self, debate: &Debate) -> (Vec<PathBuf>, Unwritten) {
        let plan = debate.plan();
        arriving::sweep(self.state, &plan.id);
        let mut projection = Projection::own_and_missing(Record::of(self.state, &plan.id), plan);
        let failed = projection.write(debate);
        (projection.stale(debate), failed)
    }

    /// The documents whose content is not that of the debate.
    pub fn missing_documents(&self, debate: &Debate) -> Vec<PathBuf> {
        self.own(debate).stale(debate)
    }

    fn own(&self, debate: &Debate) -> Projection {
        arriving::sweep(self.state, &debate.plan().id);
        Projection::own(Record::of(self.state, &debate.plan().id), debate.plan())
    }
}
