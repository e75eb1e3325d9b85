//! `git apply` far from any repository: the text of a patch is all that it looks at.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use super::git::command;

/// Asks `git apply` something about a patch that needs no files, such as `--stat`.
pub(super) fn apply(arguments: &[&str], patch: &[u8]) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("git cannot be started: {error}");
    let mut git = command(Path::new("/"));
    // No folder is a repository here: paths in the patch are taken as they are.
    git.env("GIT_DIR", "/dev/null").arg("apply").args(arguments).arg("-");
    let mut child = git.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    let stdin = child.stdin.take();
    let patch = patch.to_vec();
    // A git that does not read it all is no error; what it says of that is.
    let fed = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&patch)));
    let output = child.wait_with_output().map_err(failed)?;
    let _ = fed.join();
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("git says: {}", said.lines().next().unwrap_or("nothing").trim()))
}
