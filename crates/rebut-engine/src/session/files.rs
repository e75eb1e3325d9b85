//! Writes the files that are rendered from the journal, on the machine that has the workspace.

use std::path::{Path, PathBuf};

use rebut_core::debate::{Debate, Event, NewVersion, Plan};

use super::{Projection, Sessions, SharedFolder, note};
use crate::runner::Observer;
use crate::shelf::Shelved;

/// Renders the files again after every event that changes them.
pub(super) struct Files {
    projection: Projection,
    warned: bool,
}

impl Files {
    pub(super) fn of(sessions: &Sessions<'_>, shelved: &Shelved, plan: &Plan, observer: &mut dyn Observer) -> Self {
        let shared = SharedFolder {
            ai_state_dir: sessions.ai_state_dir.clone(),
            host: sessions.host,
            before: sessions.shelf.last_debate_of(shelved),
        };
        let projection = Projection::new(&shelved.folder, plan, shared);
        projection.sweep();
        if let Err(error) = sessions.shelf.will_write(shelved, projection.outside()) {
            note(observer, format!("{error}; a review will take what this debate writes for changes of yours"));
        }
        Self { projection, warned: false }
    }

    pub(super) fn event(&mut self, debate: &Debate, event: &Event, observer: &mut dyn Observer) {
        if Projection::shows(debate, &event.happening) {
            for (path, error) in self.projection.write(debate) {
                if !std::mem::replace(&mut self.warned, true) {
                    let path = path.display();
                    note(observer, format!("{path} cannot be written ({error}); the journal is not affected"));
                }
            }
        }
    }
}

/// Renders the own files of a debate that is not running: a kill between its last event and the writing leaves them stale.
/// What other tools look at is left alone: an old debate is no news for them.
pub fn render_again(folder: &Path, debate: &Debate) -> Vec<(PathBuf, std::io::Error)> {
    Projection::own(folder, debate.plan()).write(debate)
}

/// The same, with the documents that are missing; gives those that say something else.
pub fn render_missing(folder: &Path, debate: &Debate) -> (Vec<PathBuf>, Vec<(PathBuf, std::io::Error)>) {
    let projection = Projection::own_and_missing(folder, debate.plan());
    let failed = projection.write(debate);
    (projection.stale(debate), failed)
}

/// The same, once the new version of a review was written to the working tree.
pub fn render_taken_over(folder: &Path, debate: &Debate) -> Vec<(PathBuf, std::io::Error)> {
    Projection::own(folder, debate.plan()).write_after(debate, NewVersion::TakenOver)
}

/// The documents that are not as they should be once a debate has ended.
pub fn missing_documents(folder: &Path, debate: &Debate) -> Vec<PathBuf> {
    Projection::own(folder, debate.plan()).stale(debate)
}
