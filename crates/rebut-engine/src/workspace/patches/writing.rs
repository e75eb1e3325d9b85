//! A unified diff, written as git reads it.

use std::io::{self, Write};
use std::time::Duration;

use rebut_core::diff::{EXECUTABLE, PLAIN, quoted};
use similar::TextDiff;

use super::lines_of;
use super::revised::Changed;

/// After this the difference of two files is not the shortest one any more.
const EFFORT: Duration = Duration::from_secs(5);

/// A file before and after. The paths differ where it was moved.
pub(super) struct FileChange<'a> {
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    pub(super) before: Option<&'a Changed>,
    pub(super) after: Option<&'a Changed>,
}

/// Writes the change with this many unchanged lines around each of its parts.
pub(super) fn write(out: &mut Vec<u8>, change: &FileChange<'_>, around: usize) -> io::Result<()> {
    let (old, new) = (quoted("a/", change.old), quoted("b/", change.new));
    writeln!(out, "diff --git {old} {new}")?;
    match (change.before, change.after) {
        (None, Some(after)) => writeln!(out, "new file mode {}", mode(after))?,
        (Some(before), None) => writeln!(out, "deleted file mode {}", mode(before))?,
        (Some(before), Some(after)) if before.executable != after.executable => {
            writeln!(out, "old mode {}\nnew mode {}", mode(before), mode(after))?;
        }
        _ => {}
    }
    if change.old != change.new {
        writeln!(out, "rename from {}\nrename to {}", quoted("", change.old), quoted("", change.new))?;
    }
    let [before, after] = [change.before, change.after].map(|file| lines_of(file.map_or(&[], |file| &file.bytes)));
    if before == after {
        return Ok(());
    }
    let named = |path: &str, file: Option<&Changed>| match file {
        // The tab ends a name that contains spaces.
        Some(_) => format!("{path}{}", if path.contains(' ') { "\t" } else { "" }),
        None => "/dev/null".to_owned(),
    };
    writeln!(out, "--- {}\n+++ {}", named(&old, change.before), named(&new, change.after))?;
    let diff = TextDiff::configure().timeout(EFFORT).diff_slices(&before, &after);
    for hunk in diff.unified_diff().context_radius(around).iter_hunks() {
        writeln!(out, "{}", hunk.header())?;
        for line in hunk.iter_changes() {
            write!(out, "{}", line.tag())?;
            out.extend(line.value());
            if !line.value().ends_with(b"\n") {
                out.extend(b"\n\\ No newline at end of file\n");
            }
        }
    }
    Ok(())
}

fn mode(file: &Changed) -> &'static str {
    if file.executable { EXECUTABLE } else { PLAIN }
}
