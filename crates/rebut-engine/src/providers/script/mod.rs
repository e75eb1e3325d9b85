//! `script:FILE`: a seat whose answers are read from a file, for tests, demonstrations and benchmarks.

mod file;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rebut_core::debate::{Answer, Cause, Failure, SeatPlan, Usage};
use tokio_util::sync::CancellationToken;

use super::{Answering, Lane, Order, Progress, ProgressSink, Seat};
use crate::redact::redact;

use file::{Line, Turn};
pub use file::{Script, ScriptError};

pub const NAME: &str = "script";

/// How many pieces a streamed answer arrives in.
const PIECES: usize = 24;

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
        let delay = Duration::from_millis(line.delay_ms);
        let usage = Usage { input_tokens: line.input_tokens, output_tokens: line.output_tokens, cost: line.cost() };
        let said = match line.turn() {
            Some(Turn::Text(text)) => text,
            _ => line.partial.as_deref().unwrap_or_default(),
        };
        stream(said, delay, progress).await;
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
async fn stream(text: &str, delay: Duration, progress: &ProgressSink) {
    let words: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    let most = if delay.is_zero() { 1 } else { PIECES };
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
