//! A given diff, such as `git diff | rebut review -`: whether it is applied to the workspace.

use std::path::Path;

use super::patches::{RawDiff, working_tree};
use super::scope::Reviewed;
use crate::redact::redact;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffState {
    /// The files are as they are after it.
    Applied,
    /// The files are as they were before it; `revision` is all of it that is text.
    ToBeApplied { revision: String },
    /// It fits neither way.
    Neither { why: String },
}

impl From<DiffState> for Reviewed {
    fn from(state: DiffState) -> Self {
        match state {
            DiffState::Applied => Self::WorkingTree,
            DiffState::ToBeApplied { .. } => Self::Patched,
            DiffState::Neither { why } => Self::Unknown { why },
        }
    }
}

/// Whether a diff is applied to the files of a workspace. Its binary files and submodules are not looked at.
pub fn diff_state(workspace: &Path, diff: &[u8]) -> DiffState {
    let neither = |why: String| DiffState::Neither { why };
    let raw = RawDiff::of(diff);
    let texts = raw.diff.files.iter().filter(|file| !file.binary && !file.is_submodule());
    let mut revision: Vec<u8> = texts.flat_map(|file| raw.bytes_of(file)).collect();
    if !revision.is_empty() && !revision.ends_with(b"\n") {
        revision.push(b'\n');
    }
    if revision.is_empty() {
        return neither("it names no file that is text".to_owned());
    }
    if working_tree::apply(workspace, &["--check", "--reverse"], &revision).is_ok() {
        return DiffState::Applied;
    }
    match working_tree::apply(workspace, &["--check"], &revision) {
        Ok(()) => match String::from_utf8(revision) {
            Ok(revision) if redact(&revision) == revision => DiffState::ToBeApplied { revision },
            Ok(_) => neither("it is not applied here, and holds what looks like secrets, which are not kept".to_owned()),
            Err(_) => neither("it is not applied here, and is not UTF-8".to_owned()),
        },
        Err(error) => {
            neither(format!("it is neither applied to the files of the workspace nor can it be: {}", error.in_full()))
        }
    }
}
