//! Patches: a unified diff read as data, tried on the files of a debate, or applied to the user's own.
//!
//! A patch is data that a model wrote. It is tried in memory: no file is ever created under a name that it contains.

mod applying;
mod placing;
mod revised;
pub(crate) mod working_tree;
mod writing;

use rebut_core::diff::{Diff, FileDiff, HunkLine};

pub(crate) use applying::{Applied, apply, apply_exactly};
pub(crate) use revised::{Changes, Revised};

/// A diff as git printed it, and the bytes of each of its files: a byte that is no text changes no line.
pub(crate) struct RawDiff<'a> {
    pub(crate) diff: Diff,
    lines: Vec<&'a [u8]>,
}

impl<'a> RawDiff<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        Self { diff: Diff::parse(&String::from_utf8_lossy(bytes)), lines: lines_of(bytes) }
    }

    pub(crate) fn bytes_of(&self, file: &FileDiff) -> Vec<u8> {
        self.lines[file.place.clone()].concat()
    }
}

/// What `git apply` must be told of a diff without lines around its changes, as `git diff -U0` writes: that it knows. By
/// itself git takes such a hunk for one at the very beginning or end of a file.
pub(crate) fn without_surroundings(diff: &Diff) -> Option<&'static str> {
    let changed = diff.files.iter().filter(|file| file.old.is_some() && file.new.is_some());
    let mut hunks = changed.flat_map(|file| &file.hunks);
    hunks.any(|hunk| !hunk.lines.iter().any(|line| matches!(line, HunkLine::Context(_)))).then_some("--unidiff-zero")
}

/// Every line with its end.
pub(crate) fn lines_of(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// A line without its newline. A carriage return is a byte of the text.
fn without_end(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}
