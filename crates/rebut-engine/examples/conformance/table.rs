//! The table of what was seen, for a terminal and for the documentation.

use std::fmt::Write;

use crate::case::CASES;

/// What a cell came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// As it must be.
    Ok,
    /// Not so, by a limit of the tool that is written down.
    Known(&'static str),
    /// Not so.
    Short(String),
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ok => f.write_str("ok"),
            Self::Known(words) => write!(f, "known: {words}"),
            Self::Short(seen) => write!(f, "FALLS SHORT: {seen}"),
        }
    }
}

/// A cell with its verdict.
pub(crate) struct Row {
    pub(crate) tool: &'static str,
    pub(crate) case: &'static str,
    pub(crate) verdict: Verdict,
}

/// The table for a terminal.
pub(crate) fn plain(rows: &[Row], versions: &[(&str, String)]) -> String {
    let mut text = format!("{:<18}", "cli");
    for (tool, version) in versions {
        let _ = write!(text, "{:<24}", format!("{tool} {version}"));
    }
    for case in CASES.iter().filter(|case| rows.iter().any(|row| row.case == case.name)) {
        let _ = write!(text, "\n{:<18}", case.name);
        for (tool, _) in versions {
            let _ = write!(text, "{:<24}", word(find(rows, tool, case.name)));
        }
    }
    text + "\n"
}

/// The table as a document, with what it means.
pub(crate) fn document(rows: &[Row], versions: &[(&str, String)]) -> String {
    let today = jiff::Zoned::now().date();
    let mut text = format!(
        "# What the tools do\n\nSeen on {today} with the real programs, through rebut's own seats, against a stand-in \
         provider on loopback.\n`scripts/conformance` makes this document; run it whenever something in \
         `crates/rebut-engine/src/providers/`\nchanges, or a tool.\n\n## Over their command lines\n\n| case |"
    );
    for (tool, version) in versions {
        let _ = write!(text, " {tool} {version} |");
    }
    let _ = write!(text, "\n|---|{}", "---|".repeat(versions.len()));
    for case in &CASES {
        let _ = write!(text, "\n| {}: {} |", case.name, case.shows);
        for (tool, _) in versions {
            let _ = write!(text, " {} |", word(find(rows, tool, case.name)));
        }
    }
    text.push_str("\n\n`known`: a limit of the tool for which no switch was found.\n");
    let mut notes: Vec<String> = rows.iter().filter_map(note).collect();
    notes.sort();
    if !notes.is_empty() {
        let _ = write!(text, "\n{}\n", notes.join("\n"));
    }
    text
}

fn note(row: &Row) -> Option<String> {
    match &row.verdict {
        Verdict::Ok => None,
        Verdict::Known(words) => Some(format!("- {}, {}: {words}", row.tool, row.case)),
        Verdict::Short(seen) => Some(format!("- {}, {}: {seen}", row.tool, row.case)),
    }
}

fn word(verdict: Option<&Verdict>) -> &'static str {
    match verdict {
        None => "-",
        Some(Verdict::Ok) => "ok",
        Some(Verdict::Known(_)) => "known",
        Some(Verdict::Short(_)) => "falls short",
    }
}

fn find<'a>(rows: &'a [Row], tool: &str, case: &str) -> Option<&'a Verdict> {
    rows.iter().find(|row| row.tool == tool && row.case == case).map(|row| &row.verdict)
}
