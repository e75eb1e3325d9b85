//! A review reads the project's settings as they were before the change: else a change could choose its own critic.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rebut_core::diff::{Diff, EXECUTABLE, PLAIN};

use super::git::{Git, GitCommand, as_path, words_and_path};
use super::scope::ScopeError;
use crate::config::{Places, ProjectFiles};

/// The largest file of settings.
const MOST_BYTES: u64 = 1 << 20;

#[derive(Clone, Copy, Debug)]
pub enum Base<'a> {
    Commit(&'a str),
    /// The checked out commit: the change is in the working tree.
    Head,
    /// Unknown: the change was given as text.
    Unknown,
}

/// The project's files before a change, and a note about that.
pub fn project_files(places: &Places, base: Base<'_>, change: &Diff) -> Result<(ProjectFiles, Option<String>), ScopeError> {
    let workspace = &places.workspace;
    let commit = match base {
        Base::Commit(commit) => commit.to_owned(),
        Base::Head | Base::Unknown if !is_touched(change) && !is_linked(places) => {
            return Ok((ProjectFiles::Workspace, None));
        }
        Base::Head if Git::at(workspace).resolve("HEAD", &|| false)?.is_some() => "HEAD".to_owned(),
        Base::Head | Base::Unknown => {
            let note = "the change edits the project's settings, so none of them are used for its review";
            return Ok((ProjectFiles::Nothing, Some(note.to_owned())));
        }
    };
    let texts = texts_at(places, &commit)?;
    let name: String = commit.chars().take(12).collect();
    let is_here = |path: PathBuf| workspace.join(path).exists();
    let any = !texts.is_empty() || Places::of_project().any(is_here);
    let note = any.then(|| format!("project settings are read from {name}, before the change"));
    Ok((ProjectFiles::Commit { name, texts }, note))
}

/// Whether a change touches settings or prompts, or a folder they are in; some systems ignore case.
fn is_touched(change: &Diff) -> bool {
    let lower = |path: &Path| PathBuf::from(path.to_string_lossy().to_lowercase());
    let ours: Vec<PathBuf> = Places::of_project().map(|path| lower(&path)).collect();
    let mut touched =
        change.files.iter().flat_map(|file| [&file.old, &file.new]).flatten().map(|path| lower(Path::new(path)));
    touched.any(|path| ours.iter().any(|own| own.starts_with(&path) || path.starts_with(own)))
}

/// Whether settings are symlinks, so that a change elsewhere could change them.
fn is_linked(places: &Places) -> bool {
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|there| there.is_symlink());
    let within =
        |path: &Path| path.ancestors().any(|above| !above.as_os_str().is_empty() && is_link(&places.workspace.join(above)));
    Places::of_project().any(|path| within(&path))
}

/// The texts of a commit's files. A symlink is no text, and is not followed.
fn texts_at(places: &Places, commit: &str) -> Result<BTreeMap<PathBuf, String>, ScopeError> {
    let git = Git::at(&places.workspace);
    let listed = git.ask(GitCommand::LsTree, ["-r", "-z", "--full-tree", commit, "--"]).with(Places::of_project()).run()?;
    let mut texts = BTreeMap::new();
    for record in listed.split(|byte| *byte == 0) {
        let Some(([PLAIN | EXECUTABLE, "blob", object], path)) = words_and_path(record) else { continue };
        let path = as_path(path);
        let bytes = git.ask(GitCommand::CatFile, ["blob", object]).up_to(MOST_BYTES)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(ScopeError::TooLarge { what: format!("{commit}:{}", path.display()), most: MOST_BYTES });
        }
        let text = String::from_utf8(bytes).map_err(|_| ScopeError::Binary(format!("{commit}:{}", path.display())))?;
        texts.insert(path, text);
    }
    Ok(texts)
}
