//! How a tool is spoken to: over its command line, or as an agent over ACP.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rebut_core::debate::{Cause, Failure};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::Tool;
use super::acp::{self, AcpCommand, Trial};
use super::{SeatError, on_own_thread};
use crate::config::ToolsSettings;

/// How to call tools that offer both ways.
///
/// The command line is the default. Whether an agent works shows only when it is started, which costs one to five seconds
/// per tool before every debate; and the flags of a command line restrict a tool to reading more strictly than an agent's
/// own good will.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// ACP if the tool's agent is found and answers, otherwise the command line.
    Auto,
    #[default]
    Cli,
    /// ACP, or not at all.
    Acp,
}

/// How a tool is reached after all.
#[derive(Clone, Debug)]
pub(super) enum Reached {
    Cli(&'static Tool, PathBuf),
    Acp(Box<AcpCommand>),
}

/// The agents that were greeted in this process: each is started once to see whether it is one.
#[derive(Debug)]
pub(super) struct Greetings {
    /// How long an agent may take before it counts as none.
    pub(super) wait: Duration,
    known: Mutex<BTreeMap<(String, Trial), Greeted>>,
}

/// An agent as it greeted, or why it is not used.
type Greeted = Result<AcpCommand, String>;

impl Greetings {
    pub(super) fn waiting(wait: Duration) -> Self {
        Self { wait, known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<(String, Trial), Greeted>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How a tool is reached. Starts its agent if that must be known.
    pub(super) fn reach(
        &self,
        tool: &'static Tool,
        transport: Transport,
        settings: &ToolsSettings,
    ) -> Result<Reached, SeatError> {
        let by_acp = |trial| {
            let command = self.greet_now(tool.name, trial, || agent_command(tool, trial, settings))?;
            Ok(Reached::Acp(Box::new(command)))
        };
        match transport {
            Transport::Cli => by_cli(tool, settings),
            Transport::Auto => by_acp(Trial::Session).or_else(|_: SeatError| by_cli(tool, settings)),
            Transport::Acp => by_acp(Trial::Greeting),
        }
    }

    /// Why a tool is not reached over ACP although it could be, in words for a plan.
    pub(super) fn why_not_acp(&self, tool: &str) -> Option<String> {
        self.known().get(&(tool.to_owned(), Trial::Session)).and_then(|greeted| greeted.clone().err())
    }

    /// Whether an agent that has greeted sends each prompt a second time to make a title.
    pub(super) fn generates_titles(&self, tool: &str) -> bool {
        let generates = |greeted: &Greeted| greeted.as_ref().is_ok_and(|command| command.quirks.generates_titles);
        self.known().iter().any(|((name, _), greeted)| name == tool && generates(greeted))
    }

    /// Greets the agent that [`Self::reach`] would greet, so that it need not block.
    pub(super) async fn greet_ahead(
        &self,
        tool: &'static Tool,
        transport: Transport,
        settings: &ToolsSettings,
        cancel: &CancellationToken,
    ) {
        let trial = match transport {
            Transport::Cli => return,
            Transport::Auto => Trial::Session,
            Transport::Acp => Trial::Greeting,
        };
        self.greet(tool.name, trial, || agent_command(tool, trial, settings), cancel).await;
    }

    /// The agent of this name, greeted now or earlier; `None` if the wait was cancelled.
    pub(super) async fn greet(
        &self,
        name: &str,
        trial: Trial,
        command: impl FnOnce() -> Greeted,
        cancel: &CancellationToken,
    ) -> Option<Greeted> {
        let key = (name.to_owned(), trial);
        let known = self.known().get(&key).cloned();
        if known.is_some() {
            return known;
        }
        let greeted = match command() {
            Ok(command) => match acp::greet(&command, trial, self.wait, cancel).await {
                Ok(quirks) => Ok(AcpCommand { quirks, ..command }),
                Err(failure) if failure.cause == Cause::Cancelled => return None,
                Err(failure) => Err(no_greeting(&command, trial, &failure)),
            },
            Err(why) => Err(why),
        };
        self.known().insert(key, greeted.clone());
        Some(greeted)
    }

    /// The same on a thread of its own: planning is not async.
    pub(super) fn greet_now(
        &self,
        name: &str,
        trial: Trial,
        command: impl FnOnce() -> Greeted + Send,
    ) -> Result<AcpCommand, SeatError> {
        let greeted = on_own_thread(async { self.greet(name, trial, command, &CancellationToken::new()).await }).flatten();
        let greeted = greeted.unwrap_or_else(|| Err("the system refused it a thread to start on".to_owned()));
        greeted.map_err(|why| SeatError::NoAgent { tool: name.to_owned(), why })
    }
}

/// A tool whose transport a plan has settled; it is not greeted again.
pub(super) fn reach_planned(tool: &'static Tool, transport: &str, settings: &ToolsSettings) -> Result<Reached, SeatError> {
    if transport != acp::NAME {
        return by_cli(tool, settings);
    }
    match agent_command(tool, Trial::Greeting, settings) {
        Ok(command) => Ok(Reached::Acp(Box::new(command))),
        Err(why) => Err(SeatError::NoAgent { tool: tool.name.to_owned(), why }),
    }
}

/// A tool's agent, or why it cannot be used. A user who did not ask for ACP gets it only if it restricts the tool as much as
/// its command line does.
fn agent_command(tool: &'static Tool, trial: Trial, settings: &ToolsSettings) -> Greeted {
    let less = tool.agent.quirks.limits();
    if trial == Trial::Session && !less.is_empty() {
        return Err(format!("its agent is restricted less ({}); --transport acp uses it anyway", less.join("; ")));
    }
    let program = tool.detect_agent(settings).ok_or_else(|| {
        let adapter = tool.agent.adapter.as_ref();
        let (program, install) = adapter.map_or((tool.name, tool.install), |adapter| (adapter.program, adapter.install));
        format!("{program} is not installed; {install}")
    })?;
    Ok(AcpCommand::of_tool(tool, program, settings.get(tool.name)))
}

fn by_cli(tool: &'static Tool, settings: &ToolsSettings) -> Result<Reached, SeatError> {
    let program = tool.detect(settings).ok_or_else(|| missing(tool, settings))?;
    Ok(Reached::Cli(tool, program))
}

pub(super) fn missing(tool: &'static Tool, settings: &ToolsSettings) -> SeatError {
    match settings.get(tool.name).and_then(|own| own.program.clone()) {
        Some(program) => SeatError::NoProgram { tool: tool.name, program },
        None => SeatError::NotInstalled { tool: tool.name, install: tool.install },
    }
}

fn no_greeting(command: &AcpCommand, trial: Trial, failure: &Failure) -> String {
    let program = Path::new(&command.program).file_name().unwrap_or_default().to_string_lossy();
    let what = match trial {
        Trial::Greeting => "does not answer as an agent",
        Trial::Session => "does not answer as an agent that opens a session",
    };
    let advice = failure.advice.as_deref().map(|advice| format!(". {advice}")).unwrap_or_default();
    format!("{program} {what}: it {failure}{advice}")
}
