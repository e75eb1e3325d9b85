//! What git says, asked of the git program. Diff drivers, text converters and file monitors that a repository's own
//! configuration names are not started; filters that clean files on their way into git are, since without them the
//! difference would be another one.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use crate::process::settle;

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
    /// New files that are called like those that keys are kept in. They are not shown to anybody.
    pub(super) private: Vec<String>,
}

/// All that is not committed, up to so many bytes and a little more: whoever asks sees that it is too much.
pub(super) fn uncommitted(workspace: &Path, most: u64) -> Result<Uncommitted, String> {
    let base = if has_commit(workspace)? { "HEAD".to_owned() } else { empty_tree(workspace)? };
    let diff = DIFF.into_iter().chain([base.as_str(), "--", "."]).chain(NOT_REVIEWED);
    let mut diff = run_up_to(workspace, diff, &[0], most)?;
    let new_files = ["ls-files", "--others", "--exclude-standard", "-z", "--", "."];
    let new_files = run(workspace, new_files.into_iter().chain(NOT_REVIEWED), &[0])?;
    let (mut repositories, mut private) = (Vec::new(), Vec::new());
    for file in new_files.split(|byte| *byte == 0).filter(|file| !file.is_empty()) {
        if file.ends_with(b"/") {
            repositories.push(String::from_utf8_lossy(file).into_owned());
            continue;
        }
        if super::private_part(&as_path(file)).is_some() {
            private.push(String::from_utf8_lossy(file).into_owned());
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
    Ok(Uncommitted { diff, repositories, private })
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
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        // For a git that does not know the variable above: no transport is allowed at all.
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    settle(&mut git, workspace);
    git
}

/// Runs git to its end and gives what it prints.
pub(crate) fn run<S: AsRef<OsStr>>(
    workspace: &Path,
    arguments: impl IntoIterator<Item = S>,
    allowed: &[i32],
) -> Result<Vec<u8>, String> {
    run_unless(workspace, arguments, allowed, &|| false)
}

/// The same, ended as soon as nobody wants it any more.
pub(crate) fn run_unless<S: AsRef<OsStr>>(
    workspace: &Path,
    arguments: impl IntoIterator<Item = S>,
    allowed: &[i32],
    unwanted: &dyn Fn() -> bool,
) -> Result<Vec<u8>, String> {
    let mut git = command(workspace);
    git.args(arguments);
    let printed = listened_to(git, allowed, MOST_PRINTED, LIMIT, unwanted)?;
    if printed.len() as u64 > MOST_PRINTED {
        return Err(format!("git printed more than {MOST_PRINTED} bytes and was ended"));
    }
    Ok(printed)
}

/// The same, for what may be long: it is stopped once it has printed more than `most` bytes, and that is no failure.
pub(crate) fn run_up_to<S: AsRef<OsStr>>(
    workspace: &Path,
    arguments: impl IntoIterator<Item = S>,
    allowed: &[i32],
    most: u64,
) -> Result<Vec<u8>, String> {
    let mut git = command(workspace);
    git.args(arguments);
    listened_to(git, allowed, most, LIMIT, &|| false)
}

/// The same, for what nobody waits long for.
pub(crate) fn run_within<S: AsRef<OsStr>>(
    workspace: &Path,
    arguments: impl IntoIterator<Item = S>,
    most: u64,
    limit: Duration,
) -> Result<Vec<u8>, String> {
    let mut git = command(workspace);
    git.args(arguments);
    listened_to(git, &[0], most, limit, &|| false)
}

/// How long a git may take: a filter of the repository's own may hang.
pub(crate) const LIMIT: Duration = Duration::from_mins(2);
/// How much a git may print that is asked for something short.
const MOST_PRINTED: u64 = 512 * 1024 * 1024;
/// How often somebody looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(50);

/// Starts a git and listens to it until it has ended, has printed more than `most` bytes, takes longer than `limit`, or is
/// not wanted any more.
fn listened_to(
    mut git: Command,
    allowed: &[i32],
    most: u64,
    limit: Duration,
    unwanted: &dyn Fn() -> bool,
) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| format!("git cannot be started: {error}");
    let mut child = git.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    // Both are read beside each other, so that neither waits for the other; and elsewhere, since what git has started may
    // hold them open when git itself is gone.
    let printed = heard(child.stdout.take(), most.saturating_add(1));
    let complaints = heard(child.stderr.take(), COMPLAINTS);
    let began = Instant::now();
    let read = loop {
        match printed.recv_timeout(LOOK) {
            Ok(read) => break read,
            Err(_) if began.elapsed() < limit && !unwanted() => {}
            Err(_) => {
                end(&mut child);
                return Err(if unwanted() {
                    "git was not waited for".to_owned()
                } else {
                    format!("git did not answer in {} s and was ended", limit.as_secs())
                });
            }
        }
    };
    let too_much = read.as_ref().is_ok_and(|printed| printed.len() as u64 > most);
    if too_much {
        end(&mut child);
        return read.map_err(failed);
    }
    // It has closed its output, and has nothing left to do but to end.
    let ended = loop {
        match child.try_wait().map_err(failed)? {
            Some(ended) => break ended,
            None if began.elapsed() < limit => std::thread::sleep(Duration::from_millis(1)),
            None => {
                end(&mut child);
                return Err(format!("git did not end in {} s", limit.as_secs()));
            }
        }
    };
    if ended.code().is_some_and(|code| allowed.contains(&code)) {
        return read.map_err(failed);
    }
    let said = complaints.recv_timeout(limit).ok().and_then(Result::ok).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    Err(format!("git says: {}", said.lines().next().unwrap_or("nothing").trim()))
}

/// How much of what git complains of is kept.
const COMPLAINTS: u64 = 64 * 1024;

/// Reads a pipe to its end, and gives the first bytes of it; what is beyond them is passed over.
fn heard(pipe: Option<impl Read + Send + 'static>, most: u64) -> Receiver<std::io::Result<Vec<u8>>> {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let Some(mut pipe) = pipe else {
            let _ = tell.send(Ok(bytes));
            return;
        };
        let read = (&mut pipe).take(most).read_to_end(&mut bytes);
        // Whoever has given up does not listen any more.
        let _ = tell.send(read.map(|_| bytes));
        let _ = std::io::copy(&mut pipe, &mut std::io::sink());
    });
    told
}

fn end(child: &mut Child) {
    // It may have ended by itself, which is as good.
    let _ = child.kill();
    let _ = child.wait();
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", script]);
        shell
    }

    #[test]
    fn a_git_that_hangs_is_ended_with_its_limit_or_when_nobody_wants_it() {
        let soon = Duration::from_millis(1);
        let why = listened_to(shell("exec sleep 600"), &[0], 10, soon, &|| false).unwrap_err();
        assert_eq!(why, "git did not answer in 0 s and was ended");
        let why = listened_to(shell("exec sleep 600"), &[0], 10, LIMIT, &|| true).unwrap_err();
        assert_eq!(why, "git was not waited for");
        // What it has started holds the pipe open, and is not waited for either.
        let why = listened_to(shell("sleep 5 & exec sleep 600"), &[0], 10, soon, &|| false).unwrap_err();
        assert_eq!(why, "git did not answer in 0 s and was ended");
    }

    #[test]
    fn what_a_git_prints_and_complains_of_is_heard_up_to_its_bound() {
        let hear = |script: &str| listened_to(shell(script), &[0], 10, LIMIT, &|| false);
        assert_eq!(hear("printf 1234567890").as_deref(), Ok(&b"1234567890"[..]));
        assert_eq!(hear("while :; do printf 1234567890; done").map(|printed| printed.len()), Ok(11));
        assert_eq!(hear("echo no >&2; echo more >&2; exit 3").unwrap_err(), "git says: no");
        assert_eq!(hear("exit 3").unwrap_err(), "git says: nothing");
    }
}
