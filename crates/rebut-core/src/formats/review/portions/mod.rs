//! A diff that is too long for one reader, in portions: by file, then by hunk, then by the lines of a huge hunk.
//!
//! Nothing is left out. Pieces are placed riskiest first, each in the first portion that it fits, so the first portion has the
//! riskiest piece. What fits into no portion is named.

mod risk;
mod snippet;

pub(super) use snippet::snippet_portions;

use crate::diff::{Diff, FileDiff, Hunk, HunkLine};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Portions {
    pub(super) pieces: Vec<Portion>,
    /// The paths of files whose change shows nothing to read: binary files.
    pub(super) unreadable: Vec<String>,
    /// Places (`path:line`, or the path alone) of what is longer than a portion may be, and is in none.
    pub(super) too_long: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Portion {
    /// The text: a diff, or lines of a snippet.
    pub(super) text: String,
    pub(super) files: Vec<String>,
    /// How risky its riskiest piece is; more is riskier.
    pub(super) risk: u32,
}

/// Splits a diff into portions of at most this many bytes.
pub(super) fn portions(diff: &Diff, most_bytes: usize) -> Portions {
    let mut all = Portions::default();
    let mut pieces = Vec::new();
    for file in &diff.files {
        // A combined diff of a merge is read as it is.
        if file.binary {
            all.unreadable.push(file.path().to_owned());
        } else {
            cut(file, most_bytes, &mut pieces, &mut all.too_long);
        }
    }
    pieces.sort_by_key(|piece| std::cmp::Reverse(piece.risk));
    for piece in pieces {
        match all.pieces.iter_mut().find(|portion| portion.text.len() + piece.text.len() <= most_bytes) {
            Some(portion) => portion.take(piece),
            None => all.pieces.push(piece),
        }
    }
    all
}

impl Portion {
    fn take(&mut self, piece: Self) {
        self.text.push_str(&piece.text);
        self.files.extend(piece.files.into_iter().filter(|file| !self.files.contains(file)).collect::<Vec<_>>());
    }
}

fn cut(file: &FileDiff, most: usize, pieces: &mut Vec<Portion>, too_long: &mut Vec<String>) {
    let whole = piece(file, &file.hunks);
    if whole.text.len() <= most {
        pieces.push(whole);
        return;
    }
    if file.hunks.is_empty() {
        too_long.push(file.path().to_owned());
        return;
    }
    // Adjacent hunks stay together while they fit.
    let mut group: Vec<Hunk> = Vec::new();
    let mut size = 0;
    let close = |group: &mut Vec<Hunk>, pieces: &mut Vec<Portion>| {
        if !group.is_empty() {
            pieces.push(piece(file, &std::mem::take(group)));
        }
    };
    for hunk in &file.hunks {
        let length = hunk.to_string().len();
        if size + length > most {
            close(&mut group, pieces);
        }
        if file.header.len() + length > most {
            let parts = lines_of(hunk, most.saturating_sub(file.header.len()), file.path(), too_long);
            pieces.extend(parts.into_iter().map(|part| piece(file, &[part])));
            continue;
        }
        size = if group.is_empty() { file.header.len() + length } else { size + length };
        group.push(hunk.clone());
    }
    close(&mut group, pieces);
}

fn piece(file: &FileDiff, hunks: &[Hunk]) -> Portion {
    let changed = hunks.iter().flat_map(|hunk| &hunk.lines);
    let changed = changed.filter(|line| matches!(line, HunkLine::Added(_) | HunkLine::Removed(_)));
    Portion {
        text: hunks.iter().fold(file.header.clone(), |text, hunk| text + &hunk.to_string()),
        files: vec![file.path().to_owned()],
        risk: risk::score(file.path(), changed.map(HunkLine::text)),
    }
}

/// How long the header of a part of a hunk can become: four numbers of ten digits and the marks around them.
const LONGEST_RANGES: usize = 4 * 10 + 12;

/// A huge hunk in smaller ones of at most this many bytes.
fn lines_of(hunk: &Hunk, most: usize, path: &str, too_long: &mut Vec<String>) -> Vec<Hunk> {
    let room = most.saturating_sub(LONGEST_RANGES + hunk.section.len());
    let mut parts: Vec<Hunk> = Vec::new();
    let (mut old, mut new) = (hunk.old_start, hunk.new_start);
    let mut size = usize::MAX;
    let mut at = 0;
    while at < hunk.lines.len() {
        let line = &hunk.lines[at];
        // The remark about a missing line end stays with its line.
        let height = 1 + usize::from(matches!(hunk.lines.get(at + 1), Some(HunkLine::NoNewline(_))));
        let lines = &hunk.lines[at..at + height];
        let length: usize = lines.iter().map(|line| line.text().len() + 2).sum();
        if length > room {
            let number = if matches!(line, HunkLine::Removed(_)) { old } else { new };
            too_long.push(format!("{path}:{number}"));
            size = usize::MAX;
        } else {
            if size.saturating_add(length) > room {
                parts.push(Hunk { old_start: old, new_start: new, section: hunk.section.clone(), lines: Vec::new() });
                size = 0;
            }
            size += length;
            if let Some(part) = parts.last_mut() {
                part.lines.extend_from_slice(lines);
            }
        }
        // A header can claim any number, and lines after the last possible number have none of their own.
        let is_numbered = hunk.old_start > 0 || hunk.new_start > 0;
        old = old.saturating_add(u32::from(is_numbered && matches!(line, HunkLine::Context(_) | HunkLine::Removed(_))));
        new = new.saturating_add(u32::from(is_numbered && matches!(line, HunkLine::Context(_) | HunkLine::Added(_))));
        at += height;
    }
    // A side without lines is named by the line before it.
    for part in &mut parts {
        part.old_start -= u32::from(part.old_count() == 0 && part.old_start > 0 && hunk.old_count() > 0);
        part.new_start -= u32::from(part.new_count() == 0 && part.new_start > 0 && hunk.new_count() > 0);
    }
    parts
}

#[cfg(test)]
mod tests;
