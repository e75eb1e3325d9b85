//! Files of a workspace that changed during a debate. Seats read a copy, so only the user should write there.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use super::{Limits, Survey, walker};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Touched {
    pub at: SystemTime,
    pub path: String,
}

/// Every file that was written, created or removed in the workspace since then, oldest change first, except ignored ones.
/// `before` are the files that existed. Empty if the workspace cannot be listed.
pub fn touched_since(
    workspace: &Path,
    home: Option<&Path>,
    limits: Limits,
    began: SystemTime,
    before: &[String],
) -> Vec<Touched> {
    let Ok(survey) = Survey::of(workspace, home, limits) else { return Vec::new() };
    let root = &survey.root;
    let paths = survey.entries.iter().map(|entry| entry.path().to_owned()).chain(of_git(root));
    let written = paths.filter_map(|path| Some(Touched { at: changed(&root.join(&path))?, path }));
    // A removed file has no time; its folder changed with it.
    let removed = before.iter().filter(|path| fs::symlink_metadata(root.join(path)).is_err()).filter_map(|path| {
        let whole = root.join(path);
        let at = whole.ancestors().skip(1).find_map(changed)?;
        Some(Touched { at, path: path.clone() })
    });
    let mut touched: Vec<Touched> = written.chain(removed).filter(|touched| touched.at >= began).collect();
    touched.sort();
    touched
}

/// Files in `.git` that make git run programs.
fn of_git(root: &Path) -> Vec<String> {
    let hooks = fs::read_dir(root.join(".git/hooks")).into_iter().flatten().flatten();
    let hooks = hooks.filter_map(|hook| Some(format!(".git/hooks/{}", hook.file_name().to_str()?)));
    hooks.chain([".git/config".to_owned()]).collect()
}

/// The ctime, which no program can set.
fn changed(path: &Path) -> Option<SystemTime> {
    let there = fs::symlink_metadata(path).ok()?;
    Some(walker::changed(&there))
}
