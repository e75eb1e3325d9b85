//! The folder a debate is about, and what of it goes into prompts.

mod attach;
mod diff_state;
pub(crate) mod git;
mod given;
mod notes;
pub(crate) mod patches;
pub mod pin;
mod private;
mod project_files;
mod review_folder;
mod scope;
mod uncommitted;

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

pub use attach::{AttachError, Attached, Attachment, WhoseWish, attach};
pub use diff_state::{DiffState, diff_state};
pub use given::read_given;
pub use patches::working_tree::{ApplyError, apply_to_workspace};
pub use private::private_part;
pub use project_files::{Base, project_files};
pub use review_folder::{ReviewFolderError, review_folder, state_home};
pub use scope::{Collected, ReviewScope, Reviewed, ScopeError, collect, staged, stat};

/// Whether a path of a workspace is in a folder in which a revision changes nothing, at any depth: settings of rebut
/// (`.rebut`), and what it writes for other tools (`.claude/debate`).
pub(crate) fn is_kept(path: &Path) -> bool {
    let parts: Vec<&OsStr> = path.components().map(Component::as_os_str).collect();
    let is_hidden = |part: &OsStr| part.to_string_lossy().starts_with('.');
    parts.contains(&OsStr::new(".rebut")) || parts.windows(2).any(|next| is_hidden(next[0]) && next[1] == "debate")
}

/// Whether a path is that of the file in which rebut leaves its last debate for other tools, at any depth. It is not kept
/// with a workspace: seats should not read an earlier debate. Git knows it as [`git::NOT_LAST_DEBATE`].
pub(crate) fn is_last_debate(path: &Path) -> bool {
    let folder = path.ancestors().nth(2).and_then(Path::file_name);
    path.ends_with("debate/last-debate.json") && folder.is_some_and(|folder| folder.to_string_lossy().starts_with('.'))
}

/// The path read as text: `..` is taken back one step and `.` left out, and links are not looked at.
pub fn plain(path: &Path) -> PathBuf {
    walked(path, |_| {})
}

/// Where a path really leads, symlinks followed. What is not there yet is taken as it is written.
pub fn real_path(path: &Path) -> PathBuf {
    walked(path, |real| {
        if let Ok(there) = real.canonicalize() {
            *real = there;
        }
    })
}

/// Follows a path part by part.
fn walked(path: &Path, entered: impl Fn(&mut PathBuf)) -> PathBuf {
    let mut at = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                at.pop();
            }
            Component::CurDir => {}
            other => {
                at.push(other);
                entered(&mut at);
            }
        }
    }
    at
}

/// Whether a path in the workspace leads out of it through a symlink.
pub fn leads_out(path: &Path, workspace: &Path) -> bool {
    plain(path).starts_with(workspace) && !real_path(path).starts_with(real_path(workspace))
}

/// The workspace of a folder: the nearest folder above it that git knows, else the folder itself.
pub fn around(folder: &Path) -> PathBuf {
    folder.ancestors().find(|ancestor| ancestor.join(".git").exists()).unwrap_or(folder).to_owned()
}

/// Whether a folder is one in which git keeps what it knows: a bare repository, or a `.git`.
pub(crate) fn is_gits_own(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}
