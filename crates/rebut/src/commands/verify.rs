//! `rebut verify`

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::Path;

use clap::Args;
use rebut_core::evidence::check::Cited;
use rebut_core::evidence::scan;
use rebut_engine::checks::{Allowed, Examiner, Sources};
use rebut_engine::redact::redact;
use rebut_engine::workspace::read_given;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running::runtime;

/// The longest text that is read, in bytes.
const MOST: u64 = 16 * 1024 * 1024;

/// Look up the files, lines, commits and quotes that a text mentions
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Verify {
    /// A Markdown file, or `-` for standard input
    #[arg(value_name = "FILE")]
    file: OsString,
    /// Fetch cited web pages too
    #[arg(long)]
    fetch_sources: bool,
}

const EXAMPLES: &str = "\
Exit code: 1 if a file, line, commit or quoted text does not exist, else 0.

Examples:
  rebut verify review.md
  rebut verify report.md --fetch-sources
  claude -p \"review the last commit\" | rebut verify -
  rebut verify answer.md --json | jq '.findings[] | select(.result == \"missing\")'";

impl Verify {
    pub(crate) fn run(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let text = self.read()?;
        let mentions = scan(&text);
        let settings = &desk.layers.settings().evidence;
        let fetches = self.fetch_sources || settings.fetch_sources == Some(true);
        let sources = if fetches { Some(Sources::new(desk.names()?)) } else { None };
        let allowed = Allowed { commands: None, sources };
        let examiner = Examiner::of_folder(&desk.place.workspace, desk.home.as_deref(), settings.max_file_bytes, allowed);
        let mut examiner = examiner.map_err(|error| CommandError::usage(error.to_string()))?;
        if let Some(folder) = self.folder_in(&desk.place.workspace) {
            examiner = examiner.written_in(&folder);
        }
        let cited = mentions.iter().map(|mention| Cited::mentioned(mention.evidence.clone())).collect();
        let findings = runtime()?.block_on(examiner.examine(cited, &[], &CancellationToken::new()));
        let lines: Vec<usize> = mentions.iter().map(|mention| line_of(&text, mention.span.start)).collect();
        for (found, line) in findings.iter().zip(&lines) {
            // A path or a quote can have a key in it, as any text can.
            desk.screen.text(&redact(&format!("{line}: {found}")));
        }
        let failed = findings.iter().filter(|found| found.result.fails()).count();
        let exit = if failed > 0 { Exit::Failed } else { Exit::Done };
        let noun = if findings.len() == 1 { "mention" } else { "mentions" };
        desk.screen.text(&format!("{} {noun}, {failed} not found", findings.len()));
        desk.screen.json(|| {
            let findings: Vec<Value> = findings
                .iter()
                .zip(&mentions)
                .zip(&lines)
                .map(|((found, mention), line)| {
                    let Value::Object(mut fields) = json!(found) else { return Value::Null };
                    fields.insert("line".to_owned(), json!(line));
                    fields.insert("span".to_owned(), json!(mention.span));
                    Value::Object(fields)
                })
                .collect();
            redacted(json!({ "type": "mentions", "findings": findings, "failed": failed, "exit": exit as u8 }))
        });
        Ok(exit)
    }

    /// The folder that the text is in, as seen from the workspace; for standard input, the current one.
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
            read.map_err(|error| CommandError::usage(format!("can't read standard input: {error}")))?;
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

/// The number of the line at a byte of a text.
fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
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
