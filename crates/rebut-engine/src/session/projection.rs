//! Files that are rendered from the journal while a debate goes on: `debate.json`, what a format adds to it, and the
//! `last-debate.json` that other tools look for. They can be deleted at any time; a debate goes on without them.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rebut_core::debate::{Debate, Happening, NewVersion, Plan, Status};
use rebut_core::formats::format_of;
use rebut_core::report;

use super::Record;
use crate::planning::Host;
use crate::store::files::{create_folder, replace_file};
use crate::workspace::leads_out;

/// Folders of other tools in which they keep state, in the order in which one is chosen.
const TOOL_FOLDERS: [&str; 3] = [".claude", ".opencode", ".codex"];

/// The file that other tools look at.
pub(crate) const LAST_DEBATE: &str = "last-debate.json";

/// The files are not rendered more often than this while a debate goes on.
const PAUSE: Duration = Duration::from_secs(1);

/// What could not be written, and why.
pub(super) type Unwritten = Vec<(PathBuf, io::Error)>;

/// By what the folder is found in which other tools look for the last debate.
#[derive(Clone, Debug, Default)]
pub struct SharedFolder {
    /// The variable `AI_STATE_DIR`.
    pub ai_state_dir: Option<OsString>,
    /// The tool that rebut is called from.
    pub host: Option<Host>,
    /// The file that the same debate has written before.
    pub before: Option<PathBuf>,
}

/// The files of one debate that are rendered from its journal.
#[derive(Clone, Debug)]
pub struct Projection {
    record: Record,
    /// What the names of files half written end with.
    ending: &'static str,
    /// The file that other tools look at, and its name while it is half written.
    shared: Option<(PathBuf, PathBuf)>,
    /// The workspace, which documents in it must not leave through a symlink.
    workspace: PathBuf,
    /// Where the user wants the documents, if not in the debate's own folder.
    documents: Option<PathBuf>,
    /// The names that they can have.
    names: &'static [&'static str],
    /// Which of them are written.
    written: Written,
    /// Whether something has happened that the files do not show yet.
    is_behind: bool,
    rendered_at: Option<Instant>,
}

/// Which documents in a folder of the user's are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    /// All of them: the debate goes on.
    All,
    /// Those that are missing: the others may have been edited.
    Missing,
    /// None.
    Nothing,
}

impl Projection {
    /// The files for a debate.
    pub fn new(record: Record, plan: &Plan, shared: SharedFolder) -> Self {
        let is_shared = format_of(plan).features().is_shared;
        let shared = is_shared.then(|| shared.in_workspace(Path::new(&plan.workspace))).flatten();
        // The name contains the debate's id: two debates at the same moment must not share it.
        let half = format!(".last-debate.{}.new", plan.id);
        let shared = shared.map(|folder| (folder.join(LAST_DEBATE), folder.join(half)));
        Self { ending: "new", shared, written: Written::All, ..Self::own(record, plan) }
    }

    /// Only the debate's own files: for rendering an old debate again, which is no news for other tools. Documents in a
    /// folder of the user's are left as they are.
    pub fn own(record: Record, plan: &Plan) -> Self {
        let (documents, names) = match format_of(plan).output(plan) {
            Some((folder, names)) => (Some(PathBuf::from(folder)), names),
            None => (None, [].as_slice()),
        };
        let (workspace, written) = (PathBuf::from(&plan.workspace), Written::Nothing);
        Self {
            record,
            ending: "again",
            shared: None,
            workspace,
            documents,
            names,
            written,
            is_behind: false,
            rendered_at: None,
        }
    }

    /// The same, with those documents that are missing.
    pub fn own_and_missing(record: Record, plan: &Plan) -> Self {
        Self { written: Written::Missing, ..Self::own(record, plan) }
    }

    /// The documents in the user's folder.
    fn documents(&self) -> Vec<PathBuf> {
        self.documents.iter().flat_map(|folder| self.names.iter().map(|name| folder.join(name))).collect()
    }

    /// The documents in the user's folder that do not say what they should, or are not there.
    pub fn stale(&self, debate: &Debate) -> Vec<PathBuf> {
        let Some(folder) = &self.documents else { return Vec::new() };
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
        self.write(debate)
    }

    /// Renders the debate into every file, each whole or not at all.
    pub fn write(&mut self, debate: &Debate) -> Unwritten {
        self.write_after(debate, NewVersion::Proposed)
    }

    /// The same, where it is known what became of a review's new version. No journal holds that: files that are rendered
    /// anew later do not tell of it any more.
    pub fn write_after(&mut self, debate: &Debate, version: NewVersion) -> Unwritten {
        let own = self.record.documents().to_owned();
        let files = report::files_after(debate, &own.display().to_string(), version);
        let mut failed = Vec::new();
        // Each with its name while it is half written.
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        for (place, (name, content)) in files.iter().enumerate() {
            let half = format!(".{name}.{}", self.ending);
            // The first is the debate's state, which stays in its own folder. Other tools get it too.
            let elsewhere = self.documents.as_ref().filter(|_| place > 0);
            let shared = self.shared.clone().filter(|_| place == 0);
            outside.extend(shared.map(|(path, temporary)| (path, temporary, content.as_str())));
            let Some(folder) = elsewhere else {
                inside.push((own.join(name), own.join(half), content.as_str()));
                continue;
            };
            let wanted = match self.written {
                Written::All => true,
                Written::Missing => !folder.join(name).exists(),
                Written::Nothing => false,
            };
            if wanted && leads_out(folder, &self.workspace) {
                let error = io::Error::other("its folder leads out of the workspace through a symlink");
                failed.push((folder.join(name), error));
            } else if wanted {
                outside.push((folder.join(name), folder.join(half), content.as_str()));
            }
        }
        // If it cannot be remembered, a review takes the files for changes of the user's.
        let _ = self.record.will_write(outside.iter().map(|(path, _, content)| (path.as_path(), *content)));
        if !own.exists() {
            // What cannot be created is reported with each file.
            let _ = create_folder(&own);
        }
        for (path, temporary, content) in inside.into_iter().chain(outside) {
            failed.extend(write(&path, &temporary, content).err().map(|error| (path, error)));
        }
        failed
    }

    /// Removes what a kill may have left of a file half written.
    pub fn sweep(&self) {
        let ending = format!(".{}", self.ending);
        for entry in fs::read_dir(self.record.documents()).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with('.') && name.ends_with(&ending) {
                // What cannot be removed is overwritten by the next write.
                let _ = fs::remove_file(entry.path());
            }
        }
        // In the folder of the documents other files may be the user's own.
        let documents = self.documents().into_iter().filter_map(|path| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            Some(path.with_file_name(format!(".{name}{ending}")))
        });
        for temporary in documents.chain(self.shared.iter().map(|(_, temporary)| temporary.clone())) {
            // Mostly there is nothing to remove.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Writes a file as a whole, unless it has this content already.
fn write(path: &Path, temporary: &Path, content: &str) -> io::Result<()> {
    // A file that stays the same, as most of a review's do, need not be written again.
    if fs::metadata(path).is_ok_and(|there| there.len() == content.len() as u64)
        && fs::read(path).is_ok_and(|there| there == content.as_bytes())
    {
        return Ok(());
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.exists()) {
        fs::create_dir_all(folder)?;
    }
    replace_file(path, temporary, content.as_bytes())
}

impl SharedFolder {
    /// `debate/` in `$AI_STATE_DIR`, else in the host's own folder, else where this debate was before, else in the first
    /// tool's folder that exists in the workspace; and none that leads out of it.
    fn in_workspace(self, workspace: &Path) -> Option<PathBuf> {
        if let Some(folder) = self.ai_state_dir.filter(|folder| !folder.is_empty()) {
            return Some(workspace.join(folder).join("debate"));
        }
        let of_host = self.host.map(|host| workspace.join(host.folder()).join("debate"));
        let before = || self.before.as_deref().and_then(Path::parent).map(Path::to_owned);
        let there = || TOOL_FOLDERS.iter().map(|name| workspace.join(name)).find(|folder| folder.is_dir());
        let folder = of_host.or_else(before).or_else(|| there().map(|folder| folder.join("debate")))?;
        let existing = folder.ancestors().find(|ancestor| ancestor.exists())?;
        let inside = existing.canonicalize().ok()?.starts_with(workspace.canonicalize().ok()?);
        inside.then_some(folder)
    }
}
