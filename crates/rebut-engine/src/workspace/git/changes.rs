//! Uncommitted changes, as a diff.

use std::ffi::OsStr;
use std::path::Path;

use super::{Git, GitCommand, GitError, as_path};
use crate::workspace::patches::RawDiff;
use crate::workspace::private_part;

/// The file in which rebut leaves its last debate for other tools is not pinned.
pub(crate) const NOT_LAST_DEBATE: [&str; 1] = [":(exclude,top,glob)**/.*/debate/last-debate.json"];

/// The form of every diff: as `git apply` reads it, whatever the user's settings are.
pub(crate) const DIFF: [&str; 8] = [
    "--relative",
    "--find-renames",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--unified=3",
    "--inter-hunk-context=0",
    "--submodule=short",
    "-O/dev/null",
];

pub(in crate::workspace) struct Uncommitted {
    /// All changes, staged or not, and new files that are not ignored.
    pub(in crate::workspace) diff: Vec<u8>,
    /// Folders that are repositories of their own; they are not part of it.
    pub(in crate::workspace) repositories: Vec<String>,
    /// New files named like ones that hold keys; they are not shown.
    pub(in crate::workspace) private: Vec<String>,
    /// Changed files with a filter, which was not run.
    pub(in crate::workspace) filtered: Vec<String>,
}

/// All that is not committed, up to `most` bytes and a little more if it is too much.
pub(in crate::workspace) fn uncommitted(workspace: &Path, most: u64) -> Result<Uncommitted, GitError> {
    let base = Git::at(workspace).head_or_empty()?;
    let git = Git::at(workspace).with_attributes_of(&base);
    let diff = git.ask(GitCommand::Diff, DIFF).with([base.as_str(), "--", "."]);
    let mut diff = diff.up_to(most)?;
    let new_files = git.ask(GitCommand::LsFiles, ["--others", "--exclude-standard", "-z", "--", "."]);
    let new_files = new_files.run()?;
    let (mut repositories, mut private) = (Vec::new(), Vec::new());
    for file in new_files.split(|byte| *byte == 0).filter(|file| !file.is_empty()) {
        if file.ends_with(b"/") {
            repositories.push(String::from_utf8_lossy(file).into_owned());
            continue;
        }
        if private_part(&as_path(file)).is_some() {
            private.push(String::from_utf8_lossy(file).into_owned());
            continue;
        }
        if diff.len() as u64 > most {
            break;
        }
        // By its bare name it would mean standard input.
        let file = if file == b"-" { as_path(b"./-") } else { as_path(file) };
        let compare = git.ask(GitCommand::Diff, DIFF).with(["--no-index", "--", "/dev/null"].map(OsStr::new));
        // Comparing with nothing finds a difference, which is exit status 1.
        diff.extend(compare.with([file.as_os_str()]).allowing(&[0, 1]).up_to(most)?);
    }
    let raw = RawDiff::of(&diff);
    let paths: Vec<Vec<u8>> =
        raw.diff.files.iter().filter_map(|file| Some(file.new.as_ref()?.clone().into_bytes())).collect();
    let filtered = git.filtered(&paths)?.iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect();
    Ok(Uncommitted { diff, repositories, private, filtered })
}

/// What is staged, as it is in the index.
pub(in crate::workspace) fn staged(workspace: &Path, most: u64) -> Result<Vec<u8>, GitError> {
    let git = Git::at(workspace);
    let base = git.head_or_empty()?;
    git.with_attributes_of(&base).ask(GitCommand::Diff, DIFF).with(["--cached", "--", "."]).up_to(most)
}
