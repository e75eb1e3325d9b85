//! Submodules of a repository: each is asked by a git of its own.

use std::path::{Path, PathBuf};

use super::{Git, GitCommand, GitError, as_path};

/// The mode of a submodule in the index.
pub(crate) const SUBMODULE: &[u8] = b"160000";
/// How deep submodules of submodules are followed.
pub(crate) const DEEPEST: usize = 16;

/// The submodules of a repository, and theirs.
pub(crate) struct Submodules {
    /// Those that are checked out: their paths in the repository, and where they lie.
    pub(crate) here: Vec<(String, PathBuf)>,
    /// The paths of those that are not.
    pub(crate) absent: Vec<String>,
}

/// Lists the submodules of a repository, and theirs.
pub(crate) fn submodules(root: &Path) -> Result<Submodules, GitError> {
    let mut found = Submodules { here: Vec::new(), absent: Vec::new() };
    list(root, b"", 0, &mut found)?;
    Ok(found)
}

fn list(folder: &Path, prefix: &[u8], depth: usize, found: &mut Submodules) -> Result<(), GitError> {
    let mut here = Vec::new();
    Git::at(folder).ask(GitCommand::LsFiles, ["-z", "--cached", "--stage"]).records(|record| {
        // `160000 OBJECT 0<tab>PATH`
        if record.starts_with(SUBMODULE)
            && let Some(tab) = record.iter().position(|byte| *byte == b'\t')
        {
            here.push(record[tab + 1..].to_vec());
        }
        Ok::<(), GitError>(())
    })?;
    // An unmerged submodule is in the list once for each side.
    here.dedup();
    for path in here {
        let whole = [prefix, &path].concat();
        let told = String::from_utf8_lossy(&whole).into_owned();
        match checked_out(folder, &path).filter(|_| depth < DEEPEST) {
            Some(below) => {
                found.here.push((told, below.clone()));
                list(&below, &[&whole[..], b"/"].concat(), depth + 1, found)?;
            }
            None => found.absent.push(told),
        }
    }
    Ok(())
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
