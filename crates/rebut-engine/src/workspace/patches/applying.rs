//! One patch, applied to the files of one version. What is recorded is the difference that it makes, which applies exactly.

use rebut_core::diff::{Diff, Moved};

use super::placing::{WrittenBy, place};
use super::revised::{Changed, Changes};
use super::working_tree::may_touch;
use super::writing::{FileChange, write};
use crate::redact::redact;
use crate::workspace::pin::{Files, Kind};

const MOST_BYTES: usize = 4 * 1024 * 1024;

pub(crate) struct Applied {
    /// The difference that it makes, which applies exactly.
    pub(crate) patch: String,
    pub(crate) changes: Changes,
}

/// Applies a patch as a model wrote it. The error is for its author.
pub(crate) fn apply(files: &dyn Files, patch: &str) -> Result<Applied, String> {
    let text = ended(patch);
    let wanted = Wanted::read(files, &text)?;
    let changes = wanted.changes(files, WrittenBy::Model)?;
    if changes.is_empty() {
        return Err("the patch changes nothing".to_owned());
    }
    let patch = wanted.recorded(files, &changes)?;
    Ok(Applied { patch, changes })
}

/// Applies a patch that a program wrote: one that was recorded, or the diff that is reviewed.
pub(crate) fn apply_exactly(files: &dyn Files, patch: &str) -> Result<Changes, String> {
    Wanted::read(files, &ended(patch))?.changes(files, WrittenBy::Program)
}

/// Models often stop before the last line's end. A patch in which every line has a carriage return is as good without.
fn ended(patch: &str) -> String {
    if patch.split_inclusive('\n').all(|line| line.ends_with("\r\n")) {
        return patch.replace("\r\n", "\n");
    }
    if patch.ends_with('\n') { patch.to_owned() } else { format!("{patch}\n") }
}

/// A patch, and the files that it touches.
struct Wanted {
    diff: Diff,
    touched: Changes,
}

impl Wanted {
    fn read(files: &dyn Files, text: &str) -> Result<Self, String> {
        if text.len() > MOST_BYTES {
            return Err(format!("the patch has {} bytes; the limit is {MOST_BYTES}", text.len()));
        }
        if text.contains('\0') {
            return Err("the patch contains bytes that are not text".to_owned());
        }
        let diff = Diff::parse(text);
        if diff.files.is_empty() {
            return Err("it is not a unified diff: no lines like `--- a/PATH` and `+++ b/PATH` name a file".to_owned());
        }
        let mut touched = Changes::new();
        for path in diff.files.iter().map(may_touch).collect::<Result<Vec<_>, _>>()?.concat() {
            touched.insert(path.to_owned(), file_at(files, path)?);
        }
        Ok(Self { diff, touched })
    }

    /// The files that differ afterwards.
    fn changes(&self, files: &dyn Files, by: WrittenBy) -> Result<Changes, String> {
        let read = |path: &str| self.touched.get(path).cloned().flatten();
        let mut changes = place(&self.diff, by, &read)?;
        changes.retain(|path, after| read(path) != *after);
        fits(files, &changes)?;
        Ok(changes)
    }

    /// The difference as it is recorded: text without secrets. It includes fewer unchanged lines, but at least one, where
    /// those are secrets or not UTF-8.
    fn recorded(&self, files: &dyn Files, changes: &Changes) -> Result<String, String> {
        let renamed = self.diff.files.iter().filter(|file| file.moved != Moved::Copied);
        let moved = renamed.filter_map(|file| Some((file.new.as_deref()?, file.old.as_deref()?)));
        let is_move =
            |(new, old): &(&str, &str)| matches!((changes.get(*old), changes.get(*new)), (Some(None), Some(Some(_))));
        let moved: Vec<(&str, &str)> = moved.filter(is_move).collect();
        let before = |path: &str| self.touched.get(path).and_then(Option::as_ref);
        let mut all = Vec::new();
        for (path, after) in changes.iter().filter(|(path, _)| !moved.iter().any(|(_, old)| old == path)) {
            let old = moved.iter().find(|(new, _)| new == path).map_or(path.as_str(), |(_, old)| old);
            all.push(FileChange { old, new: path, before: before(old), after: after.as_ref() });
        }
        let mut why = "";
        for around in [3, 2, 1] {
            let mut patch = Vec::new();
            // Writing to memory cannot fail.
            let _ = all.iter().try_for_each(|change| write(&mut patch, change, around));
            let Ok(patch) = String::from_utf8(patch) else {
                why = "the lines next to the change are not UTF-8 and can't be recorded";
                continue;
            };
            if redact(&patch) != patch {
                why = "the lines next to the change look like a secret and are not recorded";
                continue;
            }
            return match apply_exactly(files, &patch) {
                Ok(again) if again == *changes => Ok(patch),
                _ => Err("the difference that it makes does not apply by itself".to_owned()),
            };
        }
        Err(why.to_owned())
    }
}

/// The file of a path, if there is one; or why no patch may touch it.
fn file_at(files: &dyn Files, path: &str) -> Result<Option<Changed>, String> {
    let Some(entry) = files.find(path.as_bytes()) else {
        let link = above(path).filter_map(|above| files.find(above.as_bytes())).find(|entry| entry.kind == Kind::Symlink);
        let linked = |link| format!("{path} leads through the symlink {link}; name the file by its real path");
        return link.map_or(Ok(None), |link| Err(linked(link.path())));
    };
    match entry.kind {
        Kind::File { executable } => {
            let read = files.content(entry).map_err(|error| format!("{path} can't be patched: {error}"))?;
            Ok(Some(Changed { executable, bytes: read.bytes }))
        }
        Kind::Symlink => Err(format!("{path} is a symlink; patch the file that it leads to")),
        Kind::Left(why) => Err(format!("{path} can't be patched: it is {}", why.words())),
    }
}

/// Refuses a new file where a folder is, or below a file.
fn fits(files: &dyn Files, changes: &Changes) -> Result<(), String> {
    let is_new = |path: &str| files.find(path.as_bytes()).is_none();
    // Whether there is a file afterwards.
    let is_file = |path: &str| changes.get(path).map_or_else(|| !is_new(path), Option::is_some);
    for (path, _) in changes.iter().filter(|(path, after)| after.is_some() && is_new(path)) {
        if let Some(file) = above(path).find(|above| is_file(above)) {
            return Err(format!("{path} can't be created: {file} is not a folder"));
        }
        let folder = format!("{path}/");
        let entries = files.entries();
        let first = entries.partition_point(|entry| entry.path() < folder.as_str());
        let mut below = entries[first..].iter().take_while(|entry| entry.path().starts_with(&folder));
        if below.any(|entry| is_file(entry.path())) {
            return Err(format!("{path} can't be created: it is a folder"));
        }
    }
    Ok(())
}

/// The folders that a path is in, the outermost first.
fn above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}
