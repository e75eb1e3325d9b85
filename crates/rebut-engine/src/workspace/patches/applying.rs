//! One patch, applied to the files of one version.
//!
//! First it is git that applies it, as it is and then with its lines counted anew. Where it does not want it, hunks
//! are put where their lines stand. However it came about, what is recorded is the difference that it really makes, which
//! applies exactly.

use std::collections::{BTreeMap, BTreeSet};

use super::diff::{Mark, Section, sections, without_surroundings};
use super::placing::{Misplaced, place};
use super::revised::{Changed, Changes};
use super::workbench::{Differing, Trouble, Workbench};
use super::working_tree::may_touch;
use crate::redact::redact;
use crate::workspace::pin::{Files, Kind};

/// How long a patch may be.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// A patch that was applied.
pub(crate) struct Applied {
    /// The difference that it makes, which applies exactly.
    pub(crate) patch: String,
    /// What it makes of the files.
    pub(crate) changes: Changes,
}

/// Applies a patch as it was written. The error is for its author.
pub(crate) async fn apply(files: &dyn Files, patch: &str) -> Result<Applied, String> {
    let text = ended(patch);
    let wanted = Wanted::read(files, &text)?;
    let bench = Workbench::set_up().map_err(Trouble::words)?;
    let before = wanted.lay_out(&bench).await?;
    wanted.apply(&bench).await?;
    let after = bench.tree().await.map_err(Trouble::words)?;
    if after == before {
        return Err("the patch changes nothing".to_owned());
    }
    let changes = changes(files, &bench, &before, &after).await?;
    let patch = recorded(&bench, &before, &after).await?;
    Ok(Applied { patch, changes })
}

/// Applies a patch that was recorded.
pub(crate) async fn apply_exactly(files: &dyn Files, patch: &str) -> Result<Changes, String> {
    let text = ended(patch);
    let wanted = Wanted::read(files, &text)?;
    let bench = Workbench::set_up().map_err(Trouble::words)?;
    let before = wanted.lay_out(&bench).await?;
    let arguments: Vec<&str> = wanted.level().into_iter().chain(without_surroundings(&wanted.sections)).collect();
    bench.apply(&arguments, text.as_bytes()).await.map_err(Trouble::words)?;
    let after = bench.tree().await.map_err(Trouble::words)?;
    changes(files, &bench, &before, &after).await
}

/// A patch whose last line has no end is cut off, for git; a model just stops. One in which every line has a carriage
/// return is as good without them.
fn ended(patch: &str) -> String {
    if patch.split_inclusive('\n').all(|line| line.ends_with("\r\n")) {
        return patch.replace("\r\n", "\n");
    }
    if patch.ends_with('\n') { patch.to_owned() } else { format!("{patch}\n") }
}

/// A patch, and the files that it touches.
struct Wanted<'a> {
    text: &'a str,
    sections: Vec<Section<'a>>,
    /// How many folders its paths have too many: the `a/` and `b/`, or none.
    strip: usize,
    /// The files that are there.
    touched: Changes,
}

impl<'a> Wanted<'a> {
    fn read(files: &dyn Files, text: &'a str) -> Result<Self, String> {
        if text.len() > MOST_BYTES {
            return Err(format!("the patch has {} bytes, and at most {MOST_BYTES} are tried", text.len()));
        }
        if text.contains('\0') {
            return Err("the patch holds bytes that are no text".to_owned());
        }
        let sections = sections(text.as_bytes());
        if sections.is_empty() {
            return Err("it is no unified diff: no file is named by lines like `--- a/PATH` and `+++ b/PATH`".to_owned());
        }
        let strip = strip(&sections);
        let mut paths = BTreeSet::new();
        for section in &sections {
            paths.extend(may_touch(section, strip)?);
        }
        let mut touched = BTreeMap::new();
        for path in paths {
            if let Some(file) = file_at(files, &path)? {
                touched.insert(path, Some(file));
            }
        }
        Ok(Self { text, sections, strip, touched })
    }

    async fn lay_out(&self, bench: &Workbench) -> Result<String, String> {
        bench.put(&self.touched).await.map_err(Trouble::words)?;
        bench.tree().await.map_err(Trouble::words)
    }

    fn level(&self) -> [&'static str; 1] {
        [if self.strip == 0 { "-p0" } else { "-p1" }]
    }

    /// Applies it to the index.
    async fn apply(&self, bench: &Workbench) -> Result<(), String> {
        let read = |path: &[u8]| self.touched.get(path).cloned().flatten();
        let placed = place(&self.sections, self.strip, &read);
        if let Err(Misplaced { why, ambiguous: true }) = placed {
            // Git would take the place that is nearest to a number which is wrong.
            return Err(why);
        }
        let mut said = String::new();
        for counting in [&[][..], &["--recount"]] {
            match self.apply_by_git(bench, counting).await {
                Ok(()) => return Ok(()),
                Err(Trouble::Said(words)) if said.is_empty() => said = words,
                Err(Trouble::Said(_)) => {}
                Err(broken @ Trouble::Broken(_)) => return Err(broken.words()),
            }
        }
        let placed = placed.map_err(|misplaced| format!("{} (git says: {said})", misplaced.why))?;
        bench.put(&placed).await.map_err(Trouble::words)
    }

    /// Has git apply it, unless git reads it otherwise than it is written: a hunk that says too small a number of lines
    /// would lose the others without a word.
    async fn apply_by_git(&self, bench: &Workbench, counting: &[&str]) -> Result<(), Trouble> {
        let arguments = |first: &[&'static str]| -> Vec<&str> {
            first.iter().copied().chain(self.level()).chain(counting.iter().copied()).collect()
        };
        let counted = bench.apply(&arguments(&["--numstat", "-z"]), self.text.as_bytes()).await?;
        let counted: Vec<&[u8]> = counted.split(|byte| *byte == 0).filter(|record| !record.is_empty()).collect();
        let written: Vec<String> = self.sections.iter().map(|section| written(section)).collect();
        let same = counted.len() == written.len()
            && counted.iter().zip(&written).all(|(counted, written)| counted.starts_with(written.as_bytes()));
        if !same {
            return Err(Trouble::Said("the numbers of lines in its `@@` lines are not those of its hunks".to_owned()));
        }
        bench.apply(&arguments(&[]), self.text.as_bytes()).await.map(drop)
    }
}

/// How many lines a section adds and takes away, as `git apply --numstat` says it.
fn written(section: &Section<'_>) -> String {
    let lines = || section.hunks.iter().flat_map(|hunk| &hunk.lines);
    let count = |mark: Mark| lines().filter(|line| line.mark == mark).count();
    format!("{}\t{}\t", count(Mark::Comes), count(Mark::Goes))
}

/// How many folders the paths have too many: people leave `a/` and `b/` away.
fn strip(sections: &[Section<'_>]) -> usize {
    let paths = || sections.iter().flat_map(|section| [(&section.old, b"a/"), (&section.new, b"b/")]);
    let prefixed = |(path, prefix): (&Option<Vec<u8>>, &[u8; 2])| path.as_ref().is_none_or(|path| path.starts_with(prefix));
    usize::from(paths().all(prefixed))
}

/// The file of a path, if there is one; or why no patch may touch it.
fn file_at(files: &dyn Files, path: &[u8]) -> Result<Option<Changed>, String> {
    let shown = String::from_utf8_lossy(path);
    let Some(entry) = files.find(path) else {
        let above = (1..path.len()).filter(|at| path[*at] == b'/').map(|at| &path[..at]);
        let link = above.filter_map(|above| files.find(above)).find(|entry| entry.kind == Kind::Symlink);
        return match link {
            Some(link) => {
                Err(format!("{shown} leads through the symlink {}; name the file where it really is", link.path()))
            }
            None => Ok(None),
        };
    };
    match entry.kind {
        Kind::File { executable } => {
            let read = files.content(entry).map_err(|error| format!("{shown} cannot be patched: {error}"))?;
            Ok(Some(Changed { executable, bytes: read.bytes }))
        }
        Kind::Symlink => Err(format!("{shown} is a symlink, and no patch may change it; patch the file that it leads to")),
        Kind::Left(why) => Err(format!("{shown} cannot be patched: it is {}", why.words())),
    }
}

/// The resulting files, from the index.
async fn changes(files: &dyn Files, bench: &Workbench, before: &str, after: &str) -> Result<Changes, String> {
    let differing = bench.differing(before, after).await.map_err(Trouble::words)?;
    fits(files, &differing)?;
    let objects: Vec<&str> = differing.iter().filter(|file| !file.is_gone()).map(|file| file.object.as_str()).collect();
    let contents = bench.contents(&objects).await.map_err(Trouble::words)?;
    let mut contents = contents.into_iter();
    let mut found = Changes::new();
    for file in &differing {
        let changed = if file.is_gone() {
            None
        } else {
            contents.next().map(|bytes| Changed { executable: file.mode == "100755", bytes })
        };
        found.insert(file.path.clone(), changed);
    }
    Ok(found)
}

/// Whether the resulting files fit among all others: plain files, and none where a folder is.
fn fits(files: &dyn Files, differing: &[Differing]) -> Result<(), String> {
    let gone: BTreeSet<&[u8]> = differing.iter().filter(|file| file.is_gone()).map(|file| &file.path[..]).collect();
    for file in differing.iter().filter(|file| !file.is_gone()) {
        let shown = String::from_utf8_lossy(&file.path);
        if !matches!(file.mode.as_str(), "100644" | "100755") {
            return Err(format!("{shown}: the patch would make something else than a file of it (mode {})", file.mode));
        }
        if !file.is_new {
            continue;
        }
        for at in (0..file.path.len()).filter(|at| file.path[*at] == b'/') {
            let above = &file.path[..at];
            if files.find(above).is_some() && !gone.contains(above) {
                return Err(format!("{shown} cannot be made: {} is no folder", String::from_utf8_lossy(above)));
            }
        }
        let folder = [&file.path[..], b"/"].concat();
        let entries = files.entries();
        let first = entries.partition_point(|entry| entry.bytes() < &folder[..]);
        let below = entries[first..].iter().take_while(|entry| entry.bytes().starts_with(&folder));
        if below.into_iter().any(|entry| !gone.contains(entry.bytes())) {
            return Err(format!("{shown} cannot be made: it is a folder"));
        }
    }
    Ok(())
}

/// The difference as it is recorded: text without secrets that applies exactly. Lines around a change that are not fit to
/// be written down are left away, as far as one line stays.
async fn recorded(bench: &Workbench, before: &str, after: &str) -> Result<String, String> {
    let mut why = "";
    for around in [3, 2, 1] {
        let patch = bench.difference(before, after, around).await.map_err(Trouble::words)?;
        let Ok(patch) = String::from_utf8(patch) else {
            why = "the lines beside what it changes are not UTF-8, and cannot be written down";
            continue;
        };
        if redact(&patch) != patch {
            why = "what looks like a secret stands in the lines beside what it changes, and is not written down";
            continue;
        }
        bench.back_to(before).await.map_err(Trouble::words)?;
        let applied = bench.apply(&["-p1"], patch.as_bytes()).await;
        if applied.is_ok() && bench.tree().await.map_err(Trouble::words)? == after {
            return Ok(patch);
        }
        why = "the difference that it makes does not apply by itself";
    }
    Err(why.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::working_tree::stripped;
    use super::*;

    #[test]
    fn paths_are_taken_with_and_without_their_prefix() {
        let patch = |old: &str, new: &str| format!("--- {old}\n+++ {new}\n@@ -1 +1 @@\n-a\n+b\n");
        for (old, new, expected) in
            [("a/src/x", "b/src/x", 1), ("/dev/null", "b/x", 1), ("src/x", "src/x", 0), ("a/x", "x", 0)]
        {
            assert_eq!(strip(&sections(patch(old, new).as_bytes())), expected, "{old} {new}");
        }
        assert_eq!(stripped(b"a/src/x", 1), b"src/x");
    }
}
