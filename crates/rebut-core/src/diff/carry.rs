//! Where the lines of the old side went.

use super::{Diff, FileDiff, Hunk, HunkLine, Moved};

impl Diff {
    /// Where a line of the old side is on the new side: in which file, at which line. None where the line or its file
    /// was removed, or where that is unknown (binary files, combined diffs). Lines of untouched files stay.
    pub fn carried(&self, path: &str, line: u32) -> Option<(String, u32)> {
        let is_old = |file: &&FileDiff| file.old.as_deref() == Some(path);
        // A copy leaves the original where it is; the original's change, if any, is a separate entry.
        let Some(file) = self.files.iter().filter(is_old).find(|file| file.moved != Moved::Copied) else {
            return Some((path.to_owned(), line));
        };
        if !file.is_readable() {
            return None;
        }
        let new = file.new.clone()?;
        let mut moved: i64 = 0;
        for hunk in &file.hunks {
            // A hunk without old lines names the line after which it adds.
            let first = hunk.old_start.saturating_add(u32::from(hunk.old_count() == 0));
            if line < first {
                break;
            }
            if line < first.saturating_add(hunk.old_count()) {
                return Some((new, within(hunk, line)?));
            }
            moved += i64::from(hunk.new_count()) - i64::from(hunk.old_count());
        }
        u32::try_from(i64::from(line) + moved).ok().map(|line| (new, line))
    }

    /// Whether a quote is on the old side of this path and at least one of its lines is removed. White space does not
    /// count, and the quote may carry the diff's own marks.
    pub fn removes(&self, path: &str, quote: &str) -> bool {
        let quotes = [Some(squeezed(quote)), unmarked(quote).map(|quote| squeezed(&quote))];
        let mut quotes = quotes.iter().flatten().filter(|quote| !quote.is_empty());
        quotes.any(|quote| self.hunks_of(path).any(|hunk| is_in(hunk, quote)))
    }

    /// A quote that was taken from lines of the change with their signs, without them; none where it was not.
    pub fn unsigned(&self, path: &str, quote: &str) -> Option<String> {
        let lines: Vec<&HunkLine> = self.hunks_of(path).flat_map(|hunk| &hunk.lines).collect();
        let unsign = |quoted: &str| {
            let is_it = |line: &&&HunkLine| match line {
                HunkLine::Added(text) => quoted.strip_prefix('+').is_some_and(|rest| rest.trim() == text.trim()),
                HunkLine::Removed(text) => quoted.strip_prefix('-').is_some_and(|rest| rest.trim() == text.trim()),
                HunkLine::Context(text) => quoted.trim() == text.trim(),
                HunkLine::NoNewline(_) => false,
            };
            lines.iter().find(is_it).map(|line| line.text())
        };
        let plain: Option<Vec<&str>> = quote.lines().map(unsign).collect();
        plain.map(|plain| plain.join("\n")).filter(|plain| squeezed(plain) != squeezed(quote))
    }

    /// The hunks of a file by its old or new path.
    fn hunks_of(&self, path: &str) -> impl Iterator<Item = &Hunk> {
        let is_it = move |file: &&FileDiff| [&file.old, &file.new].iter().any(|side| side.as_deref() == Some(path));
        self.files.iter().filter(is_it).flat_map(|file| &file.hunks)
    }
}

/// Where a line of the hunk's old side is on its new side.
fn within(hunk: &Hunk, line: u32) -> Option<u32> {
    let (mut old, mut new) = (hunk.old_start, hunk.new_start);
    for each in &hunk.lines {
        match each {
            HunkLine::Context(_) if old == line => return Some(new),
            HunkLine::Removed(_) if old == line => return None,
            HunkLine::Context(_) => (old, new) = (old.saturating_add(1), new.saturating_add(1)),
            HunkLine::Removed(_) => old = old.saturating_add(1),
            HunkLine::Added(_) => new = new.saturating_add(1),
            HunkLine::NoNewline(_) => {}
        }
    }
    None
}

/// Whether the words are on the hunk's old side and touch a removed line.
fn is_in(hunk: &Hunk, quote: &str) -> bool {
    let mut side = String::new();
    let mut removed = Vec::new();
    for line in &hunk.lines {
        if !matches!(line, HunkLine::Context(_) | HunkLine::Removed(_)) {
            continue;
        }
        let text = squeezed(line.text());
        if text.is_empty() {
            continue;
        }
        if !side.is_empty() {
            side.push(' ');
        }
        if matches!(line, HunkLine::Removed(_)) {
            removed.push(side.len()..side.len() + text.len());
        }
        side.push_str(&text);
    }
    side.match_indices(quote).any(|(at, _)| removed.iter().any(|lines| lines.start < at + quote.len() && at < lines.end))
}

/// Text with single spaces.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A quote that was taken from the diff with its marks, without them; lines that were added are not part of the old side.
fn unmarked(quote: &str) -> Option<String> {
    let lines: Vec<&str> = quote.lines().filter(|line| !line.trim().is_empty()).collect();
    let marked =
        lines.iter().all(|line| line.starts_with(['-', ' ', '+'])) && lines.iter().any(|line| line.starts_with('-'));
    let old = lines.iter().filter(|line| !line.starts_with('+')).map(|line| &line[1..]);
    marked.then(|| old.collect::<Vec<_>>().join("\n"))
}
