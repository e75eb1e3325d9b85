//! Whether two findings are the same one.

use crate::claims::citation::{self, Target};

/// Lines of a file that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The path.
    pub path: String,
    /// The first line, counted from 1.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

/// The lines that a place names: `src/a.rs:10`, `src/a.rs:10-20`, `src/a.rs#L10-L20`; none if it names no lines.
pub fn anchor_of(place: &str) -> Option<Anchor> {
    citation::find(place).into_iter().find_map(|citation| match citation.target {
        Target::File { path, lines: Some(lines) } => Some(Anchor { path, first: lines.first, last: lines.last }),
        _ => None,
    })
}
