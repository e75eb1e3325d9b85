//! `rebut verify` and `rebut check-log`: what is given is looked up or checked.

use std::path::{Path, PathBuf};

use clap::Args;
use rebut_core::evidence::check::{Checked, Cited};
use rebut_core::evidence::scan;
use rebut_core::formats::panel::{Problem, check_log};
use rebut_engine::checks::{Allowed, Examiner, Sources};
use rebut_engine::redact::redact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::error::{CommandError, Exit};
use crate::flags::read_input;

const MOST: u64 = 16 * 1024 * 1024;

const MOST_MENTIONS: usize = 10_000;

/// Check the files, lines, commits and quotes that a text mentions
#[derive(Debug, Args)]
#[command(after_long_help = VERIFY_EXAMPLES)]
pub(crate) struct Verify {
    /// A Markdown file, or `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Fetch cited web pages too
    #[arg(long)]
    fetch_sources: bool,
}

const VERIFY_EXAMPLES: &str = "\
Exit codes: 0 all found, 1 a file, line, commit or quote does not exist

Examples:
  rebut verify review.md
  rebut verify report.md --fetch-sources
  claude -p \"review the last commit\" | rebut verify -
  rebut verify answer.md --json | jq '.findings[] | select(.result == \"missing\")'";

/// A place that a text mentions, and whether it exists.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Mention {
    /// What is mentioned: `file`, `lines`, `quote`, `commit` or `url`.
    pub(crate) evidence: Map<String, Value>,
    /// The line of the text that mentions it.
    #[serde(default)]
    pub(crate) line: usize,
    /// The bytes of the text that mention it.
    #[serde(default)]
    pub(crate) span: ByteSpan,
    /// verified, relocated, mismatch, missing, out_of_scope, ambiguous, changed_since or unchecked.
    pub(crate) result: String,
    /// What was found, in words.
    #[serde(default)]
    pub(crate) detail: String,
    /// The file that is meant, by its path in the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    /// The lines where the quote really is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lines: Option<String>,
    /// All of it in a line for people.
    #[serde(skip)]
    pub(crate) text: String,
    /// Whether it does not exist.
    #[serde(skip)]
    pub(crate) fails: bool,
}

/// A part of a text.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ByteSpan {
    /// Its first byte.
    pub(crate) start: usize,
    /// The byte after it.
    pub(crate) end: usize,
}

/// Checks what a text mentions against the workspace. `folder` is the one that the text is in.
pub(crate) fn look_up(
    app: &App,
    text: &str,
    folder: &Path,
    fetch_sources: bool,
    stop: &CancellationToken,
) -> Result<Vec<Mention>, CommandError> {
    if text.len() as u64 > MOST {
        return Err(CommandError::usage(format!("the text is longer than {MOST} bytes; verify it in parts")));
    }
    let mentions = scan(text);
    if mentions.len() > MOST_MENTIONS {
        let many = mentions.len();
        return Err(CommandError::usage(format!("{many} mentions are more than {MOST_MENTIONS}; verify the text in parts")));
    }
    let settings = &app.layers.settings().evidence;
    let fetches = fetch_sources || settings.fetch_sources == Some(true);
    let sources = if fetches { Some(Sources::new(app.names()?)) } else { None };
    let allowed = Allowed { commands: None, sources };
    let examiner = Examiner::of_folder(&app.place.workspace, app.home.as_deref(), settings.max_file_bytes, allowed);
    let mut examiner = examiner.map_err(|error| CommandError::usage(error.to_string()))?;
    if let Some(folder) = folder_in(folder, &app.place.workspace) {
        examiner = examiner.written_in(&folder);
    }
    let cited = mentions.iter().map(|mention| Cited::mentioned(mention.evidence.clone())).collect();
    let found = app.runtime.block_on(examiner.examine(cited, &[], stop));
    if stop.is_cancelled() {
        // Not all of them were looked up.
        return Err(CommandError::failed("stopped before every mention was looked up"));
    }
    let newlines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let mention = |(found, mention): (&Checked, &rebut_core::evidence::Mention)| {
        let line = newlines.partition_point(|newline| *newline < mention.span.start) + 1;
        let span = ByteSpan { start: mention.span.start, end: mention.span.end };
        // A path or a quote can contain a key, as any text can.
        let shown = redact(&format!("{line}: {found}")).into_owned();
        let read: Mention = serde_json::from_value(redacted(json!(found)))?;
        Ok(Mention { line, span, text: shown, fails: found.result.is_false(), ..read })
    };
    let all: Result<Vec<Mention>, serde_json::Error> = found.iter().zip(&mentions).map(mention).collect();
    all.map_err(|error| CommandError::failed(error.to_string()))
}

/// The last line: how many, and how many don't exist.
pub(crate) fn summary(mentions: &[Mention]) -> String {
    let noun = if mentions.len() == 1 { "mention" } else { "mentions" };
    format!("{} {noun}, {} not found", mentions.len(), mentions.iter().filter(|mention| mention.fails).count())
}

impl Verify {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let text = String::from_utf8_lossy(&read_input(&app.screen, &self.file, MOST)?).into_owned();
        // Of `-` that is the current folder.
        let folder = app.place.folder.join(self.file.parent().unwrap_or(Path::new("")));
        let mentions = look_up(app, &text, &folder, self.fetch_sources, &CancellationToken::new())?;
        for mention in &mentions {
            app.screen.text(&mention.text);
        }
        app.screen.text(&summary(&mentions));
        let failed = mentions.iter().filter(|mention| mention.fails).count();
        let exit = if failed > 0 { Exit::Failed } else { Exit::Done };
        app.screen.json(|| json!({ "type": "mentions", "findings": mentions, "failed": failed, "exit": exit as u8 }));
        Ok(exit)
    }
}

fn folder_in(folder: &Path, workspace: &Path) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    let inside = folder.strip_prefix(workspace.canonicalize().ok()?).ok()?.to_str()?.replace('\\', "/");
    Some(if inside.is_empty() { ".".to_owned() } else { inside })
}

fn redacted(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(redact(&text).into_owned()),
        Value::Array(values) => values.into_iter().map(redacted).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, redacted(value))).collect(),
        other => other,
    }
}

const LONGEST_LOG: u64 = 256 * 1024 * 1024;

/// Check a `debate-log.jsonl`: schema, order, writers and references
#[derive(Debug, Args)]
#[command(name = "check-log", after_long_help = CHECK_LOG_EXAMPLES)]
pub(crate) struct CheckLog {
    /// Log files, or `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

const CHECK_LOG_EXAMPLES: &str = "\
Exit codes: 0 all logs are valid, 1 one has problems, 2 one can't be read

Examples:
  rebut check-log output/20261115T081503Z-four-day-week/debate-log.jsonl
  rebut show last --format log | rebut check-log -
  rebut check-log debate-log.jsonl --json | jq '.problems[].line'";

impl CheckLog {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let mut exit = Exit::Done;
        for file in &self.files {
            let text = match read_input(&app.screen, file, LONGEST_LOG) {
                Ok(text) => text,
                // The others are still checked.
                Err(error) if self.files.len() > 1 => {
                    let _ = error.report(&app.screen);
                    exit = Exit::Usage;
                    continue;
                }
                Err(error) => return Err(error),
            };
            let problems = match String::from_utf8(text) {
                Ok(text) => check_log(&text),
                Err(error) => vec![not_text(&error)],
            };
            let name = file.display();
            for problem in &problems {
                app.screen.text(&format!("{name}: {problem}"));
            }
            if problems.is_empty() {
                app.screen.text(&format!("{name}: valid"));
            } else if exit == Exit::Done {
                exit = Exit::Failed;
            }
            app.screen.json(|| {
                let listed: Vec<Value> =
                    problems.iter().map(|problem| json!({ "line": problem.line, "what": problem.what })).collect();
                json!({ "type": "log", "file": name.to_string(), "sound": listed.is_empty(), "problems": listed })
            });
        }
        Ok(exit)
    }
}

fn not_text(error: &std::string::FromUtf8Error) -> Problem {
    let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
    let line = before.split(|byte| *byte == b'\n').count();
    Problem { line, what: "not UTF-8; the rest was not checked".to_owned() }
}
