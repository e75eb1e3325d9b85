//! Hunks put where their lines really are.
//!
//! Models miscount: the lines they quote are right, and the numbers before them are not. A hunk is placed by its lines
//! alone, where they stand in the file exactly once; nothing is guessed, and no line may differ. What cannot be placed is
//! told to its author, with the line that differs.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::diff::{Hunk, Line, Mark, Section, lines_of, without_end};
use super::revised::{Changed, Changes};
use super::working_tree::stripped;

/// Why hunks have no place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Misplaced {
    /// For the author of the patch.
    pub(crate) why: String,
    /// Whether there are several places, and nothing says which.
    pub(crate) ambiguous: bool,
}

impl Misplaced {
    fn plainly(why: impl Into<String>) -> Self {
        Self { why: why.into(), ambiguous: false }
    }

    fn of(self, what: &str) -> Self {
        Self { why: format!("{what}{}", self.why), ..self }
    }
}

/// How many lines may be compared to place the hunks of one patch. Lines that are all alike are compared with each other
/// over and over, and everything else waits on this thread.
const MOST_COMPARED: usize = 20_000_000;

/// What sections make of files. `read` gives a file as it is before; the error says what does not fit.
pub(crate) fn place(
    sections: &[Section<'_>],
    strip: usize,
    read: &dyn Fn(&[u8]) -> Option<Changed>,
) -> Result<Changes, Misplaced> {
    let mut changes: Changes = BTreeMap::new();
    let effort = Cell::new(MOST_COMPARED);
    for section in sections {
        let old = section.old.as_deref().map(|path| stripped(path, strip));
        let new = section.new.as_deref().map(|path| stripped(path, strip));
        let now = |path: &[u8]| changes.get(path).map_or_else(|| read(path), Clone::clone);
        let name = section.name();
        let before = match old {
            Some(old) => {
                now(old).ok_or_else(|| Misplaced::plainly(format!("there is no file {}", String::from_utf8_lossy(old))))?
            }
            None => Changed { executable: false, bytes: Vec::new() },
        };
        if let Some(new) = new
            && Some(new) != old
            && now(new).is_some()
        {
            return Err(Misplaced::plainly(format!("{name} is to be made, and is there already")));
        }
        let bytes =
            placed(&section.hunks, &before.bytes, &effort).map_err(|misplaced| misplaced.of(&format!("{name}, ")))?;
        if new.is_none() && !bytes.is_empty() && !section.hunks.is_empty() {
            return Err(Misplaced::plainly(format!("{name} is to be deleted, and the patch leaves lines of it")));
        }
        if let Some(old) = old
            && Some(old) != new
            && !section.copied
        {
            changes.insert(old.to_vec(), None);
        }
        if let Some(new) = new {
            let executable = section.new_mode.map_or(before.executable, |mode| mode == b"100755");
            changes.insert(new.to_vec(), Some(Changed { executable, bytes }));
        }
    }
    Ok(changes)
}

/// A text with all hunks in their places.
fn placed(hunks: &[Hunk<'_>], text: &[u8], effort: &Cell<usize>) -> Result<Vec<u8>, Misplaced> {
    let lines: Vec<&[u8]> = lines_of(text).into_iter().map(|(_, line)| line).collect();
    // Where every line ends with a carriage return, a patch without any means those lines all the same.
    let ended = |line: &&[u8]| line.ends_with(b"\n");
    let returns = lines.iter().any(ended) && lines.iter().filter(|line| ended(line)).all(|line| line.ends_with(b"\r\n"));
    let file = File { lines, returns, effort };
    let mut places = Vec::new();
    for (number, hunk) in hunks.iter().enumerate() {
        let at = file.find(hunk).map_err(|misplaced| misplaced.of(&format!("hunk {}: ", number + 1)))?;
        places.push((at, number, hunk));
    }
    places.sort_by_key(|(at, number, _)| (*at, *number));
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut next = 0;
    for (at, number, hunk) in places {
        if at < next {
            let why = format!("hunk {}: it speaks of lines that another hunk has changed", number + 1);
            return Err(Misplaced::plainly(why));
        }
        file.lines[next..at].iter().for_each(|line| out.extend(*line));
        next = at;
        for line in &hunk.lines {
            match line.mark {
                Mark::Goes => next += 1,
                Mark::Stays => {
                    end_line(&mut out, file.returns);
                    out.extend(file.lines[next]);
                    next += 1;
                }
                Mark::Comes => {
                    end_line(&mut out, file.returns);
                    out.extend(line.text);
                    if !line.open_end {
                        if file.returns && !line.text.ends_with(b"\r") {
                            out.push(b'\r');
                        }
                        out.push(b'\n');
                    }
                }
            }
        }
        if next < file.lines.len() {
            end_line(&mut out, file.returns);
        }
    }
    file.lines[next..].iter().for_each(|line| out.extend(*line));
    Ok(out)
}

/// A line that is the last no more gets an end.
fn end_line(out: &mut Vec<u8>, returns: bool) {
    if out.last().is_some_and(|last| *last != b'\n') {
        if returns {
            out.push(b'\r');
        }
        out.push(b'\n');
    }
}

/// The lines of a file, with their ends.
struct File<'a> {
    lines: Vec<&'a [u8]>,
    returns: bool,
    /// How many lines may still be compared.
    effort: &'a Cell<usize>,
}

impl File<'_> {
    /// Where the lines that a hunk expects begin, counted from 0.
    fn find(&self, hunk: &Hunk<'_>) -> Result<usize, Misplaced> {
        let expected: Vec<&Line<'_>> = hunk.lines.iter().filter(|line| line.mark != Mark::Comes).collect();
        if expected.is_empty() {
            if self.lines.is_empty() {
                return Ok(0);
            }
            return Err(Misplaced::plainly("it names no line of the file beside what it adds; give some lines around it"));
        }
        let last = self.lines.len().checked_sub(expected.len());
        let places: Vec<usize> = last
            .map_or(0..0, |last| 0..last + 1)
            .filter(|at| expected.iter().zip(&self.lines[*at..]).all(|(line, there)| self.is_same(line, there)))
            .collect();
        if self.effort.get() == 0 {
            return Err(Misplaced::plainly("its lines are too much alike to be placed; give shorter hunks"));
        }
        match places[..] {
            [] => Err(Misplaced::plainly(self.nearest(hunk, &expected))),
            [place] => Ok(place),
            // Of several places it is the one that it says, if it says one of them.
            _ => places.iter().copied().find(|place| hunk.at == Some(place + 1)).ok_or_else(|| {
                let some: Vec<String> = places.iter().take(5).map(|place| (place + 1).to_string()).collect();
                let (count, some) = (places.len(), some.join(", "));
                let why = format!("its lines stand in the file {count} times, at {some}; give more lines around it");
                Misplaced { why, ambiguous: true }
            }),
        }
    }

    /// Whether two lines are the same. Where too many were compared, none is any more.
    fn is_same(&self, line: &Line<'_>, there: &[u8]) -> bool {
        let left = self.effort.get();
        self.effort.set(left.saturating_sub(1));
        left > 0 && self.bare(line.text) == self.bare(without_end(there))
    }

    fn bare<'b>(&self, text: &'b [u8]) -> &'b [u8] {
        if self.returns { text.strip_suffix(b"\r").unwrap_or(text) } else { text }
    }

    /// What differs at the place where most lines are the same.
    fn nearest(&self, hunk: &Hunk<'_>, expected: &[&Line<'_>]) -> String {
        let said = hunk.at.unwrap_or(1).saturating_sub(1);
        let alike = |at: usize| {
            let same = expected.iter().zip(self.lines.get(at..).unwrap_or_default());
            same.filter(|(line, there)| self.is_same(line, there)).count()
        };
        let best = (0..self.lines.len()).max_by_key(|at| (alike(*at), std::cmp::Reverse(at.abs_diff(said))));
        let shown = |text: &[u8]| {
            let text = String::from_utf8_lossy(text);
            let short: String = text.chars().take(120).collect();
            format!("`{short}`")
        };
        let Some(at) = best.filter(|at| alike(*at) > 0) else {
            let first = expected.first().map(|line| shown(line.text)).unwrap_or_default();
            return format!("none of the lines that it expects is in the file; the first is {first}");
        };
        let differs = (0..expected.len())
            .find(|offset| self.lines.get(at + offset).is_none_or(|there| !self.is_same(expected[*offset], there)));
        let offset = differs.unwrap_or(0);
        let wanted = shown(expected[offset].text);
        match self.lines.get(at + offset) {
            Some(there) => {
                format!("it expects {wanted} where line {} of the file is {}", at + offset + 1, shown(without_end(there)))
            }
            None => format!("it expects {wanted} where the file has ended, after line {}", self.lines.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::diff::sections;
    use super::*;

    fn on(text: &str, hunks: &str) -> Result<String, String> {
        let patch = format!("--- a/f\n+++ b/f\n{hunks}");
        let placed = placed(&sections(patch.as_bytes())[0].hunks, text.as_bytes(), &Cell::new(MOST_COMPARED));
        placed.map(|bytes| String::from_utf8(bytes).unwrap()).map_err(|misplaced| misplaced.why)
    }

    #[test]
    fn a_hunk_is_placed_by_its_lines_whatever_its_numbers_say() {
        let text = "a\nb\nc\nd\ne\n";
        for header in ["@@ -3,2 +3,3 @@", "@@ -900,7 +1,1 @@", "@@ @@", "@@ ... @@ fn c()"] {
            assert_eq!(on(text, &format!("{header}\n c\n-d\n+x\n+y\n")).unwrap(), "a\nb\nc\nx\ny\ne\n", "{header}");
        }
        let two = "@@ -9 +9 @@\n-e\n+E\n@@ -1 +1 @@\n-a\n+A\n";
        assert_eq!(on(text, two).unwrap(), "A\nb\nc\nd\nE\n");
    }

    #[test]
    fn several_places_are_told_unless_the_number_names_one() {
        let text = "x\n}\ny\n}\n";
        assert_eq!(on(text, "@@ -4 +4 @@\n }\n+z\n").unwrap(), "x\n}\ny\n}\nz\n");
        let error = on(text, "@@ -3 +3 @@\n }\n+z\n").unwrap_err();
        assert_eq!(error, "hunk 1: its lines stand in the file 2 times, at 2, 4; give more lines around it");
    }

    #[test]
    fn a_line_that_is_another_one_is_named() {
        let text = "fn a() {\n    one();\n    two();\n}\n";
        let error = on(text, "@@ -1,3 +1,3 @@\n fn a() {\n-    one(1);\n+    uno();\n     two();\n").unwrap_err();
        assert_eq!(error, "hunk 1: it expects `    one(1);` where line 2 of the file is `    one();`");
        let error = on(text, "@@ -9 +9 @@\n-nothing\n+x\n").unwrap_err();
        assert_eq!(error, "hunk 1: none of the lines that it expects is in the file; the first is `nothing`");
        let error = on(text, "@@ -4,2 +4 @@\n }\n-end\n").unwrap_err();
        assert_eq!(error, "hunk 1: it expects `end` where the file has ended, after line 4");
        assert!(on(text, "@@ -2,0 +3 @@\n+x\n").unwrap_err().contains("give some lines around it"));
        let overlapping =
            "@@ -1,2 +1,2 @@\n-fn a() {\n+fn b() {\n     one();\n@@ -2,2 +2,2 @@\n     one();\n-    two();\n+    x();\n";
        assert!(on(text, overlapping).unwrap_err().contains("another hunk"));
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
        fn any_hunks_are_placed_or_told_why_not(
            text in "([ab]\n|\r\n){0,8}[ab]?",
            hunks in "(@@ -[0-9],1 \\+1 @@\n|[ +-][ab]\n|\n|\\\\ No\n){0,14}",
        ) {
            // A text that nothing is done to stays as it is, and nothing else is more than told.
            if let Ok(after) = on(&text, &format!("@@ @@\n{hunks}"))
                && !hunks.contains(['+', '-'])
            {
                prop_assert_eq!(after, text);
            }
        }
    }
}
