//! Patches and the files of the workspace: whether they apply there, and the one place that applies them.

use std::collections::BTreeSet;
use std::path::Path;

use rebut_core::diff::{Diff, EXECUTABLE, FileDiff, PLAIN, SUBMODULE, SYMLINK};

use super::without_surroundings;
use crate::workspace::git::{Git, GitCommand, GitError};
use crate::workspace::is_kept;

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
    // Git takes off one folder of every path, so that each must have the usual one.
    let whole = Diff::with_usual_prefixes(&whole);
    let diff = Diff::parse(&whole);
    if diff.files.is_empty() {
        return Err(ApplyError::Nothing);
    }
    let mut files = BTreeSet::new();
    for file in &diff.files {
        files.extend(may_touch(file).map_err(ApplyError::Refused)?.into_iter().map(str::to_owned));
    }
    let shown = || workspace.display().to_string();
    apply(workspace, &["--check"], whole.as_bytes())
        .map_err(|error| ApplyError::MovedOn { workspace: shown(), said: error.in_full() })?;
    apply(workspace, &[], whole.as_bytes())
        .map_err(|error| ApplyError::CutOff { workspace: shown(), said: error.in_full() })?;
    Ok(files.into_iter().collect())
}

/// The paths that a patch touches in one file's part; or why it must not.
pub(crate) fn may_touch(file: &FileDiff) -> Result<Vec<&str>, String> {
    let name = file.path();
    if file.binary {
        return Err(format!("{name}: a patch of binary data is not supported"));
    }
    if file.combined {
        return Err(format!("{name}: a combined diff of a merge is not supported"));
    }
    if file.inconsistent {
        return Err(format!("{name}: the lines before its hunks name different files; begin each file with its own"));
    }
    if file.is_submodule() {
        return Err(format!("{name}: a patch must not change a submodule (mode {SUBMODULE})"));
    }
    for mode in &file.modes {
        match mode.as_str() {
            PLAIN | EXECUTABLE => {}
            SYMLINK => return Err(format!("{name}: a patch must not make or change a symbolic link (mode {SYMLINK})")),
            other => return Err(format!("{name}: unsupported file mode {other}; use 100644 or 100755")),
        }
    }
    let mut paths: Vec<&str> = [&file.old, &file.new].into_iter().flatten().map(String::as_str).collect();
    paths.dedup();
    paths.iter().try_for_each(|path| may_name(path))?;
    if paths.is_empty() { Err("a part of the patch names no file".to_owned()) } else { Ok(paths) }
}

/// Refuses paths that lead out of the workspace, into git's own folder, or into one of rebut's.
fn may_name(path: &str) -> Result<(), String> {
    let bytes = path.as_bytes();
    let drive = bytes.len() > 1 && bytes[1] == b':' && bytes[0].is_ascii_alphabetic();
    if path.starts_with('/') || drive {
        return Err(format!("{path} is an absolute path; paths are those in the workspace"));
    }
    if path.contains(|c: char| c.is_ascii_control()) || path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(format!("{path:?} is not the path of a file in the workspace"));
    }
    if path.split('/').any(|part| part.eq_ignore_ascii_case(".git")) {
        return Err(format!("{path} belongs to git itself"));
    }
    // Some systems take a name in other letters for the same.
    if is_kept(Path::new(&path.to_ascii_lowercase())) {
        return Err(format!("{path} belongs to rebut itself"));
    }
    Ok(())
}

/// Runs `git apply` on the files of the workspace. Filters are not run: a patch is made of the files as they are on disk.
pub(crate) fn apply(workspace: &Path, arguments: &[&str], patch: &[u8]) -> Result<(), GitError> {
    // Below the top of a repository, git would take paths from its top.
    let git = if workspace.join(".git").exists() { Git::at(workspace) } else { Git::without_repository(workspace) };
    let ask = git
        .ask(GitCommand::Apply, ["--whitespace=nowarn"])
        .with(without_surroundings(&Diff::parse(&String::from_utf8_lossy(patch))));
    ask.with(arguments).with(["-"]).with_input(patch.to_vec()).run().map(drop)
}
