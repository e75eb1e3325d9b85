//! Unified diffs, as git and `diff -u` write them and as models do: read leniently, written back as they stood, and asked
//! where lines went.
//!
//! Nothing here runs git or reads files, and nothing that is read is trusted: whether a patch applies is tried elsewhere.
//! What cannot be read as lines (binary files, combined diffs of merges) is kept as text and said to be unreadable;
//! nothing is dropped.

mod carry;
mod parse;
mod quoting;
mod usual;
mod write;

use std::collections::BTreeSet;
use std::ops::Range;

pub use usual::quoted;

/// A change of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// What comes before the first file, such as the message of `git show`, unchanged.
    pub preamble: String,
    pub files: Vec<FileDiff>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDiff {
    /// Its path before; none if it is new.
    pub old: Option<String>,
    /// Its path afterwards; none if it was deleted.
    pub new: Option<String>,
    /// Whether its content is binary, so that no lines are shown.
    pub binary: bool,
    /// Whether it is a combined diff (`@@@`) of a merge, which is kept as text in the header.
    pub combined: bool,
    /// Every mode that its header names.
    pub modes: Vec<String>,
    /// The mode that it is to have, where one is named.
    pub new_mode: Option<String>,
    /// Whether its header names different files, as where the beginning of the next one is missing.
    pub inconsistent: bool,
    /// How the path changed.
    pub moved: Moved,
    /// All header lines as they stood, each with its line end; of a file without readable hunks, all its lines.
    pub header: String,
    pub hunks: Vec<Hunk>,
    /// What follows the last hunk and belongs to no change, such as the signature of `git format-patch`.
    pub trailer: String,
    /// Its lines in the whole text, from 0.
    pub place: Range<usize>,
}

// Modes of files as git writes them.
pub const SUBMODULE: &str = "160000";
pub const EXECUTABLE: &str = "100755";
pub const PLAIN: &str = "100644";
pub const SYMLINK: &str = "120000";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moved {
    #[default]
    No,
    Renamed,
    /// The file is a copy; the old one is still there.
    Copied,
}

/// Lines that changed, with lines around them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// The first line on the old side; the line before it where the old side has none. Both starts are 0 where the header
    /// (`@@ ... @@`) has no numbers.
    pub old_start: u32,
    /// The first line on the new side; the line before it where the new side has none.
    pub new_start: u32,
    /// What follows the second `@@`, with the space before it; without numbers, what follows the first.
    pub section: String,
    pub lines: Vec<HunkLine>,
}

/// A line of a hunk, without the mark before it; a carriage return at its end belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HunkLine {
    /// It is on both sides.
    Context(String),
    Added(String),
    Removed(String),
    /// `\ No newline at end of file`, about the line before it, without the backslash.
    NoNewline(String),
}

impl Diff {
    /// Whether a text is a diff: it has a file with a hunk or a git header, and no Markdown fence before it.
    pub fn is_diff(text: &str) -> bool {
        let diff = Self::parse(text);
        let fenced = diff.preamble.lines().any(|line| line.trim_start().starts_with("```"));
        !diff.files.is_empty() && !fenced
    }

    /// The paths that it touches: of the new side, and of the old side where a file was deleted.
    pub fn paths(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        self.files.iter().map(FileDiff::path).filter(|path| seen.insert(*path)).collect()
    }

    /// Whether this path was there before, and is gone or renamed.
    pub fn removed_path(&self, path: &str) -> bool {
        let left = |file: &FileDiff| file.old.as_deref() == Some(path) && file.new.as_deref() != Some(path);
        self.files.iter().any(|file| left(file) && file.moved != Moved::Copied)
            && !self.files.iter().any(|file| file.new.as_deref() == Some(path))
    }

    /// The new path of a file that was renamed from this one.
    pub fn renamed_to(&self, path: &str) -> Option<&str> {
        let path = path.trim_start_matches("./");
        let renamed = |file: &&FileDiff| file.moved == Moved::Renamed && file.old.as_deref() == Some(path);
        let file = self.files.iter().find(renamed).filter(|_| self.removed_path(path))?;
        file.new.as_deref()
    }

    /// The files that are deleted, with the text that each had.
    pub fn deleted(&self) -> impl Iterator<Item = (&str, String)> {
        let gone = self.files.iter().filter(|file| file.new.is_none() && !file.binary && !file.hunks.is_empty());
        gone.filter_map(|file| {
            let old = file.old.as_deref().filter(|old| self.removed_path(old))?;
            let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines);
            let text = lines.flat_map(|line| [line.text(), "\n"]).collect();
            Some((old, text))
        })
    }
}

impl FileDiff {
    /// The path that it is known by: the new one, or the old one where it was deleted.
    pub fn path(&self) -> &str {
        self.new.as_deref().or(self.old.as_deref()).unwrap_or_default()
    }

    /// Whether it is a submodule. Git leaves the mode away where only the submodule's own files differ, so that its lines say
    /// so.
    pub fn is_submodule(&self) -> bool {
        let mut lines = self.hunks.iter().flat_map(|hunk| &hunk.lines).map(HunkLine::text).peekable();
        let speaks_of_it = |line: &str| line.starts_with("Subproject commit ");
        let is_named = self.modes.iter().any(|mode| mode == SUBMODULE) || self.header.starts_with("Submodule ");
        is_named || (self.modes.is_empty() && lines.peek().is_some() && lines.all(speaks_of_it))
    }

    pub fn is_executable(&self) -> bool {
        self.modes.last().is_some_and(|mode| mode == EXECUTABLE)
    }

    /// Whether its change can be read as lines, or has none.
    pub fn is_readable(&self) -> bool {
        !self.binary && !self.combined
    }
}

impl Hunk {
    pub fn old_count(&self) -> u32 {
        self.count(|line| matches!(line, HunkLine::Context(_) | HunkLine::Removed(_)))
    }

    pub fn new_count(&self) -> u32 {
        self.count(|line| matches!(line, HunkLine::Context(_) | HunkLine::Added(_)))
    }

    fn count(&self, wanted: impl Fn(&HunkLine) -> bool) -> u32 {
        u32::try_from(self.lines.iter().filter(|line| wanted(line)).count()).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
pub(crate) mod tests;
