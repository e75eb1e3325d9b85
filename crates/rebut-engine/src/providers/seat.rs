//! What every seat must do: take a call, report progress, and return an answer or a failure. Whose model it is and how it is
//! reached is not known here.

use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::time::Duration;

use futures_util::future::BoxFuture;
use rebut_core::debate::{Answer, Cause, Effort, Failure, Prompt, Shape, StepKey};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

pub type Answering<'a> = BoxFuture<'a, Result<Answer, Failure>>;

/// Answers calls, one at a time or several at once; calls share nothing.
pub trait Seat: Send + Sync {
    fn lane(&self) -> Lane;

    /// Answers an order. The caller always awaits the end, which comes soon after `cancel`; no process survives it.
    fn answer<'a>(&'a self, order: &'a Order, progress: ProgressSink, cancel: CancellationToken) -> Answering<'a>;

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// Calls that share a limit: those to one provider.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lane {
    /// The kind of provider, which has the limit: `script`, `cli`, `http`, `local`.
    pub kind: &'static str,
    pub provider: Cow<'static, str>,
}

#[derive(Clone, Debug)]
pub struct Order {
    pub key: StepKey,
    /// How many earlier attempts failed.
    pub setbacks: u32,
    /// The title that all calls of this seat share, if the format has one.
    pub thread: Option<String>,
    pub prompt: Prompt,
    pub shape: Shape,
    /// About how many tokens the answer may have.
    pub output_tokens: u64,
    pub effort: Effort,
    pub seed: u64,
    /// The time limit of the whole call. The runner enforces it.
    pub limit: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    Text(String),
    Tokens(u64),
    /// What it is doing: `reads src/lib.rs`.
    Activity(String),
}

#[derive(Clone, Debug)]
pub struct ProgressSink {
    key: StepKey,
    sender: UnboundedSender<(StepKey, Progress)>,
}

impl ProgressSink {
    pub fn new(key: StepKey, sender: UnboundedSender<(StepKey, Progress)>) -> Self {
        Self { key, sender }
    }

    pub fn tell(&self, progress: Progress) {
        let _ = self.sender.send((self.key.clone(), progress));
    }
}

/// The failure of a program that could not be started.
pub(super) fn not_started(program: &Path, error: &io::Error) -> Failure {
    let cause = if error.kind() == io::ErrorKind::NotFound { Cause::NotInstalled } else { Cause::Exit };
    Failure::new(cause, format!("{} could not be started: {error}", program.display()))
}
