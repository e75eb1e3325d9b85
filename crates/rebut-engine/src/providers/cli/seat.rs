//! A seat over a command line: each call is a process.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use rebut_core::debate::{Cause, Failure, Shape};
use tokio_util::sync::CancellationToken;

use super::{Ask, Line, Said};
use crate::config::ToolSettings;
use crate::process::{self, ChildLimits, End, Launch, Next, TempFolder};
use crate::providers::seat::not_started;
use crate::providers::tools::variable;
use crate::providers::{Answering, Lane, Order, ProgressSink, Seat, TimeLimits, Tool};
use crate::redact::redact;
use crate::time_limits::Late;

/// How often a tool may report that it retries. Retries are ours, inside the call's limit; but the first report may be
/// followed by an error that explains it.
pub(in crate::providers) const MOST_RETRIES: u32 = 2;

#[derive(Debug)]
pub(in crate::providers) struct CliSeat {
    pub(in crate::providers) tool: &'static Tool,
    pub(in crate::providers) program: PathBuf,
    pub(in crate::providers) model: Option<String>,
    pub(in crate::providers) settings: ToolSettings,
    pub(in crate::providers) workspace: PathBuf,
    pub(in crate::providers) reads_workspace: bool,
    pub(in crate::providers) searches_web: bool,
    /// How long the model may be silent.
    pub(in crate::providers) limits: TimeLimits,
    /// Variables that override this process's own.
    pub(in crate::providers) variables: Vec<(OsString, OsString)>,
}

impl Seat for CliSeat {
    fn lane(&self) -> Lane {
        Lane { kind: super::NAME, provider: self.tool.name.into() }
    }

    fn answer<'a>(&'a self, order: &'a Order, progress: ProgressSink, cancel: CancellationToken) -> Answering<'a> {
        Box::pin(async move {
            // Both folders are deleted when the call ends. Not every tool can be kept from reading, so a seat without a
            // workspace runs in an empty folder, not in its home, which links to credentials.
            let scratch = self.scratch()?;
            let nowhere = if self.reads_workspace { None } else { Some(self.scratch()?) };
            let folder = nowhere.as_ref().map_or(self.workspace.as_path(), TempFolder::path);
            let launch = self.launch(order, &scratch, folder).map_err(|error| not_started(&self.program, &error))?;
            let child_limits = ChildLimits { limits: self.limits.in_call(order.limit), ..ChildLimits::default() };
            let mut listen = |line: &str| match self.tool.hear(line) {
                Line::Last => Next::Stop,
                Line::Idle => Next::Idle,
                Line::News(news) => {
                    for news in news {
                        progress.tell(news);
                    }
                    Next::Continue
                }
            };
            let mut tries = 0;
            let mut complaints = |line: &str| {
                tries += u32::from((self.tool.retrying)(line).is_some());
                if tries >= MOST_RETRIES { Next::Stop } else { Next::Continue }
            };
            let output = process::run_with_stderr(&launch, &child_limits, &mut listen, &mut complaints, &cancel)
                .await
                .map_err(|error| not_started(&self.program, &error))?;
            let stdout = String::from_utf8_lossy(&output.stdout);
            let stderr = String::from_utf8_lossy(&output.stderr);
            let read = |exit| self.tool.read(&Said { stdout: &stdout, stderr: &stderr, exit });
            let result = match output.end {
                End::Cancelled => Err(Failure::new(Cause::Cancelled, "")),
                End::TooLarge => Err(Failure::new(Cause::TooLarge, "")),
                End::Stalled(silence) => Err(Late(silence).failure()),
                End::Stopped => read(None),
                End::Exited(status) => read(Some(status.code().unwrap_or(-1))),
            };
            result.map_err(|failure| failure.with_complaints(&redact(&stderr)))
        })
    }
}

impl CliSeat {
    fn scratch(&self) -> Result<TempFolder, Failure> {
        let tmpdir = variable("TMPDIR", &self.variables);
        TempFolder::for_tool(tmpdir.as_deref()).map_err(|error| not_started(&self.program, &error))
    }

    fn launch(&self, order: &Order, scratch: &TempFolder, folder: &Path) -> io::Result<Launch> {
        let program = self.program.canonicalize()?;
        let variable = |name: &str| variable(name, &self.variables);
        let own = (self.tool.own)(&variable).map_err(io::Error::other)?;
        let ask = Ask {
            model: self.model.as_deref(),
            effort: self.settings.effort_word(order.effort, self.tool.efforts.as_ref()).map(|effort| effort.word),
            prompt: &order.prompt,
            schema: match &order.shape {
                Shape::Json { schema, .. } => Some(schema),
                Shape::Prose => None,
            },
            program: &program,
            own: &own,
            scratch: scratch.path(),
            title: order.thread.as_deref().unwrap_or(order.key.as_str()),
            reads_workspace: self.reads_workspace,
            searches_web: self.searches_web,
            variable: &variable,
        };
        let (line, variables) = ask.prepare(self.tool, scratch, &self.settings.env, &self.variables)?;
        Ok(Launch {
            program: self.program.clone(),
            arguments: line.arguments,
            folder: folder.to_owned(),
            variables,
            input: line.input.into_bytes(),
        })
    }
}
