//! Tools over their command line: each call is a process of its own.
//!
//! The prompt goes in on standard input, never as an argument and never through a shell.

pub(super) mod output;
mod seat;
pub(super) mod stream_json;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rebut_core::debate::Prompt;
use serde_json::Value;

use super::Progress;
pub(super) use seat::{CliSeat, MOST_RETRIES};

pub const NAME: &str = "cli";

pub type Variables<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// What a command must know of the user's own settings.
///
/// A tool has a home of its own in a debate: what the user allows it, has it start and tells it elsewhere is no part of
/// that. Only what it needs to reach its model goes with it.
#[derive(Clone, Debug, Default)]
pub struct OwnSettings {
    /// The MCP servers that must be turned off by name.
    pub servers: Vec<String>,
    /// What of the settings says how the model is reached.
    pub settings: Value,
    /// Files that the tool signs in with: their place in the scratch folder, and where they are.
    pub lent: Vec<(&'static str, PathBuf)>,
    /// Whether the tool must be left in the user's own home, because it signs in with what cannot be lent.
    pub keeps_home: bool,
    /// Whether it is set up with a provider that its own account says nothing about.
    pub has_provider: bool,
    /// The model that is used where none is named, as far as the settings tell.
    pub model: Option<String>,
    /// What the user should know if no model is named.
    pub without_model: Option<&'static str>,
}

/// What an event of a tool's output says while it answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Only that the tool has started or retries: the model has not said or done anything.
    Startup,
    News(Vec<Progress>),
    /// The last that matters.
    Last,
}

impl Line {
    /// A text of the answer, if this is one.
    pub(super) fn text(value: &Value) -> Self {
        Self::News(value.as_str().map(|text| Progress::Text(text.to_owned())).into_iter().collect())
    }

    /// What the tool does, if this names it.
    pub(super) fn activity(value: &Value) -> Self {
        Self::News(value.as_str().map(|what| Progress::Activity(what.to_owned())).into_iter().collect())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place} cannot be read: {why}; mend it, since it says how the tool reaches its model")]
pub struct Unreadable {
    pub place: String,
    pub why: String,
}

#[derive(Clone)]
pub struct Ask<'a> {
    pub model: Option<&'a str>,
    /// The word for how hard to think; `None` says nothing.
    pub effort: Option<&'a str>,
    pub prompt: &'a Prompt,
    /// The JSON Schema of the answer, where it has one.
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

    /// A flag with its value, where there is one.
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
    /// Its exit code, -1 where a signal ended it; `None` where we did because it had said all.
    pub exit: Option<i32>,
}
