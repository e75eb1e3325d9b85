//! Where reviews of a workspace are kept: in its repository's own folder, which no commit ever holds, else beside other
//! state of the user's.

use std::path::{Path, PathBuf};

use super::git::{Git, GitCommand, as_path};

/// The folder's name in both places.
const NAME: &str = "review-loop";

/// Why there is no place for reviews.
#[derive(Debug, thiserror::Error)]
pub enum ReviewFolderError {
    #[error("git can't say where it keeps its files: {0}; name a folder with --state-dir")]
    Git(String),
    #[error("there is no home folder to keep reviews in; name a folder with --state-dir")]
    NoHome,
}

/// The folder for reviews of a workspace. `state_home` is the folder in which programs of the user keep their state, where
/// there is one; see [`state_home`].
pub fn review_folder(workspace: &Path, state_home: Option<&Path>) -> Result<PathBuf, ReviewFolderError> {
    match Git::at(workspace).ask(GitCommand::RevParse, ["--path-format=absolute", "--git-path", NAME]).run() {
        // A git that does not know how to be asked for the whole path prints it relative to its folder.
        Ok(answer) => Ok(workspace.join(as_path(answer.strip_suffix(b"\n").unwrap_or(&answer)))),
        Err(error) if super::around(workspace).join(".git").exists() => Err(ReviewFolderError::Git(error.to_string())),
        Err(_) => {
            let home = state_home.ok_or(ReviewFolderError::NoHome)?;
            Ok(home.join("debate").join(key(workspace)).join(NAME))
        }
    }
}

/// `$XDG_STATE_HOME`, else `~/.local/state`. What is not absolute counts as not set.
pub fn state_home(xdg: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |path: &PathBuf| path.is_absolute();
    xdg.filter(absolute).or_else(|| home.filter(absolute).map(|home| home.join(".local/state")))
}

/// A name for a workspace that no other has: its folder's, and a mark of its whole path.
fn key(workspace: &Path) -> String {
    let real = workspace.canonicalize().unwrap_or_else(|_| workspace.to_owned());
    let name = real.file_name().map_or_else(|| "root".to_owned(), |name| name.to_string_lossy().into_owned());
    let plain = |letter: char| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '-' };
    let name: String = name.chars().take(64).map(plain).collect();
    let mark = blake3::hash(real.as_os_str().as_encoded_bytes()).to_hex();
    format!("{name}-{}", &mark[..12])
}
