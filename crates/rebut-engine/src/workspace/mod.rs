//! The folder a debate is about, and what of it goes into prompts.

mod attach;
pub(crate) mod git;
mod given;
mod notes;
pub(crate) mod patch;
mod review_folder;
mod scope;
mod standalone;
mod stands;
pub(crate) mod working_tree;

use std::path::{Component, Path, PathBuf};

pub use attach::{AttachError, Attached, Attachment, attach};
pub use given::{GivenError, read_given};
pub use review_folder::{ReviewFolderError, review_folder, state_home};
pub use scope::{Collected, ReviewScope, Reviewed, ScopeError, collect, staged, stat};
pub use stands::{DiffStands, diff_stands};
pub use working_tree::{ApplyError, apply_to_workspace};

/// Where rebut itself writes into a workspace; git knows them as [`git::NOT_OURS`].
pub(crate) const OUR_FOLDERS: [&str; 4] = [".rebut", ".claude/debate", ".opencode/debate", ".codex/debate"];

/// The path read as text: `..` is taken back one step and `.` left out, and links are not looked at.
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// The workspace of a folder: the nearest folder above it that git knows, else the folder itself.
pub fn around(folder: &Path) -> PathBuf {
    folder.ancestors().find(|ancestor| ancestor.join(".git").exists()).unwrap_or(folder).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ours_is_the_same_for_git() {
        assert_eq!(OUR_FOLDERS.map(|folder| format!(":(exclude,top){folder}")), git::NOT_OURS);
    }
}
