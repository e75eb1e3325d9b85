//! A table fitted to the terminal: columns that share its width, or one row below the other where it is too narrow.

use super::spans::{Line, Span, Style, width, wrap};

const NARROWEST: usize = 6;
const BETWEEN: usize = 2;

/// The lines of a table whose first row is its head.
pub(super) fn fitted(rows: &[Vec<Line>], most: usize) -> Vec<Line> {
    let Some((head, rows)) = rows.split_first() else { return Vec::new() };
    match widths(head, rows, |cell| width(cell).max(1), most, NARROWEST) {
        (widths, true) => side_by_side(head, rows, &widths),
        (_, false) => one_below_the_other(head, rows, most),
    }
}

fn side_by_side(head: &[Line], rows: &[Vec<Line>], widths: &[usize]) -> Vec<Line> {
    let bold: Vec<Line> = head.iter().map(|cell| bold(cell)).collect();
    let mut lines = row(&bold, widths);
    let rule = widths.iter().map(|width| "─".repeat(*width)).collect::<Vec<_>>().join(&" ".repeat(BETWEEN));
    lines.push(vec![Span::new(rule, Style::DIM)]);
    lines.extend(rows.iter().flat_map(|cells| row(cells, widths)));
    lines
}

fn one_below_the_other(head: &[Line], rows: &[Vec<Line>], most: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for (number, cells) in rows.iter().enumerate() {
        if number > 0 {
            lines.push(Line::new());
        }
        for (name, cell) in head.iter().zip(cells).filter(|(_, cell)| !cell.is_empty()) {
            let mut text = bold(name);
            text.push(Span::new(": ", Style::default()));
            text.extend(cell.iter().cloned());
            lines.extend(wrap(&text, most));
        }
    }
    lines
}

/// The width of each column: as wide as its widest cell, the widest ones cut until all fit into the terminal, and whether
/// they do without one that is narrower than `narrowest`.
pub(super) fn widths<Cell>(
    head: &[Cell],
    rows: &[Vec<Cell>],
    width: impl Fn(&Cell) -> usize,
    most: usize,
    narrowest: usize,
) -> (Vec<usize>, bool) {
    let every = || rows.iter().map(Vec::as_slice).chain([head]);
    let widest = |at: usize| every().filter_map(|row| row.get(at)).map(&width).max().unwrap_or(0);
    let mut widths: Vec<usize> = (0..head.len()).map(widest).collect();
    let room = most.saturating_sub(BETWEEN * widths.len().saturating_sub(1));
    while widths.iter().sum::<usize>() > room {
        match widths.iter_mut().max() {
            Some(widest) if *widest > narrowest => *widest -= 1,
            _ => return (widths, false),
        }
    }
    (widths, true)
}

fn bold(cell: &[Span]) -> Line {
    cell.iter().map(|span| Span { style: Style { bold: true, ..span.style }, ..span.clone() }).collect()
}

fn row(cells: &[Line], widths: &[usize]) -> Vec<Line> {
    let wrapped: Vec<Vec<Line>> = cells.iter().zip(widths).map(|(cell, width)| wrap(cell, *width)).collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let mut lines = Vec::new();
    for at in 0..height {
        let mut line = Line::new();
        for (cell, columns) in wrapped.iter().zip(widths) {
            let text = cell.get(at).cloned().unwrap_or_default();
            let missing = columns.saturating_sub(width(&text)) + BETWEEN;
            line.extend(text);
            line.push(Span::new(" ".repeat(missing), Style::default()));
        }
        lines.push(line);
    }
    lines
}
