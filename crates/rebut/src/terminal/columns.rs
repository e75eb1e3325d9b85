//! Texts side by side, as many as the terminal is wide enough for.

use console::{Alignment, measure_text_width, pad_str};

use super::markdown::{Look, render};

const NARROWEST: usize = 34;
const GAP: &str = " │ ";

/// The panels in rows of columns; none if not even two fit.
pub(super) fn side_by_side(panels: &[(String, String)], columns: usize, look: &Look) -> Option<String> {
    let gap = measure_text_width(GAP);
    let fitting = ((columns + gap) / (NARROWEST + gap)).min(panels.len());
    if fitting < 2 {
        return None;
    }
    // Rows of about the same length: five panels where four fit are three and two.
    let rows = panels.len().div_ceil(fitting);
    let in_a_row = panels.len().div_ceil(rows);
    let width = (columns - gap * (in_a_row - 1)) / in_a_row;
    Some(panels.chunks(in_a_row).map(|row| rendered(row, width, look)).collect::<Vec<_>>().join("\n\n"))
}

fn rendered(row: &[(String, String)], width: usize, look: &Look) -> String {
    let cell = |(heading, text): &(String, String)| -> Vec<String> {
        let body = render(text, width, look);
        let heading = render(&format!("**{heading}**"), width, look);
        heading.lines().chain(["─".repeat(width).as_str()]).chain(body.lines()).map(str::to_owned).collect()
    };
    let cells: Vec<Vec<String>> = row.iter().map(cell).collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let line = |at: usize| {
        let parts = cells.iter().map(|cell| pad_str(cell.get(at).map_or("", String::as_str), width, Alignment::Left, None));
        parts.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
    };
    (0..height).map(line).collect::<Vec<_>>().join("\n")
}
