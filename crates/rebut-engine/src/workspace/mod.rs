//! The folder a debate is about, and what of it goes into prompts.

mod attach;
pub(crate) mod git;
mod given;
mod notes;
pub(crate) mod patch;
mod private;
mod review_folder;
mod scope;
mod stands;
pub(crate) mod working_tree;

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

pub use attach::{AttachError, Attached, Attachment, WhoseWish, attach};
pub use given::{GivenError, read_given};
pub(crate) use private::private_part;
pub use review_folder::{ReviewFolderError, review_folder, state_home};
pub use scope::{Collected, ReviewScope, Reviewed, ScopeError, collect, staged, stat};
pub use stands::{DiffStands, diff_stands};
pub use working_tree::{ApplyError, apply_to_workspace};

/// Where rebut itself writes into a workspace; git knows them as [`git::NOT_OURS`].
const OUR_FOLDERS: [&str; 4] = [".rebut", ".claude/debate", ".opencode/debate", ".codex/debate"];

/// Whether a path of a workspace lies in a folder of rebut's own, at any depth: a project within another has its own.
pub(crate) fn in_our_folder(path: &Path) -> bool {
    let parts: Vec<&OsStr> = path.components().map(Component::as_os_str).collect();
    let ours = OUR_FOLDERS.map(|folder| folder.split('/').map(OsStr::new).collect::<Vec<_>>());
    ours.iter().any(|folder| parts.windows(folder.len()).any(|next| next == folder.as_slice()))
}

/// The same, or in the folder that a panel has written: what it says of a project is no change of the project.
pub fn is_ours(path: &Path) -> bool {
    let mut parts = path.components().map(Component::as_os_str);
    let of_a_panel = parts.next().is_some_and(|first| first == "output")
        && parts.next().and_then(OsStr::to_str).is_some_and(is_panel_folder);
    of_a_panel || in_our_folder(path)
}

/// The name of a panel's folder begins with the time at which it was held: `20260101T000000Z-…`.
fn is_panel_folder(name: &str) -> bool {
    let stamp = name.split_once('-').map_or("", |(stamp, _)| stamp);
    let bare: String = stamp.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    bare == "00000000T000000Z"
}

/// A diff without rebut's own files, and their names. It stays as it is where it has none.
pub fn without_ours(diff: &str) -> (std::borrow::Cow<'_, str>, Vec<String>) {
    let sections = patch::sections(diff.as_bytes());
    let (ours, others): (Vec<_>, Vec<_>) = sections.iter().partition(|section| is_ours(Path::new(&section.name())));
    if ours.is_empty() {
        return (diff.into(), Vec::new());
    }
    let kept: Vec<u8> = others.iter().flat_map(|section| section.bytes.iter().copied()).collect();
    (String::from_utf8_lossy(&kept).into_owned().into(), ours.iter().map(|section| section.name()).collect())
}

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

/// Whether a folder is one in which git keeps what it knows: a bare repository, or a `.git`.
pub(crate) fn is_gits_own(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_loses_what_is_ours_at_any_depth() {
        let file = |path: &str| format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n");
        let own = [".rebut/config.toml", "app/.rebut/x", "app/.claude/debate/y", "output/20260101T000000Z-x/z"];
        let other = ["src/a.rs", "src/rebut/b.rs", "app/.claude/settings.json", "output/report.md"];
        for path in own {
            assert!(is_ours(Path::new(path)), "{path}");
        }
        let text: String = own.iter().chain(&other).map(|path| file(path)).collect();
        let (kept, left_out) = without_ours(&text);
        assert_eq!(kept, other.map(file).concat());
        assert_eq!(left_out, own);
        let text = format!("A word before.\n{}", file("src/a.rs"));
        assert_eq!(without_ours(&text), (text.as_str().into(), Vec::new()));
    }

    #[test]
    fn what_is_ours_is_the_same_for_git() {
        assert_eq!(OUR_FOLDERS.map(|folder| format!(":(exclude,top,glob)**/{folder}/**")), git::NOT_OURS);
    }
}
