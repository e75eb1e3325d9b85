//! `rebut verify`

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::Path;

use clap::Args;
use rebut_core::claims::check::Checked;
use rebut_core::claims::{Statement, Tally};
use rebut_engine::evidence::Examiner;
use rebut_engine::redact::redact;
use rebut_engine::workspace::read_given;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running::runtime;

/// The longest text that is read, in bytes.
const MOST: u64 = 16 * 1024 * 1024;

/// Look the citations of any text up in the workspace
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Verify {
    /// A Markdown file, or `-` for standard input
    #[arg(value_name = "FILE")]
    file: OsString,
    /// Also run searches (`grep "PATTERN" in path = 3`) and the commands of your config (`run NAME`)
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
        let citations = Statement::read(&text).citations();
        let settings = &desk.layers.settings().evidence;
        let commands = self.allow_checks.then(|| desk.check_names());
        let allowed = desk.allowed(commands.as_deref(), (self.fetch_sources || settings.fetch_sources).into())?;
        let examiner = Examiner::of_folder(&desk.place.workspace, desk.home.as_deref(), settings.max_file_bytes, allowed);
        let mut examiner = examiner.map_err(|error| CommandError::usage(error.to_string()))?;
        if let Some(folder) = self.folder_in(&desk.place.workspace) {
            examiner = examiner.written_in(&folder);
        }
        let findings = runtime()?.block_on(examiner.examine(citations, &[], &CancellationToken::new()));
        let tally = Tally::of(&findings);
        for found in &findings {
            // A citation can have a key in it, as any text can.
            desk.screen.text(&redact(&format!("{}{found}", line_of(&text, found))));
        }
        desk.screen.text(&tally.to_string());
        desk.screen.json(|| {
            redacted(json!({
                "type": "citations", "findings": findings, "checked": tally.checked(), "failed": tally.failed(),
                "exit": exit(&tally) as u8,
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

/// The line of the text in which a citation stands; nothing for one of the list of claims.
fn line_of(text: &str, found: &Checked) -> String {
    let span = &found.citation.span;
    // The prose is the text without white space at its beginning.
    let lead = text.len() - text.trim_start().len();
    match text.get(..span.start + lead) {
        Some(before) if !span.is_empty() => format!("{}: ", before.matches('\n').count() + 1),
        _ => String::new(),
    }
}
