//! `--context`: texts added to every prompt. They are read once and kept in the plan.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use rebut_core::debate::ContextItem;

use super::git::{Git, GitCommand, GitError};
use super::plain;
use super::uncommitted::not_committed;
use crate::redact::{redact_diff, redact_keeping_lines, taken_out};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attachment {
    None,
    /// What is not committed.
    Diff,
    File(PathBuf),
}

/// Who asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhoseWish {
    /// Any file of the workspace is allowed.
    User,
    /// Others wrote its settings: only files that git tracks are allowed, no `.env` of the user's.
    Project,
}

/// Why something cannot be attached.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    #[error("`{0}` is not a context; use none, diff or file=PATH")]
    Unknown(String),
    #[error("{path} is outside the workspace {workspace}; only files in it can be attached")]
    Outside { path: PathBuf, workspace: PathBuf },
    #[error("{0} belongs to git itself and can't be attached")]
    OfGit(PathBuf),
    #[error(
        "the project's settings (duel.context) ask for {0}, which git does not track here: only you can attach it, with \
         --context file={0}; --context none leaves it out"
    )]
    NotTheProjects(String),
    #[error("there is no file {0}")]
    Missing(PathBuf),
    #[error("{0} is not a regular file")]
    NotAFile(PathBuf),
    #[error("failed to read {path}: {source}")]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{label} is larger than {most} bytes (limits.context_bytes)")]
    TooLarge { label: String, most: usize },
    #[error("can't get the diff: {0}")]
    Git(#[from] GitError),
    #[error("no uncommitted changes in {0} to attach")]
    NoDiff(PathBuf),
}

impl FromStr for Attachment {
    type Err = AttachError;

    fn from_str(text: &str) -> Result<Self, AttachError> {
        match text {
            "none" => Ok(Self::None),
            "diff" => Ok(Self::Diff),
            _ => match text.strip_prefix("file=") {
                Some(path) if !path.is_empty() => Ok(Self::File(path.into())),
                _ => Err(AttachError::Unknown(text.to_owned())),
            },
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attached {
    /// Redacted.
    pub items: Vec<ContextItem>,
    pub notes: Vec<String>,
}

/// How much of a diff is read before rebut's own files are left out.
const MOST_READ: usize = 16 * 1024 * 1024;

/// Reads what is attached, redacted and at most `most` bytes each. Paths are relative to `folder`; nothing outside
/// `workspace` is read. `is_own` tells by its whole path whether rebut wrote a file.
pub fn attach(
    wanted: &[Attachment],
    wish: WhoseWish,
    folder: &Path,
    workspace: &Path,
    most: usize,
    is_own: &dyn Fn(&Path) -> bool,
) -> Result<Attached, AttachError> {
    let mut attached = Attached::default();
    for attachment in wanted {
        let (label, text) = match attachment {
            Attachment::None => continue,
            Attachment::Diff => {
                let (diff, notes) = not_committed(workspace, most.max(MOST_READ) as u64, is_own)?;
                if diff.trim_ascii().is_empty() {
                    return Err(AttachError::NoDiff(workspace.to_owned()));
                }
                attached.notes.extend(notes.into_iter().map(|note| format!("diff: {note}")));
                ("diff".to_owned(), String::from_utf8_lossy(&diff).into_owned())
            }
            Attachment::File(path) => {
                let (label, content) = file(path, folder, workspace, most)?;
                let literal = format!(":(literal){label}");
                let tracked = ["--error-unmatch", "-z", "--", &literal];
                if wish == WhoseWish::Project && Git::at(workspace).ask(GitCommand::LsFiles, tracked).run().is_err() {
                    return Err(AttachError::NotTheProjects(label));
                }
                (label, String::from_utf8_lossy(&content).into_owned())
            }
        };
        if text.len() > most {
            return Err(AttachError::TooLarge { label, most });
        }
        // It is cited by line.
        let is_diff = *attachment == Attachment::Diff;
        let clean = if is_diff { redact_diff(&text) } else { redact_keeping_lines(&text) }.into_owned();
        match taken_out(&text, &clean) {
            0 => {}
            1 => attached.notes.push(format!("a likely secret was removed from {label}")),
            number => attached.notes.push(format!("{number} likely secrets were removed from {label}")),
        }
        attached.items.push(ContextItem { label, text: clean });
    }
    Ok(attached)
}

/// Reads a file of the workspace; gives its path there too.
pub(super) fn file(path: &Path, folder: &Path, workspace: &Path, most: usize) -> Result<(String, Vec<u8>), AttachError> {
    let unreadable = |source: std::io::Error| AttachError::Unreadable { path: path.to_owned(), source };
    let outside = || AttachError::Outside { path: path.to_owned(), workspace: workspace.to_owned() };
    let root = workspace.canonicalize().map_err(unreadable)?;
    // Whether a file outside exists is not revealed.
    if !plain(&folder.join(path)).starts_with(workspace) {
        return Err(outside());
    }
    let real = folder.join(path).canonicalize().map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => AttachError::Missing(path.to_owned()),
        _ => unreadable(source),
    })?;
    let inside = real.strip_prefix(&root).map_err(|_| outside())?;
    if inside.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git")) {
        return Err(AttachError::OfGit(path.to_owned()));
    }
    let there = real.metadata().map_err(unreadable)?;
    if !there.is_file() {
        return Err(AttachError::NotAFile(path.to_owned()));
    }
    let label = inside.display().to_string();
    let bytes = usize::try_from(there.len()).unwrap_or(usize::MAX);
    if bytes > most {
        return Err(AttachError::TooLarge { label, most });
    }
    let content = fs::read(&real).map_err(unreadable)?;
    Ok((label, content))
}
