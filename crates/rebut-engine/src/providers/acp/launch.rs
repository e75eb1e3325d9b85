//! How an agent is started, and where.

use std::ffi::OsString;
use std::path::Path;

use rebut_core::debate::{Effort, Prompt};

use super::agents::AcpCommand;
use crate::process::Launch;
use crate::providers::cli::scratch::Scratch;
use crate::providers::cli::{Ask, CLI_TOOLS};

impl AcpCommand {
    /// The start of this agent; its temporary files go into `temporary`.
    pub(super) fn launch(&self, folder: &Path, temporary: &Scratch, model: Option<&str>, reads_workspace: bool) -> Launch {
        let variable = |name: &str| self.variable(name);
        let mut variables: Vec<(&str, String)> = Vec::new();
        // What holds for a run of the tool's command line holds for its agent too.
        if let Some(tool) = CLI_TOOLS.iter().find(|tool| tool.name == self.name) {
            let own_servers = (tool.own_servers)(&variable);
            let ask = Ask {
                program: &self.program,
                own_servers: &own_servers,
                model: None,
                effort: Effort::default(),
                prompt: &Prompt::default(),
                title: "",
                reads_workspace,
                variable: &variable,
            };
            variables.extend((tool.command)(&ask).variables);
        }
        variables.extend((self.manners.variables)(&variable));
        if let (Some(name), Some(model)) = (self.manners.model_variable, model) {
            variables.push((name, model.to_owned()));
        }
        let variables = variables.into_iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        // What must hold goes last, and wins.
        let own = self.variables.iter().cloned().chain(temporary.variables());
        Launch {
            program: self.program.clone(),
            arguments: self.arguments.clone(),
            folder: folder.to_owned(),
            variables: own.chain(variables).collect(),
            input: Vec::new(),
        }
    }

    /// A folder of its own for its temporary files, or to stay in.
    pub(super) fn scratch(&self) -> std::io::Result<Scratch> {
        Scratch::create(self.variable("TMPDIR").as_deref())
    }

    fn variable(&self, name: &str) -> Option<String> {
        let own = self.variables.iter().rfind(|(own, _)| own == name).map(|(_, value)| value.to_string_lossy().into_owned());
        own.or_else(|| std::env::var(name).ok()).filter(|value| !value.is_empty())
    }
}
