//! The AI tools that rebut knows, one file each: command line, output, failures, sign-in, models and ACP agent.
//!
//! To add a tool, write its file, put captures of its output into `captures/NAME` and add a line to [`TOOLS`].

mod claude;
mod codex;
mod copilot;
mod gemini;
mod grok;
mod host;
mod opencode;
mod qwen;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rebut_core::debate::{Answer, Cause, Effort, Failure};
use serde_json::Value;

use super::acp::Agent;
use super::cli::output::{object, text_in};
use super::cli::{Ask, CommandLine, Line, OwnSettings, Said, Unreadable, Variables};
use super::sign_in::SignInRules;
use crate::config::ToolsSettings;
use crate::parse_errors::toml_error;
pub use host::{HostRules, Place, SettingsFormat};

pub const TOOLS: [&Tool; 7] =
    [&claude::TOOL, &codex::TOOL, &gemini::TOOL, &opencode::TOOL, &copilot::TOOL, &qwen::TOOL, &grok::TOOL];

/// An AI tool on the user's machine. What it prints and what its command looks like are pure functions; only `own` reads
/// files.
#[derive(Debug)]
pub struct Tool {
    /// Its name, which is that of its program too.
    pub name: &'static str,
    pub family: &'static str,
    pub vendor: &'static str,
    /// How to get it, as the rest of a sentence.
    pub install: &'static str,
    /// Its models for low, medium, high and max effort; `None` leaves the choice to the tool.
    pub models: [Option<&'static str>; 4],
    /// Its words for low, medium, high and max effort; `None` if only the model can be chosen.
    pub efforts: Option<[&'static str; 4]>,
    pub features: &'static [Feature],
    /// What it does although a debate forbids it, in plain words.
    pub limits: &'static [&'static str],
    /// Variables for every start, `--version` included.
    pub environment: &'static [(&'static str, &'static str)],
    /// Variables that it sets for what it starts. They show that rebut was called from it, and no seat gets to see them.
    pub session_variables: &'static [&'static str],
    pub project_folder: &'static str,
    pub sign_in: SignInRules,
    pub own: fn(&Variables<'_>) -> Result<OwnSettings, Unreadable>,
    /// The variables of this process that it needs to reach this model: its own, and the keys of its provider. Names may end
    /// in `*`.
    pub keys: fn(&OwnSettings, Option<&str>, &Variables<'_>) -> Vec<String>,
    pub command: fn(&Ask<'_>) -> CommandLine,
    /// What an event means that it prints while it answers.
    pub line: fn(&Value) -> Line,
    /// What failed, if this line of its standard error says that it retries.
    pub retrying: fn(&str) -> Option<Failure>,
    /// Its answer, or why there is none.
    pub parse: fn(&Said<'_>) -> Result<Answer, Failure>,
    pub host: HostRules,
    pub agent: Agent,
}

/// What only some tools do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// It serves models of many vendors, so its name does not show whose model answers.
    Broker,
    /// It enforces the JSON Schema of an answer.
    EnforcesSchema,
    /// It can be allowed to search the web without being allowed more.
    SearchesWeb,
    /// It prints every word and thought as it comes, so a long silence means that something is wrong.
    Streams,
}

/// A limit of tools that follow symlinks. The copy that seats read of a pinned workspace has none.
pub const FOLLOWS_LINKS: &str = "it may follow symlinks outside the workspace";

/// A limit of tools that no option keeps inside the workspace.
pub const READS_OUTSIDE: &str = "it can read files outside of the workspace";

pub fn tool(name: &str) -> Option<&'static Tool> {
    TOOLS.into_iter().find(|tool| tool.name == name)
}

/// Variables by which a program knows that it was started by one of the tools.
pub fn session_variables() -> impl Iterator<Item = &'static str> {
    TOOLS.into_iter().flat_map(|tool| tool.session_variables).copied().chain(["AI_AGENT"])
}

/// The value of a variable: the last one given, otherwise this process's own. A blank value counts as unset.
pub(super) fn variable(name: &str, given: &[(OsString, OsString)]) -> Option<String> {
    let given = given.iter().rfind(|(own, _)| own == name).map(|(_, value)| value.to_string_lossy().into_owned());
    given.or_else(|| std::env::var(name).ok()).filter(|value| !value.trim().is_empty())
}

/// The variables of this process that match these patterns, without those that tell a tool that it runs inside another.
pub(super) fn inherited<P: AsRef<str>>(patterns: &[P]) -> Vec<(OsString, OsString)> {
    let mut variables = crate::process::inherited(patterns);
    variables.retain(|(name, _)| !session_variables().any(|session| name == session));
    variables
}

impl Tool {
    /// Its answer, or why there is none and what to do.
    pub fn read(&self, said: &Said<'_>) -> Result<Answer, Failure> {
        (self.parse)(said).map_err(|failure| self.advised(failure))
    }

    pub fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    /// What a line of its output means. One that is not JSON has no known meaning; one that is blank, or only an event's
    /// type, time and ids, says nothing.
    pub fn hear(&self, line: &str) -> Line {
        let event = object(line);
        let meaning = event.as_ref().map_or(Line::News(Vec::new()), self.line);
        let says_something = |(name, value): (&String, &Value)| {
            !value.is_null() && !matches!(name.as_str(), "type" | "timestamp") && !name.to_lowercase().ends_with("id")
        };
        let mut fields = event.iter().filter_map(Value::as_object).flatten();
        let is_empty = if event.is_some() { !fields.any(says_something) } else { line.trim().is_empty() };
        if is_empty && meaning != Line::Last { Line::Idle } else { meaning }
    }

    pub(super) fn advised(&self, failure: Failure) -> Failure {
        match failure.cause {
            Cause::Auth => failure.with_advice(self.sign_in.advice),
            Cause::UnknownModel => failure.with_advice(format!("Name another model: {}:MODEL.", self.name)),
            _ => failure,
        }
    }

    /// What it does although a debate forbids it, also as an agent.
    pub(super) fn limits(&self, as_agent: bool) -> Vec<String> {
        let of_agent = if as_agent { self.agent.quirks.limits() } else { Vec::new() };
        self.limits.iter().map(|&limit| limit.to_owned()).chain(of_agent).collect()
    }

    pub fn model_for(&self, effort: Effort) -> Option<&'static str> {
        self.models[effort as usize]
    }

    /// Its program: the one that the user named, or the first on the search path.
    pub fn detect(&self, settings: &ToolsSettings) -> Option<PathBuf> {
        match settings.get(self.name).and_then(|own| own.program.as_ref()) {
            Some(named) => Some(PathBuf::from(named)).filter(|file| is_program(file)),
            None => find_program(self.name),
        }
    }

    /// Where the program of its agent is.
    pub(super) fn detect_agent(&self, settings: &ToolsSettings) -> Option<PathBuf> {
        match &self.agent.adapter {
            Some(adapter) => find_program(adapter.program),
            None => self.detect(settings),
        }
    }
}

/// The settings in a TOML file; empty if there is none.
fn toml_settings(file: &Path) -> Result<Value, Unreadable> {
    let text = text_in(file)?.unwrap_or_default();
    let unreadable = |error| Unreadable { place: file.display().to_string(), why: toml_error(&text, &error) };
    toml::from_str(&text).map_err(unreadable)
}

/// Settings as TOML.
fn toml_text(settings: &Value) -> String {
    toml::Table::try_from(settings).map_or_else(|_| String::new(), |table| table.to_string())
}

/// Where a program is on the search path. Folders that are not absolute are skipped: they would be the project's.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|file| is_program(file))
}

pub(super) fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|there| there.is_file() && there.permissions().mode() & 0o111 != 0)
}
