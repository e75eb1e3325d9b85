//! Commits, asked of git.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rebut_core::claims::check::{CheckResult, PathIndex, Resolved};

use crate::workspace::git;

/// The most commits that are asked for in one process: each takes two runs of git.
const MOST: usize = 500;

/// The commits of a repository, as far as they were asked for.
pub(super) struct Commits {
    folder: PathBuf,
    known: Mutex<BTreeMap<String, Option<PathIndex>>>,
}

impl Commits {
    /// Those of the repository around this folder; none where there is no repository.
    pub(super) fn of(folder: &Path) -> Option<Self> {
        let in_git = crate::workspace::around(folder).join(".git").exists();
        in_git.then(|| Self { folder: folder.to_owned(), known: Mutex::default() })
    }

    /// Whether there is such a commit, and whether it touches the file.
    pub(super) fn look_up(&self, hash: &str, path: Option<&str>) -> (CheckResult, String) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains_key(hash) {
            if known.len() >= MOST {
                return (CheckResult::Unchecked, format!("{MOST} commits were looked up, and no more are"));
            }
            match self.touched(hash) {
                Ok(touched) => {
                    known.insert(hash.to_owned(), touched);
                }
                Err(said) => return (CheckResult::Unchecked, said),
            }
        }
        let Some(Some(touched)) = known.get(hash) else {
            return (CheckResult::Missing, "there is no such commit".to_owned());
        };
        match path.map(|path| touched.resolve(path)) {
            None => (CheckResult::Verified, "there is such a commit".to_owned()),
            Some(Resolved::File(_) | Resolved::Folder) => (CheckResult::Verified, "the commit touches the file".to_owned()),
            Some(Resolved::Ambiguous(files)) => (CheckResult::Ambiguous, format!("it touches {}", files.join(" and "))),
            Some(Resolved::Outside) => (CheckResult::OutOfScope, "the file lies outside of the workspace".to_owned()),
            Some(Resolved::Missing(_)) => (CheckResult::Mismatch, "the commit does not touch the file".to_owned()),
        }
    }

    /// The files that a commit touches; none where there is no such commit.
    fn touched(&self, hash: &str) -> Result<Option<PathIndex>, String> {
        let commit = format!("{hash}^{{commit}}");
        // Several commits that begin so are told apart by nobody.
        let found = git::run(&self.folder, ["rev-parse", "--verify", "--quiet", commit.as_str()], &[0, 1, 128])?;
        let found = String::from_utf8_lossy(&found);
        let found = found.trim();
        if found.is_empty() {
            return Ok(None);
        }
        let list = ["diff-tree", "--no-commit-id", "--name-only", "--no-ext-diff", "-r", "-m", "--root", "-z", found];
        let names = git::run(&self.folder, list, &[0])?;
        let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let names = names.map(|name| String::from_utf8_lossy(name).into_owned());
        Ok(Some(PathIndex::new(names, [self.folder.display().to_string()])))
    }
}
