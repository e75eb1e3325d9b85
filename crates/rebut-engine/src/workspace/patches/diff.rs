//! A unified diff, read as data: which files it names, and what its hunks expect and leave.
//!
//! Git's own diffs are read, and such as people and models write: without `diff --git` lines, with counts that are wrong,
//! with hunks that say no line. Nothing here touches a file, and what is read is never trusted: whether a patch applies is
//! asked of git.

use std::borrow::Cow;

/// What a diff says of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Section<'a> {
    /// The path before, as the diff writes it, with its `a/`; `None` for a file that is new.
    pub(crate) old: Option<Vec<u8>>,
    /// The path after, with its `b/`; `None` for a file that is deleted.
    pub(crate) new: Option<Vec<u8>>,
    /// Every mode that is named.
    pub(crate) modes: Vec<&'a [u8]>,
    /// Whether it is about bytes that are no text.
    pub(crate) binary: bool,
    /// The mode that the file is to have, where one is named.
    pub(crate) new_mode: Option<&'a [u8]>,
    /// Whether the file is a copy, and the one before stays.
    pub(crate) copied: bool,
    /// Whether its lines name different files, as where the beginning of the next one is missing.
    pub(crate) inconsistent: bool,
    pub(crate) hunks: Vec<Hunk<'a>>,
    pub(crate) bytes: &'a [u8],
}

/// A place where texts differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hunk<'a> {
    /// The line at which it says to begin, counted from 1, where it says one.
    pub(crate) at: Option<usize>,
    /// Its lines, without the mark, with their end.
    pub(crate) lines: Vec<Line<'a>>,
}

/// A line of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// What becomes of it.
    pub(crate) mark: Mark,
    /// Its bytes, without the end of the line.
    pub(crate) text: &'a [u8],
    /// Whether it is said to have no end, as the last line of a file may.
    pub(crate) open_end: bool,
}

/// What becomes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Stays,
    Goes,
    Comes,
}

impl Section<'_> {
    /// The path by which people know the file: the new one, without `b/`.
    pub(crate) fn name(&self) -> String {
        let path = self.new.as_deref().or(self.old.as_deref()).unwrap_or(b"a file without a name");
        let path = path.strip_prefix(b"b/").or_else(|| path.strip_prefix(b"a/")).unwrap_or(path);
        String::from_utf8_lossy(path).into_owned()
    }

    /// Whether it names a submodule. Git leaves the mode away where only the submodule's own files differ.
    pub(crate) fn is_submodule(&self) -> bool {
        let speaks_of_it = |line: &Line<'_>| line.text.starts_with(b"Subproject commit ");
        let dirty = || match &self.hunks[..] {
            [hunk] => hunk.lines.len() == 2 && hunk.lines.iter().all(speaks_of_it),
            _ => false,
        };
        self.modes.contains(&SUBMODULE) || (self.modes.is_empty() && dirty())
    }
}

/// What `git apply` must be told of a diff without lines around its changes, as `git diff -U0` writes: that it knows. By
/// itself git takes such a hunk for one at the very beginning or end of a file.
pub(crate) fn without_surroundings(sections: &[Section<'_>]) -> Option<&'static str> {
    let changed = sections.iter().filter(|section| section.old.is_some() && section.new.is_some());
    let mut hunks = changed.flat_map(|section| &section.hunks);
    hunks.any(|hunk| hunk.lines.iter().all(|line| line.mark != Mark::Stays)).then_some("--unidiff-zero")
}

/// The mode of a submodule.
pub(crate) const SUBMODULE: &[u8] = b"160000";

/// Reads a diff. What comes before its first file is skipped, as git does.
pub(crate) fn sections(diff: &[u8]) -> Vec<Section<'_>> {
    let lines = lines_of(diff);
    let mut starts: Vec<usize> = Vec::new();
    let mut header = false;
    for at in 0..lines.len() {
        let line = lines[at].1;
        if line.starts_with(b"diff --git ") {
            starts.push(at);
            header = true;
        } else if begins_plainly(&lines[at..]) {
            // The paths of a section that `diff --git` has begun stand in it, once.
            if !header {
                starts.push(at);
            }
            header = false;
        } else if line.starts_with(b"@@") {
            header = false;
        }
    }
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    starts.iter().zip(ends).map(|(start, end)| section(diff, &lines[*start..end])).collect()
}

/// Whether these lines begin a file: `---`, `+++`, and then a hunk.
fn begins_plainly(lines: &[(usize, &[u8])]) -> bool {
    let begins = |at: usize, with: &[u8]| lines.get(at).is_some_and(|(_, line)| line.starts_with(with));
    begins(0, b"--- ") && begins(1, b"+++ ") && (begins(2, b"@@") || lines.len() == 2)
}

fn section<'a>(diff: &'a [u8], lines: &[(usize, &'a [u8])]) -> Section<'a> {
    let start = lines.first().map_or(0, |(at, _)| *at);
    let end = lines.last().map_or(0, |(at, line)| at + line.len());
    let mut section = Section { bytes: &diff[start..end.min(diff.len())], ..Section::default() };
    let (mut created, mut deleted, mut renamed) = (false, false, false);
    let mut rest = lines.iter().map(|(_, line)| *line);
    for line in rest.by_ref() {
        let text = without_end(line);
        if line.starts_with(b"@@") {
            section.hunks.push(Hunk { at: position(text), lines: Vec::new() });
            break;
        } else if let Some(names) = text.strip_prefix(b"diff --git ") {
            (section.old, section.new) = both_names(names);
        } else if let Some(mode) = text.strip_prefix(b"new file mode ") {
            created = true;
            section.new_mode = Some(mode.trim_ascii_end());
            section.modes.push(mode.trim_ascii_end());
        } else if let Some(mode) = text.strip_prefix(b"deleted file mode ") {
            deleted = true;
            section.modes.push(mode.trim_ascii_end());
        } else if let Some(mode) = text.strip_prefix(b"old mode ") {
            section.modes.push(mode.trim_ascii_end());
        } else if let Some(mode) = text.strip_prefix(b"new mode ") {
            section.new_mode = Some(mode.trim_ascii_end());
            section.modes.push(mode.trim_ascii_end());
        } else if let Some(hashes) = text.strip_prefix(b"index ") {
            section.modes.extend(hashes.iter().position(|byte| *byte == b' ').map(|at| hashes[at + 1..].trim_ascii_end()));
        } else if let Some(path) = text.strip_prefix(b"rename from ").or_else(|| text.strip_prefix(b"copy from ")) {
            section.old = Some([b"a/", &*unquoted(path)].concat());
            section.copied = text.starts_with(b"copy");
            renamed = true;
        } else if let Some(path) = text.strip_prefix(b"rename to ").or_else(|| text.strip_prefix(b"copy to ")) {
            section.new = Some([b"b/", &*unquoted(path)].concat());
        } else if let Some(path) = text.strip_prefix(b"--- ") {
            let path = path_of(path);
            section.inconsistent |= is_another(section.old.as_ref(), path.as_ref(), renamed);
            created |= path.is_none();
            section.old = path;
        } else if let Some(path) = text.strip_prefix(b"+++ ") {
            let path = path_of(path);
            section.inconsistent |= is_another(section.new.as_ref(), path.as_ref(), renamed);
            deleted |= path.is_none();
            section.new = path;
        } else if text.starts_with(b"Binary files ") || text.starts_with(b"GIT binary patch") {
            section.binary = true;
        }
    }
    if created {
        section.old = None;
    }
    if deleted {
        section.new = None;
    }
    let mut bare = 0;
    for line in rest {
        let text = without_end(line);
        if line.starts_with(b"@@") {
            bare = 0;
            section.hunks.push(Hunk { at: position(text), lines: Vec::new() });
            continue;
        }
        let Some(hunk) = section.hunks.last_mut() else { break };
        let (mark, text) = match line.first() {
            Some(b' ') => (Mark::Stays, &text[1..]),
            Some(b'-') => (Mark::Goes, &text[1..]),
            Some(b'+') => (Mark::Comes, &text[1..]),
            // Editors take the one space of an empty line away.
            Some(b'\n' | b'\r') => (Mark::Stays, text),
            Some(b'\\') => {
                if let Some(last) = hunk.lines.last_mut() {
                    last.open_end = true;
                }
                continue;
            }
            // Words after the last hunk.
            _ => break,
        };
        bare = if matches!(line.first(), Some(b'\n' | b'\r')) { bare + 1 } else { 0 };
        hunk.lines.push(Line { mark, text, open_end: false });
    }
    // Empty lines after the last hunk are most likely none of its own; and if they are, it finds its place without them.
    if let Some(hunk) = section.hunks.last_mut() {
        hunk.lines.truncate(hunk.lines.len().saturating_sub(bare));
    }
    section
}

/// Whether a path is another than the one that was named before. None at all is only that of a file that stays where it is.
fn is_another(before: Option<&Vec<u8>>, path: Option<&Vec<u8>>, renamed: bool) -> bool {
    match (before, path) {
        (Some(before), Some(path)) => before != path,
        (_, None) => renamed,
        (None, Some(_)) => false,
    }
}

/// Every line with its end, and where it begins.
pub(crate) fn lines_of(text: &[u8]) -> Vec<(usize, &[u8])> {
    let mut at = 0;
    let with_places = text.split_inclusive(|byte| *byte == b'\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    });
    with_places.collect()
}

/// A line without its newline. A carriage return is a byte of the text.
pub(crate) fn without_end(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// The line that `@@ -12,3 +14,4 @@` begins at.
fn position(header: &[u8]) -> Option<usize> {
    let old = header.strip_prefix(b"@@ -")?;
    let digits: &[u8] = &old[..old.iter().take_while(|byte| byte.is_ascii_digit()).count()];
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// The path after `---` or `+++`; none for `/dev/null`. What follows a tab is a time.
fn path_of(written: &[u8]) -> Option<Vec<u8>> {
    let written = written.strip_suffix(b"\r").unwrap_or(written);
    let path = if written.starts_with(b"\"") {
        unquoted(written).into_owned()
    } else {
        let end = written.iter().position(|byte| *byte == b'\t').unwrap_or(written.len());
        written[..end].to_vec()
    };
    (path != b"/dev/null").then_some(path)
}

/// The names in `a/x b/x`. Only where both are the same can they be told apart, and git says them elsewhere if not.
fn both_names(names: &[u8]) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
    if names.starts_with(b"\"") {
        let mut ends = names.windows(3).enumerate().filter(|(_, three)| *three == b"\" \"").map(|(at, _)| at + 1);
        return match ends.next() {
            Some(end) => (Some(unquoted(&names[..end]).into_owned()), Some(unquoted(&names[end + 1..]).into_owned())),
            None => (None, None),
        };
    }
    let middle = names.len() / 2;
    if names.get(middle) == Some(&b' ') {
        let (old, new) = (&names[..middle], &names[middle + 1..]);
        if old.get(2..) == new.get(2..) {
            return (Some(old.to_vec()), Some(new.to_vec()));
        }
    }
    (None, None)
}

/// A path as git quotes it: in quotation marks, with `\n`, `\"` and `\303`.
fn unquoted(written: &[u8]) -> Cow<'_, [u8]> {
    let Some(inner) = written.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) else {
        return Cow::Borrowed(written);
    };
    let mut path = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            path.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'n') => path.push(b'\n'),
            Some(b't') => path.push(b'\t'),
            Some(b'r') => path.push(b'\r'),
            Some(b'a') => path.push(7),
            Some(b'b') => path.push(8),
            Some(b'f') => path.push(12),
            Some(b'v') => path.push(11),
            Some(digit @ b'0'..=b'3') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    if let Some(next @ b'0'..=b'7') = bytes.peek().copied() {
                        value = value * 8 + u32::from(next - b'0');
                        bytes.next();
                    }
                }
                path.push(u8::try_from(value & 0xff).unwrap_or_default());
            }
            Some(other) => path.push(other),
            None => {}
        }
    }
    Cow::Owned(path)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(diff: &str) -> Vec<(String, String)> {
        let text = |path: &Option<Vec<u8>>| String::from_utf8_lossy(path.as_deref().unwrap_or(b"-")).into_owned();
        sections(diff.as_bytes()).iter().map(|section| (text(&section.old), text(&section.new))).collect()
    }

    #[test]
    fn files_are_found_with_and_without_gits_own_line() {
        let diff = "Here is the patch:\n\ndiff --git a/x.rs b/x.rs\nindex 1..2 100644\n--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-a\n+b\n\
                    --- a/y.rs\t2026-01-01\n+++ b/y.rs\n@@ -1,2 +1,2 @@\n-a\n+b\n\
                    diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n\
                    diff --git a/old name b/other\nsimilarity index 90%\nrename from old name\nrename to other\n\
                    diff --git \"a/t\\tb\" \"b/t\\tb\"\ndeleted file mode 100755\nindex 1..0\n";
        let expected =
            [("a/x.rs", "b/x.rs"), ("a/y.rs", "b/y.rs"), ("-", "b/new"), ("a/old name", "b/other"), ("a/t\tb", "-")];
        assert_eq!(names(diff), expected.map(|(old, new)| (old.to_owned(), new.to_owned())));
    }

    #[test]
    fn lines_that_look_like_headers_inside_of_a_hunk_are_lines() {
        let diff = "--- a/x.sql\n+++ b/x.sql\n@@ -1,3 +1,2 @@\n one\n--- a comment\n-+++ b\n+two\n";
        let found = sections(diff.as_bytes());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].hunks[0].lines.len(), 4);
        assert_eq!(found[0].hunks[0].lines[1], Line { mark: Mark::Goes, text: b"-- a comment", open_end: false });
    }

    #[test]
    fn words_and_empty_lines_after_the_last_hunk_are_no_part_of_it() {
        let diff = "--- a/x\n+++ b/x\n@@ -3,2 +3,2 @@\n a\n\n-b\n+c\n\n\nThat is all.\n";
        let lines: Vec<_> = sections(diff.as_bytes())[0].hunks[0].lines.iter().map(|line| line.mark).collect();
        assert_eq!(lines, [Mark::Stays, Mark::Stays, Mark::Goes, Mark::Comes]);
        let fenced = "--- a/x\n+++ b/x\n@@ @@\n-b\n+c\n```\nmore\n";
        let found = sections(fenced.as_bytes());
        assert_eq!((found[0].hunks[0].at, found[0].hunks[0].lines.len()), (None, 2));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(text in "(diff --git |--- |\\+\\+\\+ |@@ -|a/x|\"|\\\\|\n|\n\n| |-|\\+|[0-9]){0,60}") {
            for section in sections(text.as_bytes()) {
                let _ = section.name();
            }
        }
    }
}
