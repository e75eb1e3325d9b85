//! Submodules of a repository: each is asked by a git of its own.

use std::path::{Path, PathBuf};

use rebut_core::diff::SUBMODULE;

use super::{Git, GitCommand, GitError, as_path, words_and_path};

/// How deep submodules of submodules are followed.
pub(crate) const DEEPEST: usize = 16;

/// The submodules of a repository that are checked out: their paths in it, and where they are.
pub(crate) fn submodules(root: &Path) -> Result<Vec<(String, PathBuf)>, GitError> {
    let mut found = Vec::new();
    Git::at(root).ask(GitCommand::LsFiles, ["-z", "--cached", "--stage"]).records(|record| {
        if let Some(([SUBMODULE], path)) = words_and_path(record) {
            found.push(path.to_vec());
        }
        Ok::<(), GitError>(())
    })?;
    // An unmerged submodule is in the list once for each side.
    found.dedup();
    let found = found.iter().filter_map(|path| Some((String::from_utf8_lossy(path).into_owned(), checked_out(root, path)?)));
    Ok(found.collect())
}

/// The folder of a submodule that is checked out, and that no link leads to.
pub(crate) fn checked_out(folder: &Path, path: &[u8]) -> Option<PathBuf> {
    let below = folder.canonicalize().ok()?.join(as_path(path));
    let real = below.canonicalize().ok()?;
    if real != below || !below.join(".git").exists() {
        return None;
    }
    // With a `.git` that is none, git would speak of the repository above.
    let prefix = Git::at(&below).ask(GitCommand::RevParse, ["--show-prefix"]).run().ok()?;
    prefix.trim_ascii().is_empty().then_some(below)
}
