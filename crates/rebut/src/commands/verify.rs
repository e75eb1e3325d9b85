//! `rebut verify`

mod places;

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::Path;

use clap::Args;
use rebut_core::claims::{Statement, Tally};
use rebut_engine::evidence::{AllowedCommands, Examiner};
use rebut_engine::redact::redact;
use rebut_engine::workspace::read_given;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running::runtime;
use places::Places;

/// The longest text that is read, in bytes.
const MOST: u64 = 16 * 1024 * 1024;

/// Look the citations of any text up in the workspace
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Verify {
    /// A Markdown file, or `-` for standard input
    #[arg(value_name = "FILE")]
    file: OsString,
    /// Also run searches (`grep "PATTERN" in path = 3`) and the commands of your config (`run NAME`), not sandboxed
    #[arg(long)]
    allow_checks: bool,
    /// Also fetch the pages on the web that are cited, and look into them
    #[arg(long)]
    fetch_sources: bool,
}

const EXAMPLES: &str = "\
Exit code: 1 where a citation is false (mismatch, missing, out_of_scope), else 0.

Examples:
  rebut verify review.md
  rebut verify report.md --fetch-sources
  claude -p \"review the last commit\" | rebut verify -
  rebut verify answer.md --json | jq '.findings[] | select(.result == \"missing\")'";

impl Verify {
    pub(crate) fn run(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let text = self.read()?;
        let (statement, places) = read(&text);
        let settings = &desk.layers.settings().evidence;
        let named = || AllowedCommands { named: desk.commands(&desk.check_names()), ..AllowedCommands::default() };
        let fetch = self.fetch_sources || settings.fetch_sources == Some(true);
        let allowed = desk.allowed(self.allow_checks.then(named), fetch.into())?;
        let examiner = Examiner::of_folder(&desk.place.workspace, desk.home.as_deref(), settings.max_file_bytes, allowed);
        let mut examiner = examiner.map_err(|error| CommandError::usage(error.to_string()))?;
        if let Some(folder) = self.folder_in(&desk.place.workspace) {
            examiner = examiner.written_in(&folder);
        }
        let mut findings = runtime()?.block_on(examiner.examine(statement.citations(), &[], &CancellationToken::new()));
        let tally = Tally::of(&findings);
        for found in &mut findings {
            found.citation.span = places.in_text(&found.citation.span);
        }
        for found in &findings {
            let line = places.line_of(&found.citation.span).map(|line| format!("{line}: ")).unwrap_or_default();
            // A citation can have a key in it, as any text can.
            desk.screen.text(&redact(&format!("{line}{found}")));
        }
        let unknown =
            || (1..).zip(&statement.claims).flat_map(|(n, claim)| claim.evidence_not_looked_up().map(move |e| (n, e)));
        for (_, evidence) in unknown() {
            desk.screen.text(&redact(&format!("? {evidence}: it is of no kind that can be looked up")));
        }
        desk.screen.text(&tally.to_string());
        desk.screen.json(|| {
            let findings: Vec<Value> =
                findings.iter().map(|found| with_line(json!(found), places.line_of(&found.citation.span))).collect();
            let unknown: Vec<Value> = unknown().map(|(claim, line)| json!({ "claim": claim, "evidence": line })).collect();
            redacted(json!({
                "type": "citations", "findings": findings, "of_no_known_kind": unknown, "checked": tally.checked(),
                "failed": tally.failed(), "exit": exit(&tally) as u8,
            }))
        });
        Ok(exit(&tally))
    }

    /// The folder that the text lies in, by its path in the workspace; for standard input, the current one.
    fn folder_in(&self, workspace: &Path) -> Option<String> {
        let file = Path::new(&self.file);
        let folder = if self.file == "-" { None } else { file.parent().filter(|folder| *folder != Path::new("")) };
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        let inside = folder.strip_prefix(workspace.canonicalize().ok()?).ok()?.to_str()?.replace('\\', "/");
        Some(if inside.is_empty() { ".".to_owned() } else { inside })
    }

    fn read(&self) -> Result<String, CommandError> {
        let bytes = if self.file == "-" {
            let mut bytes = Vec::new();
            let read = io::stdin().lock().take(MOST + 1).read_to_end(&mut bytes);
            read.map_err(|error| CommandError::usage(format!("standard input cannot be read: {error}")))?;
            if bytes.len() as u64 > MOST {
                return Err(CommandError::usage(format!("the text is longer than {MOST} bytes; verify it in parts")));
            }
            bytes
        } else {
            read_given(Path::new(&self.file), MOST).map_err(|error| CommandError::usage(error.to_string()))?
        };
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn exit(tally: &Tally) -> Exit {
    if tally.failed() > 0 { Exit::Failed } else { Exit::Done }
}

/// Every text of a value without secrets.
fn redacted(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(redact(&text).into_owned()),
        Value::Array(values) => values.into_iter().map(redacted).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, redacted(value))).collect(),
        other => other,
    }
}

fn with_line(mut finding: Value, line: Option<usize>) -> Value {
    if let (Some(fields), Some(line)) = (finding.as_object_mut(), line) {
        fields.insert("line".to_owned(), json!(line));
    }
    finding
}

/// Reads a text, and where its prose stands in it. White space at its beginning is a part of it: the first line of a trace
/// is set off as the others are.
fn read(text: &str) -> (Statement, Places) {
    let mut statement = Statement::read(text);
    let lead = &text[..text.len() - text.trim_start().len()];
    if !statement.body.starts_with(lead) {
        statement.body.insert_str(0, lead);
    }
    let places = Places::of(&statement.body, text);
    (statement, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The citations of the prose, each with its line and what stands at its place in the text.
    fn told(text: &str) -> Vec<(usize, String)> {
        let (statement, places) = read(text);
        let prose = statement.citations().into_iter().filter(|citation| !citation.span.is_empty());
        prose
            .map(|citation| {
                let span = places.in_text(&citation.span);
                (places.lines.partition_point(|line| *line <= span.start), text[span].to_owned())
            })
            .collect()
    }

    pub(super) fn places(text: &str) -> Vec<String> {
        told(text).into_iter().map(|(line, place)| format!("{line} {place}")).collect()
    }

    #[test]
    fn every_citation_has_the_line_that_it_stands_in_also_behind_the_list() {
        let text = "\n\nSee src/a.rs:3.\n--- claims\nclaim: x\nevidence: none\n\nSee src/nope.rs:3,\nand src/b.rs:1.\n\n";
        assert_eq!(places(text), ["3 src/a.rs:3", "8 src/nope.rs:3", "9 src/b.rs:1"]);
        assert_eq!(places("A.\n--- claims\nclaim: x\nevidence: none\n\nSee src/nope.rs:3."), ["6 src/nope.rs:3"]);
        assert_eq!(places("--- claims\nclaim: x\nevidence: none\n\nSee src/nope.rs:3."), ["5 src/nope.rs:3"]);
        assert_eq!(places("--- claims\nclaim: x\n\nsrc/nope.rs:3 is it."), ["4 src/nope.rs:3"]);
        assert_eq!(places("  \n src/a.rs:3\n"), ["2 src/a.rs:3"]);
        assert_eq!(
            places("A.\n--- claims\n| a | src/a.rs:3 |\nclaim: x\nNote: see src/b.rs:1\nclaim: y\n\nSee src/c.rs:4."),
            ["3 src/a.rs:3", "5 src/b.rs:1", "8 src/c.rs:4"]
        );
        let json =
            "A.\n--- claims\n[{\"claim\": \"x\", \"why\": \"see src/a.rs:3\"},\n{\"why\": \"see src/b.rs:4\", \"n\": 1}]\n";
        assert_eq!(places(json), ["3 src/a.rs:3", "4 src/b.rs:4"]);
        assert_eq!(places("").len(), 0);
    }

    #[test]
    fn the_first_line_of_a_trace_is_set_off_as_the_others_are() {
        let trace = "    at request (web/src/client.ts:56:61)\n    at process (node:internal/task_queues:95:5)\n";
        let (statement, _) = read(trace);
        let citations = statement.citations();
        assert_eq!(citations.len(), 1, "{citations:?}");
        assert!(citations[0].quotes.is_empty(), "{citations:?}");
    }
}
