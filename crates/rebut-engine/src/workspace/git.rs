//! What git says, asked of the git program. Diff drivers, text converters and file monitors that a repository's own
//! configuration names are not started; filters that clean files on their way into git are, since without them the
//! difference would be another one.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// The hash of the empty tree: what a repository without a commit is compared with.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// What rebut itself writes into a workspace is no part of what is debated.
pub(crate) const NOT_OURS: [&str; 4] = [
    ":(exclude,top).rebut",
    ":(exclude,top).claude/debate",
    ":(exclude,top).opencode/debate",
    ":(exclude,top).codex/debate",
];

/// Variables of a git that calls us as its hook: they speak of another repository or index.
const OF_ANOTHER: [&str; 7] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_PREFIX",
];

/// All that is not committed: changes, staged or not, and new files that are not ignored.
pub(super) fn uncommitted(workspace: &Path) -> Result<String, String> {
    let has_commit = run(workspace, ["rev-parse", "--verify", "--quiet", "HEAD"], &[0, 1])?;
    let base = if has_commit.is_empty() { EMPTY_TREE } else { "HEAD" };
    let diff = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", base, "--", "."];
    let mut diff = run(workspace, diff.into_iter().chain(NOT_OURS), &[0])?;
    let new_files = ["ls-files", "--others", "--exclude-standard", "-z", "--", "."];
    let new_files = run(workspace, new_files.into_iter().chain(NOT_OURS), &[0])?;
    for file in new_files.split(|byte| *byte == 0).filter(|file| !file.is_empty()) {
        let file = as_path(file);
        let compare: [&OsStr; 7] = [
            "diff".as_ref(),
            "--no-index".as_ref(),
            "--no-ext-diff".as_ref(),
            "--no-textconv".as_ref(),
            "--no-color".as_ref(),
            "--".as_ref(),
            "/dev/null".as_ref(),
        ];
        // Comparing with nothing finds a difference, which is exit status 1.
        diff.extend(run(workspace, compare.into_iter().chain([file.as_os_str()]), &[0, 1])?);
    }
    Ok(String::from_utf8_lossy(&diff).into_owned())
}

/// A git that is asked about the workspace: it starts no hook and no file monitor, asks nobody and fetches nothing.
pub(crate) fn command(workspace: &Path) -> Command {
    let mut git = Command::new("git");
    git.args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false", "--no-pager"])
        .current_dir(workspace)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        // For a git that does not know the variable above: no transport is allowed at all.
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    for variable in OF_ANOTHER {
        git.env_remove(variable);
    }
    git
}

/// Runs git to its end and gives what it prints.
pub(crate) fn run<S: AsRef<OsStr>>(
    workspace: &Path,
    arguments: impl IntoIterator<Item = S>,
    allowed: &[i32],
) -> Result<Vec<u8>, String> {
    let output = command(workspace).args(arguments).output().map_err(|error| format!("git cannot be started: {error}"))?;
    if output.status.code().is_some_and(|code| allowed.contains(&code)) {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("git says: {}", said.lines().next().unwrap_or("nothing").trim()))
}

/// A path as git prints it.
#[cfg(unix)]
pub(crate) fn as_path(bytes: &[u8]) -> std::path::PathBuf {
    use std::os::unix::ffi::OsStrExt;
    OsStr::from_bytes(bytes).into()
}

/// A path as git prints it.
#[cfg(not(unix))]
pub(crate) fn as_path(bytes: &[u8]) -> std::path::PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}
