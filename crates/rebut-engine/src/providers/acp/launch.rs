//! How an agent is started, and where.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rebut_core::debate::{Effort, Prompt};

use super::agents::AcpCommand;
use crate::process::Launch;
use crate::providers::cli::{Ask, CLI_TOOLS};

impl AcpCommand {
    /// The start of this agent.
    pub(super) fn launch(&self, folder: &Path, model: Option<&str>, reads_workspace: bool) -> Launch {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
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
        Launch {
            program: self.program.clone(),
            arguments: self.arguments.clone(),
            folder: folder.to_owned(),
            variables: variables.chain(self.variables.iter().cloned()).collect(),
            input: Vec::new(),
        }
    }
}

/// An empty folder that nobody else can write to, gone with its owner.
pub(super) struct Nowhere(PathBuf);

impl Nowhere {
    pub(super) fn new() -> std::io::Result<Self> {
        let path = std::env::temp_dir().join(format!("rebut-{}", crate::chance::mark()));
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Nowhere {
    fn drop(&mut self) {
        // What an agent left there was never part of the debate.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
