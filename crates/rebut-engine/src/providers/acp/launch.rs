//! How an agent is started, and where.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use rebut_core::debate::Prompt;

use super::agent::{AcpCommand, Start};
use crate::process::{Launch, TempFolder};
use crate::providers::cli::{Ask, OwnSettings, Unreadable};
use crate::providers::variables::variable;

impl AcpCommand {
    /// How to start this agent; its home and its temporary files go into `temporary`.
    pub(super) fn launch(
        &self,
        folder: &Path,
        temporary: &TempFolder,
        model: Option<&str>,
        effort: Option<&str>,
        reads_workspace: bool,
    ) -> io::Result<Launch> {
        let variable = |name: &str| variable(name, &self.variables);
        let own = self.own().map_err(io::Error::other)?;
        let ask = Ask {
            program: &self.program,
            schema: None,
            own: &own,
            scratch: temporary.path(),
            model,
            effort,
            prompt: &Prompt::default(),
            title: "",
            reads_workspace,
            searches_web: false,
            variable: &variable,
        };
        // A tool's agent is set up as its command line is; only the arguments differ.
        let mut variables = match self.tool {
            Some(tool) => ask.prepare(tool, temporary, &[], &self.variables)?.1,
            None => self.variables.iter().cloned().chain(temporary.variables()).collect(),
        };
        let start = Start { own: &own, effort, reads_workspace, variable: &variable };
        let of_agent = (self.quirks.variables)(&start).map_err(io::Error::other)?;
        let of_model = self.quirks.model_variable.zip(model.map(str::to_owned));
        variables.extend(of_agent.into_iter().chain(of_model).map(|(name, value)| (name.into(), value.into())));
        let more = (self.quirks.arguments)(&start).into_iter().map(OsString::from);
        Ok(Launch {
            program: self.program.clone(),
            arguments: self.arguments.iter().cloned().chain(more).collect(),
            folder: folder.to_owned(),
            variables,
            input: Vec::new(),
        })
    }

    pub(super) fn own(&self) -> Result<OwnSettings, Unreadable> {
        self.tool.map_or_else(|| Ok(OwnSettings::default()), |tool| (tool.own)(&|name| variable(name, &self.variables)))
    }

    /// A temporary folder for its files, or to run in.
    pub(super) fn scratch(&self) -> io::Result<TempFolder> {
        TempFolder::for_tool(variable("TMPDIR", &self.variables).as_deref())
    }
}
