//! How an agent is started, and where.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use rebut_core::debate::Prompt;

use super::agent::{AcpCommand, Start};
use crate::process::{Launch, TempFolder};
use crate::providers::cli::{Ask, OwnSettings, Unreadable};
use crate::providers::variables::{inherited, variable};

impl AcpCommand {
    /// The start of this agent; its temporary files go into `temporary`.
    pub(super) fn launch(
        &self,
        folder: &Path,
        temporary: &TempFolder,
        model: Option<&str>,
        effort: Option<&str>,
        reads_workspace: bool,
    ) -> io::Result<Launch> {
        let variable = |name: &str| self.variable(name);
        let mut variables: Vec<(&str, String)> = Vec::new();
        let mut own = OwnSettings::default();
        let mut keys: Vec<String> = Vec::new();
        // What holds for a run of the tool's command line holds for its agent too.
        if let Some(tool) = self.tool {
            own = self.own().map_err(io::Error::other)?;
            let ask = Ask {
                program: &self.program,
                schema: None,
                own: &own,
                scratch: temporary.path(),
                model: None,
                effort,
                prompt: &Prompt::default(),
                title: "",
                reads_workspace,
                searches_web: false,
                variable: &variable,
            };
            let line = (tool.command)(&ask);
            temporary.put(&line.files)?;
            temporary.lend(&own.lent)?;
            variables.extend(tool.environment.iter().map(|(name, value)| (*name, (*value).to_owned())));
            variables.extend(line.variables);
            keys.extend((tool.keys)(&own, model, &variable));
        }
        let start = Start { own: &own, effort, reads_workspace, variable: &variable };
        variables.extend((self.quirks.variables)(&start).map_err(io::Error::other)?);
        let more = (self.quirks.arguments)(&start).into_iter().map(OsString::from);
        if let (Some(name), Some(model)) = (self.quirks.model_variable, model) {
            variables.push((name, model.to_owned()));
        }
        let variables = variables.into_iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        // What must hold goes last, and wins.
        let own = inherited(&keys).into_iter().chain(self.variables.iter().cloned()).chain(temporary.variables());
        Ok(Launch {
            program: self.program.clone(),
            arguments: self.arguments.iter().cloned().chain(more).collect(),
            folder: folder.to_owned(),
            variables: own.chain(variables).collect(),
            input: Vec::new(),
        })
    }

    pub(super) fn own(&self) -> Result<OwnSettings, Unreadable> {
        self.tool.map_or_else(|| Ok(OwnSettings::default()), |tool| (tool.own)(&|name| self.variable(name)))
    }

    /// A folder of its own for its temporary files, or to stay in.
    pub(super) fn scratch(&self) -> io::Result<TempFolder> {
        TempFolder::for_tool(self.variable("TMPDIR").as_deref())
    }

    fn variable(&self, name: &str) -> Option<String> {
        variable(name, self.variables.iter().map(|(own, value)| (own, value)))
    }
}
