//! Commits, looked up with git.
//!
//! A commit is not called missing where git refuses to answer, where a shallow clone ends, or where it may be a submodule's.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rebut_core::evidence::Evidence;
use rebut_core::evidence::check::{CheckResult, PathIndex, Resolved, SearchBudget};

use super::commit_text::CommitText;
use crate::workspace::git::{Git, GitCommand, as_path};

/// The most commits that are looked up in one process.
const MOST: usize = 500;
/// How much of a commit's message and statistics a judge gets, in characters.
const LONGEST: usize = 4_000;
/// The shortest abbreviation of a hash that git accepts.
const SHORTEST: usize = 4;

pub(super) const GONE: &str = "the commit existed when the debate began and is gone";

/// The commits of a repository that were looked up so far.
pub(super) struct Commits {
    folder: PathBuf,
    /// The commit that was checked out when the debate began; an amend may remove it later.
    head: Option<String>,
    /// The commits at which a shallow clone ends.
    border: OnceLock<BTreeSet<String>>,
    known: Mutex<BTreeMap<String, Arc<Named>>>,
    /// The text of the last commit that was searched: several quotes are mostly of the same one.
    text: Mutex<Option<(String, Arc<CommitText>)>>,
}

/// What a hash, or the beginning of one, names.
enum Named {
    Commit {
        full: String,
        /// The files that it changes, once they were asked for.
        files: OnceLock<PathIndex>,
    },
    Several,
    Nothing,
}

impl Commits {
    /// Those of the repository around this folder; `None` where there is no repository now and there was none.
    pub(super) fn of(folder: &Path, head: Option<String>) -> Option<Self> {
        let in_git = crate::workspace::around(folder).join(".git").exists();
        let (folder, border, known, text) = (folder.to_owned(), OnceLock::new(), Mutex::default(), Mutex::default());
        (in_git || head.is_some()).then_some(Self { folder, head, border, known, text })
    }

    /// `HEAD` as the hash it had when the debate began; any other commit as it is.
    pub(super) fn pinned<'a>(&'a self, hash: &'a str) -> &'a str {
        self.head.as_deref().filter(|_| hash == "HEAD").unwrap_or(hash)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The whole hash of a commit; the error is the result for evidence that names it.
    pub(super) fn full(&self, hash: &str, unwanted: &dyn Fn() -> bool) -> Result<String, (CheckResult, String)> {
        match &*self.named(hash, unwanted)? {
            Named::Commit { full, .. } => Ok(full.clone()),
            Named::Several => Err((CheckResult::Ambiguous, "several commits begin with this".to_owned())),
            Named::Nothing => Err((CheckResult::Missing, "no such commit".to_owned())),
        }
    }

    /// Whether there is such a commit, and whether it changes the file. Git is ended once this is cancelled.
    pub(super) fn look_up(&self, hash: &str, path: Option<&str>, unwanted: &dyn Fn() -> bool) -> (CheckResult, String) {
        match self.try_look_up(hash, path, unwanted) {
            Ok(found) => found,
            Err((CheckResult::Ambiguous, why)) => (CheckResult::Ambiguous, why),
            // What was checked out at the start is known even where git has lost it since.
            Err(_) if self.was_head(hash) => match path {
                None => (CheckResult::Verified, "commit existed when the debate began".to_owned()),
                Some(_) => (CheckResult::ChangedSince, GONE.to_owned()),
            },
            Err((CheckResult::Missing, why)) => {
                self.unseen().map_or((CheckResult::Missing, why), |why| (CheckResult::Unchecked, why.to_owned()))
            }
            Err(refused) => refused,
        }
    }

    fn try_look_up(
        &self,
        hash: &str,
        path: Option<&str>,
        unwanted: &dyn Fn() -> bool,
    ) -> Result<(CheckResult, String), (CheckResult, String)> {
        let full = self.full(hash, unwanted)?;
        let Some(path) = path else { return Ok((CheckResult::Verified, "commit exists".to_owned())) };
        if self.border().contains(&full) {
            return Ok((CheckResult::Unchecked, "what it changes is cut off in this shallow clone".to_owned()));
        }
        let named = self.named(hash, unwanted)?;
        let Named::Commit { files, .. } = &*named else { return Ok((CheckResult::Missing, "no such commit".to_owned())) };
        let changed = if let Some(known) = files.get() {
            known
        } else {
            let changed = self.changed_files(&full, unwanted).map_err(unchecked)?;
            files.get_or_init(|| changed)
        };
        Ok(changes(changed, path))
    }

    /// Whether the message or the changes of a commit contain the quote; `None` if nothing is quoted.
    pub(super) fn quoted(
        &self,
        evidence: &Evidence,
        hash: &str,
        budget: &mut SearchBudget,
        unwanted: &dyn Fn() -> bool,
    ) -> Option<(CheckResult, String)> {
        evidence.quote.as_ref()?;
        let Ok(full) = self.full(hash, unwanted) else { return Some((CheckResult::ChangedSince, GONE.to_owned())) };
        let text = self.text(&full, unwanted);
        Some(text.map_or_else(unchecked, |text| text.judge(evidence, budget)))
    }

    fn text(&self, full: &str, unwanted: &dyn Fn() -> bool) -> Result<Arc<CommitText>, String> {
        let mut last = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, text)) = last.as_ref().filter(|(commit, _)| commit == full) {
            return Ok(Arc::clone(text));
        }
        let text = Arc::new(CommitText::read(&self.folder, full, unwanted)?);
        *last = Some((full.to_owned(), Arc::clone(&text)));
        Ok(text)
    }

    /// The message of a commit that was looked up, and how much it changes in which files.
    pub(super) fn summary(&self, hash: &str) -> Option<String> {
        let commit = self.full(hash, &|| false).ok()?;
        let shown =
            Git::at(&self.folder).ask(GitCommand::Show, ["--stat", "--format=%B", commit.as_str(), "--"]).run().ok()?;
        let shown: String = String::from_utf8_lossy(&shown).trim().chars().take(LONGEST).collect();
        (!shown.is_empty()).then_some(shown)
    }

    pub(super) fn was_head(&self, hash: &str) -> bool {
        self.head.as_ref().is_some_and(|head| head.starts_with(hash))
    }

    /// Why a commit that git doesn't find may exist all the same.
    fn unseen(&self) -> Option<&'static str> {
        if !self.border().is_empty() {
            return Some("this is a shallow clone: the history is cut off before it");
        }
        let has_submodules = crate::workspace::around(&self.folder).join(".gitmodules").exists();
        has_submodules.then_some("no such commit here, and submodules are not searched for commits")
    }

    /// Empty where the clone is whole. An unreadable list is one that names no commit.
    fn border(&self) -> &BTreeSet<String> {
        self.border.get_or_init(|| {
            let place = Git::at(&self.folder).ask(GitCommand::RevParse, ["--git-path", "shallow"]).run().unwrap_or_default();
            let place = self.folder.join(as_path(place.strip_suffix(b"\n").unwrap_or(&place)));
            std::fs::read_to_string(place).unwrap_or_default().lines().map(str::to_owned).collect()
        })
    }

    /// What a hash names, in this repository.
    fn named(&self, hash: &str, unwanted: &dyn Fn() -> bool) -> Result<Arc<Named>, (CheckResult, String)> {
        // Git takes much more than hashes for a commit: names, searches and options.
        let is_hash = (SHORTEST..=64).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hash && hash != "HEAD" {
            return Err(unchecked("not a commit hash".to_owned()));
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(named) = known.get(hash) {
            return Ok(Arc::clone(named));
        }
        if known.len() >= MOST {
            return Err(unchecked(format!("not looked up: the limit is {MOST} commits")));
        }
        let ask = Git::at(&self.folder);
        let ask = ask.ask(GitCommand::CatFile, ["--batch-check"]).with_input(format!("{hash}\n").into_bytes());
        let answer = ask.run_unless(unwanted).map_err(|error| unchecked(error.to_string()))?;
        let answer = String::from_utf8_lossy(&answer);
        let mut words = answer.split_whitespace();
        let named = match (words.next(), words.next()) {
            (Some(full), Some("commit" | "tag")) => Named::Commit { full: full.to_owned(), files: OnceLock::new() },
            (_, Some("ambiguous")) => Named::Several,
            _ => Named::Nothing,
        };
        let named = Arc::new(named);
        known.insert(hash.to_owned(), Arc::clone(&named));
        Ok(named)
    }

    fn changed_files(&self, full: &str, unwanted: &dyn Fn() -> bool) -> Result<PathIndex, String> {
        let list = ["--no-commit-id", "--name-only", "-r", "-m", "--root", "-z", full];
        let names = Git::at(&self.folder).ask(GitCommand::DiffTree, list).run_unless(unwanted)?;
        let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let names = names.map(|name| String::from_utf8_lossy(name).into_owned());
        Ok(PathIndex::new(names, [self.folder.display().to_string()]))
    }
}

/// Whether a commit that changes these files changes this one.
fn changes(files: &PathIndex, path: &str) -> (CheckResult, String) {
    match files.resolve(path) {
        Resolved::File(_) | Resolved::Folder => (CheckResult::Verified, "the commit changes the file".to_owned()),
        Resolved::Ambiguous(files) => (CheckResult::Ambiguous, format!("it changes {}", files.join(" and "))),
        Resolved::Outside => (CheckResult::OutOfScope, "outside the workspace".to_owned()),
        Resolved::Missing(_) => (CheckResult::Mismatch, "the commit does not change the file".to_owned()),
    }
}

fn unchecked(why: String) -> (CheckResult, String) {
    (CheckResult::Unchecked, why)
}
