//! What is reviewed: a scope, and the diff that git has for it.
//!
//! Nothing is written: no file, no index, no object. A question that git cannot answer is an error, never an empty diff.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::attach::{self, AttachError};
use super::git::{DIFF, Git, GitCommand, GitError};
use super::notes::{changed_submodules, notes_on_files};
use super::patches::lines_of;
use super::uncommitted::not_committed;
use crate::redact::{redact_diff, redact_keeping_lines};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewScope {
    /// Everything that is not committed: staged, unstaged, and new files that are not ignored.
    Uncommitted,
    /// A commit, against its first parent.
    Commit(String),
    /// The commits since HEAD branched off.
    Base(String),
    /// Two revisions, the second of which is reviewed; `A...B` begins at their merge base.
    Range { from: String, to: String, from_merge_base: bool },
    /// A file as a whole, as it is now.
    File(PathBuf),
}

impl FromStr for ReviewScope {
    type Err = ScopeError;

    fn from_str(text: &str) -> Result<Self, ScopeError> {
        let unknown = || ScopeError::Unknown(text.to_owned());
        if text == "uncommitted" {
            return Ok(Self::Uncommitted);
        }
        let (form, value) = text.split_once(':').filter(|(_, value)| !value.is_empty()).ok_or_else(unknown)?;
        match form {
            "commit" => revision(value).map(Self::Commit),
            "base" => revision(value).map(Self::Base),
            "file" => Ok(Self::File(value.into())),
            "range" => {
                let (from, to) = value.split_once("..").ok_or_else(unknown)?;
                let (to, from_merge_base) = to.strip_prefix('.').map_or((to, false), |to| (to, true));
                if from.is_empty() && to.is_empty() {
                    return Err(unknown());
                }
                // As in git, an empty side is HEAD.
                let side = |side: &str| revision(if side.is_empty() { "HEAD" } else { side });
                Ok(Self::Range { from: side(from)?, to: side(to)?, from_merge_base })
            }
            _ => Err(unknown()),
        }
    }
}

/// A revision is a name, never an option for git.
fn revision(text: &str) -> Result<String, ScopeError> {
    let odd = text.starts_with('-') || text.contains(|letter: char| letter.is_control()) || text.contains("..");
    if odd { Err(ScopeError::NoRevision(text.to_owned())) } else { Ok(text.to_owned()) }
}

impl fmt::Display for ReviewScope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uncommitted => out.write_str("uncommitted"),
            Self::Commit(revision) => write!(out, "commit:{revision}"),
            Self::Base(branch) => write!(out, "base:{branch}"),
            Self::Range { from, to, from_merge_base } => {
                write!(out, "range:{from}{}{to}", if *from_merge_base { "..." } else { ".." })
            }
            Self::File(path) => write!(out, "file:{}", path.display()),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collected {
    /// The scope; a file's path is the one in the workspace.
    pub scope: ReviewScope,
    /// The diff, or the text of the file; redacted.
    pub diff: String,
    pub is_diff: bool,
    /// As `git diff --stat` prints it.
    pub stat: String,
    /// The version that citations mean and patches must apply to.
    pub reviewed: Reviewed,
    /// The commit, or the empty tree, that commits are compared with.
    pub base: Option<String>,
    pub notes: Vec<String>,
}

/// The version of the workspace that is reviewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reviewed {
    /// The files as they are.
    WorkingTree,
    /// The files of a commit, by its full hash.
    Commit(String),
    /// The files as they are, with a given diff applied.
    Patched,
    /// The given diff fits nothing here.
    Unknown { why: String },
}

/// Why there is nothing to review.
#[derive(Debug, thiserror::Error)]
pub enum ScopeError {
    #[error("`{0}` is not a scope; use uncommitted, commit:SHA, base:BRANCH, range:A..B or file:PATH")]
    Unknown(String),
    #[error("`{0}` is not a revision; name a commit, a tag or a branch")]
    NoRevision(String),
    #[error("{0} is not in a git repository; only a file or a text can be reviewed there")]
    NoRepository(PathBuf),
    #[error("no such revision: `{revision}` in {workspace}")]
    NoCommit { revision: String, workspace: PathBuf },
    #[error("`{one}` and `{other}` have no common commit{}", if *.shallow { SHALLOW } else { "" })]
    Unrelated { one: String, other: String, shallow: bool },
    #[error("the parent of commit {commit} is not in this clone{SHALLOW}")]
    NoParent { commit: String },
    #[error("can't get the changes to review: {0} is not a working tree of its repository")]
    NoWorkTree(PathBuf),
    #[error("can't get the changes to review: {0}")]
    Git(#[from] GitError),
    #[error(transparent)]
    File(#[from] AttachError),
    #[error("{0} is binary; only text can be reviewed")]
    Binary(String),
    #[error("{0} belongs to git itself and can't be reviewed")]
    OfGit(String),
    #[error("{what} is larger than {most} bytes; review a smaller part")]
    TooLarge { what: String, most: u64 },
    #[error("nothing to review: {0}")]
    Nothing(String),
}

/// What is staged, as a diff.
pub fn staged(workspace: &Path, limit_bytes: u64) -> Result<String, ScopeError> {
    in_repository(workspace)?;
    let (git, _) = Git::against_head(workspace)?;
    let diff = git.ask(GitCommand::Diff, DIFF).with(["--cached", "--", "."]).up_to(limit_bytes)?;
    if diff.len() as u64 > limit_bytes {
        return Err(ScopeError::TooLarge { what: "what is staged".to_owned(), most: limit_bytes });
    }
    Ok(redact_diff(&String::from_utf8_lossy(&diff)).into_owned())
}

const SHALLOW: &str = "; it is shallow: fetch more of its history with `git fetch --unshallow`";

/// Gets the diff of a scope, at most `limit_bytes`. A file's path is relative to `folder`; nothing outside `workspace` is
/// read. Uncommitted files that rebut wrote itself (`is_own`, by whole path) are left out.
pub fn collect(
    scope: &ReviewScope,
    folder: &Path,
    workspace: &Path,
    limit_bytes: u64,
    is_own: &dyn Fn(&Path) -> bool,
) -> Result<Collected, ScopeError> {
    if let ReviewScope::File(path) = scope {
        return file(path, folder, workspace, limit_bytes);
    }
    in_repository(workspace)?;
    let mut notes = Vec::new();
    let (diff, reviewed, base) = if *scope == ReviewScope::Uncommitted {
        let (diff, what_is_left_out) = not_committed(workspace, limit_bytes, is_own)?;
        notes.extend(what_is_left_out);
        notes.extend(changed_submodules(workspace)?);
        (diff, Reviewed::WorkingTree, None)
    } else {
        let (from, to) = ends(scope, workspace, &mut notes)?;
        let git = Git::at(workspace).with_attributes_of(&from);
        let diff = git.ask(GitCommand::Diff, DIFF).with([from.as_str(), to.as_str(), "--", "."]).up_to(limit_bytes)?;
        notes.extend(uncommitted_beside(&git, &to, workspace)?);
        (diff, Reviewed::Commit(to), Some(from))
    };
    if diff.len() as u64 > limit_bytes {
        return Err(ScopeError::TooLarge { what: format!("the difference of {scope}"), most: limit_bytes });
    }
    if diff.is_empty() {
        let nothing = std::iter::once(nothing(scope, workspace)).chain(notes).collect::<Vec<_>>();
        return Err(ScopeError::Nothing(nothing.join("; ")));
    }
    notes.extend(notes_on_files(&diff));
    let stat = stat(&diff)?;
    let diff = as_text(&diff, true, &mut notes);
    Ok(Collected { scope: scope.clone(), diff, is_diff: true, stat, reviewed, base, notes })
}

/// The statistics of a diff, as `git diff --stat` prints them.
pub fn stat(diff: &[u8]) -> Result<String, ScopeError> {
    let stat = Git::nowhere().ask(GitCommand::Apply, ["--stat", "-"]).with_input(diff.to_vec()).run();
    Ok(String::from_utf8_lossy(&stat?).into_owned())
}

/// The two commits to compare, by full hash.
fn ends(scope: &ReviewScope, workspace: &Path, notes: &mut Vec<String>) -> Result<(String, String), ScopeError> {
    match scope {
        ReviewScope::Commit(revision) => {
            let commit = resolve(revision, workspace)?;
            let parents = parents(&commit, workspace)?;
            if parents.len() > 1 {
                notes.push(format!("{revision} is a merge; it is compared with its first parent"));
            }
            let Some(parent) = parents.into_iter().next() else {
                return Ok((Git::at(workspace).empty_tree()?, commit));
            };
            // A shallow clone knows only the parent's name.
            match resolve(&parent, workspace) {
                Err(ScopeError::NoCommit { .. }) => Err(ScopeError::NoParent { commit: revision.clone() }),
                found => found.map(|parent| (parent, commit)),
            }
        }
        ReviewScope::Base(branch) => {
            let (base, head) = (resolve(branch, workspace)?, resolve("HEAD", workspace)?);
            Ok((merge_base((branch, &base), ("HEAD", &head), workspace)?, head))
        }
        ReviewScope::Range { from, to, from_merge_base } => {
            let (one, other) = (resolve(from, workspace)?, resolve(to, workspace)?);
            let start = if *from_merge_base { merge_base((from, &one), (to, &other), workspace)? } else { one };
            Ok((start, other))
        }
        ReviewScope::Uncommitted | ReviewScope::File(_) => Err(ScopeError::Unknown(scope.to_string())),
    }
}

/// The full hash of a commit.
fn resolve(revision: &str, workspace: &Path) -> Result<String, ScopeError> {
    let commit = format!("{}^{{commit}}", self::revision(revision)?);
    let found = Git::at(workspace).resolve(&commit, &|| false)?;
    found.ok_or_else(|| ScopeError::NoCommit { revision: revision.to_owned(), workspace: workspace.to_owned() })
}

/// The parents that the commit names, also those missing in a shallow clone.
fn parents(commit: &str, workspace: &Path) -> Result<Vec<String>, ScopeError> {
    let object = Git::at(workspace).ask(GitCommand::CatFile, ["commit", commit]).run()?;
    let object = String::from_utf8_lossy(&object);
    let header = object.lines().take_while(|line| !line.is_empty());
    Ok(header.filter_map(|line| line.strip_prefix("parent ")).map(str::to_owned).collect())
}

/// The merge base of two commits, each with its name.
fn merge_base(one: (&str, &str), other: (&str, &str), workspace: &Path) -> Result<String, ScopeError> {
    let git = Git::at(workspace);
    let found = git.ask(GitCommand::MergeBase, [one.1, other.1]).allowing(&[0, 1]).run()?;
    let found = String::from_utf8_lossy(&found);
    if let Some(commit) = found.lines().next() {
        return Ok(commit.trim().to_owned());
    }
    let shallow = git.ask(GitCommand::RevParse, ["--is-shallow-repository"]).run()?;
    let shallow = shallow.starts_with(b"true");
    Err(ScopeError::Unrelated { one: one.0.to_owned(), other: other.0.to_owned(), shallow })
}

/// A note that uncommitted changes are not part of the reviewed commit.
fn uncommitted_beside(git: &Git, commit: &str, workspace: &Path) -> Result<Option<String>, ScopeError> {
    match resolve("HEAD", workspace) {
        Ok(head) if head == commit => {}
        Ok(_) | Err(ScopeError::NoCommit { .. }) => return Ok(None),
        Err(error) => return Err(error),
    }
    let status = git.ask(GitCommand::Status, ["--porcelain", "-z", "--untracked-files=normal", "--", "."]);
    let changed = !status.run()?.is_empty();
    Ok(changed.then(|| "uncommitted changes are not part of it".to_owned()))
}

fn in_repository(workspace: &Path) -> Result<(), ScopeError> {
    match Git::at(workspace).ask(GitCommand::RevParse, ["--is-inside-work-tree"]).run() {
        Ok(answer) if answer.starts_with(b"true") => Ok(()),
        Ok(_) => Err(ScopeError::NoWorkTree(workspace.to_owned())),
        Err(GitError::Said(said)) if said.contains("not a git repository (or any") => {
            Err(ScopeError::NoRepository(workspace.to_owned()))
        }
        Err(error) => Err(error.into()),
    }
}

/// The bytes as redacted text with all line numbers unchanged, and a note if there were secrets.
fn as_text(bytes: &[u8], is_diff: bool, notes: &mut Vec<String>) -> String {
    let text = String::from_utf8_lossy(bytes);
    let clean = if is_diff { redact_diff(&text) } else { redact_keeping_lines(&text) };
    if clean != text {
        notes.push("likely secrets were removed".to_owned());
    }
    clean.into_owned()
}

fn file(path: &Path, folder: &Path, workspace: &Path, limit_bytes: u64) -> Result<Collected, ScopeError> {
    let most = usize::try_from(limit_bytes).unwrap_or(usize::MAX);
    let (name, content) = attach::file(path, folder, workspace, most).map_err(|error| match error {
        AttachError::TooLarge { label, .. } => ScopeError::TooLarge { what: label, most: limit_bytes },
        AttachError::OfGit(path) => ScopeError::OfGit(path.display().to_string()),
        error => ScopeError::File(error),
    })?;
    if Path::new(&name).components().any(|part| part.as_os_str() == ".git") {
        return Err(ScopeError::OfGit(name));
    }
    if content.contains(&0) {
        return Err(ScopeError::Binary(name));
    }
    if content.trim_ascii().is_empty() {
        return Err(ScopeError::Nothing(format!("{name} is empty")));
    }
    let mut notes = Vec::new();
    if std::str::from_utf8(&content).is_err() {
        notes.push(format!("{name} is not UTF-8; other bytes are shown as �"));
    }
    let lines = lines_of(&content).len();
    let stat = format!(" {name} | {lines} {}\n", if lines == 1 { "line" } else { "lines" });
    let diff = as_text(&content, false, &mut notes);
    let scope = ReviewScope::File(name.into());
    Ok(Collected { scope, diff, is_diff: false, stat, reviewed: Reviewed::WorkingTree, base: None, notes })
}

fn nothing(scope: &ReviewScope, workspace: &Path) -> String {
    match scope {
        ReviewScope::Uncommitted => format!("no uncommitted changes in {}", workspace.display()),
        ReviewScope::Commit(revision) => format!("commit {revision} changes no file"),
        ReviewScope::Base(branch) => format!("no commits on HEAD since it branched from {branch}"),
        ReviewScope::Range { from, to, from_merge_base: false } => format!("{from} and {to} are identical"),
        ReviewScope::Range { from, to, from_merge_base: true } => {
            format!("no changes on {to} since it branched from {from}")
        }
        ReviewScope::File(path) => format!("{} is empty", path.display()),
    }
}
