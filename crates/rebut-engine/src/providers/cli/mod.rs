//! Tools that are spoken to through their command line: one file a tool.
//!
//! What a tool's command looks like and what its output means are pure functions; how a program is started and ended is
//! the process room's. The prompt goes in on standard input, never as an argument and never through a shell.

pub(super) mod claude;
mod codex;
mod copilot;
mod gemini;
mod opencode;
pub(super) mod reading;
mod seat;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rebut_core::debate::{Answer, Failure, Prompt};
use serde_json::Value;

use super::Progress;

pub(super) use seat::{CliSeat, PATIENCE_WITH_TRIES};

/// A tool with a command line of its own.
#[derive(Clone, Copy, Debug)]
pub struct CliTool {
    /// Its name.
    pub name: &'static str,
    /// Its words for low, medium, high and max effort; `None` where its models are all the choice there is.
    pub efforts: Option<[&'static str; 4]>,
    /// Whether it holds answers to a JSON Schema by itself.
    pub takes_schema: bool,
    /// Its command for a question.
    pub command: fn(&Ask<'_>) -> CommandLine,
    /// What its command must know of the person's own settings. The only part that reads files.
    pub own: fn(&Variables<'_>) -> Result<Own, Unreadable>,
    /// The variables of rebut's environment that it needs to reach this model, beside those that every program needs: its
    /// own, and the keys of the provider that it is set up with. A name that ends in `*` stands for all that begin so.
    pub keys: fn(&Own, Option<&str>, &Variables<'_>) -> Vec<String>,
    /// What one line of its output tells while it answers.
    pub progress: fn(&str) -> Vec<Progress>,
    /// Whether this line says only that it has started or tries again: the model has not said or done anything.
    pub is_preface: fn(&str) -> bool,
    /// Whether it tells every word and thought of its model as it comes, so that long silence means that something is wrong.
    pub streams: bool,
    /// Whether this line is the last one that matters.
    pub is_last: fn(&str) -> bool,
    /// What failed, where this line of its standard error says that it tries again by itself.
    pub tries_again: fn(&str) -> Option<Failure>,
    /// What it said in the end.
    pub read: fn(&Said<'_>) -> Result<Answer, Failure>,
}

/// Whether a tool holds answers to a JSON Schema by itself.
pub(super) fn takes_schema(name: &str) -> bool {
    CLI_TOOLS.iter().any(|tool| tool.name == name && tool.takes_schema)
}

/// Every tool, one line each.
pub const CLI_TOOLS: [CliTool; 5] = [claude::TOOL, codex::TOOL, gemini::TOOL, opencode::TOOL, copilot::TOOL];

/// What a variable of a tool's environment holds.
pub type Variables<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// What a command must know of the person's own settings.
///
/// A tool has a home of its own in a debate: what the person allows it, has it start and tells it elsewhere is no part of
/// that. Only what it needs to reach its model goes with it.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// The MCP servers that must be turned off by name.
    pub servers: Vec<String>,
    /// What of the settings says how the model is reached.
    pub settings: Value,
    /// Files that the tool signs in with: their place in the scratch folder, and where they are.
    pub lent: Vec<(&'static str, PathBuf)>,
    /// Whether the tool must be left in the person's own home, because it signs in with what cannot be lent.
    pub stays_home: bool,
    /// The model that is used where none is named, as far as the settings tell.
    pub model: Option<String>,
}

/// Settings of the person's own that cannot be read. Without them a tool might ask another provider than the one they name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place} cannot be read: {why}; mend it, since it says how the tool reaches its model")]
pub struct Unreadable {
    /// The file or the variable.
    pub place: String,
    /// What is wrong, and in which line.
    pub why: String,
}

/// A question to a tool.
#[derive(Clone)]
pub struct Ask<'a> {
    /// The model, if one is asked for.
    pub model: Option<&'a str>,
    /// The word for how hard to think; `None` says nothing.
    pub effort: Option<&'a str>,
    /// What is asked.
    pub prompt: &'a Prompt,
    /// The JSON Schema of the answer, where it has one.
    pub schema: Option<&'a Value>,
    /// Where its program really is, links followed.
    pub program: &'a Path,
    /// What of the person's own settings counts.
    pub own: &'a Own,
    /// The folder that its files are put into.
    pub scratch: &'a Path,
    /// A title for tools that keep one.
    pub title: &'a str,
    /// Whether it may read the files of its folder.
    pub reads_workspace: bool,
    /// Whether it may search the web with tools of its own, where it has some that only do that.
    pub searches_web: bool,
    /// What a variable of the environment holds.
    pub variable: &'a Variables<'a>,
}

/// A command, without the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// The arguments.
    pub arguments: Vec<OsString>,
    /// Variables beside those of this process.
    pub variables: Vec<(&'static str, String)>,
    /// Files that must be in the scratch folder when it starts, by name.
    pub files: Vec<(&'static str, String)>,
    /// What goes in on standard input.
    pub input: String,
}

impl CommandLine {
    fn new(input: String, arguments: &[&str]) -> Self {
        Self { arguments: arguments.iter().map(OsString::from).collect(), variables: Vec::new(), files: Vec::new(), input }
    }

    fn with(mut self, arguments: &[&str]) -> Self {
        self.arguments.extend(arguments.iter().map(OsString::from));
        self
    }

    fn with_variable(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    fn with_file(mut self, name: &'static str, content: String) -> Self {
        self.files.push((name, content));
        self
    }
}

/// What a tool said, when it was done.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// Its standard output.
    pub stdout: &'a str,
    /// The end of its standard error.
    pub stderr: &'a str,
    /// Its exit code, -1 where a signal ended it; `None` where we did because it had said all.
    pub exit: Option<i32>,
}

#[cfg(test)]
mod tests;
