//! Files that are rendered from the journal after every exchange: `debate.json`, and the `last-debate.json` that other
//! tools look for. They can be deleted at any time; a debate goes on without them.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rebut_core::debate::{Content, Debate, DebateId, Happening};
use rebut_core::report;

use crate::journal::replace_file;

/// Folders of other tools in which they keep state, in the order in which one is chosen.
const TOOL_FOLDERS: [&str; 3] = [".claude", ".opencode", ".codex"];

/// The files of one debate that are rendered from its journal.
#[derive(Clone, Debug)]
pub struct Projection {
    targets: Vec<Target>,
}

#[derive(Clone, Debug)]
struct Target {
    path: PathBuf,
    temporary: PathBuf,
}

impl Projection {
    /// The files for a debate. `ai_state_dir` is the variable of that name.
    pub fn new(folder: &Path, id: &DebateId, workspace: &Path, ai_state_dir: Option<OsString>) -> Self {
        let own = Target { path: folder.join("debate.json"), temporary: folder.join(".debate.json.new") };
        let shared = shared_folder(workspace, ai_state_dir).map(|folder| Target {
            path: folder.join("last-debate.json"),
            // The name holds the debate's id, so that two debates at the same moment never share it.
            temporary: folder.join(format!(".last-debate.{id}.new")),
        });
        Self { targets: [Some(own), shared].into_iter().flatten().collect() }
    }

    /// Only the debate's own file: for rendering an old debate anew, which is no news for other tools.
    pub fn own(folder: &Path) -> Self {
        let own = Target { path: folder.join("debate.json"), temporary: folder.join(".debate.json.again") };
        Self { targets: vec![own] }
    }

    /// Whether the files are to be rendered anew after this. What is not seen in them, or is followed by the end of the
    /// debate at once, as a verdict is, waits for the next.
    pub fn shows(happening: &Happening) -> bool {
        match happening {
            Happening::Answered { content, .. } => matches!(content, Content::Statement(_)),
            Happening::Planned { .. }
            | Happening::Resumed { .. }
            | Happening::Failed { .. }
            | Happening::Recorded { .. }
            | Happening::Checked { .. }
            | Happening::Tried { .. }
            | Happening::Chosen { .. }
            | Happening::BudgetSpent { .. }
            | Happening::Interrupted { .. }
            | Happening::Finished { .. } => true,
            Happening::Started { .. }
            | Happening::Retrying { .. }
            | Happening::Abandoned { .. }
            | Happening::Rejected { .. } => false,
        }
    }

    /// Renders the debate's state into every file, each whole or not at all. Gives what could not be written.
    pub fn write(&self, debate: &Debate) -> Vec<(PathBuf, io::Error)> {
        // A value that is held in memory can always be written out.
        let mut content = serde_json::to_string_pretty(&report::state(debate)).unwrap_or_default();
        content.push('\n');
        let write = |target: &Target| -> io::Result<()> {
            if let Some(folder) = target.path.parent().filter(|folder| !folder.exists()) {
                fs::create_dir_all(folder)?;
            }
            replace_file(&target.path, &target.temporary, content.as_bytes())
        };
        self.targets.iter().filter_map(|target| write(target).err().map(|error| (target.path.clone(), error))).collect()
    }

    /// Removes what a kill may have left of a file half written.
    pub fn sweep(&self) {
        for target in &self.targets {
            // Mostly there is nothing to remove, and what cannot be removed is overwritten by the next write.
            let _ = fs::remove_file(&target.temporary);
        }
    }
}

/// `debate/` in `$AI_STATE_DIR`, else in the first tool's folder that exists in the workspace and does not lead out of it.
fn shared_folder(workspace: &Path, ai_state_dir: Option<OsString>) -> Option<PathBuf> {
    if let Some(folder) = ai_state_dir.filter(|folder| !folder.is_empty()) {
        return Some(workspace.join(folder).join("debate"));
    }
    let folder = TOOL_FOLDERS.iter().map(|name| workspace.join(name)).find(|folder| folder.is_dir())?.join("debate");
    let existing = folder.ancestors().find(|ancestor| ancestor.exists())?;
    let inside = existing.canonicalize().ok()?.starts_with(workspace.canonicalize().ok()?);
    inside.then_some(folder)
}
