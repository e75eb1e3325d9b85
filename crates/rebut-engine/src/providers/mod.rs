//! Providers: who can sit on a seat, and how an answer is had from them. One folder or file a kind.

mod directory;
pub mod script;
pub mod seating;
mod spec;

use std::path::Path;
use std::time::Duration;

use futures_util::future::BoxFuture;
use rebut_core::debate::{Answer, Effort, Failure, Prompt, SeatName, SeatPlan, Shape, StepKey};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

pub use directory::{TOOLS, Tool, detect};
pub use script::{Script, ScriptError};
pub use spec::{SeatSpec, SpecError, check_model};

/// Someone who answers. One call at a time or several: each is its own.
pub trait Seat: Send + Sync {
    /// Which calls share a limit with this seat's: `script`, `cli`, `http`, `local`.
    fn lane(&self) -> &'static str;

    /// Answers an order. Always awaited to its end; once `cancel` is cancelled it ends soon, leaving nothing behind.
    fn answer<'a>(
        &'a self,
        order: &'a Order,
        progress: ProgressSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Answer, Failure>>;

    /// Ends processes and gives caches back.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// A call as a seat gets it.
#[derive(Clone, Debug)]
pub struct Order {
    /// The call.
    pub key: StepKey,
    /// How often it has been asked before and came to nothing.
    pub setbacks: u32,
    /// What is asked.
    pub prompt: Prompt,
    /// The form of the answer.
    pub shape: Shape,
    /// About how many tokens the answer may have.
    pub output_tokens: u64,
    /// How hard to think.
    pub effort: Effort,
    /// The seed for sampling.
    pub seed: u64,
    /// The limit of the whole call; the runner enforces it, a seat may use it to plan.
    pub limit: Duration,
}

/// What a seat tells while it answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// More text.
    Text(String),
    /// Tokens of the answer so far.
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
    pub(crate) fn new(key: StepKey, sender: UnboundedSender<(StepKey, Progress)>) -> Self {
        Self { key, sender }
    }

    /// Tells how the answer goes. Nobody need be listening.
    pub fn tell(&self, progress: Progress) {
        let _ = self.sender.send((self.key.clone(), progress));
    }
}

/// Every provider of this process.
#[derive(Debug, Default)]
pub struct Providers {
    script: script::Scripts,
}

/// Why a seat cannot be taken.
#[derive(Debug, thiserror::Error)]
pub enum SeatError {
    /// The name is no tool's.
    #[error("there is no tool `{tool}`{}", nearest.as_ref().map_or_else(String::new, |name| format!("; did you mean `{name}`?")))]
    UnknownTool {
        /// What was asked for.
        tool: String,
        /// The nearest name.
        nearest: Option<&'static str>,
    },
    /// The program is not on this machine.
    #[error("{tool} is not installed; {install}")]
    NotInstalled {
        /// The tool.
        tool: &'static str,
        /// How to get it.
        install: &'static str,
    },
    /// This version knows the tool by name only.
    #[error("{tool} is installed, but this version of rebut cannot start it yet; seats it can fill: script:FILE")]
    NotSupported {
        /// The tool.
        tool: &'static str,
    },
    /// The script cannot be used.
    #[error(transparent)]
    Script(#[from] ScriptError),
}

impl Providers {
    /// Every name that a seat can begin with.
    pub fn names() -> Vec<&'static str> {
        TOOLS.iter().map(|tool| tool.name).chain([script::NAME]).collect()
    }

    /// The seats that can be filled without being named, best first. Looks for the tools at the same time.
    ///
    /// A script is never among them: it is not a voice but a file, and is taken only when it is named.
    pub fn available(&self) -> Vec<SeatPlan> {
        // No tool of the directory can be started by this version; the ones that can are seats from here on.
        Vec::new()
    }

    /// The plan for a named seat, checked as far as can be without a call. Relative files are those of `workspace`.
    pub fn plan(&self, spec: &SeatSpec, workspace: &Path) -> Result<SeatPlan, SeatError> {
        if spec.tool == script::NAME {
            return Ok(self.script.plan(spec.model.as_deref(), workspace)?);
        }
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == spec.tool) else {
            return Err(SeatError::UnknownTool { tool: spec.tool.clone(), nearest: nearest(&spec.tool) });
        };
        if detect(tool).is_none() {
            return Err(SeatError::NotInstalled { tool: tool.name, install: tool.install });
        }
        Err(SeatError::NotSupported { tool: tool.name })
    }

    /// Opens a planned seat.
    pub fn open(&self, _name: &SeatName, seat: &SeatPlan, workspace: &Path) -> Result<Box<dyn Seat>, SeatError> {
        let spec = SeatSpec { tool: seat.tool.clone(), model: seat.model.clone() };
        if spec.tool == script::NAME {
            return Ok(self.script.open(seat.model.as_deref(), workspace)?);
        }
        match self.plan(&spec, workspace) {
            Err(error) => Err(error),
            Ok(_) => Err(SeatError::UnknownTool { tool: spec.tool, nearest: None }),
        }
    }
}

fn nearest(name: &str) -> Option<&'static str> {
    let close = |known: &&str| strsim::osa_distance(known, name) <= 2;
    Providers::names().into_iter().filter(close).min_by_key(|known| strsim::osa_distance(known, name))
}
