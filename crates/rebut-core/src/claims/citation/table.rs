//! Tables that name a file in one column and its lines in another.

use super::attach::{give_each, wants_lines};
use super::{Citation, lines};

/// The table whose rows are being read.
#[derive(Default)]
pub(super) struct Table {
    /// The column that its head says lines stand in, from 0.
    lines: Option<usize>,
}

impl Table {
    /// Reads a passage whose citations begin at `first`: a head is remembered for the rows below it, and in a row the only
    /// file, if it has no lines of its own, gets those of its column. What is no row ends the table.
    pub(super) fn give_lines(
        &mut self,
        passage: &str,
        first: usize,
        citations: &mut Vec<Citation>,
        companions: &mut Vec<(usize, usize)>,
    ) {
        let row = passage.trim();
        let Some(inner) = row.strip_prefix('|') else {
            self.lines = None;
            return;
        };
        let mut cells = inner.split('|');
        if let Some(column) = inner.split('|').position(lines::heads_lines) {
            self.lines = Some(column);
        } else if let Some(column) = self.lines
            && let Some(lines) = cells.nth(column).and_then(lines::in_cell)
            && let [only] = &citations[first..]
            && wants_lines(only)
        {
            give_each(lines, first, citations, companions);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::find;

    #[test]
    fn a_column_of_lines_belongs_to_the_column_of_files() {
        let told = |text: &str| find(text).iter().map(|citation| citation.target.to_string()).collect::<Vec<_>>();
        let head = "| File | Line | Why |\n|---|---|---|\n";
        assert_eq!(
            told(&format!("{head}| `src/a.rs` | 12 | slow |\n| src/b.rs | 3-9 | |\n| src/c.rs | - | |\n")),
            ["src/a.rs:12", "src/b.rs:3-9", "src/c.rs"]
        );
        assert_eq!(told(&format!("{head}| `src/a.rs` | 12, 99 | |\n")), ["src/a.rs:12", "src/a.rs:99"]);
        assert_eq!(told("| File | Size |\n|---|---|\n| `src/a.rs` | 12 |\n"), ["src/a.rs"]);
        assert_eq!(told(&format!("{head}\nThen `src/a.rs` | 12 |")), ["src/a.rs"]);
    }
}
