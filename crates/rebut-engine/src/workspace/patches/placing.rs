//! Hunks, placed by their lines.
//!
//! Models miscount: the lines they quote are right, and the line numbers are not. A hunk belongs where its lines occur in
//! the file, exactly and once; of several such places, to the one it names. An error names the line that differs.

use std::cell::Cell;

use rebut_core::diff::{Diff, EXECUTABLE, Hunk, HunkLine, Moved};

use super::revised::{Changed, Changes};
use super::{lines_of, without_end};

/// Who wrote the line numbers of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WrittenBy {
    Model,
    /// Numbers are right, so that a hunk without lines around it (`git diff -U0`) has a place.
    Program,
}

/// How many lines may be compared to place the hunks of one patch: lines that are all alike are compared over and over.
const MOST_COMPARED: usize = 20_000_000;

/// The files that a patch results in. `read` gives a file as it is before.
pub(crate) fn place(diff: &Diff, by: WrittenBy, read: &dyn Fn(&str) -> Option<Changed>) -> Result<Changes, String> {
    let mut changes = Changes::new();
    let effort = Cell::new(MOST_COMPARED);
    for file in &diff.files {
        let (old, new, name) = (file.old.as_deref(), file.new.as_deref(), file.path());
        let now = |path: &str| changes.get(path).map_or_else(|| read(path), Clone::clone);
        let before = match old {
            Some(old) => now(old).ok_or_else(|| format!("there is no file {old}"))?,
            None => Changed { executable: false, bytes: Vec::new() },
        };
        if new.is_some_and(|new| Some(new) != old && now(new).is_some()) {
            return Err(format!("{name} already exists"));
        }
        let bytes = placed(&file.hunks, &before.bytes, by, &effort).map_err(|why| format!("{name}, {why}"))?;
        if new.is_none() && !bytes.is_empty() && !file.hunks.is_empty() {
            return Err(format!("{name}: the patch deletes the file but leaves some of its lines"));
        }
        if let Some(old) = old.filter(|old| Some(*old) != new && file.moved != Moved::Copied) {
            changes.insert(old.to_owned(), None);
        }
        if let Some(new) = new {
            let executable = file.new_mode.as_ref().map_or(before.executable, |mode| mode == EXECUTABLE);
            changes.insert(new.to_owned(), Some(Changed { executable, bytes }));
        }
    }
    Ok(changes)
}

fn placed(hunks: &[Hunk], text: &[u8], by: WrittenBy, effort: &Cell<usize>) -> Result<Vec<u8>, String> {
    let lines = lines_of(text);
    // Where every line ends with a carriage return, a patch without any means those lines all the same.
    let ended = |line: &&[u8]| line.ends_with(b"\n");
    let returns = lines.iter().any(ended) && lines.iter().filter(|line| ended(line)).all(|line| line.ends_with(b"\r\n"));
    let file = File { lines, returns, by, effort };
    let mut places = Vec::new();
    for (number, hunk) in hunks.iter().enumerate() {
        places.push((file.find(hunk).map_err(|why| format!("hunk {}: {why}", number + 1))?, number, hunk));
    }
    places.sort_by_key(|(at, number, _)| (*at, *number));
    let mut out = Text { bytes: Vec::with_capacity(text.len()), returns };
    // Up to here the file has been copied; two hunks may share lines that neither changes.
    let mut next = 0;
    for (at, number, hunk) in places {
        if at < next {
            return Err(format!("hunk {}: it contains lines that another hunk changes", number + 1));
        }
        let mut here = at;
        for (line, after) in hunk.lines.iter().zip(hunk.lines.iter().skip(1).map(Some).chain([None])) {
            match line {
                HunkLine::NoNewline(_) => continue,
                HunkLine::Context(_) => {
                    here += 1;
                    continue;
                }
                HunkLine::Removed(_) => {
                    file.lines[next..here].iter().for_each(|line| out.copy(line));
                    here += 1;
                }
                HunkLine::Added(text) => {
                    file.lines[next..here].iter().for_each(|line| out.copy(line));
                    out.add(text.as_bytes(), matches!(after, Some(HunkLine::NoNewline(_))));
                }
            }
            next = here;
        }
    }
    file.lines[next..].iter().for_each(|line| out.copy(line));
    Ok(out.bytes)
}

/// A text that grows line by line.
struct Text {
    bytes: Vec<u8>,
    returns: bool,
}

impl Text {
    fn copy(&mut self, line: &[u8]) {
        self.end_line();
        self.bytes.extend(line);
    }

    fn add(&mut self, text: &[u8], has_open_end: bool) {
        self.end_line();
        self.bytes.extend(text);
        if !has_open_end {
            if self.returns && !text.ends_with(b"\r") {
                self.bytes.push(b'\r');
            }
            self.bytes.push(b'\n');
        }
    }

    /// Ends a line that was the last one before.
    fn end_line(&mut self) {
        if self.bytes.last().is_some_and(|last| *last != b'\n') {
            self.bytes.extend(if self.returns { &b"\r\n"[..] } else { b"\n" });
        }
    }
}

struct File<'a> {
    lines: Vec<&'a [u8]>,
    returns: bool,
    by: WrittenBy,
    /// How many lines may still be compared.
    effort: &'a Cell<usize>,
}

impl File<'_> {
    /// Where the lines that a hunk expects begin, counted from 0.
    fn find(&self, hunk: &Hunk) -> Result<usize, String> {
        let is_old = |line: &&HunkLine| matches!(line, HunkLine::Context(_) | HunkLine::Removed(_));
        let expected: Vec<&[u8]> = hunk.lines.iter().filter(is_old).map(|line| line.text().as_bytes()).collect();
        let said = usize::try_from(hunk.old_start).unwrap_or(usize::MAX);
        if expected.is_empty() {
            return match self.by {
                _ if self.lines.is_empty() => Ok(0),
                WrittenBy::Program if said <= self.lines.len() => Ok(said),
                _ => Err("it has no lines of the file around what it adds; include some".to_owned()),
            };
        }
        let last = self.lines.len().checked_sub(expected.len());
        let places: Vec<usize> = last
            .map_or(0..0, |last| 0..last + 1)
            .filter(|at| expected.iter().zip(&self.lines[*at..]).all(|(line, there)| self.is_same(line, there)))
            .collect();
        if self.effort.get() == 0 {
            return Err("its lines are too much alike to be placed; give shorter hunks".to_owned());
        }
        match places[..] {
            [] => Err(self.nearest(said, &expected)),
            [place] => Ok(place),
            _ => places.iter().copied().find(|place| said == place + 1).ok_or_else(|| {
                let some: Vec<String> = places.iter().take(5).map(|place| (place + 1).to_string()).collect();
                let (count, some) = (places.len(), some.join(", "));
                format!("its lines occur {count} times in the file, at {some}; include more lines around them")
            }),
        }
    }

    fn is_same(&self, line: &[u8], there: &[u8]) -> bool {
        let left = self.effort.get();
        self.effort.set(left.saturating_sub(1));
        left > 0 && self.bare(line) == self.bare(without_end(there))
    }

    fn bare<'b>(&self, text: &'b [u8]) -> &'b [u8] {
        if self.returns { text.strip_suffix(b"\r").unwrap_or(text) } else { text }
    }

    /// What differs at the place where most lines are the same.
    fn nearest(&self, said: usize, expected: &[&[u8]]) -> String {
        let said = said.saturating_sub(1);
        let alike = |at: usize| {
            let same = expected.iter().zip(self.lines.get(at..).unwrap_or_default());
            same.filter(|(line, there)| self.is_same(line, there)).count()
        };
        let best = (0..self.lines.len()).max_by_key(|at| (alike(*at), std::cmp::Reverse(at.abs_diff(said))));
        let shown = |text: &[u8]| format!("`{}`", String::from_utf8_lossy(text).chars().take(120).collect::<String>());
        let Some(at) = best.filter(|at| alike(*at) > 0) else {
            let first = expected.first().map(|line| shown(line)).unwrap_or_default();
            return format!("none of the lines it expects is in the file; the first is {first}");
        };
        let differs =
            |offset: &usize| self.lines.get(at + offset).is_none_or(|there| !self.is_same(expected[*offset], there));
        let offset = (0..expected.len()).find(differs).unwrap_or(0);
        let wanted = shown(expected[offset]);
        match self.lines.get(at + offset) {
            Some(there) => format!("it expects {wanted}, but line {} is {}", at + offset + 1, shown(without_end(there))),
            None => format!("it expects {wanted}, but the file ends after line {}", self.lines.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn on(text: &str, hunks: &str) -> Result<String, String> {
        let patch = format!("--- a/f\n+++ b/f\n{hunks}");
        let diff = Diff::parse(&patch);
        let placed = placed(&diff.files[0].hunks, text.as_bytes(), WrittenBy::Model, &Cell::new(MOST_COMPARED));
        placed.map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn hunks_are_placed_by_their_lines_in_any_order_and_by_numbers_only_where_those_occur_again() {
        assert_eq!(on("a\nb\nc\n", "@@ -9 +9 @@\n-c\n+C\n@@ -1 +1 @@\n-a\n+A\n").unwrap(), "A\nb\nC\n");
        assert_eq!(on("x\n}\ny\n}\n", "@@ -4 +4 @@\n }\n+z\n").unwrap(), "x\n}\ny\n}\nz\n");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let text = "fn a() {\n    one();\n    two();\n}\n";
        let error = on(text, "@@ -9 +9 @@\n-nothing\n+x\n").unwrap_err();
        assert_eq!(error, "hunk 1: none of the lines it expects is in the file; the first is `nothing`");
        let error = on(text, "@@ -4,2 +4 @@\n }\n-end\n").unwrap_err();
        assert_eq!(error, "hunk 1: it expects `end`, but the file ends after line 4");
        assert!(on(text, "@@ -2,0 +3 @@\n+x\n").unwrap_err().contains("include some"));
        let sharing =
            "@@ -1,2 +1,2 @@\n-fn a() {\n+fn b() {\n     one();\n@@ -2,2 +2,2 @@\n     one();\n-    two();\n+    x();\n";
        assert_eq!(on(text, sharing).unwrap(), "fn b() {\n    one();\n    x();\n}\n", "neither changes the line they share");
        let overlapping = sharing.replace("     one();\n@@", "-    one();\n@@");
        assert!(on(text, &overlapping).unwrap_err().contains("another hunk"));
    }

    #[test]
    fn lines_that_are_all_alike_are_not_compared_for_ever() {
        let hunks = format!("@@ -1,60000 +1,60000 @@\n{}-x\n", " \n".repeat(60_000));
        let why = on(&"\n".repeat(200_000), &hunks).unwrap_err();
        assert_eq!(why, "hunk 1: its lines are too much alike to be placed; give shorter hunks");
    }

    #[test]
    fn ends_of_lines_are_those_of_the_file() {
        assert_eq!(on("a\r\nb\r\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n").unwrap(), "a\r\nc\r\n");
        assert_eq!(on("a\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n").unwrap(), "a\nb\nc\n");
        assert_eq!(on("a\nb", "@@ -1 +1 @@\n-a\n+x\n").unwrap(), "x\nb");
        assert_eq!(on("a\nb\n", "@@ -2 +2 @@\n-b\n+x\n\\ No newline at end of file\n").unwrap(), "a\nx");
        assert_eq!(on("a\nb", "@@ -2 +2 @@\n-b\n+x\n").unwrap(), "a\nx\n");
        assert_eq!(on("", "@@ -0,0 +1 @@\n+x\n").unwrap(), "x\n");
        assert_eq!(on("a", "@@ -1 +1,2 @@\n-a\n+x\n+y\n").unwrap(), "x\ny\n", "no line says how lines end");
        assert_eq!(on("a\r\nb", "@@ -2 +2 @@\n-b\n+x\n").unwrap(), "a\r\nx\r\n");
    }

    proptest! {
        #[test]
        fn any_hunks_are_placed_or_refused(
            text in "([ab]\n|\r\n){0,8}[ab]?",
            hunks in "(@@ -[0-9],1 \\+1 @@\n|[ +-][ab]\n|\n|\\\\ No\n){0,14}",
        ) {
            if let Ok(after) = on(&text, &format!("@@ @@\n{hunks}"))
                && !hunks.contains(['+', '-'])
            {
                prop_assert_eq!(after, text);
            }
        }
    }
}
