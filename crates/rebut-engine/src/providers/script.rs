//! `script:FILE`: a seat whose answers are read from a file, for tests, demonstrations and benchmarks. Users find the file
//! described in `docs/scripts.md`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rebut_core::debate::{Answer, Cause, Cost, Failure, Price, SeatPlan, Usage};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use super::{Answering, Lane, Order, Progress, ProgressSink, Seat};
use crate::parse_errors::toml_error;
use crate::redact::redact;
use crate::workspace::read_given;

pub const NAME: &str = "script";

/// How many pieces a streamed answer arrives in, if it takes long enough.
const PIECES: usize = 24;
/// At least this long is between two pieces: nobody could read along if they came faster.
const PACE_MS: u64 = 20;

#[derive(Debug, Default)]
pub struct Scripts {
    read: Mutex<BTreeMap<PathBuf, Arc<Script>>>,
}

impl Scripts {
    pub(super) fn plan(&self, file: Option<&str>, workspace: &Path) -> Result<SeatPlan, ScriptError> {
        let (script, path, name) = self.find(file, workspace)?;
        let model = script.models.get(&name).cloned().unwrap_or_default();
        let shown = path.strip_prefix(workspace).unwrap_or(&path).display().to_string();
        Ok(SeatPlan {
            tool: NAME.to_owned(),
            model: Some(if name.is_empty() { shown } else { format!("{shown}#{name}") }),
            family: model.family.clone().unwrap_or_else(|| NAME.to_owned()),
            data_goes_to: "this machine only (prepared answers)".to_owned(),
            context_tokens: model.context_tokens,
            price: model.price(),
            ..SeatPlan::default()
        })
    }

    pub(super) fn open(&self, file: Option<&str>, workspace: &Path) -> Result<Box<dyn Seat>, ScriptError> {
        let (script, path, name) = self.find(file, workspace)?;
        let file_name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let model = if name.is_empty() { file_name } else { name };
        Ok(Box::new(ScriptSeat { script, path, model }))
    }

    fn find(&self, file: Option<&str>, workspace: &Path) -> Result<(Arc<Script>, PathBuf, String), ScriptError> {
        let file = file.filter(|file| !file.is_empty()).ok_or(ScriptError::NoFile)?;
        let (file, name) = file.rsplit_once('#').unwrap_or((file, ""));
        let path = workspace.join(file);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(script) = read.get(&path) {
            return Ok((Arc::clone(script), path, name.to_owned()));
        }
        let script = Arc::new(Script::read(&path)?);
        read.insert(path.clone(), Arc::clone(&script));
        Ok((script, path, name.to_owned()))
    }
}

struct ScriptSeat {
    script: Arc<Script>,
    path: PathBuf,
    model: String,
}

impl Seat for ScriptSeat {
    fn lane(&self) -> Lane {
        Lane { kind: NAME, provider: NAME.into() }
    }

    fn answer<'a>(&'a self, order: &'a Order, progress: ProgressSink, cancel: CancellationToken) -> Answering<'a> {
        Box::pin(async move {
            let Some(line) = self.script.line(order.key.as_str(), order.setbacks) else {
                let missing = format!("{} has no answer for `{}`", self.path.display(), order.key);
                return Err(Failure::new(Cause::Exit, missing));
            };
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(Failure::new(Cause::Cancelled, "")),
                answer = self.play(line, &progress) => answer,
            }
        })
    }
}

impl ScriptSeat {
    async fn play(&self, line: &Line, progress: &ProgressSink) -> Result<Answer, Failure> {
        let started = Instant::now();
        let usage = Usage { input_tokens: line.input_tokens, output_tokens: line.output_tokens, cost: line.cost() };
        let said = match line.turn() {
            Some(Turn::Text(text)) => text,
            _ => line.partial.as_deref().unwrap_or_default(),
        };
        stream(said, line.delay_ms, progress).await;
        match line.turn() {
            Some(Turn::Text(text)) => Ok(Answer {
                text: text.to_owned(),
                model: Some(line.model.clone().unwrap_or_else(|| self.model.clone())),
                usage,
                session: None,
                duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
                transport: NAME.to_owned(),
            }),
            Some(Turn::Fail { cause, detail }) => {
                Err(Failure { usage, retry_after_ms: line.retry_after_ms, ..Failure::new(cause, redact(detail)) })
            }
            Some(Turn::Hang) | None => std::future::pending().await,
        }
    }
}

/// Passes the text on piece by piece, spread over the delay.
async fn stream(text: &str, delay_ms: u64, progress: &ProgressSink) {
    let delay = Duration::from_millis(delay_ms);
    let words: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    let most = usize::try_from(delay_ms / PACE_MS).unwrap_or(PIECES).clamp(1, PIECES);
    let pieces = words.chunks(words.len().div_ceil(most).max(1));
    let count = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
    let start = tokio::time::Instant::now();
    for (place, piece) in (1_u32..).zip(pieces) {
        if !delay.is_zero() {
            // The pieces are due at fixed times, so that late wake-ups do not add up.
            tokio::time::sleep_until(start + delay * place / count).await;
        }
        progress.tell(Progress::Text(piece.concat()));
    }
    if words.is_empty() {
        tokio::time::sleep(delay).await;
    }
}

#[derive(Clone, Debug, Default)]
pub struct Script {
    models: BTreeMap<String, Model>,
    calls: BTreeMap<String, Vec<Line>>,
}

#[derive(Clone, Copy, Debug)]
enum Turn<'a> {
    Text(&'a str),
    Fail {
        cause: Cause,
        detail: &'a str,
    },
    /// Nothing comes until the call is cancelled.
    Hang,
}

#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("a script seat names its file: `script:FILE` or `script:FILE#NAME`")]
    NoFile,
    #[error("failed to read the script {path}: {source}")]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{path} is not a valid script: {reason}")]
    Malformed { path: PathBuf, reason: String },
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Model {
    context_tokens: Option<u64>,
    family: Option<String>,
    input_usd_per_million: Option<f64>,
    output_usd_per_million: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptFile {
    #[serde(default)]
    models: BTreeMap<String, Model>,
    #[serde(default)]
    call: Vec<Line>,
}

/// What is said at one call: an answer, a failure, or nothing forever.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    key: String,
    text: Option<String>,
    fail: Option<Cause>,
    #[serde(default)]
    hang: bool,
    #[serde(default)]
    detail: String,
    #[serde(default)]
    delay_ms: u64,
    /// Text that arrives before a failure.
    partial: Option<String>,
    model: Option<String>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cost_usd: Option<f64>,
    retry_after_ms: Option<u64>,
}

impl Model {
    fn price(&self) -> Option<Price> {
        let cost = |dollars: Option<f64>| dollars.and_then(Cost::from_dollars);
        Some(Price { input: cost(self.input_usd_per_million)?, output: cost(self.output_usd_per_million)? })
    }
}

impl Line {
    fn cost(&self) -> Option<Cost> {
        self.cost_usd.and_then(Cost::from_dollars)
    }

    /// What happens; `None` if the entry names several things, or none.
    fn turn(&self) -> Option<Turn<'_>> {
        match (&self.text, self.fail, self.hang) {
            (Some(text), None, false) => Some(Turn::Text(text)),
            (None, Some(cause), false) => Some(Turn::Fail { cause, detail: &self.detail }),
            (None, None, true) => Some(Turn::Hang),
            _ => None,
        }
    }
}

/// The most that a script's file may hold.
const MOST_BYTES: u64 = 16 << 20;

impl Script {
    pub fn read(path: &Path) -> Result<Self, ScriptError> {
        // A project may name it: it is neither waited for nor read without end.
        let bytes = read_given(path, MOST_BYTES);
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8")));
        let text = text.map_err(|source| ScriptError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(&text).map_err(|reason| ScriptError::Malformed { path: path.to_owned(), reason })
    }

    /// Reads a script's text; the error says where it is wrong and why.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: ScriptFile = toml::from_str(text).map_err(|error| toml_error(text, &error))?;
        let mut calls: BTreeMap<String, Vec<Line>> = BTreeMap::new();
        for line in file.call {
            if line.turn().is_none() {
                return Err(format!("the call `{}` needs exactly one of `text`, `fail` and `hang`", line.key));
            }
            calls.entry(line.key.clone()).or_default().push(line);
        }
        Ok(Self { models: file.models, calls })
    }

    /// The entry for a call that has failed this often: entries with the same key follow each other, and the last one
    /// repeats.
    fn line(&self, key: &str, setbacks: u32) -> Option<&Line> {
        let lines = self.calls.get(key)?;
        lines.get(setbacks as usize).or_else(|| lines.last())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_of_failure_can_be_scripted() {
        for cause in Cause::ALL {
            let name = serde_json::to_value(cause).unwrap();
            let script = Script::parse(&format!("[[call]]\nkey = \"k\"\nfail = {name}\n")).unwrap();
            assert!(matches!(script.line("k", 0).unwrap().turn(), Some(Turn::Fail { cause: read, .. }) if read == cause));
        }
    }

    #[test]
    fn a_call_is_answered_in_one_way() {
        for more in ["", "text = 'x'\nhang = true\n"] {
            let reason = Script::parse(&format!("[[call]]\nkey = 'k'\n{more}")).unwrap_err();
            assert!(reason.contains("exactly one of"), "{reason}");
        }
    }
}
