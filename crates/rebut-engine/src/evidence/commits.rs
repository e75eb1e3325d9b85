//! Commits, asked of git.
//!
//! A repository goes on while a debate is argued: what an amend and a clean-up took away is known by the hashes that were
//! kept when the debate began. Where git refuses, or a shallow clone ends, nobody can say that a commit is missing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use rebut_core::claims::check::{CheckResult, PathIndex, Resolved};

use crate::workspace::git;

/// The most commits that are asked for in one process: each takes two runs of git.
const MOST: usize = 500;
/// The most of a commit's message and figures that is given to somebody who judges it, in characters.
const LONGEST: usize = 4_000;

/// The commits of a repository, as far as they were asked for.
pub(super) struct Commits {
    folder: PathBuf,
    /// The hashes that were there when the debate began, as far as they were kept.
    kept: Vec<String>,
    /// What kind of repository it is, or why git does not say.
    repository: OnceLock<Result<Repository, String>>,
    known: Mutex<BTreeMap<String, Option<Known>>>,
}

/// What must be known of a repository before its silence says anything.
struct Repository {
    /// The commits behind which a shallow clone has nothing; none in a whole one.
    border: Option<BTreeSet<String>>,
}

/// A commit that is there.
struct Known {
    touched: PathIndex,
    /// Whether it stands at the border of a shallow clone: then it seems to touch every file.
    at_border: bool,
}

impl Commits {
    /// Those of the repository around this folder; none where there is no repository. `kept` are the hashes that were
    /// there when the debate began.
    pub(super) fn of(folder: &Path, kept: &[String]) -> Option<Self> {
        let in_git = crate::workspace::around(folder).join(".git").exists();
        in_git.then(|| Self {
            folder: folder.to_owned(),
            kept: kept.to_vec(),
            repository: OnceLock::new(),
            known: Mutex::default(),
        })
    }

    /// Whether there is such a commit, and whether it touches the file. Git is not waited for once nobody wants it.
    pub(super) fn look_up(&self, hash: &str, path: Option<&str>, unwanted: &dyn Fn() -> bool) -> (CheckResult, String) {
        let repository = match self.repository.get_or_init(|| self.repository()) {
            Ok(repository) => repository,
            Err(said) => return (CheckResult::Unchecked, said.clone()),
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains_key(hash) {
            if known.len() >= MOST {
                return (CheckResult::Unchecked, format!("{MOST} commits were looked up, and no more are"));
            }
            match self.known(hash, repository, unwanted) {
                Ok(found) => {
                    known.insert(hash.to_owned(), found);
                }
                Err(said) => return (CheckResult::Unchecked, said),
            }
        }
        let Some(Some(commit)) = known.get(hash) else { return self.gone(hash, path, repository) };
        let Some(path) = path else { return (CheckResult::Verified, "there is such a commit".to_owned()) };
        if commit.at_border {
            let detail = "there is such a commit, and what it touches is cut off in this shallow clone";
            return (CheckResult::Unchecked, detail.to_owned());
        }
        match commit.touched.resolve(path) {
            Resolved::File(_) | Resolved::Folder => (CheckResult::Verified, "the commit touches the file".to_owned()),
            Resolved::Ambiguous(files) => (CheckResult::Ambiguous, format!("it touches {}", files.join(" and "))),
            Resolved::Outside => (CheckResult::OutOfScope, "the file lies outside of the workspace".to_owned()),
            Resolved::Missing(_) => (CheckResult::Mismatch, "the commit does not touch the file".to_owned()),
        }
    }

    /// What a commit says of itself: its message, and how much it changes in which files. None where git does not say.
    pub(super) fn told(&self, hash: &str) -> Option<String> {
        let commit = format!("{hash}^{{commit}}");
        let told =
            git::run(&self.folder, ["show", "--no-color", "--stat", "--format=%B", commit.as_str(), "--"], &[0]).ok()?;
        let told = String::from_utf8_lossy(&told);
        let told: String = told.trim().chars().take(LONGEST).collect();
        (!told.is_empty()).then_some(told)
    }

    /// What is said of a commit that git does not have.
    fn gone(&self, hash: &str, path: Option<&str>, repository: &Repository) -> (CheckResult, String) {
        let was_there = self.kept.iter().any(|kept| kept.starts_with(hash));
        match path {
            None if was_there => (CheckResult::Verified, "there was such a commit when the debate began".to_owned()),
            Some(_) if was_there => {
                let detail = "the commit was there when the debate began, and the repository has it no more";
                (CheckResult::ChangedSince, detail.to_owned())
            }
            _ if repository.border.is_some() => {
                let detail = "this is a shallow clone: the history is cut off before it";
                (CheckResult::Unchecked, detail.to_owned())
            }
            _ if self.folder_of_repository().join(".gitmodules").exists() => {
                let detail = "there is no such commit here, and those of submodules are not looked up";
                (CheckResult::Unchecked, detail.to_owned())
            }
            _ => (CheckResult::Missing, "there is no such commit".to_owned()),
        }
    }

    fn folder_of_repository(&self) -> PathBuf {
        crate::workspace::around(&self.folder)
    }

    /// Asks git of the repository as a whole: where it refuses (it does not trust the owner), it says so here.
    fn repository(&self) -> Result<Repository, String> {
        let place = git::run(&self.folder, ["rev-parse", "--git-path", "shallow"], &[0])?;
        let place = self.folder.join(git::as_path(place.strip_suffix(b"\n").unwrap_or(&place)));
        let border = match std::fs::read_to_string(&place) {
            Ok(hashes) => Some(hashes.lines().map(str::to_owned).collect()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(format!("cannot read {}: {error}", place.display())),
        };
        Ok(Repository { border })
    }

    /// The files that a commit touches; none where there is no such commit.
    fn known(&self, hash: &str, repository: &Repository, unwanted: &dyn Fn() -> bool) -> Result<Option<Known>, String> {
        let commit = format!("{hash}^{{commit}}");
        // Several commits that begin so are told apart by nobody.
        let ask = ["rev-parse", "--verify", "--quiet", commit.as_str()];
        let found = git::run_unless(&self.folder, ask, &[0, 1, 128], unwanted)?;
        let found = String::from_utf8_lossy(&found);
        let found = found.trim();
        if found.is_empty() {
            return Ok(None);
        }
        let list = ["diff-tree", "--no-commit-id", "--name-only", "--no-ext-diff", "-r", "-m", "--root", "-z", found];
        let names = git::run_unless(&self.folder, list, &[0], unwanted)?;
        let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let names = names.map(|name| String::from_utf8_lossy(name).into_owned());
        let touched = PathIndex::new(names, [self.folder.display().to_string()]);
        let at_border = repository.border.as_ref().is_some_and(|border| border.contains(found));
        Ok(Some(Known { touched, at_border }))
    }
}
