//! What the plan says of a pinned workspace.

use serde::{Deserialize, Serialize};

use super::Why;

/// How many names of a kind are kept,
const NAMES: usize = 5;
/// and how many if only the name tells a skipped file from a missing one.
const MOST_NAMES: usize = 1_000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    pub source: Source,
    pub files: u64,
    /// Bytes that are kept of them.
    pub bytes: u64,
    /// The commit that is checked out, if there is one.
    pub commit: Option<String>,
    /// Files that differ from that commit, deleted ones too; `None` if unknown.
    pub changed: Option<u64>,
    /// Untracked files that are not ignored.
    pub new: u64,
    pub left_out: Vec<LeftOut>,
}

/// Where the list of files comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    Git,
    /// A folder outside of git.
    Folder,
    /// The folder, because git failed with this.
    FolderWithoutGit {
        said: String,
    },
}

/// Files left out for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub why: Why,
    pub count: u64,
    pub first: Vec<String>,
}

impl Facts {
    pub(super) fn new(source: Source) -> Self {
        Self { source, files: 0, bytes: 0, commit: None, changed: None, new: 0, left_out: Vec::new() }
    }

    pub(super) fn leave_out(&mut self, why: Why, path: &[u8]) {
        leave_out(&mut self.left_out, why, path);
    }

    /// Why nothing is known of a path: its repository or folder is skipped, or it is private.
    pub fn unseen(&self, path: &str) -> Option<Why> {
        let is_below =
            |folder: &String| path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'));
        let is_it = |left: &LeftOut| left.why == Why::Private && left.first.iter().any(|name| name == path);
        let unseen = self.left_out.iter().filter(|left| is_told_by_name(left.why));
        unseen.filter(|left| is_it(left) || left.first.iter().any(is_below)).map(|left| left.why).next()
    }

    pub fn count(&self, why: Why) -> u64 {
        self.left_out.iter().find(|left| left.why == why).map_or(0, |left| left.count)
    }
}

/// Whether only the name tells such a path from a missing one.
fn is_told_by_name(why: Why) -> bool {
    matches!(why, Why::Submodule | Why::Repository | Why::Unreadable | Why::Private)
}

/// Counts a file in a list sorted by reason.
pub(super) fn leave_out(list: &mut Vec<LeftOut>, why: Why, path: &[u8]) {
    let at = list.binary_search_by_key(&why, |left| left.why).unwrap_or_else(|at| {
        list.insert(at, LeftOut { why, count: 0, first: Vec::new() });
        at
    });
    let left = &mut list[at];
    left.count += 1;
    let most = if is_told_by_name(why) { MOST_NAMES } else { NAMES };
    if left.first.len() < most {
        left.first.push(String::from_utf8_lossy(path).into_owned());
    }
}
