//! What of a repository's commits is kept, so that an amend, a clean-up or its end changes nothing of what is said of them.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::workspace::git::{Git, GitCommand};

/// How many commits are kept.
pub(super) const COMMITS: &str = "--max-count=1000";
/// How much git may tell of them, in bytes. The newest come first, and what is beyond is known by its hash alone.
const MOST_PRINTED: u64 = 4 * 1024 * 1024;
/// How long it may take: a debate does not wait longer for it.
const LONGEST: Duration = Duration::from_secs(10);
/// How many files of one commit are kept by name, and how many bytes of a message.
const NAMES: usize = 1_000;
const MESSAGE: usize = 16 * 1024;

/// The commit that is checked out and those before it.
#[derive(Clone, Debug, Default)]
pub(in crate::evidence) struct History {
    /// Their hashes, newest first.
    pub(in crate::evidence) hashes: Vec<String>,
    /// What is known of them, as far as it is kept.
    pub(in crate::evidence) commits: Vec<KeptCommit>,
}

/// A commit as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptCommit {
    /// Its hash.
    pub hash: String,
    /// Its message, unless it is very long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The files that it touches, unless these are very many or nobody knows: a shallow clone ends there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touched: Option<Vec<String>>,
}

impl History {
    /// The one commit that begins so.
    pub(in crate::evidence) fn commit(&self, hash: &str) -> Option<&KeptCommit> {
        let mut begin_so = self.hashes.iter().filter(|full| full.starts_with(hash));
        let full = begin_so.next().filter(|_| begin_so.next().is_none())?;
        self.commits.iter().find(|commit| commit.hash == *full)
    }
}

/// What git tells of a commit and those before it. Nothing where it gives no answer in time: then hashes must do.
pub(super) fn told(root: &Path, commit: &str) -> Vec<KeptCommit> {
    let log = "-m --no-renames --name-only --no-notes --no-decorate --no-relative --encoding=UTF-8 -z \
               --format=format:%x00%x00%H%x00%P%x00%B%x00";
    let git = Git::at(root);
    let log = git.ask(GitCommand::Log, log.split_whitespace()).with([COMMITS, commit, "--"]);
    let Ok(printed) = log.within(LONGEST).up_to(MOST_PRINTED) else { return Vec::new() };
    let shallow = git.ask(GitCommand::RevParse, ["--is-shallow-repository"]).within(LONGEST).run();
    let is_shallow = shallow.map_or(true, |told| told.trim_ascii() != b"false");
    let mut commits = read(&printed, is_shallow);
    if printed.len() as u64 > MOST_PRINTED {
        // The last one is cut off, and stands there twice where it is a merge.
        commits.pop();
    }
    commits
}

/// Reads what git printed: of each commit its hash, its parents and its message, and then the names. A merge stands there
/// once for each parent.
fn read(printed: &[u8], is_shallow: bool) -> Vec<KeptCommit> {
    let mut commits: Vec<KeptCommit> = Vec::new();
    let mut parts = printed.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    loop {
        let Some(hash) = parts.find(|part| !part.trim().is_empty()) else { return commits };
        let (Some(parents), Some(message)) = (parts.next(), parts.next()) else { return commits };
        let names = parts.by_ref().take_while(|name| !name.is_empty());
        let names: Vec<String> = names.map(|name| name.strip_prefix('\n').unwrap_or(&name).to_owned()).collect();
        // Where a shallow clone ends, a commit seems to bring every file.
        let is_border = is_shallow && parents.is_empty();
        let before = commits.pop_if(|last| last.hash == hash).map(|last| last.touched);
        let touched = match before {
            Some(None) => None,
            Some(Some(others)) => Some(others.into_iter().chain(names).collect()),
            None => Some(names).filter(|_| !is_border),
        };
        commits.push(KeptCommit {
            hash: hash.into_owned(),
            message: Some(message.trim().to_owned()).filter(|message| message.len() <= MESSAGE),
            touched: touched.filter(|names: &Vec<String>| names.len() <= NAMES),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_tells_is_read_whatever_a_commit_lacks() {
        let printed = b"\0\0cc\0bb aa\0joined\n\0\ns\0\0\0\0cc\0bb aa\0joined\n\0\nx y\0d/z\0\0\0\0bb\0aa\0\0\0\0\0aa\0\0first\n\nbody\n\0\na\0";
        let told = |is_shallow| {
            let commits = read(printed, is_shallow);
            commits
                .iter()
                .map(|commit| format!("{} {:?} {:?}", commit.hash, commit.message, commit.touched))
                .collect::<Vec<_>>()
        };
        let expected = [
            "cc Some(\"joined\") Some([\"s\", \"x y\", \"d/z\"])",
            "bb Some(\"\") Some([])",
            "aa Some(\"first\\n\\nbody\") Some([\"a\"])",
        ];
        assert_eq!(told(false), expected);
        assert_eq!(told(true)[2], "aa Some(\"first\\n\\nbody\") None");
        for end in 0..printed.len() {
            let _ = read(&printed[..end], false);
        }
    }
}
