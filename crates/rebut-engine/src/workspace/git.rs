//! What git says, asked of the git program. Diff drivers, text converters and file monitors that a repository's own
//! configuration names are not started; filters that clean files on their way into git are, since without them the
//! difference would be another one.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

/// What rebut itself writes into a workspace is no part of what is debated, at any depth: a project within another has
/// its own.
pub(crate) const NOT_OURS: [&str; 4] = [
    ":(exclude,top,glob)**/.rebut/**",
    ":(exclude,top,glob)**/.claude/debate/**",
    ":(exclude,top,glob)**/.opencode/debate/**",
    ":(exclude,top,glob)**/.codex/debate/**",
];

/// The same, with the folders of panels: what a panel has written about a project is no change of the project.
pub(super) const NOT_REVIEWED: [&str; 5] = [
    NOT_OURS[0],
    NOT_OURS[1],
    NOT_OURS[2],
    NOT_OURS[3],
    ":(exclude,top,glob)output/[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]T[0-9][0-9][0-9][0-9][0-9][0-9]Z-*/**",
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

/// How every difference is asked for: as text that `git apply` reads, whatever the person's own settings say.
pub(crate) const DIFF: [&str; 15] = [
    "-c",
    "diff.suppressBlankEmpty=false",
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--relative",
    "--find-renames",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--unified=3",
    "--inter-hunk-context=0",
    "--submodule=short",
    "--ignore-submodules=untracked",
    "-O/dev/null",
];

/// What is not committed.
pub(super) struct Uncommitted {
    /// All changes, staged or not, and new files that are not ignored.
    pub(super) diff: Vec<u8>,
    /// Folders that are repositories of their own and unknown to this one. What is in them is not part of it.
    pub(super) repositories: Vec<String>,
}

/// All that is not committed, up to so many bytes and a little more: whoever asks sees that it is too much.
pub(super) fn uncommitted(workspace: &Path, most: u64) -> Result<Uncommitted, String> {
    let base = if has_commit(workspace)? { "HEAD".to_owned() } else { empty_tree(workspace)? };
    let diff = DIFF.into_iter().chain([base.as_str(), "--", "."]).chain(NOT_REVIEWED);
    let mut diff = run_up_to(workspace, diff, &[0], most)?;
    let new_files = ["ls-files", "--others", "--exclude-standard", "-z", "--", "."];
    let new_files = run(workspace, new_files.into_iter().chain(NOT_REVIEWED), &[0])?;
    let mut repositories = Vec::new();
    for file in new_files.split(|byte| *byte == 0).filter(|file| !file.is_empty()) {
        if file.ends_with(b"/") {
            repositories.push(String::from_utf8_lossy(file).into_owned());
            continue;
        }
        if diff.len() as u64 > most {
            break;
        }
        // By its bare name, this one would be taken for standard input.
        let file = if file == b"-" { as_path(b"./-") } else { as_path(file) };
        let compare = DIFF.into_iter().chain(["--no-index", "--", "/dev/null"]).map(OsStr::new);
        // Comparing with nothing finds a difference, which is exit status 1.
        diff.extend(run_up_to(workspace, compare.chain([file.as_os_str()]), &[0, 1], most)?);
    }
    Ok(Uncommitted { diff, repositories })
}

/// What is staged, as it stands in the index.
pub(super) fn staged(workspace: &Path, most: u64) -> Result<Vec<u8>, String> {
    let diff = DIFF.into_iter().chain(["--cached", "--", "."]).chain(NOT_REVIEWED);
    run_up_to(workspace, diff, &[0], most)
}

/// Whether the repository has any commit yet where it stands.
pub(crate) fn has_commit(workspace: &Path) -> Result<bool, String> {
    run(workspace, ["rev-parse", "--verify", "--quiet", "HEAD"], &[0, 1]).map(|found| !found.is_empty())
}

/// The hash of the tree without files: what is compared with where there is no commit to compare with.
pub(crate) fn empty_tree(workspace: &Path) -> Result<String, String> {
    let hash = run(workspace, ["hash-object", "-t", "tree", "--stdin"], &[0])?;
    Ok(String::from_utf8_lossy(&hash).trim().to_owned())
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

/// The same, for what may be long: it is stopped once it has printed more than `most` bytes, and that is no failure.
pub(crate) fn run_up_to<S: AsRef<OsStr>>(
    workspace: &Path,
    arguments: impl IntoIterator<Item = S>,
    allowed: &[i32],
    most: u64,
) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| format!("git cannot be started: {error}");
    let mut git = command(workspace);
    let mut child = git.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    // What git complains of is read beside the rest, so that neither waits for the other.
    let complaints = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(mut err) = err {
            let _ = (&mut err).take(64 * 1024).read_to_end(&mut text);
            let _ = std::io::copy(&mut err, &mut std::io::sink());
        }
        text
    });
    let mut printed = Vec::new();
    let read = out.map_or(Ok(0), |out| out.take(most.saturating_add(1)).read_to_end(&mut printed));
    if printed.len() as u64 > most {
        // It may have ended by itself, which is as good.
        let _ = child.kill();
        let _ = child.wait();
        return Ok(printed);
    }
    let ended = child.wait().map_err(failed)?;
    read.map_err(failed)?;
    if ended.code().is_some_and(|code| allowed.contains(&code)) {
        return Ok(printed);
    }
    let said = complaints.join().unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
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
