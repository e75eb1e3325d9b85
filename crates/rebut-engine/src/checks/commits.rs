//! Commits, looked up with git: whether there is one, what it changes, and its files.
//!
//! A commit is not called missing if git refuses to answer, at the end of a shallow clone, or if it may be a submodule's.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rebut_core::diff::{Diff, HunkLine};
use rebut_core::evidence::Evidence;
use rebut_core::evidence::check::{
    CheckResult, Checked, Cited, FileText, Judgement, PathIndex, Resolved, SearchBudget, Unread, check_file, judge_page,
};

use crate::workspace::git::{Git, GitCommand, as_path};

/// How many commits are looked up in one process, and how many files of commits.
const MOST: usize = 500;
/// How much of a commit's message and statistics a judge gets, in characters.
const LONGEST: usize = 4_000;
/// The shortest abbreviation of a hash that git accepts.
const SHORTEST: usize = 4;
/// The largest file of a commit that is read, and the largest commit that is searched, in bytes.
const LARGEST_FILE: u64 = 4 * 1024 * 1024;
const LARGEST_COMMIT: u64 = 16 * 1024 * 1024;

/// A merge is compared with its first parent. A NUL ends the message.
const SHOW: [&str; 8] = [
    "-m",
    "--first-parent",
    "--unified=3",
    "--inter-hunk-context=0",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--submodule=short",
    "--format=%B%x00",
];

/// The commits of a repository that were looked up so far.
pub(super) struct Commits {
    folder: PathBuf,
    /// The commit that was checked out when the debate began; an amend may remove it later.
    head: Option<String>,
    /// The commits at which a shallow clone ends.
    border: OnceLock<BTreeSet<String>>,
    /// By the hash as it was written.
    known: Mutex<BTreeMap<String, Result<Arc<Commit>, Judgement>>>,
    // Several citations are mostly of the same commit and file.
    text: Last<FileText>,
    files: Last<PathIndex>,
    file: Last<FileText>,
}

struct Commit {
    hash: String,
    /// The files that it changes, once they were asked for.
    changes: OnceLock<PathIndex>,
}

impl Commits {
    /// Those of the repository around this folder; `None` if there is no repository now and there was none.
    pub(super) fn of(folder: &Path, head: Option<String>) -> Option<Self> {
        let in_git = crate::workspace::around(folder).join(".git").exists();
        (in_git || head.is_some()).then(|| Self {
            folder: folder.to_owned(),
            head,
            border: OnceLock::new(),
            known: Mutex::default(),
            text: Last(Mutex::default()),
            files: Last(Mutex::default()),
            file: Last(Mutex::default()),
        })
    }

    /// `HEAD` as the hash it had when the debate began; any other commit as it is.
    pub(super) fn pinned<'a>(&'a self, hash: &'a str) -> &'a str {
        self.head.as_deref().filter(|_| hash == "HEAD").unwrap_or(hash)
    }

    /// Whether there is such a commit, and whether it changes the file. Git is ended once this is cancelled.
    pub(super) fn look_up(&self, hash: &str, path: Option<&str>, unwanted: &dyn Fn() -> bool) -> Judgement {
        let found = self.find(hash, unwanted).and_then(|commit| match path {
            None => Ok(Judgement::new(CheckResult::Verified, "commit exists")),
            Some(path) => self.changes(&commit, path, unwanted),
        });
        match found {
            Ok(found) | Err(found @ Judgement { result: CheckResult::Ambiguous, .. }) => found,
            // What was checked out at the start is known even if git has lost it since.
            Err(_) if is_hash(hash) && self.head.as_ref().is_some_and(|head| head.starts_with(hash)) => match path {
                None => Judgement::new(CheckResult::Verified, "commit existed when the debate began"),
                Some(_) => gone(),
            },
            Err(missing) if missing.result == CheckResult::Missing => self.unseen().unwrap_or(missing),
            Err(refused) => refused,
        }
    }

    /// Whether the message or the diff of a commit contain the quote.
    pub(super) fn quoted(
        &self,
        evidence: &Evidence,
        hash: &str,
        budget: &mut SearchBudget,
        unwanted: &dyn Fn() -> bool,
    ) -> Judgement {
        let Ok(commit) = self.find(hash, unwanted) else { return gone() };
        let text = match self.text.get(&commit.hash, || self.read_text(&commit.hash, unwanted)) {
            Ok(text) => text,
            Err(why) => return Judgement::unchecked(why),
        };
        let judged = judge_page(&text, evidence, budget);
        match judged.result {
            CheckResult::Verified => Judgement::new(judged.result, "quote found in its message or its diff"),
            CheckResult::Mismatch => Judgement::new(judged.result, "the quote is neither in its message nor in its diff"),
            _ => judged,
        }
    }

    /// Looks up a file as it is in a commit, whatever the workspace has become since.
    pub(super) fn look_up_file(
        &self,
        cited: Cited,
        hash: &str,
        budget: &mut SearchBudget,
        unwanted: &dyn Fn() -> bool,
    ) -> Checked {
        let known = self.look_up(hash, None, unwanted);
        if known.result != CheckResult::Verified {
            return Checked::of(cited, known);
        }
        let Ok(commit) = self.find(hash, unwanted) else { return Checked::of(cited, gone()) };
        let list = || self.paths(GitCommand::LsTree, &["-r", "--name-only", "-z", &commit.hash], unwanted);
        let index = match self.files.get(&commit.hash, list) {
            Ok(index) => index,
            Err(why) => return Checked::of(cited, Judgement::unchecked(why)),
        };
        let read = |at: usize| {
            let place = format!("{}:./{}", commit.hash, index.paths()[at]);
            self.file.get(&place, || self.read_file(&place, unwanted)).map_err(Unread::Closed)
        };
        // The file is looked up as any other is, only in other files.
        let as_file = Evidence { commit: None, ..cited.evidence.clone() };
        let found = check_file(Cited { evidence: as_file, ..cited.clone() }, &index, read, budget);
        let detail = format!("{}, in that commit", found.detail);
        Checked { detail, file: None, evidence: cited.evidence, ..found }
    }

    /// The message of a commit that was looked up, and how much it changes in which files.
    pub(super) fn summary(&self, hash: &str) -> Option<String> {
        let commit = self.find(hash, &|| false).ok()?;
        let arguments = ["--stat", "--format=%B", &commit.hash, "--"];
        let shown = Git::at(&self.folder).ask(GitCommand::Show, arguments).run().ok()?;
        let shown: String = String::from_utf8_lossy(&shown).trim().chars().take(LONGEST).collect();
        (!shown.is_empty()).then_some(shown)
    }

    /// The commit of a hash or the beginning of one; the error is the result for evidence that names it.
    fn find(&self, hash: &str, unwanted: &dyn Fn() -> bool) -> Result<Arc<Commit>, Judgement> {
        if !is_hash(hash) && hash != "HEAD" {
            return Err(Judgement::unchecked("not a commit hash"));
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(commit) = known.get(hash) {
            return commit.clone();
        }
        if known.len() >= MOST {
            return Err(Judgement::unchecked(format!("not looked up: the limit is {MOST} commits")));
        }
        let git = Git::at(&self.folder);
        let ask = git.ask(GitCommand::CatFile, ["--batch-check"]).with_input(format!("{hash}\n").into_bytes());
        let answer = ask.run_unless(unwanted).map_err(|error| Judgement::unchecked(error.to_string()))?;
        let answer = String::from_utf8_lossy(&answer);
        let mut words = answer.split_whitespace();
        let commit = match (words.next(), words.next()) {
            (Some(full), Some("commit" | "tag")) => Ok(Arc::new(Commit { hash: full.to_owned(), changes: OnceLock::new() })),
            (_, Some("ambiguous")) => Err(Judgement::new(CheckResult::Ambiguous, "several commits begin with this")),
            _ => Err(Judgement::missing("no such commit")),
        };
        known.insert(hash.to_owned(), commit.clone());
        commit
    }

    /// Why a commit that git doesn't find may exist all the same.
    fn unseen(&self) -> Option<Judgement> {
        if !self.border().is_empty() {
            return Some(Judgement::unchecked("this is a shallow clone: the history is cut off before it"));
        }
        let has_submodules = crate::workspace::around(&self.folder).join(".gitmodules").exists();
        has_submodules.then(|| Judgement::unchecked("no such commit here, and submodules are not searched for commits"))
    }

    /// Empty if the clone is whole. An unreadable list is one that names no commit.
    fn border(&self) -> &BTreeSet<String> {
        self.border.get_or_init(|| {
            let place = Git::at(&self.folder).ask(GitCommand::RevParse, ["--git-path", "shallow"]).run().unwrap_or_default();
            let place = self.folder.join(as_path(place.strip_suffix(b"\n").unwrap_or(&place)));
            std::fs::read_to_string(place).unwrap_or_default().lines().map(str::to_owned).collect()
        })
    }

    /// Whether a commit changes a file.
    fn changes(&self, commit: &Commit, path: &str, unwanted: &dyn Fn() -> bool) -> Result<Judgement, Judgement> {
        if self.border().contains(&commit.hash) {
            return Ok(Judgement::unchecked("what it changes is cut off in this shallow clone"));
        }
        let files = if let Some(known) = commit.changes.get() {
            known
        } else {
            let list = ["--no-commit-id", "--name-only", "-r", "-m", "--root", "-z", &commit.hash];
            let changed = self.paths(GitCommand::DiffTree, &list, unwanted).map_err(Judgement::unchecked)?;
            commit.changes.get_or_init(|| changed)
        };
        Ok(match files.resolve(path) {
            Resolved::File(_) | Resolved::Folder => Judgement::new(CheckResult::Verified, "the commit changes the file"),
            Resolved::Missing(_) => Judgement::new(CheckResult::Mismatch, "the commit does not change the file"),
            unclear @ (Resolved::Ambiguous(_) | Resolved::Outside) => unclear.into(),
        })
    }

    fn paths(&self, command: GitCommand, list: &[&str], unwanted: &dyn Fn() -> bool) -> Result<PathIndex, String> {
        let names = Git::at(&self.folder).ask(command, list).run_unless(unwanted)?;
        let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let names = names.map(|name| String::from_utf8_lossy(name).into_owned());
        Ok(PathIndex::new(names, [self.folder.display().to_string()]))
    }

    /// The message, the names of the changed files, and every hunk after the change and before it.
    fn read_text(&self, hash: &str, unwanted: &dyn Fn() -> bool) -> Result<FileText, String> {
        let ask = Git::at(&self.folder);
        let printed = ask.ask(GitCommand::Show, SHOW).with([hash, "--"]).allowing(&[0, 128]).up_to(LARGEST_COMMIT)?;
        if unwanted() {
            return Err("cancelled".to_owned());
        }
        if printed.len() as u64 > LARGEST_COMMIT {
            return Err("its diff is too large to be searched".to_owned());
        }
        let printed = String::from_utf8_lossy(&printed);
        let (message, diff) = printed.split_once('\0').unwrap_or((&printed, ""));
        let mut text = format!("{message}\n\n");
        for file in Diff::parse(diff).files {
            [&file.old, &file.new].into_iter().flatten().for_each(|path| text.extend([path, "\n"]));
            for (hunk, other_side) in file.hunks.iter().flat_map(|hunk| [(hunk, '-'), (hunk, '+')]) {
                let is_text = |line: &&HunkLine| !matches!(line, HunkLine::NoNewline(_)) && line.mark() != other_side;
                hunk.lines.iter().filter(is_text).for_each(|line| text.extend([line.text(), "\n"]));
                text.push('\n');
            }
        }
        Ok(FileText::new(text.as_bytes()))
    }

    fn read_file(&self, place: &str, unwanted: &dyn Fn() -> bool) -> Result<FileText, String> {
        let printed = Git::at(&self.folder).ask(GitCommand::CatFile, ["blob", place]).up_to(LARGEST_FILE)?;
        match printed.len() as u64 {
            _ if unwanted() => Err("cancelled".to_owned()),
            length if length > LARGEST_FILE => Err(format!("it is larger than {} MiB", LARGEST_FILE / 1024 / 1024)),
            _ if printed.contains(&0) => Err("it is binary".to_owned()),
            _ => Ok(FileText::new(&printed)),
        }
    }
}

/// Whether it is a hash or the beginning of one. Git takes much more for a commit: names, searches and options.
fn is_hash(text: &str) -> bool {
    (SHORTEST..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn gone() -> Judgement {
    Judgement::new(CheckResult::ChangedSince, "the commit existed when the debate began and is gone")
}

/// The last answer of git, and how often git was asked.
struct Last<T>(Mutex<(Option<Answered<T>>, usize)>);

/// A question with its answer.
type Answered<T> = (String, Arc<T>);

impl<T> Last<T> {
    fn get(&self, question: &str, ask: impl FnOnce() -> Result<T, String>) -> Result<Arc<T>, String> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (newest, asked) = &mut *last;
        if let Some((_, answer)) = newest.as_ref().filter(|(before, _)| before == question) {
            return Ok(Arc::clone(answer));
        }
        if *asked >= MOST {
            return Err(format!("not looked up: the limit is {MOST} files of commits"));
        }
        *asked += 1;
        let (_, answer) = newest.insert((question.to_owned(), Arc::new(ask()?)));
        Ok(Arc::clone(answer))
    }
}
