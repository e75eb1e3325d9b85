//! Reading a diff line by line. The counts of a hunk's header say where it ends; where they are wrong or missing, as in
//! diffs that no program wrote, the marks before the lines do.

use super::quoting::{bare, pair, path};
use super::{Diff, FileDiff, Hunk, HunkLine, Moved};

impl Diff {
    /// Reads a diff. What is none becomes the preamble.
    pub fn parse(text: &str) -> Self {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut diff = Self::default();
        let mut at = 0;
        while at < lines.len() {
            if let Some(kind) = begins_file(&lines, at) {
                let (file, next) = read_file(&lines, at, kind);
                diff.files.push(file);
                at = next;
                continue;
            }
            match diff.files.last_mut() {
                Some(file) => {
                    file.trailer.push_str(lines[at]);
                    file.place.end = at + 1;
                }
                None => diff.preamble.push_str(lines[at]),
            }
            at += 1;
        }
        diff
    }
}

/// What the first line of a file says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    Git,
    Combined,
    Submodule,
    Plain,
}

fn begins_file(lines: &[&str], at: usize) -> Option<Start> {
    let line = lines[at];
    if line.starts_with("diff --git ") {
        return Some(Start::Git);
    }
    if line.starts_with("diff --cc ") || line.starts_with("diff --combined ") {
        return Some(Start::Combined);
    }
    if submodule(line).is_some() {
        return Some(Start::Submodule);
    }
    let names = line.starts_with("--- ") && lines.get(at + 1).is_some_and(|next| next.starts_with("+++ "));
    (names && lines.get(at + 2).is_some_and(|next| hunk_header(next).is_some())).then_some(Start::Plain)
}

/// `Submodule lib/x 1234567..89abcde:`, as `diff.submodule = log` writes it.
fn submodule(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("Submodule ")?;
    let (before, _) = rest.split_once("..").or_else(|| rest.split_once(" contains "))?;
    let path = before.rsplit_once(' ').map_or(before, |(path, _)| path);
    let hash = before.rsplit_once(' ').is_none_or(|(_, hash)| hash.chars().all(|c| c.is_ascii_hexdigit()));
    (hash && !path.is_empty()).then_some(path)
}

fn read_file(lines: &[&str], start: usize, kind: Start) -> (FileDiff, usize) {
    let mut file = FileDiff::default();
    let mut names = Names::default();
    let mut at = start;
    while at < lines.len()
        && (at == start || begins_file(lines, at).is_none() || (kind == Start::Git && names.are_next(lines, at)))
    {
        let line = lines[at];
        if kind != Start::Combined && hunk_header(line).is_some() {
            break;
        }
        if kind == Start::Submodule && at > start && !line.starts_with("  ") {
            break;
        }
        // The header of a file without hunks ends where the next commit of a series begins.
        if !names.binary_patch && kind != Start::Combined && at > start && line.trim().is_empty() {
            break;
        }
        names.read(bare_line(line), &mut file);
        file.header.push_str(line);
        at += 1;
    }
    file.combined = kind == Start::Combined;
    names.settle(kind, bare_line(lines[start]), &mut file);
    while at < lines.len()
        && let Some((ranges, section)) = hunk_header(lines[at])
    {
        let (hunk, next) = read_hunk(lines, at + 1, ranges, section);
        file.hunks.push(hunk);
        at = next;
    }
    file.place = start..at;
    (file, at)
}

fn bare_line(line: &str) -> &str {
    line.trim_end_matches('\n').trim_end_matches('\r')
}

/// The names that the lines of a header give.
#[derive(Default)]
struct Names {
    minus: Option<String>,
    plus: Option<String>,
    from: Option<String>,
    to: Option<String>,
    is_new: bool,
    is_deleted: bool,
    binary_patch: bool,
}

impl Names {
    /// Whether the `---` line that comes now belongs to the git header that is being read.
    fn are_next(&self, lines: &[&str], at: usize) -> bool {
        self.minus.is_none() && lines[at].starts_with("--- ")
    }

    fn read(&mut self, line: &str, file: &mut FileDiff) {
        let after = |prefix: &str| line.strip_prefix(prefix);
        if let Some(rest) = after("--- ").filter(|_| !self.binary_patch) {
            self.minus = Some(path(rest).0);
        } else if let Some(rest) = after("+++ ").filter(|_| !self.binary_patch) {
            self.plus = Some(path(rest).0);
        } else if let Some(mode) = after("old mode ").or_else(|| after("deleted file mode ")) {
            self.is_deleted |= line.starts_with("deleted");
            file.modes.push(mode.trim_end().to_owned());
        } else if let Some(mode) = after("new mode ").or_else(|| after("new file mode ")) {
            self.is_new |= line.starts_with("new file");
            file.modes.push(mode.trim_end().to_owned());
            file.new_mode = file.modes.last().cloned();
        } else if let Some(rest) = after("rename from ").or_else(|| after("copy from ")) {
            file.moved = if line.starts_with("copy") { Moved::Copied } else { Moved::Renamed };
            self.from = Some(path(rest).0);
        } else if let Some(rest) = after("rename to ").or_else(|| after("copy to ")) {
            self.to = Some(path(rest).0);
        } else if let Some(rest) = after("index ") {
            file.modes.extend(rest.split_once(' ').map(|(_, mode)| mode.trim_end().to_owned()));
        } else if line.starts_with("Binary files ") && line.ends_with(" differ") {
            file.binary = true;
        } else if line == "GIT binary patch" {
            file.binary = true;
            self.binary_patch = true;
        }
    }

    /// The paths of both sides from all that was said.
    fn settle(&self, kind: Start, first: &str, file: &mut FileDiff) {
        let (old, new) = match kind {
            Start::Combined => {
                let name = first.splitn(3, ' ').nth(2).map(|rest| path(rest).0).unwrap_or_default();
                (name.clone(), name)
            }
            Start::Submodule => {
                let name = submodule(first).unwrap_or_default().to_owned();
                (name.clone(), name)
            }
            Start::Plain => without_prefixes(self.minus.clone().unwrap_or_default(), self.plus.clone().unwrap_or_default()),
            Start::Git => {
                let pair = first.strip_prefix("diff --git ").and_then(pair).unwrap_or_default();
                let (old, new) = without_prefixes(pair.0, pair.1);
                (self.from.clone().unwrap_or(old), self.to.clone().unwrap_or(new))
            }
        };
        let none = |side: &Option<String>| side.as_deref() == Some("/dev/null");
        file.inconsistent = kind == Start::Git && !self.agree(&old, &new);
        file.old = (!self.is_new && !none(&self.minus) && old != "/dev/null").then_some(old);
        file.new = (!self.is_deleted && !none(&self.plus) && new != "/dev/null").then_some(new);
    }

    /// Whether the lines `---` and `+++` name the same files as the lines before them. Only a file that is not moved may have
    /// one side alone.
    fn agree(&self, old: &str, new: &str) -> bool {
        let (Some(minus), Some(plus)) = (&self.minus, &self.plus) else { return true };
        let (minus, plus) = without_prefixes(minus.clone(), plus.clone());
        let agrees = |named: &str, known: &str| match named {
            "/dev/null" => self.from.is_none(),
            named => named == known,
        };
        agrees(&minus, old) && agrees(&plus, new)
    }
}

fn without_prefixes(one: String, other: String) -> (String, String) {
    let gone = "/dev/null";
    if one == gone || other == gone {
        let strip = |path: String, prefix: &str| path.strip_prefix(prefix).map(str::to_owned).unwrap_or(path);
        return (strip(one, "a/"), strip(other, "b/"));
    }
    match bare(&one, &other) {
        Some((old, new)) => (old.to_owned(), new.to_owned()),
        None => (one, other),
    }
}

/// `@@ -1,2 +3,4 @@ section`: the start and count of both sides, and the section. A header without readable numbers has
/// zeros and is a section as a whole; `@@@` is that of a merge.
fn hunk_header(line: &str) -> Option<([(u32, u32); 2], &str)> {
    let rest = bare_end(line).strip_prefix("@@").filter(|rest| !rest.starts_with('@'))?;
    let numbered = || {
        let (old, rest) = rest.strip_prefix(" -")?.split_once(" +")?;
        let (new, section) = rest.split_once(" @@")?;
        Some(([range(old)?, range(new)?], section))
    };
    Some(numbered().unwrap_or(([(0, 0); 2], rest)))
}

/// Only the line end goes: a carriage return of the section stays.
fn bare_end(line: &str) -> &str {
    line.strip_suffix('\n').unwrap_or(line)
}

fn range(text: &str) -> Option<(u32, u32)> {
    match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

/// The lines of a hunk from `at` on, and where they end.
fn read_hunk(lines: &[&str], mut at: usize, ranges: [(u32, u32); 2], section: &str) -> (Hunk, usize) {
    let [(old_start, mut old), (new_start, mut new)] = ranges;
    let mut hunk = Hunk { old_start, new_start, section: section.to_owned(), lines: Vec::new() };
    while at < lines.len() {
        let line = bare_end(lines[at]);
        let counted = old > 0 || new > 0;
        // The last two lines that are counted can look like the header of a file and be none.
        if (!counted && line == "-- ") || ((old, new) != (1, 1) && begins_file(lines, at).is_some()) {
            break;
        }
        let (mark, text) = line.split_at_checked(1).unwrap_or((" ", ""));
        let text = text.to_owned();
        let read = match mark {
            "+" => HunkLine::Added(text),
            "-" => HunkLine::Removed(text),
            "\\" if !hunk.lines.is_empty() => HunkLine::NoNewline(text),
            " " if !line.is_empty() => HunkLine::Context(text),
            // Editors take away the space of an empty line.
            " " | "\r" if is_inside(&lines[at..], old, new) => HunkLine::Context(line.to_owned()),
            _ => break,
        };
        match &read {
            HunkLine::Context(_) => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
            HunkLine::Added(_) => new = new.saturating_sub(1),
            HunkLine::Removed(_) => old = old.saturating_sub(1),
            HunkLine::NoNewline(_) => {}
        }
        hunk.lines.push(read);
        at += 1;
    }
    (hunk, at)
}

/// Whether empty lines belong to a hunk: more of its lines follow, or they are just the ones that it still lacks.
fn is_inside(lines: &[&str], old: u32, new: u32) -> bool {
    let next = (0..lines.len()).find(|at| !bare_line(lines[*at]).is_empty());
    let goes_on = next.is_some_and(|at| {
        lines[at].starts_with([' ', '+', '-']) && bare_end(lines[at]) != "-- " && begins_file(lines, at).is_none()
    });
    let empty = next.unwrap_or(lines.len());
    goes_on || (old == new && (1..=empty).contains(&usize::try_from(old).unwrap_or(usize::MAX)))
}
