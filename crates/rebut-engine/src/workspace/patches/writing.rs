//! A unified diff, written as git reads it.

use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline, group_diff_ops};

use super::lines_of;
use super::revised::Changed;

/// After this the difference of two files is not the shortest one any more.
const EFFORT: Duration = Duration::from_secs(5);

/// A file before and after. The paths differ where it was moved.
pub(super) struct FileChange<'a> {
    pub(super) old: &'a [u8],
    pub(super) new: &'a [u8],
    pub(super) before: Option<&'a Changed>,
    pub(super) after: Option<&'a Changed>,
}

/// The patch with this many unchanged lines around each change.
pub(super) fn written(changes: &[FileChange<'_>], around: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for change in changes {
        let hunks = hunks(change, around);
        let mut line = |parts: &[&[u8]]| out.extend([&parts.concat()[..], b"\n"].concat());
        let (old, new) = (quoted(b"a/", change.old), quoted(b"b/", change.new));
        line(&[b"diff --git ", &old, b" ", &new]);
        match (change.before, change.after) {
            (None, Some(after)) => line(&[b"new file mode ", mode(after)]),
            (Some(before), None) => line(&[b"deleted file mode ", mode(before)]),
            (Some(before), Some(after)) if before.executable != after.executable => {
                line(&[b"old mode ", mode(before)]);
                line(&[b"new mode ", mode(after)]);
            }
            _ => {}
        }
        if change.old != change.new {
            line(&[b"rename from ", &quoted(b"", change.old)]);
            line(&[b"rename to ", &quoted(b"", change.new)]);
        }
        if !hunks.is_empty() {
            let named = |path: &[u8], file: Option<&Changed>| match file {
                // The tab ends a name that contains spaces.
                Some(_) => [path, if path.contains(&b' ') { b"\t" } else { b"" }].concat(),
                None => b"/dev/null".to_vec(),
            };
            line(&[b"--- ", &named(&old, change.before)]);
            line(&[b"+++ ", &named(&new, change.after)]);
        }
        out.extend(hunks);
    }
    out
}

fn mode(file: &Changed) -> &'static [u8] {
    if file.executable { b"100755" } else { b"100644" }
}

fn quoted(prefix: &[u8], path: &[u8]) -> Vec<u8> {
    if !path.iter().any(|byte| matches!(byte, b'"' | b'\\')) {
        return [prefix, path].concat();
    }
    let escaped = path.iter().flat_map(|byte| matches!(byte, b'"' | b'\\').then_some(b'\\').into_iter().chain([*byte]));
    [&b"\""[..], prefix, &escaped.collect::<Vec<u8>>(), b"\""].concat()
}

fn hunks(change: &FileChange<'_>, around: usize) -> Vec<u8> {
    let (old, new) = (lines(change.before), lines(change.after));
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(Instant::now() + EFFORT));
    let mut out = Vec::new();
    for group in group_diff_ops(ops, around) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let (from, to) = (first.old_range().start..last.old_range().end, first.new_range().start..last.new_range().end);
        out.extend(format!("@@ -{} +{} @@\n", span(&from), span(&to)).into_bytes());
        let mut put = |sign: u8, line: &[u8]| {
            out.push(sign);
            out.extend(line);
            if !line.ends_with(b"\n") {
                out.extend(b"\n\\ No newline at end of file\n");
            }
        };
        for op in group {
            let (tag, from, to) = op.as_tag_tuple();
            if tag == DiffTag::Equal {
                old[from].iter().for_each(|line| put(b' ', line));
            } else {
                old[from].iter().for_each(|line| put(b'-', line));
                new[to].iter().for_each(|line| put(b'+', line));
            }
        }
    }
    out
}

fn lines(file: Option<&Changed>) -> Vec<&[u8]> {
    lines_of(file.map_or(&[], |file| &file.bytes))
}

/// Lines as a hunk's header has them: the first, counted from 1, and how many unless it is one.
fn span(lines: &std::ops::Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => (lines.start + 1).to_string(),
        count => format!("{},{count}", lines.start + 1),
    }
}
