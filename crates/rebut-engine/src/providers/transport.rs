//! How a tool is spoken to: over its command line, or as an agent over ACP.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rebut_core::debate::{Cause, Failure};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::SeatError;
use super::acp::{self, AcpAgent, AcpCommand, Manners, Trial};
use super::cli::{CLI_TOOLS, CliTool};
use super::directory::{Tool, detect, find_program};
use crate::config::ToolsSettings;

/// How tools are spoken to where they can be spoken to in both ways.
///
/// The command line is the default. Whether an agent works shows only when it is started, which costs one to
/// five seconds a tool before every debate; and the flags of a command line hold a tool to reading more strictly than an
/// agent's own good will. A tool that has no command line for this is spoken to over ACP in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// ACP where the tool's agent is found and answers, else the command line.
    Auto,
    /// The command line.
    #[default]
    Cli,
    /// ACP, or not at all.
    Acp,
}

/// How a tool is reached after all.
#[derive(Clone, Debug)]
pub(super) enum Reached {
    Cli(&'static CliTool, PathBuf),
    Acp(Box<AcpCommand>),
}

impl Reached {
    /// The transport's name, as plans and answers have it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Cli(..) => "cli",
            Self::Acp(..) => acp::NAME,
        }
    }
}

/// Whether it is known now if an agent greets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Met {
    /// It is, or none need be started.
    Known,
    /// It is not: nobody waited for it.
    Cancelled,
}

/// Who has been greeted in this process: each agent is started once to see whether it is one.
#[derive(Debug)]
pub(super) struct Greeted {
    /// How long an agent may take before it counts as none.
    pub(super) wait: Duration,
    known: Mutex<BTreeMap<(String, Trial), Result<AcpCommand, String>>>,
}

impl Greeted {
    /// Nobody yet.
    pub(super) fn waiting(wait: Duration) -> Self {
        Self { wait, known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<(String, Trial), Result<AcpCommand, String>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How a tool is reached. Starts its agent where that is what must be known.
    pub(super) fn reach(
        &self,
        tool: &'static Tool,
        transport: Transport,
        settings: &ToolsSettings,
    ) -> Result<Reached, SeatError> {
        match (cli_tool(tool), transport) {
            (Some(spoken), Transport::Cli) => by_cli(tool, spoken, settings),
            (Some(spoken), Transport::Auto) => {
                self.by_acp_unasked(tool, settings).or_else(|_| by_cli(tool, spoken, settings))
            }
            (None, _) | (Some(_), Transport::Acp) => self.by_acp(tool, Trial::Greeting, settings),
        }
    }

    /// Why a tool that could be spoken to over ACP is not, in words for a plan.
    pub(super) fn why_not_acp(&self, tool: &str) -> Option<String> {
        self.known().get(&(tool.to_owned(), Trial::Session)).and_then(|greeted| greeted.clone().err())
    }

    /// Whether an agent that has greeted sends each prompt a second time to make a title.
    pub(super) fn makes_titles(&self, tool: &str) -> bool {
        let known = self.known();
        let mut of_tool =
            known.iter().filter(|((name, _), _)| name == tool).filter_map(|(_, greeted)| greeted.as_ref().ok());
        of_tool.any(|command| command.manners.makes_titles)
    }

    /// ACP for somebody who did not ask for it: not where it holds a tool less than its command line does, in whatever
    /// workspace, nor where a session cannot be opened, which would show only when the debate has begun.
    fn by_acp_unasked(&self, tool: &'static Tool, settings: &ToolsSettings) -> Result<Reached, SeatError> {
        let less = acp::agent(tool.name).map(|agent| agent.manners.limits()).unwrap_or_default();
        if !less.is_empty() {
            let why = format!("its agent is held less ({}); --transport acp takes it all the same", less.join("; "));
            let key = (tool.name.to_owned(), Trial::Session);
            self.known().insert(key, Err(why.clone()));
            return Err(SeatError::NoAgent { tool: tool.name.to_owned(), why });
        }
        self.by_acp(tool, Trial::Session, settings)
    }

    fn by_acp(&self, tool: &'static Tool, trial: Trial, settings: &ToolsSettings) -> Result<Reached, SeatError> {
        let no_agent = |why: String| SeatError::NoAgent { tool: tool.name.to_owned(), why };
        let Some(agent) = acp::agent(tool.name) else { return Err(no_agent("rebut knows none".to_owned())) };
        let greeted = self.greet_once(tool.name, trial, || match agent_program(tool, agent, settings) {
            Some(program) => Ok(agent_command(tool, agent, program, settings)),
            None => Err(format!("{} is not installed; {}", agent.program, agent.install)),
        });
        greeted.map(|command| Reached::Acp(Box::new(command))).map_err(no_agent)
    }

    /// Greets the agent that [`Self::reach`] would have to greet, where nobody may wait on this thread: afterwards it is
    /// known. Gives up without knowing once it is cancelled.
    pub(super) async fn meet(
        &self,
        tool: &'static Tool,
        transport: Transport,
        settings: &ToolsSettings,
        cancel: &CancellationToken,
    ) -> Met {
        let Some(agent) = acp::agent(tool.name) else { return Met::Known };
        let trial = match (cli_tool(tool), transport) {
            (Some(_), Transport::Cli) => return Met::Known,
            // Nobody is started who is not taken.
            (Some(_), Transport::Auto) if !agent.manners.limits().is_empty() => return Met::Known,
            (Some(_), Transport::Auto) => Trial::Session,
            (None, _) | (Some(_), Transport::Acp) => Trial::Greeting,
        };
        let Some(program) = agent_program(tool, agent, settings) else { return Met::Known };
        self.meet_as(tool.name, trial, agent_command(tool, agent, program, settings), cancel).await
    }

    /// The same for an agent whose command is known.
    pub(super) async fn meet_as(&self, name: &str, trial: Trial, command: AcpCommand, cancel: &CancellationToken) -> Met {
        let key = (name.to_owned(), trial);
        if self.known().contains_key(&key) {
            return Met::Known;
        }
        let greeted = match acp::greet(&command, trial, self.wait, cancel).await {
            Ok(manners) => Ok(AcpCommand { manners, ..command }),
            Err(failure) if failure.cause == Cause::Cancelled => return Met::Cancelled,
            Err(failure) => Err(no_greeting(&command, trial, &failure)),
        };
        self.known().insert(key, greeted);
        Met::Known
    }

    /// An agent that has greeted, now or earlier; else why it does not.
    pub(super) fn greet_once(
        &self,
        name: &str,
        trial: Trial,
        command: impl FnOnce() -> Result<AcpCommand, String>,
    ) -> Result<AcpCommand, String> {
        let key = (name.to_owned(), trial);
        let known = self.known().get(&key).cloned();
        known.unwrap_or_else(|| {
            let greeted = command().and_then(|command| {
                let manners = greet(&command, trial, self.wait)?;
                Ok(AcpCommand { manners, ..command })
            });
            self.known().insert(key, greeted.clone());
            greeted
        })
    }
}

/// A tool whose transport a plan has settled: nobody is greeted again.
pub(super) fn reach_planned(tool: &'static Tool, transport: &str, settings: &ToolsSettings) -> Result<Reached, SeatError> {
    match (cli_tool(tool), acp::agent(tool.name)) {
        (Some(spoken), agent) if transport != acp::NAME || agent.is_none() => by_cli(tool, spoken, settings),
        (_, Some(agent)) => {
            let program = agent_program(tool, agent, settings);
            let program = program.ok_or(SeatError::NotInstalled { tool: tool.name, install: agent.install })?;
            Ok(Reached::Acp(Box::new(agent_command(tool, agent, program, settings))))
        }
        (_, None) => Err(SeatError::NoAgent { tool: tool.name.to_owned(), why: "rebut knows none".to_owned() }),
    }
}

/// Where the program of a tool's agent is: the tool's own where it is one and the same.
pub(super) fn agent_program(tool: &Tool, agent: &AcpAgent, settings: &ToolsSettings) -> Option<PathBuf> {
    if agent.program == tool.program { detect(tool, settings) } else { find_program(agent.program) }
}

fn agent_command(tool: &Tool, agent: &AcpAgent, program: PathBuf, settings: &ToolsSettings) -> AcpCommand {
    match settings.get(tool.name) {
        Some(settings) => agent.command_with(program, settings),
        None => agent.command(program),
    }
}

fn by_cli(tool: &'static Tool, spoken: &'static CliTool, settings: &ToolsSettings) -> Result<Reached, SeatError> {
    let program = detect(tool, settings).ok_or_else(|| missing(tool, settings))?;
    Ok(Reached::Cli(spoken, program))
}

/// Why a tool has no program.
pub(super) fn missing(tool: &'static Tool, settings: &ToolsSettings) -> SeatError {
    match settings.get(tool.name).and_then(|own| own.program.clone()) {
        Some(program) => SeatError::NoProgram { tool: tool.name, program },
        None => SeatError::NotInstalled { tool: tool.name, install: tool.install },
    }
}

pub(super) fn cli_tool(tool: &Tool) -> Option<&'static CliTool> {
    CLI_TOOLS.iter().find(|cli| cli.name == tool.name)
}

/// Starts an agent and waits for its greeting, on a thread of its own: planning is no async matter.
fn greet(command: &AcpCommand, trial: Trial, wait: Duration) -> Result<Manners, String> {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| Failure::new(Cause::Exit, error.to_string()))?;
            runtime.block_on(acp::greet(command, trial, wait, &CancellationToken::new()))
        });
        thread.join().unwrap_or_else(|_| Err(Failure::new(Cause::Cancelled, "")))
    })
    .map_err(|failure| no_greeting(command, trial, &failure))
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::providers::TOOLS;

    #[test]
    fn a_program_that_the_person_named_is_the_one_that_is_spoken_to_over_acp_too() {
        // Any program will do that is surely there, and not on the search path under this name.
        let program = std::env::current_exe().unwrap();
        let mut settings = ToolsSettings::default();
        for name in ["gemini", "claude"] {
            settings.entry(name.to_owned()).or_default().program = Some(program.display().to_string());
        }
        let tool = |name: &str| TOOLS.iter().find(|tool| tool.name == name).unwrap();
        let gemini = acp::agent("gemini").unwrap();
        assert_eq!(agent_program(tool("gemini"), gemini, &settings), Some(program.clone()));
        match reach_planned(tool("gemini"), acp::NAME, &settings).unwrap() {
            Reached::Acp(command) => assert_eq!((command.program, command.variables.len()), (program.clone(), 0)),
            Reached::Cli(..) => panic!("not over ACP"),
        }
        // An agent that starts the tool is told which one.
        let claude = agent_command(tool("claude"), acp::agent("claude").unwrap(), "/x/agent".into(), &settings);
        assert_eq!(claude.variables, [("CLAUDE_CODE_EXECUTABLE".into(), program.into_os_string())]);
    }
}
