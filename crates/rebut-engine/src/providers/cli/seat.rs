//! A seat behind a command line: each call is a process of its own.

use std::path::PathBuf;
use std::time::Duration;

use futures_util::future::BoxFuture;
use rebut_core::debate::{Answer, Cause, Failure};
use tokio_util::sync::CancellationToken;

use super::{Ask, CliTool, Said};
use crate::process::{self, End, Heard, Launch, Patience};
use crate::providers::{Lane, Order, ProgressSink, Seat};

/// A tool that is started for each call.
#[derive(Debug)]
pub(in crate::providers) struct CliSeat {
    pub(in crate::providers) tool: &'static CliTool,
    pub(in crate::providers) program: PathBuf,
    pub(in crate::providers) model: Option<String>,
    pub(in crate::providers) workspace: PathBuf,
    pub(in crate::providers) reads_workspace: bool,
    pub(in crate::providers) stall: Duration,
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
            let launch = self.launch(order);
            // Its first line may take as long as its thinking does; after that it is not silent for long.
            let patience = Patience { stall: Some(self.stall), ..Patience::default() };
            let mut listen = |line: &str| {
                for news in (self.tool.progress)(line) {
                    progress.tell(news);
                }
                if (self.tool.is_last)(line) { Heard::Enough } else { Heard::More }
            };
            let output =
                process::run(&launch, &patience, &mut listen, &cancel).await.map_err(|error| self.not_started(&error))?;
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
    fn launch(&self, order: &Order) -> Launch {
        let ask = Ask {
            model: self.model.as_deref(),
            effort: order.effort,
            prompt: &order.prompt,
            title: order.key.as_str(),
            reads_workspace: self.reads_workspace,
            variable: &|name| std::env::var(name).ok().filter(|value| !value.is_empty()),
        };
        let line = (self.tool.command)(&ask);
        Launch {
            program: self.program.clone(),
            arguments: line.arguments,
            folder: self.workspace.clone(),
            variables: line.variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
            input: line.input.into_bytes(),
        }
    }

    fn not_started(&self, error: &std::io::Error) -> Failure {
        let cause = if error.kind() == std::io::ErrorKind::NotFound { Cause::NotInstalled } else { Cause::Exit };
        Failure::new(cause, format!("{} could not be started: {error}", self.program.display()))
    }
}
