//! Files that are rendered from the journal while a debate goes on: `debate.json`, what a format adds to it, and the
//! `last-debate.json` that other tools look for. They can be deleted at any time; a debate goes on without them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rebut_core::debate::{Debate, Happening, NewVersion, Plan, Status};
use rebut_core::formats::format_of;
use rebut_core::report;

use super::Record;
use crate::store::files::{create_folder, replace_file};
use crate::workspace::leads_out;

/// The file that other tools look at.
pub(crate) const LAST_DEBATE: &str = "last-debate.json";

/// The files are not rendered more often than this while a debate goes on.
const PAUSE: Duration = Duration::from_secs(1);

/// What could not be written, and why.
pub(super) type Unwritten = Vec<(PathBuf, io::Error)>;

/// The files of one debate that are rendered from its journal.
#[derive(Clone, Debug)]
pub struct Projection {
    record: Record,
    /// The file that other tools look at, and its name while it is half written.
    shared: Option<(PathBuf, PathBuf)>,
    /// The workspace, which documents in it must not leave through a symlink.
    workspace: PathBuf,
    /// Where the user wants the documents, if not in the debate's own folder, and the names that they can have.
    documents: Option<(PathBuf, &'static [&'static str])>,
    /// Which of them are written.
    written: Written,
    /// Whether something has happened that the files do not show yet.
    is_behind: bool,
    rendered_at: Option<Instant>,
}

/// Which documents in a folder of the user's are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// All of them: the debate goes on.
    All,
    /// Those that are missing: the others may have been edited.
    Missing,
    Nothing,
}

impl Projection {
    /// The files for a debate, with the folder in which other tools look for the last one.
    pub fn new(record: Record, plan: &Plan, shared: Option<PathBuf>) -> Self {
        // The name contains the debate's id: two debates at the same moment must not share it.
        let half = format!(".last-debate.{}.new", plan.id);
        let shared = shared.map(|folder| (folder.join(LAST_DEBATE), folder.join(half)));
        Self { shared, ..Self::own(record, plan, Written::All) }
    }

    /// Only the debate's own files: for rendering an old debate again, which is no news for other tools.
    pub(super) fn own(record: Record, plan: &Plan, written: Written) -> Self {
        let documents = format_of(plan).output(plan).map(|(folder, names)| (PathBuf::from(folder), names));
        let workspace = PathBuf::from(&plan.workspace);
        Self { record, shared: None, workspace, documents, written, is_behind: false, rendered_at: None }
    }

    /// What the names of files half written end with: another process may render the same debate again.
    fn ending(&self) -> &'static str {
        if self.written == Written::All { ".new" } else { ".again" }
    }

    fn half(&self, name: &str) -> String {
        format!(".{name}{}", self.ending())
    }

    /// The documents in the user's folder that do not say what they should, or are not there.
    pub fn stale(&self, debate: &Debate) -> Vec<PathBuf> {
        let Some((folder, _)) = &self.documents else { return Vec::new() };
        let files = report::files_after(debate, &self.record.documents().display().to_string(), NewVersion::Proposed);
        let files = files.into_iter().skip(1).map(|(name, content)| (folder.join(name), content));
        let stale = files.filter(|(path, content)| !fs::read(path).is_ok_and(|there| there == content.as_bytes()));
        stale.map(|(path, _)| path).collect()
    }

    /// Takes note of an event, and renders the files if they show it and are due.
    pub fn event(&mut self, debate: &Debate, happening: &Happening) -> Unwritten {
        use Happening::{Abandoned, Answered, Rejected, Retrying, Started};
        self.is_behind |= match happening {
            // What is not seen in them, or comes just before the end, such as a verdict, waits for the next event.
            Answered { content, .. } => debate.format().is_seen(content),
            Started { .. } | Retrying { .. } | Abandoned { .. } | Rejected { .. } => false,
            _ => true,
        };
        if debate.status() == Status::Running { self.catch_up(debate) } else { self.finish(debate) }
    }

    /// Renders what has happened, unless the files were rendered just now.
    pub fn catch_up(&mut self, debate: &Debate) -> Unwritten {
        let is_due = self.rendered_at.is_none_or(|at| at.elapsed() >= PAUSE);
        if is_due { self.finish(debate) } else { Vec::new() }
    }

    /// Renders what has happened: nothing more will for a while.
    pub fn finish(&mut self, debate: &Debate) -> Unwritten {
        if !std::mem::take(&mut self.is_behind) {
            return Vec::new();
        }
        self.rendered_at = Some(Instant::now());
        self.write(debate, NewVersion::Proposed)
    }

    /// Renders the debate into every file, each whole or not at all. What became of a review's new version is in no journal:
    /// files that are rendered anew later do not tell of it any more.
    pub(super) fn write(&mut self, debate: &Debate, version: NewVersion) -> Unwritten {
        let own = self.record.documents().to_owned();
        let files = report::files_after(debate, &own.display().to_string(), version);
        let (mut failed, mut targets) = (Vec::new(), Vec::new());
        for (place, (name, content)) in files.iter().enumerate() {
            // The first is the debate's state, which stays in its own folder. Other tools get it too.
            let elsewhere = self.documents.as_ref().map(|(folder, _)| folder).filter(|_| place > 0);
            let shared = self.shared.clone().filter(|_| place == 0);
            targets.extend(shared.map(|(path, half)| (path, half, content.as_str())));
            let folder = elsewhere.unwrap_or(&own);
            let is_wanted = match self.written {
                _ if elsewhere.is_none() => true,
                Written::All => true,
                Written::Missing => !folder.join(name).exists(),
                Written::Nothing => false,
            };
            if is_wanted && elsewhere.is_some() && leads_out(folder, &self.workspace) {
                let error = io::Error::other("its folder leads out of the workspace through a symlink");
                failed.push((folder.join(name), error));
            } else if is_wanted {
                targets.push((folder.join(name), folder.join(self.half(name)), content.as_str()));
            }
        }
        let outside = targets.iter().filter(|(path, ..)| path.parent() != Some(&own));
        // If it cannot be remembered, a review takes the files for changes of the user's.
        let _ = self.record.will_write(outside.map(|(path, _, content)| (path.as_path(), *content)));
        let create = |folder: &Path| if folder == own { create_folder(folder) } else { fs::create_dir_all(folder) };
        for (path, half, content) in targets {
            failed.extend(write(&path, &half, content, create).err().map(|error| (path, error)));
        }
        failed
    }

    /// Removes what a kill may have left of a file half written.
    pub fn sweep(&self) {
        let own = fs::read_dir(self.record.documents()).into_iter().flatten().flatten().map(|entry| entry.path());
        let is_half = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with('.') && name.ends_with(self.ending())
        };
        // In the folder of the documents other files may be the user's own.
        let documents =
            self.documents.iter().flat_map(|(folder, names)| names.iter().map(|name| folder.join(self.half(name))));
        let shared = self.shared.iter().map(|(_, half)| half.clone());
        for half in own.filter(is_half).chain(documents).chain(shared) {
            // Mostly there is nothing to remove; what cannot be removed is overwritten by the next write.
            let _ = fs::remove_file(half);
        }
    }
}

/// Writes a file as a whole, unless it has this content already; `create` makes its folder where there is none.
fn write(path: &Path, temporary: &Path, content: &str, create: impl Fn(&Path) -> io::Result<()>) -> io::Result<()> {
    // A file that stays the same, as most of a review's do, need not be written again.
    if fs::metadata(path).is_ok_and(|there| there.len() == content.len() as u64)
        && fs::read(path).is_ok_and(|there| there == content.as_bytes())
    {
        return Ok(());
    }
    let replace = || replace_file(path, temporary, content.as_bytes());
    match (replace(), path.parent()) {
        (Err(error), Some(folder)) if error.kind() == io::ErrorKind::NotFound => create(folder).and_then(|()| replace()),
        (written, _) => written,
    }
}
