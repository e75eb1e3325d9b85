//! Notes on a diff that is reviewed.

use std::path::Path;

use rebut_core::diff::{FileDiff, HunkLine};

use super::around;
use super::git::{Git, GitCommand, GitError, submodules};
use super::patches::RawDiff;

/// Notes on files that are not text, and on submodules.
pub(super) fn notes_on_files(diff: &[u8]) -> Vec<String> {
    let raw = RawDiff::of(diff);
    let names = |of: &dyn Fn(&FileDiff) -> bool| -> Vec<String> {
        raw.diff.files.iter().filter(|file| of(file)).map(|file| file.path().to_owned()).collect()
    };
    let binary = names(&|file| file.binary);
    let odd = names(&|file| String::from_utf8(raw.bytes_of(file)).is_err());
    let mut notes: Vec<String> = Vec::new();
    notes.extend(listed("binary, shown by name only", &binary));
    notes.extend(listed("not UTF-8; other bytes are shown as �", &odd));
    notes.extend(raw.diff.files.iter().filter(|file| file.is_submodule()).map(submodule));
    notes
}

fn submodule(file: &FileDiff) -> String {
    let hash = |of: fn(&HunkLine) -> bool| {
        let mut lines = file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| of(line));
        lines.find_map(|line| line.text().strip_prefix("Subproject commit "))
    };
    let name = file.path();
    let before = hash(|line| matches!(line, HunkLine::Removed(_)));
    let after = hash(|line| matches!(line, HunkLine::Added(_)));
    let (Some(before), Some(after)) = (before, after) else {
        let what = if after.is_some() { "was added" } else { "was removed" };
        return format!("the submodule {name} {what}; its files are reviewed there");
    };
    // A given diff may mark a submodule's files as changed.
    let clean = |hash: &str| hash.trim_end_matches("-dirty").to_owned();
    let (from, to) = (clean(before), clean(after));
    if from == to {
        return with_changes(name);
    }
    let short = |hash: &str| hash.chars().take(12).collect::<String>();
    format!("the submodule {name} moves from {} to {}", short(&from), short(&to))
}

/// Submodules with uncommitted changes. Each is asked by its own git: from outside, git would use their own settings.
pub(super) fn changed_submodules(workspace: &Path) -> Result<Vec<String>, GitError> {
    if !around(workspace).join(".gitmodules").exists() {
        return Ok(Vec::new());
    }
    let is_changed = |folder: &Path| {
        let git = Git::at(folder);
        git.ask(GitCommand::Diff, ["--name-only", "-z", "HEAD"]).up_to(1).is_ok_and(|changed| !changed.is_empty())
    };
    Ok(submodules(workspace)?.iter().filter(|(_, folder)| is_changed(folder)).map(|(name, _)| with_changes(name)).collect())
}

fn with_changes(submodule: &str) -> String {
    format!("the submodule {submodule} has uncommitted changes, which are not part of it")
}

pub(super) fn unfiltered(names: &[String]) -> Option<String> {
    listed("compared as they are on disk, because git filters (Git LFS and the like) are not run", names)
}

const NAMED: usize = 10;

/// A note that says the same of several files.
fn listed(what: &str, names: &[String]) -> Option<String> {
    let Some((first, more)) = names.split_at_checked(NAMED) else { return all_listed(what, names) };
    let rest = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    all_listed(what, first).map(|note| note + &rest)
}

/// The same with every name: what a review leaves out is listed in full.
pub(super) fn all_listed(what: &str, names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| format!("{what}: {}", names.join(", ")))
}
