//! Commands that the person allows by name. What is run is the person's own words, never a model's.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rebut_core::claims::check::CheckResult;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::process::{End, Heard, Launch, Patience, run};
use crate::redact::redact;

/// How much of what a command prints is kept, in bytes: its end.
const KEPT: usize = 16 * 1024;

/// A command of the person's config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCommand {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// How long it may take.
    pub limit: Duration,
}

/// The commands that may be run, and what came of those that were. Each is run once.
#[derive(Default)]
pub(super) struct Commands {
    allowed: BTreeMap<String, NamedCommand>,
    folder: PathBuf,
    ran: Mutex<BTreeMap<String, Ran>>,
}

/// What came of a command.
#[derive(Clone, Debug)]
pub(super) struct Ran {
    pub(super) result: CheckResult,
    pub(super) detail: String,
    pub(super) output: Option<String>,
}

impl Commands {
    pub(super) fn new(allowed: BTreeMap<String, NamedCommand>, folder: &Path) -> Self {
        Self { allowed, folder: folder.to_owned(), ran: Mutex::default() }
    }

    pub(super) async fn run(&self, name: &str, cancel: &CancellationToken) -> Ran {
        let Some(command) = self.allowed.get(name) else {
            let detail = format!("no command is allowed by the name `{name}`");
            return Ran { result: CheckResult::Unchecked, detail, output: None };
        };
        let mut ran = self.ran.lock().await;
        if let Some(known) = ran.get(name) {
            return known.clone();
        }
        let outcome = self.run_anew(command, cancel).await;
        if !cancel.is_cancelled() {
            ran.insert(name.to_owned(), outcome.clone());
        }
        outcome
    }

    async fn run_anew(&self, command: &NamedCommand, cancel: &CancellationToken) -> Ran {
        let unchecked = |detail: String| Ran { result: CheckResult::Unchecked, detail, output: None };
        let Some((program, arguments)) = command.words.split_first() else { return unchecked("it is empty".to_owned()) };
        let Some(program) = program_of(program, &self.folder) else {
            return unchecked(format!("there is no program {program}"));
        };
        let launch = Launch {
            program,
            arguments: arguments.iter().map(OsString::from).collect(),
            folder: self.folder.clone(),
            variables: Vec::new(),
            input: Vec::new(),
        };
        let mut listen = |_: &str| Heard::More;
        let limited = cancel.child_token();
        let patience = Patience::default();
        let run = run(&launch, &patience, &mut listen, &limited);
        tokio::pin!(run);
        let output = tokio::select! {
            output = &mut run => output,
            () = tokio::time::sleep(command.limit) => {
                limited.cancel();
                run.await
            }
        };
        let output = match output {
            Ok(output) => output,
            Err(error) => return unchecked(format!("it cannot be started: {error}")),
        };
        let printed = [output.stdout, output.stderr].concat();
        let kept = Some(redact(end_of(&String::from_utf8_lossy(&printed))).into_owned());
        match output.end {
            End::Exited(status) if status.success() => {
                Ran { result: CheckResult::Verified, detail: "the command succeeds".to_owned(), output: kept }
            }
            End::Exited(status) => {
                let how = status.code().map_or_else(|| "is killed".to_owned(), |code| format!("exits with {code}"));
                Ran { result: CheckResult::Mismatch, detail: format!("the command {how}"), output: kept }
            }
            _ => {
                let seconds = command.limit.as_secs();
                Ran { output: kept, ..unchecked(format!("the command did not end in its {seconds} s")) }
            }
        }
    }
}

/// A program by name or path: a relative path with a folder in it is the workspace's.
fn program_of(word: &str, folder: &Path) -> Option<PathBuf> {
    if word.contains('/') {
        Some(folder.join(word)).filter(|file| file.is_file())
    } else {
        crate::providers::find_program(word)
    }
}

fn end_of(text: &str) -> &str {
    let start = text.len().saturating_sub(KEPT);
    let start = (start..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    &text[start..]
}
