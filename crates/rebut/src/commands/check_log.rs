//! `rebut check-log`

use std::path::PathBuf;

use clap::Args;
use rebut_core::formats::panel::{Problem, check_log};
use serde_json::{Value, json};

use crate::app::App;
use crate::error::{CommandError, Exit};
use crate::flags::read_input;

const MOST: u64 = 256 * 1024 * 1024;

/// Check a `debate-log.jsonl`: schema, order, writers and references
#[derive(Debug, Args)]
#[command(name = "check-log", after_long_help = EXAMPLES)]
pub(crate) struct CheckLog {
    /// Log files, or `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Exit codes: 0 all logs are valid, 1 one has problems, 2 one can't be read

Examples:
  rebut check-log output/20261115T081503Z-four-day-week/debate-log.jsonl
  rebut show last --format log | rebut check-log -
  rebut check-log debate-log.jsonl --json | jq '.problems[].line'";

impl CheckLog {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let mut exit = Exit::Done;
        for file in &self.files {
            let text = match read_input(&app.screen, file, MOST) {
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
