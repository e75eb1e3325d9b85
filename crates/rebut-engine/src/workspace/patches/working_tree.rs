//! Patches and the files of the workspace: whether they apply there, and the one place that applies them.

use std::collections::BTreeSet;
use std::path::Path;

use super::diff::{self, Section};
use crate::redact::redact;
use crate::workspace::git::{Git, GitCommand, GitError, as_path};
use crate::workspace::is_kept;

/// How many lines of what git says are shown.
const SAID: usize = 6;

/// Why patches were not applied.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    #[error("there is no patch to apply")]
    Nothing,
    #[error("the patch is not applied: {0}")]
    Refused(String),
    #[error("the patch does not apply to {workspace} any more, where nothing was changed: {said}")]
    MovedOn { workspace: String, said: String },
    /// Git found that it applies, and failed while it wrote.
    #[error("the patch was not written to {workspace} as a whole: {said}; see `git status` and `git diff` for what was")]
    CutOff { workspace: String, said: String },
}

/// Applies patches, in this order, to the files of a workspace: all of them or none. Nothing is staged and nothing is
/// committed. The paths of the files that were changed come back.
pub fn apply_to_workspace(workspace: &Path, patches: &[String]) -> Result<Vec<String>, ApplyError> {
    // Git takes one text with all of them as a whole: nothing is written before all of it fits.
    let mut whole = String::new();
    for patch in patches {
        whole.push_str(patch);
        if !patch.ends_with('\n') {
            whole.push('\n');
        }
    }
    let sections = diff::sections(whole.as_bytes());
    if sections.is_empty() {
        return Err(ApplyError::Nothing);
    }
    let mut files = BTreeSet::new();
    for section in &sections {
        for path in may_touch(section, 1).map_err(ApplyError::Refused)? {
            files.insert(String::from_utf8_lossy(&path).into_owned());
        }
    }
    let shown = workspace.display().to_string();
    let said = |error: &GitError| redact(&error.in_full(SAID)).into_owned();
    apply(workspace, &["--check"], whole.as_bytes())
        .map_err(|error| ApplyError::MovedOn { workspace: shown.clone(), said: said(&error) })?;
    apply(workspace, &[], whole.as_bytes())
        .map_err(|error| ApplyError::CutOff { workspace: shown.clone(), said: said(&error) })?;
    Ok(files.into_iter().collect())
}

/// The paths that a section touches, with so many folders taken off as `git apply -p` does; or why it must not.
pub(crate) fn may_touch(section: &Section<'_>, strip: usize) -> Result<Vec<Vec<u8>>, String> {
    let name = section.name();
    if section.binary {
        return Err(format!("{name}: a patch of bytes that are no text is not taken"));
    }
    if section.inconsistent {
        return Err(format!("{name}: the lines before its hunks name different files; begin each file with its own"));
    }
    for mode in &section.modes {
        match *mode {
            b"100644" | b"100755" => {}
            b"120000" => return Err(format!("{name}: a patch must not make or change a symbolic link (mode 120000)")),
            diff::SUBMODULE => return Err(format!("{name}: a patch must not change a submodule (mode 160000)")),
            other => {
                let mode = String::from_utf8_lossy(other);
                return Err(format!("{name}: {mode} is no mode that a file may have (100644 or 100755)"));
            }
        }
    }
    let mut paths = Vec::new();
    for path in [&section.old, &section.new].into_iter().flatten() {
        let path = stripped(path, strip);
        may_name(path)?;
        if !paths.iter().any(|known: &Vec<u8>| known == path) {
            paths.push(path.to_vec());
        }
    }
    if paths.is_empty() { Err("a part of the patch names no file".to_owned()) } else { Ok(paths) }
}

/// A path without its first folders.
pub(crate) fn stripped(path: &[u8], strip: usize) -> &[u8] {
    let mut path = path;
    for _ in 0..strip {
        path = path.iter().position(|byte| *byte == b'/').map_or(path, |at| &path[at + 1..]);
    }
    path
}

/// Refuses paths that lead out of the workspace, into git's own folder, or into one of rebut's.
fn may_name(path: &[u8]) -> Result<(), String> {
    let shown = String::from_utf8_lossy(path);
    let drive = path.len() > 1 && path[1] == b':' && path[0].is_ascii_alphabetic();
    let odd = path.iter().any(|byte| *byte < b' ' || *byte == 0x7f);
    if path.starts_with(b"/") || drive {
        return Err(format!("{shown} is an absolute path; paths are those in the workspace"));
    }
    if odd || path.split(|byte| *byte == b'/').any(|part| matches!(part, b"" | b"." | b"..")) {
        return Err(format!("{shown:?} is no path of a file in the workspace"));
    }
    if path.split(|byte| *byte == b'/').any(|part| part.eq_ignore_ascii_case(b".git")) {
        return Err(format!("{shown} belongs to git itself"));
    }
    // Some systems take a name in other letters for the same.
    if is_kept(&as_path(&path.to_ascii_lowercase())) {
        return Err(format!("{shown} belongs to rebut itself"));
    }
    Ok(())
}

/// Runs `git apply` on the files of the workspace. Filters are not run: a patch is made of the files as they are on disk.
pub(crate) fn apply(workspace: &Path, arguments: &[&str], patch: &[u8]) -> Result<(), GitError> {
    // Below the top of a repository, git would take paths from its top.
    let git = if workspace.join(".git").exists() { Git::at(workspace) } else { Git::without_repository(workspace) };
    let ask = git.ask(GitCommand::Apply, ["--whitespace=nowarn"]).with(diff::without_surroundings(&diff::sections(patch)));
    ask.with(arguments).with(["-"]).with_input(patch.to_vec()).run().map(drop)
}
