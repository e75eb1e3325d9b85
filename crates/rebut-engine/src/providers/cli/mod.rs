//! Tools over their command line: each call is a process of its own.
//!
//! The prompt goes in on standard input, never as an argument and never through a shell.

pub(super) mod output;
mod seat;
pub(super) mod stream_json;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use rebut_core::debate::Prompt;
use serde_json::Value;

use super::tools::inherited;
use super::{Progress, Tool};
use crate::process::TempFolder;
pub(super) use seat::{CliSeat, MOST_RETRIES};

pub const NAME: &str = "cli";

pub type Variables<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// The part of the user's settings that a tool needs in a debate.
///
/// It gets a home of its own, with nothing but how to reach its model: the user's permissions, hooks, servers and
/// instructions stay out.
#[derive(Clone, Debug, Default)]
pub struct OwnSettings {
    /// The MCP servers that must be turned off by name.
    pub servers: Vec<String>,
    /// How the model is reached.
    pub settings: Value,
    /// Files that the tool signs in with: their place in the scratch folder, and where they are.
    pub lent: Vec<(&'static str, PathBuf)>,
    /// Whether the tool must be left in the user's own home, because it signs in with what cannot be lent.
    pub keeps_home: bool,
    /// Whether it uses a provider of the user's, about which its own account says nothing.
    pub has_provider: bool,
    /// The default model, as far as the settings tell.
    pub model: Option<String>,
    /// What the user should know if no model is named.
    pub without_model: Option<&'static str>,
}

/// What one event of a tool's output means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// The model has not said or done anything: the tool has started, retries, or keeps a connection open.
    Idle,
    News(Vec<Progress>),
    /// The answer is complete: nothing that follows matters.
    Last,
}

impl Line {
    /// A piece of the answer, if this is a text.
    pub(super) fn text(value: &Value) -> Self {
        Self::News(value.as_str().map(|text| Progress::Text(text.to_owned())).into_iter().collect())
    }

    /// What the tool does, if this is a text.
    pub(super) fn activity(value: &Value) -> Self {
        Self::News(value.as_str().map(|what| Progress::Activity(what.to_owned())).into_iter().collect())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place} can't be read: {why}; fix it, since it says how the tool reaches its model")]
pub struct Unreadable {
    pub place: String,
    pub why: String,
}

#[derive(Clone)]
pub struct Ask<'a> {
    pub model: Option<&'a str>,
    /// The tool's word for the effort; `None` passes none.
    pub effort: Option<&'a str>,
    pub prompt: &'a Prompt,
    /// The JSON Schema of the answer, if it has one.
    pub schema: Option<&'a Value>,
    /// Where its program really is, links followed.
    pub program: &'a Path,
    pub own: &'a OwnSettings,
    pub scratch: &'a Path,
    pub title: &'a str,
    pub reads_workspace: bool,
    /// Whether it may search the web with tools of its own, where it has some that only do that.
    pub searches_web: bool,
    pub variable: &'a Variables<'a>,
}

impl Ask<'_> {
    /// The command, with its files and credentials in place, and the variables to start it with; of two with the same name
    /// the last counts. `passed_on` names variables of this process that the user lets the tool see.
    pub(super) fn prepare(
        &self,
        tool: &Tool,
        scratch: &TempFolder,
        passed_on: &[String],
        given: &[(OsString, OsString)],
    ) -> io::Result<(CommandLine, Vec<(OsString, OsString)>)> {
        let line = (tool.command)(self);
        scratch.put(&line.files)?;
        scratch.lend(&self.own.lent)?;
        let mut keys = (tool.keys)(self.own, self.model, self.variable);
        keys.extend_from_slice(passed_on);
        let mut variables = inherited(&keys);
        variables.extend(given.iter().cloned().chain(scratch.variables()));
        variables.extend(tool.environment.iter().map(|(name, value)| (name.into(), value.into())));
        variables.extend(line.variables.iter().map(|(name, value)| (name.into(), value.into())));
        Ok((line, variables))
    }
}

/// A prompt for a tool that puts the content of a file in place of `@path`: what is quoted must stay as it is.
pub(super) fn without_paths(prompt: &str) -> String {
    prompt.replace('@', "@\u{200b}")
}

/// A command, without the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    pub arguments: Vec<OsString>,
    pub variables: Vec<(&'static str, String)>,
    /// Files that must be in the scratch folder when it starts, by name.
    pub files: Vec<(&'static str, String)>,
    pub input: String,
}

impl CommandLine {
    pub(super) fn new(input: String, arguments: &[&str]) -> Self {
        Self { arguments: arguments.iter().map(OsString::from).collect(), variables: Vec::new(), files: Vec::new(), input }
    }

    pub(super) fn with(mut self, arguments: &[&str]) -> Self {
        self.arguments.extend(arguments.iter().map(OsString::from));
        self
    }

    /// A flag with its value, if there is one.
    pub(super) fn with_option(self, flag: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.with(&[flag, value]),
            None => self,
        }
    }

    pub(super) fn with_variable(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    pub(super) fn with_file(mut self, name: &'static str, content: String) -> Self {
        self.files.push((name, content));
        self
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    pub stdout: &'a str,
    pub stderr: &'a str,
    /// Its exit code: -1 if a signal ended it, `None` if we ended it because its answer was complete.
    pub exit: Option<i32>,
}
