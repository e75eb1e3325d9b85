//! The user's own agents, `acp:NAME`: commands in their config that speak ACP. All that is known about them is what the
//! config says and what they answer.

use std::path::PathBuf;

use rebut_core::debate::SeatPlan;

use super::acp::{self, AcpCommand};
use super::sign_in::warning;
use super::tools::{find_program, inherited, is_program, tool};
use super::{ModelChoice, Providers, SeatError, family};
use crate::config::AgentSettings;

pub const OWN_AGENT: &str = "acp:";

/// What the user should know about an agent that was not tried here.
pub(super) const LIMIT: &str = "an agent of your own: whether it keeps to reading the workspace has not been tried";

#[derive(Clone, Copy)]
pub(super) struct OwnAgent<'a> {
    /// Its name after `acp:`.
    pub(super) name: &'a str,
    settings: &'a AgentSettings,
}

impl OwnAgent<'_> {
    pub(super) fn tool(self) -> String {
        format!("{OWN_AGENT}{}", self.name)
    }

    pub(super) fn program(self) -> Option<PathBuf> {
        let program = PathBuf::from(self.settings.command.first()?);
        if program.is_absolute() { Some(program).filter(|file| is_program(file)) } else { find_program(program.to_str()?) }
    }

    pub(super) fn missing(self) -> String {
        let (name, program) = (self.name, self.settings.command.first().map_or("", String::as_str));
        format!("there is no program {program}; correct `agents.{name}.command` in your config.toml")
    }

    pub(super) fn command(self) -> Result<AcpCommand, String> {
        let program = self.program().ok_or_else(|| self.missing())?;
        let command = AcpCommand::of_words(&self.tool(), &self.settings.command).ok_or_else(|| self.missing())?;
        Ok(AcpCommand { program, variables: inherited(&self.settings.env), ..command })
    }
}

impl Providers {
    pub(super) fn own_agents(&self) -> impl Iterator<Item = OwnAgent<'_>> {
        self.agents.iter().map(|(name, settings)| OwnAgent { name, settings })
    }

    /// The agent that a seat names, where it names one of those.
    pub(super) fn own_agent(&self, tool: &str) -> Option<Result<OwnAgent<'_>, SeatError>> {
        let name = tool.strip_prefix(OWN_AGENT)?;
        let known = || self.agents.keys().cloned().collect();
        let found = self.own_agents().find(|agent| agent.name == name);
        Some(found.ok_or_else(|| SeatError::UnknownAgent { agent: name.to_owned(), known: known() }))
    }

    /// The plan for one of the user's own agents, which is greeted first.
    pub(super) fn plan_own(&self, agent: OwnAgent<'_>, model: &ModelChoice) -> Result<SeatPlan, SeatError> {
        let tool = agent.tool();
        self.greeted.greet_now(&tool, acp::Trial::Greeting, || agent.command())?;
        let model = model.named().map(str::to_owned);
        let of_model = model.as_deref().and_then(family::of_model);
        Ok(SeatPlan {
            tool,
            family: agent.settings.family.as_deref().or(of_model).unwrap_or(agent.name).to_owned(),
            model,
            data_goes_to: format!("the service that the agent {} uses", agent.name),
            reads_workspace: true,
            transport: acp::NAME.to_owned(),
            ..SeatPlan::default()
        })
    }

    /// What the user should know about a seat that does more than it is asked to.
    pub fn limits_of(&self, seat: &SeatPlan) -> Vec<String> {
        if seat.tool.starts_with(OWN_AGENT) {
            return vec![LIMIT.to_owned()];
        }
        let Some(tool) = tool(&seat.tool) else { return Vec::new() };
        let mut limits = tool.limits(seat.transport == acp::NAME);
        if seat.transport == acp::NAME {
            limits.extend(self.greeted.generates_titles(tool.name).then(|| acp::GENERATES_TITLES.to_owned()));
        }
        limits.extend(warning(tool, seat.model.as_deref(), &|name| self.variable(name)));
        limits
    }
}
