//! What the plan says of a pinned workspace.

use serde::{Deserialize, Serialize};

use super::Why;

/// How many names of a kind are kept.
const NAMES: usize = 5;
/// How many are where only the name tells a file that is not looked at from one that does not exist.
const MOST_NAMES: usize = 1_000;

/// What was pinned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Where the list of files comes from.
    pub source: Source,
    /// Files and symlinks.
    pub files: u64,
    /// Bytes that are kept of them.
    pub bytes: u64,
    /// The commit that is checked out, if there is one.
    pub commit: Option<String>,
    /// That commit and those before it, newest first, as far as they are kept.
    pub history: Vec<String>,
    /// Files that differ from that commit, deleted ones among them; `None` where git cannot say.
    pub changed: Option<u64>,
    /// Files that git does not know yet and does not ignore.
    pub new: u64,
    /// What was left out, or is not as one would think.
    pub left_out: Vec<LeftOut>,
}

/// Where the list of files comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    Git,
    /// The folder, which is in no repository.
    Folder,
    /// The folder, because git gave no answer.
    FolderWithoutGit {
        /// What git said instead.
        said: String,
    },
}

/// Files of which the same is to be said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub why: Why,
    pub count: u64,
    pub first: Vec<String>,
}

impl Facts {
    pub(super) fn new(source: Source) -> Self {
        let (history, left_out) = (Vec::new(), Vec::new());
        Self { source, files: 0, bytes: 0, commit: None, history, changed: None, new: 0, left_out }
    }

    /// Counts a file of which this is to be said.
    pub(super) fn leave_out(&mut self, why: Why, path: &[u8]) {
        leave_out(&mut self.left_out, why, path);
    }

    /// Why nothing is known of what a path leads to: the repository or the folder that it lies in is not looked into, or it
    /// is private.
    pub fn unseen(&self, path: &str) -> Option<Why> {
        let is_below =
            |folder: &String| path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'));
        let is_it = |left: &LeftOut| left.why == Why::Private && left.first.iter().any(|name| name == path);
        let unseen = self.left_out.iter().filter(|left| is_told_by_name(left.why));
        unseen.filter(|left| is_it(left) || left.first.iter().any(is_below)).map(|left| left.why).next()
    }

    /// How many files this is said of.
    pub fn count(&self, why: Why) -> u64 {
        self.left_out.iter().find(|left| left.why == why).map_or(0, |left| left.count)
    }
}

/// Whether what lies there can be told from what is nowhere only by its name.
fn is_told_by_name(why: Why) -> bool {
    matches!(why, Why::Submodule | Why::Repository | Why::Unreadable | Why::Private)
}

/// Counts a file in a list that is sorted by what is said.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_out_is_counted_and_the_first_are_named() {
        let mut facts = Facts::new(Source::Folder);
        facts.leave_out(Why::TooLarge, b"huge");
        for number in 0..7 {
            facts.leave_out(Why::Binary, format!("{number}.png").as_bytes());
        }
        assert_eq!((facts.count(Why::Binary), facts.count(Why::TooLarge), facts.count(Why::Special)), (7, 1, 0));
        assert_eq!(facts.left_out[0].first, ["0.png", "1.png", "2.png", "3.png", "4.png"]);
    }

    #[test]
    fn what_lies_in_a_repository_that_is_not_looked_into_is_unseen() {
        let mut facts = Facts::new(Source::Git);
        for number in 0..7 {
            facts.leave_out(Why::Repository, format!("nested{number}/").as_bytes());
        }
        facts.leave_out(Why::Submodule, b"vendor/lib");
        facts.leave_out(Why::Unreadable, b"closed");
        facts.leave_out(Why::Private, b".ssh");
        let unseen =
            ["nested6/in.txt", "vendor/lib/a.c", "nested6", "nested6.txt", "vendor/library/a.c", "closed/a", ".ssh"];
        let (other, closed, private) = (Some(Why::Repository), Some(Why::Unreadable), Some(Why::Private));
        let expected = [other, Some(Why::Submodule), None, None, None, closed, private];
        assert_eq!(unseen.map(|path| facts.unseen(path)), expected);
    }
}
