//! Findings in a table: one a row, by the names of its columns.

use super::super::json::severity_of;
use super::super::none::{is_none, words};
use super::super::{Remark, Severity};
use super::place_in;
use super::titles::clean;

/// A column of findings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Severity,
    Text,
    Place,
    Evidence,
    Action,
    Other,
}

/// What a table tells.
#[derive(Default)]
pub(super) struct Table {
    /// The findings, each with its severity where a column says it.
    pub(super) findings: Vec<(Option<Severity>, Remark)>,
    /// Severities of rows that say that there is nothing.
    pub(super) none: Vec<Severity>,
    /// Whether it has a column of findings, but no rows that say something.
    pub(super) is_empty: bool,
}

/// Reads the rows of a table; none if it has no column of findings. `severity` is that of the section it stands in.
pub(super) fn read(rows: &[&str], severity: Option<Severity>) -> Option<Table> {
    let (head, rows) = rows.split_first()?;
    let columns: Vec<Column> = cells(head).iter().map(|cell| column(cell)).collect();
    let has = |wanted: Column| columns.contains(&wanted);
    if !has(Column::Text) || !(has(Column::Severity) || severity.is_some()) {
        return None;
    }
    let mut table = Table::default();
    for row in rows.iter().filter(|row| row.chars().any(char::is_alphanumeric)) {
        let cells = cells(row);
        let of = |wanted: Column| {
            let found = columns.iter().zip(&cells).filter(|(column, cell)| **column == wanted && !is_none(cell));
            found.map(|(_, cell)| cell.clone()).collect::<Vec<_>>()
        };
        let severity = of(Column::Severity).first().and_then(|words| severity_of(words)).or(severity);
        let text = of(Column::Text).join(": ");
        if text.is_empty() {
            table.none.extend(severity);
            continue;
        }
        let evidence = of(Column::Evidence);
        let place = of(Column::Place).join(":").replace('`', "");
        let place = Some(place).filter(|place| !place.is_empty());
        let place = place.or_else(|| place_in(&text)).or_else(|| evidence.iter().find_map(|words| place_in(words)));
        let action = of(Column::Action).join("; ");
        let found = severity.unwrap_or(Severity::P3);
        table.findings.push((severity, Remark { severity: found, text, place, evidence, action, replacement: None }));
    }
    table.is_empty = table.findings.is_empty();
    Some(table)
}

fn column(name: &str) -> Column {
    let name = words(name).join(" ");
    match name.as_str() {
        "severity" | "priority" | "level" | "p" | "sev" => Column::Severity,
        "finding" | "issue" | "description" | "problem" | "title" | "findings" | "details" | "concern" => Column::Text,
        "location" | "place" | "where" | "file" | "line" | "lines" | "file line" | "path" => Column::Place,
        "evidence" | "proof" => Column::Evidence,
        "action" | "fix" | "suggestion" | "suggested action" | "suggested fix" | "recommendation" | "remedy" => {
            Column::Action
        }
        _ => Column::Other,
    }
}

/// The cells of a row. A bar in code or behind a backslash is none of the table's.
fn cells(row: &str) -> Vec<String> {
    let inner = row.trim().trim_start_matches('|');
    let mut cells = Vec::new();
    let mut cell = String::new();
    let (mut in_code, mut escaped) = (false, false);
    for c in inner.chars() {
        match c {
            '|' if !in_code && !escaped => cells.push(clean(&std::mem::take(&mut cell))),
            _ => cell.push(c),
        }
        in_code ^= c == '`';
        escaped = c == '\\';
    }
    if !cell.trim().is_empty() {
        cells.push(clean(&cell));
    }
    cells
}
