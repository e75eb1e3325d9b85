//! The contract of every seat: a call goes in, progress comes out, and in the end an answer or a failure. Whose model it is
//! and how it is reached is not known here.

use std::borrow::Cow;
use std::time::Duration;

use futures_util::future::BoxFuture;
use rebut_core::debate::{Answer, Effort, Failure, Prompt, Shape, StepKey};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

/// An answer that is being waited for.
pub type Answering<'a> = BoxFuture<'a, Result<Answer, Failure>>;

/// Someone who answers. One call at a time or several: each is its own.
pub trait Seat: Send + Sync {
    fn lane(&self) -> Lane;

    /// Answers an order. Always awaited to its end; once `cancel` is cancelled it ends soon, and no process is left.
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
    /// How often it has been asked before and came to nothing.
    pub setbacks: u32,
    /// The title of the seat's thread, which stays the same for all its calls, where the format has one.
    pub thread: Option<String>,
    pub prompt: Prompt,
    pub shape: Shape,
    /// About how many tokens the answer may have.
    pub output_tokens: u64,
    pub effort: Effort,
    pub seed: u64,
    /// The limit of the whole call; the runner enforces it, a seat may use it to plan.
    pub limit: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    Text(String),
    Tokens(u64),
    /// What it is doing: `reads src/lib.rs`.
    Activity(String),
}

/// Where a seat tells it.
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
