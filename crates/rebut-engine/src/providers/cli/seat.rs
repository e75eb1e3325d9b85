//! A seat behind a command line: each call is a process of its own.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::future::BoxFuture;
use rebut_core::debate::{Answer, Cause, Failure};
use tokio_util::sync::CancellationToken;

use super::scratch::Scratch;
use super::{Ask, CliTool, Said};
use crate::process::{self, End, Heard, Launch, Patience};
use crate::providers::{Lane, Order, ProgressSink, Seat};

/// How often a tool may say that it tries again: trying again is ours, inside the call's limit. A first failure may
/// also be followed by a proper word about it.
const PATIENCE_WITH_TRIES: u32 = 2;

/// A tool that is started for each call.
#[derive(Debug)]
pub(in crate::providers) struct CliSeat {
    pub(in crate::providers) tool: &'static CliTool,
    pub(in crate::providers) program: PathBuf,
    pub(in crate::providers) model: Option<String>,
    pub(in crate::providers) workspace: PathBuf,
    pub(in crate::providers) reads_workspace: bool,
    pub(in crate::providers) stall: Duration,
    /// Variables beside those of this process, and before them.
    pub(in crate::providers) variables: Vec<(String, String)>,
}

impl Seat for CliSeat {
    fn lane(&self) -> Lane {
        Lane { kind: "cli", provider: self.tool.name.into() }
    }

    fn answer<'a>(
        &'a self,
        order: &'a Order,
        progress: ProgressSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Answer, Failure>> {
        Box::pin(async move {
            // It is deleted when this ends, however that happens.
            let scratch = Scratch::create(self.variable("TMPDIR").as_deref()).map_err(|error| self.not_started(&error))?;
            let launch = self.launch(order, &scratch).map_err(|error| self.not_started(&error))?;
            // Its first line may take as long as its thinking does; after that it is not silent for long.
            let patience = Patience { stall: Some(self.stall), ..Patience::default() };
            let mut listen = |line: &str| {
                for news in (self.tool.progress)(line) {
                    progress.tell(news);
                }
                if (self.tool.is_last)(line) { Heard::Enough } else { Heard::More }
            };
            let mut tries = 0;
            let mut complaints = |line: &str| {
                tries += u32::from((self.tool.tries_again)(line));
                if tries >= PATIENCE_WITH_TRIES { Heard::Enough } else { Heard::More }
            };
            let output = process::run_hearing_complaints(&launch, &patience, &mut listen, &mut complaints, &cancel)
                .await
                .map_err(|error| self.not_started(&error))?;
            let stdout = String::from_utf8_lossy(&output.stdout);
            let stderr = String::from_utf8_lossy(&output.stderr);
            let exit = match output.end {
                End::Cancelled => return Err(Failure::new(Cause::Cancelled, "")),
                End::TooLarge => return Err(Failure::new(Cause::TooLarge, "")),
                End::Stalled => {
                    return Err(Failure::new(Cause::Stalled, format!("no output for {} s", self.stall.as_secs())));
                }
                End::Enough => None,
                End::Exited(status) => Some(status.code().unwrap_or(-1)),
            };
            (self.tool.read)(&Said { stdout: &stdout, stderr: &stderr, exit })
        })
    }
}

impl CliSeat {
    fn launch(&self, order: &Order, scratch: &Scratch) -> io::Result<Launch> {
        let program = self.program.canonicalize()?;
        let own_servers = (self.tool.own_servers)(&|name| self.variable(name));
        let ask = Ask {
            model: self.model.as_deref(),
            effort: order.effort,
            prompt: &order.prompt,
            program: &program,
            own_servers: &own_servers,
            title: order.key.as_str(),
            reads_workspace: self.reads_workspace,
            variable: &|name| self.variable(name),
        };
        let line = (self.tool.command)(&ask);
        let own = self.variables.iter().map(|(name, value)| (name.into(), value.into()));
        let of_line = line.variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        Ok(Launch {
            program: self.program.clone(),
            arguments: line.arguments,
            // Not every tool can be told to read nothing; an empty folder tells it nothing.
            folder: if self.reads_workspace { self.workspace.clone() } else { scratch.path().to_owned() },
            variables: own.chain(scratch.variables()).chain(of_line).collect(),
            input: line.input.into_bytes(),
        })
    }

    fn variable(&self, name: &str) -> Option<String> {
        let own = self.variables.iter().rfind(|(own, _)| own == name).map(|(_, value)| value.clone());
        own.or_else(|| std::env::var(name).ok()).filter(|value| !value.is_empty())
    }

    fn not_started(&self, error: &io::Error) -> Failure {
        let cause = if error.kind() == io::ErrorKind::NotFound { Cause::NotInstalled } else { Cause::Exit };
        Failure::new(cause, format!("{} could not be started: {error}", self.program.display()))
    }
}
