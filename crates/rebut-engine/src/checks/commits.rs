//! Commits, asked of git.
//!
//! A repository changes during a debate: a commit that an amend removed is known by its hash, which was kept when the debate
//! began. If git refuses, or a shallow clone ends, a commit is not called missing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use rebut_core::evidence::Evidence;
use rebut_core::evidence::check::{CheckResult, PathIndex, Resolved, SearchBudget};

use super::said::Sayings;
use crate::workspace::git::{Git, GitCommand, Submodules, as_path, submodules};

/// The most commits that are asked for in one process: each takes two runs of git.
const MOST: usize = 500;
/// How much of a commit's message and statistics a judge gets, in characters.
const LONGEST: usize = 4_000;
/// The shortest abbreviation of a hash that git accepts.
const SHORTEST: usize = 4;
/// How many objects with the same abbreviation are looked at.
const ALIKE: usize = 64;

const GONE: &str = "the commit existed when the debate began and is gone";

/// The commits of a repository, as far as they were asked for.
pub(super) struct Commits {
    folder: PathBuf,
    /// The hashes of the commits that were there when the debate began, newest first.
    kept: Vec<String>,
    /// What kind of repository it is, or why git does not say.
    repository: OnceLock<Result<Repository, String>>,
    submodules: OnceLock<Result<Submodules, String>>,
    known: Mutex<BTreeMap<String, Named>>,
    sayings: Sayings,
}

struct Repository {
    /// The commits at which a shallow clone ends; none in a whole one.
    border: Option<BTreeSet<String>>,
}

/// What a hash, or the beginning of one, names.
enum Named {
    One(Known),
    Several(usize),
    /// None, and where it was not possible to look.
    None {
        unseen: Option<String>,
    },
}

/// A commit that is there.
struct Known {
    /// The repository that has it.
    folder: PathBuf,
    /// All of its hash.
    full: String,
    touched: PathIndex,
    /// Whether it is at the border of a shallow clone: then it seems to touch every file.
    at_border: bool,
    /// The submodule that has it, by its path.
    submodule: Option<String>,
}

impl Commits {
    /// Those of the repository around this folder; none where there is no repository, and was none. `kept` are the
    /// hashes of those that were there when the debate began.
    pub(super) fn of(folder: &Path, kept: Vec<String>) -> Option<Self> {
        let in_git = crate::workspace::around(folder).join(".git").exists();
        (in_git || !kept.is_empty()).then(|| Self {
            folder: folder.to_owned(),
            kept,
            repository: OnceLock::new(),
            submodules: OnceLock::new(),
            known: Mutex::default(),
            sayings: Sayings::default(),
        })
    }

    /// `HEAD` as the hash it had when the debate began; any other commit as it is.
    pub(super) fn pinned<'a>(&'a self, hash: &'a str) -> &'a str {
        let head = self.kept.first().filter(|_| hash == "HEAD");
        head.map_or(hash, String::as_str)
    }

    /// Whether there is such a commit, and whether it touches the file. Git is ended once this is cancelled.
    pub(super) fn look_up(&self, hash: &str, path: Option<&str>, unwanted: &dyn Fn() -> bool) -> (CheckResult, String) {
        // Git takes much more than hashes for a commit: names, searches and options.
        let is_hash = (SHORTEST..=64).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hash && hash != "HEAD" {
            return (CheckResult::Unchecked, "not a commit hash".to_owned());
        }
        let repository = match self.repository.get_or_init(|| self.repository()) {
            Ok(repository) => repository,
            // A repository that is gone or moved by now: what was kept of it still tells.
            Err(said) => return self.was_there(hash, path).unwrap_or((CheckResult::Unchecked, said.clone())),
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains_key(hash) {
            if known.len() >= MOST {
                return (CheckResult::Unchecked, format!("not looked up: the limit is {MOST} commits"));
            }
            match self.named(hash, repository, unwanted) {
                Ok(found) => {
                    known.insert(hash.to_owned(), found);
                }
                Err(said) => return self.was_there(hash, path).unwrap_or((CheckResult::Unchecked, said)),
            }
        }
        let commit = match known.get(hash) {
            Some(Named::One(commit)) => commit,
            Some(Named::Several(several)) => {
                return (CheckResult::Ambiguous, format!("{several} commits begin with this"));
            }
            Some(Named::None { unseen }) => {
                let unseen = unseen.as_ref().map(|why| (CheckResult::Unchecked, why.clone()));
                let missing = || (CheckResult::Missing, "no such commit".to_owned());
                return self.was_there(hash, path).or(unseen).unwrap_or_else(missing);
            }
            None => return (CheckResult::Unchecked, "it was not looked up".to_owned()),
        };
        let Some(path) = path else {
            let place = commit.submodule.as_ref().map(|module| format!(", in the submodule {module}"));
            return (CheckResult::Verified, format!("commit exists{}", place.unwrap_or_default()));
        };
        if commit.at_border {
            let detail = "what it touches is cut off in this shallow clone";
            return (CheckResult::Unchecked, detail.to_owned());
        }
        touches(&commit.touched, path)
    }

    /// Whether the message or the changes of a commit that was looked up contain the quote; `None` if nothing is quoted.
    pub(super) fn quoted(
        &self,
        evidence: &Evidence,
        hash: &str,
        budget: &mut SearchBudget,
        unwanted: &dyn Fn() -> bool,
    ) -> Option<(CheckResult, String)> {
        evidence.quote.as_ref()?;
        let Some((folder, full)) = self.place_of(hash) else {
            return Some((CheckResult::ChangedSince, GONE.to_owned()));
        };
        let said = self.sayings.of(&folder, &full, unwanted);
        Some(said.map_or_else(|why| (CheckResult::Unchecked, why), |said| said.judge(evidence, budget)))
    }

    /// The repository that has a commit which was looked up, and all of its hash.
    pub(super) fn place_of(&self, hash: &str) -> Option<(PathBuf, String)> {
        match self.known.lock().unwrap_or_else(PoisonError::into_inner).get(hash) {
            Some(Named::One(known)) => Some((known.folder.clone(), known.full.clone())),
            _ => None,
        }
    }

    /// The message of a commit, and how much it changes in which files.
    pub(super) fn told(&self, hash: &str) -> Option<String> {
        let (folder, commit) = self.place_of(hash)?;
        let told = Git::at(&folder).ask(GitCommand::Show, ["--stat", "--format=%B", commit.as_str(), "--"]).run().ok()?;
        let told = String::from_utf8_lossy(&told);
        let told: String = told.trim().chars().take(LONGEST).collect();
        (!told.is_empty()).then_some(told)
    }

    /// The result for a commit that git does not have any more, and that existed when the debate began.
    fn was_there(&self, hash: &str, path: Option<&str>) -> Option<(CheckResult, String)> {
        let kept = self.kept.iter().any(|kept| kept.starts_with(hash));
        kept.then(|| match path {
            None => (CheckResult::Verified, "commit existed when the debate began".to_owned()),
            Some(_) => (CheckResult::ChangedSince, GONE.to_owned()),
        })
    }

    /// Fails where git refuses the repository, because it does not trust the owner say.
    fn repository(&self) -> Result<Repository, String> {
        let place = Git::at(&self.folder).ask(GitCommand::RevParse, ["--git-path", "shallow"]).run()?;
        let place = self.folder.join(as_path(place.strip_suffix(b"\n").unwrap_or(&place)));
        let border = match std::fs::read_to_string(&place) {
            Ok(hashes) => Some(hashes.lines().map(str::to_owned).collect()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(format!("cannot read {}: {error}", place.display())),
        };
        Ok(Repository { border })
    }

    /// What a hash names, in this repository or in one of its submodules.
    fn named(&self, hash: &str, repository: &Repository, unwanted: &dyn Fn() -> bool) -> Result<Named, String> {
        let border = repository.border.as_ref();
        if let Some(found) = full_hash(&self.folder, hash, unwanted)? {
            let at_border = border.is_some_and(|border| border.contains(&found));
            let touched = self.touched(&self.folder, "", &found, unwanted)?;
            return Ok(Named::One(Known { folder: self.folder.clone(), full: found, touched, at_border, submodule: None }));
        }
        let several = commits_that_begin_so(&self.folder, hash, unwanted)?;
        if several > 1 {
            return Ok(Named::Several(several));
        }
        let mut unseen = border.map(|_| "this is a shallow clone: the history is cut off before it".to_owned());
        let around = crate::workspace::around(&self.folder);
        if !around.join(".gitmodules").exists() {
            return Ok(Named::None { unseen });
        }
        let list = || submodules(&around).map_err(|error| error.to_string());
        let Submodules { here, absent } = self.submodules.get_or_init(list).as_ref().map_err(Clone::clone)?;
        for (path, folder) in here {
            if let Some(found) = full_hash(folder, hash, unwanted)? {
                let at_border = is_shallow(folder)?;
                let touched = self.touched(folder, path, &found, unwanted)?;
                let (folder, submodule) = (folder.clone(), Some(path.clone()));
                return Ok(Named::One(Known { folder, full: found, touched, at_border, submodule }));
            }
            if unseen.is_none() && is_shallow(folder)? {
                unseen = Some(format!("no such commit here, and the history of the submodule {path} is cut off"));
            }
        }
        let not_here = |path: &String| format!("no such commit here, and the submodule {path} is not checked out");
        Ok(Named::None { unseen: unseen.or(absent.first().map(not_here)) })
    }

    /// The files that a commit of this repository touches, by their paths in the workspace.
    fn touched(&self, folder: &Path, below: &str, found: &str, unwanted: &dyn Fn() -> bool) -> Result<PathIndex, String> {
        let list = ["--no-commit-id", "--name-only", "-r", "-m", "--root", "-z", found];
        let names = Git::at(folder).ask(GitCommand::DiffTree, list).run_unless(unwanted)?;
        let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(String::from_utf8_lossy);
        let names = names.map(|name| if below.is_empty() { name.into_owned() } else { format!("{below}/{name}") });
        Ok(PathIndex::new(names, [self.folder.display().to_string()]))
    }
}

/// Whether a commit that touches these files touches one that is called so.
fn touches(touched: &PathIndex, path: &str) -> (CheckResult, String) {
    match touched.resolve(path) {
        Resolved::File(_) | Resolved::Folder => (CheckResult::Verified, "the commit changes the file".to_owned()),
        Resolved::Ambiguous(files) => (CheckResult::Ambiguous, format!("it touches {}", files.join(" and "))),
        Resolved::Outside => (CheckResult::OutOfScope, "outside the workspace".to_owned()),
        Resolved::Missing(_) => (CheckResult::Mismatch, "the commit does not change the file".to_owned()),
    }
}

/// All of a commit's hash; none where there is no such commit, or where several begin so.
fn full_hash(folder: &Path, hash: &str, unwanted: &dyn Fn() -> bool) -> Result<Option<String>, String> {
    let commit = format!("{hash}^{{commit}}");
    let ask = Git::at(folder);
    let ask = ask.ask(GitCommand::RevParse, ["--verify", "--quiet", commit.as_str()]).allowing(&[0, 1, 128]);
    let found = ask.run_unless(unwanted)?;
    let found = String::from_utf8_lossy(&found).trim().to_owned();
    Ok(Some(found).filter(|found| !found.is_empty()))
}

/// How many commits have this abbreviation: git reports none and several alike.
fn commits_that_begin_so(folder: &Path, hash: &str, unwanted: &dyn Fn() -> bool) -> Result<usize, String> {
    let git = Git::at(folder);
    let ask = git.ask(GitCommand::RevParse, [format!("--disambiguate={hash}")]).allowing(&[0, 1, 128]);
    let objects = ask.run_unless(unwanted)?;
    let objects = String::from_utf8_lossy(&objects);
    let objects: Vec<&str> = objects.lines().take(ALIKE).collect();
    if objects.len() < 2 {
        return Ok(0);
    }
    let mut commits = 0;
    for object in objects {
        let kind = git.ask(GitCommand::CatFile, ["-t", object]).allowing(&[0, 128]).run_unless(unwanted)?;
        commits += usize::from(kind.trim_ascii() == b"commit");
    }
    Ok(commits)
}

fn is_shallow(folder: &Path) -> Result<bool, String> {
    let told = Git::at(folder).ask(GitCommand::RevParse, ["--is-shallow-repository"]).run()?;
    Ok(told.trim_ascii() == b"true")
}
