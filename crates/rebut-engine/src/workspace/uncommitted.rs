//! What is not committed, as a diff, and what of it is left out.

use std::ffi::OsStr;
use std::path::Path;

use super::git::{DIFF, Git, GitCommand, GitError, as_path};
use super::notes::{all_listed, unfiltered};
use super::patches::RawDiff;
use super::private_part;

/// All changes, staged or not, and new files that are not ignored, except rebut's own; with notes. Of too many, `most` bytes
/// and a little more come back.
pub(super) fn not_committed(
    workspace: &Path,
    most: u64,
    is_own: &dyn Fn(&Path) -> bool,
) -> Result<(Vec<u8>, Vec<String>), GitError> {
    let (git, base) = Git::against_head(workspace)?;
    let mut diff = git.ask(GitCommand::Diff, DIFF).with([base.as_str(), "--", "."]).up_to(most)?;
    let new_files = git.ask(GitCommand::LsFiles, ["--others", "--exclude-standard", "-z", "--", "."]).run()?;
    let (mut repositories, mut private) = (Vec::new(), Vec::new());
    for file in new_files.split(|byte| *byte == 0).filter(|file| !file.is_empty()) {
        let name = || String::from_utf8_lossy(file).into_owned();
        if file.ends_with(b"/") {
            repositories.push(name());
        } else if private_part(&as_path(file)).is_some() {
            private.push(name());
        } else if diff.len() as u64 <= most {
            // By its bare name it would mean standard input.
            let file = as_path(if file == b"-" { b"./-" } else { file });
            let compare = git.ask(GitCommand::Diff, DIFF).with(["--no-index", "--", "/dev/null"].map(OsStr::new));
            // Comparing with nothing finds a difference, which is exit status 1.
            diff.extend(compare.with([file]).allowing(&[0, 1]).up_to(most)?);
        }
    }
    if diff.len() as u64 > most {
        return Ok((diff, Vec::new()));
    }
    let raw = RawDiff::of(&diff);
    let (own, others): (Vec<_>, Vec<_>) = raw.diff.files.iter().partition(|file| is_own(&workspace.join(file.path())));
    let own: Vec<String> = own.iter().map(|file| file.path().to_owned()).collect();
    let paths: Vec<&str> = others.iter().filter_map(|file| file.new.as_deref()).collect();
    let notes = [
        all_listed("nested repositories, left out", &repositories),
        all_listed("new files named like ones that hold keys, left out", &private),
        unfiltered(&git.filtered(&paths)?),
        all_listed("left out because rebut wrote it", &own),
    ];
    let others = others.into_iter().flat_map(|file| raw.bytes_of(file)).collect();
    Ok((if own.is_empty() { diff } else { others }, notes.into_iter().flatten().collect()))
}
