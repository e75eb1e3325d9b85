//! The agent of a tool: what to start, and where it differs from the protocol or from other agents.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use rebut_core::debate::{Cause, Failure, Prompt};
use serde_json::Value;

use crate::config::ToolSettings;
use crate::process::{Launch, TempFolder};
use crate::providers::Tool;
use crate::providers::cli::{Ask, OwnSettings, Unreadable};
use crate::providers::tools::{inherited, variable};
use crate::workspace::read_given;

#[derive(Debug)]
pub struct Agent {
    /// The program that speaks ACP for the tool, if the tool does not do so itself.
    pub adapter: Option<Adapter>,
    pub arguments: &'static [&'static str],
    pub quirks: Quirks,
}

#[derive(Debug)]
pub struct Adapter {
    pub program: &'static str,
    /// How to get it, as the rest of a sentence.
    pub install: &'static str,
    pub tool_variable: &'static str,
}

pub type NamedValues = Vec<(&'static str, String)>;

/// What an agent reports of its own state beside its messages.
#[derive(Debug, Default)]
pub struct AgentStatus {
    /// What failed; it begins its answer again.
    pub failure: Option<Failure>,
    /// Whether it said that the failure was its last word.
    pub gave_up: bool,
}

/// How an agent differs from others. The rest is read from the session that it opens.
#[derive(Clone, Copy, Debug)]
pub struct Quirks {
    /// The mode in which it asks before it writes. A session that does not offer it is not used.
    pub mode: Option<&'static str>,
    /// The variable that names its model, if sessions offer no choice.
    pub model_variable: Option<&'static str>,
    pub variables: fn(&Ask<'_>) -> Result<NamedValues, Unreadable>,
    pub arguments: fn(&Ask<'_>) -> Vec<String>,
    /// `_meta` of a new session, given the user's settings and whether it may read its folder.
    pub session_meta: fn(&OwnSettings, bool) -> Option<Value>,
    /// Whether it replaces `@path` in a prompt by the file.
    pub expands_paths: bool,
    /// How the program's own notices begin, which arrive like a part of the answer but belong to no message.
    pub notices: &'static [&'static str],
    /// Whether a failed call ends like an answered one: with an `Error: …` as its text, and without usage.
    pub errors_as_text: bool,
    /// Whether an answer for which it counts no token at all is truncated.
    pub zero_tokens_is_truncated: bool,
    /// Whether it retries a truncated answer without end: each is a message of its own, with no tool between.
    pub restarts_answers: bool,
    /// Whether it sends each prompt a second time to generate a title, unless its session is given one.
    pub generates_titles: bool,
    /// What is worse over ACP than over its command line.
    pub drawback: Option<&'static str>,
    /// What of the project reaches its model over ACP and not over its command line.
    pub also_reads: Option<&'static str>,
    /// Files of the repository that it would run, which no switch turns off. A folder with such a file that may contain this
    /// word is refused.
    pub runs_from_project: &'static [(&'static str, &'static str)],
    /// How to sign in before a session is opened, by what it answers to `initialize`.
    pub auth_method: fn(&Value) -> Option<&str>,
    /// The model that a `usage_update` names.
    pub model: fn(&Value) -> Option<&str>,
    /// What a `session_info_update` reports.
    pub status: fn(&Value) -> AgentStatus,
}

/// The largest file in which a word is looked for; a larger one counts as having it.
const MOST_READ: u64 = 1 << 20;

/// What is said of an agent that starts what a repository brings along.
pub const STARTS: &str = "it would start the repository's own hooks or MCP servers";

/// What is said of an agent whose sessions cannot be given a title.
pub const GENERATES_TITLES: &str = "over ACP this version of its agent sends each prompt a second time to generate a title, \
     and those tokens are not counted; update the agent or use --transport cli";

impl Quirks {
    pub const NONE: Self = Self {
        mode: None,
        model_variable: None,
        variables: |_| Ok(Vec::new()),
        arguments: |_| Vec::new(),
        session_meta: |_, _| None,
        expands_paths: false,
        notices: &[],
        errors_as_text: false,
        zero_tokens_is_truncated: false,
        restarts_answers: false,
        generates_titles: false,
        drawback: None,
        also_reads: None,
        runs_from_project: &[],
        auth_method: |_| None,
        model: |_| None,
        status: |_| AgentStatus { failure: None, gave_up: false },
    };

    pub fn limits(&self) -> Vec<String> {
        let drawback = self.drawback.map(|what| format!("over ACP {what}"));
        let reads = self.also_reads.map(|what| format!("over ACP it also reads {what}"));
        let refuses = (!self.runs_from_project.is_empty())
            .then(|| format!("over ACP {STARTS}, so a workspace that has any is refused"));
        drawback.into_iter().chain(reads).chain(refuses).collect()
    }

    /// What of the repository around a folder it would start.
    pub(in crate::providers) fn starts_in(&self, folder: &Path) -> Option<&'static str> {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        // What is above a folder outside of any repository is the user's own.
        let places = 1 + folder.ancestors().position(|place| place.join(".git").exists()).unwrap_or(0);
        let has = |place: &Path, name: &str, word: &str| {
            let file = place.join(name);
            // JSON can escape any word, and the agent may be able to read what we cannot.
            let may_say = || match read_given(&file, MOST_READ) {
                Ok(text) => [word, "\\u"].iter().any(|sign| String::from_utf8_lossy(&text).contains(sign)),
                Err(_) => true,
            };
            file.exists() && !is_only_last_debate(&file) && (word.is_empty() || may_say())
        };
        let found = |(name, word): &&(&str, &str)| folder.ancestors().take(places).any(|place| has(place, name, word));
        self.runs_from_project.iter().find(found).map(|(name, _)| *name)
    }
}

/// Whether a folder holds nothing but the debate that rebut leaves there for the tool.
fn is_only_last_debate(folder: &Path) -> bool {
    let only = |folder: &Path, is_meant: fn(&str) -> bool| {
        let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten().peekable();
        entries.peek().is_some() && entries.all(|entry| entry.file_name().to_str().is_some_and(is_meant))
    };
    only(folder, |name| name == "debate") && only(&folder.join("debate"), |name| name.contains("last-debate"))
}

/// What an agent is started with.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    pub(super) folder: &'a Path,
    pub(super) model: Option<&'a str>,
    pub(super) effort: Option<&'a str>,
    pub(super) reads_workspace: bool,
}

/// An agent to start: that of a tool, or a command of the user's own.
#[derive(Clone, Debug)]
pub struct AcpCommand {
    pub name: String,
    pub tool: Option<&'static Tool>,
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// Variables beside those that it may see of this process.
    pub variables: Vec<(OsString, OsString)>,
    pub quirks: Quirks,
}

impl AcpCommand {
    /// A command of the user's own, in words: the program and its arguments. No shell reads them.
    pub fn of_words(name: &str, words: &[String]) -> Option<Self> {
        let (program, arguments) = words.split_first()?;
        Some(Self {
            name: name.to_owned(),
            tool: None,
            program: program.into(),
            arguments: arguments.iter().map(OsString::from).collect(),
            variables: Vec::new(),
            quirks: Quirks::NONE,
        })
    }

    /// The agent of a tool, where its program is, with what the user says of the tool: its own program, and variables that
    /// it may see.
    pub fn of_tool(tool: &'static Tool, program: PathBuf, settings: Option<&ToolSettings>) -> Self {
        let named = settings.and_then(|settings| settings.program.as_ref());
        let named = tool.agent.adapter.as_ref().zip(named).map(|(adapter, own)| (adapter.tool_variable.into(), own.into()));
        let seen = settings.map(|settings| inherited(&settings.env)).unwrap_or_default();
        Self {
            name: tool.name.to_owned(),
            tool: Some(tool),
            program,
            arguments: tool.agent.arguments.iter().map(OsString::from).collect(),
            variables: seen.into_iter().chain(named).collect(),
            quirks: tool.agent.quirks,
        }
    }

    /// How to start it; its home and its temporary files go into `temporary`.
    pub(super) fn launch(&self, given: Given<'_>, temporary: &TempFolder) -> io::Result<Launch> {
        let Given { folder, model, effort, reads_workspace } = given;
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
        let of_agent = (self.quirks.variables)(&ask).map_err(io::Error::other)?;
        let of_model = self.quirks.model_variable.zip(model.map(str::to_owned));
        variables.extend(of_agent.into_iter().chain(of_model).map(|(name, value)| (name.into(), value.into())));
        let more = (self.quirks.arguments)(&ask).into_iter().map(OsString::from);
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

    pub fn efforts(&self) -> [&'static str; 4] {
        self.tool.and_then(|tool| tool.efforts).unwrap_or(["low", "medium", "high", "max"])
    }

    pub(super) fn advised(&self, failure: Failure) -> Failure {
        match (failure.cause, self.tool) {
            (Cause::Auth, None) => failure.with_advice("Sign in with the agent's own program."),
            (Cause::UnknownModel, None) => failure.with_advice("Name another model after the agent: acp:NAME:MODEL."),
            (Cause::UnknownModel, Some(Tool { name, .. })) => failure.with_advice(format!(
                "Name another model ({name}:MODEL), leave it to the tool ({name}:auto), or use --transport cli."
            )),
            (_, Some(tool)) => tool.advised(failure),
            (_, None) => failure,
        }
    }
}

pub(super) fn not_set_up(error: &io::Error) -> Failure {
    Failure::new(Cause::Exit, format!("it could not be set up: {error}"))
}

#[cfg(test)]
mod tests {
    use super::Quirks;

    #[test]
    fn an_agent_would_start_what_the_repository_brings_along_and_nothing_around_it() {
        let around = tempfile::tempdir().unwrap();
        let inside = around.path().join("repository/deep");
        std::fs::create_dir_all(&inside).unwrap();
        let quirks = Quirks { runs_from_project: &[(".x/settings.json", "hooks")], ..Quirks::NONE };
        let settings_in = |folder: &str, text: &str| {
            let file = around.path().join(folder).join(".x/settings.json");
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
            quirks.starts_in(&inside)
        };
        assert_eq!(settings_in("", r#"{"hooks": {}}"#), None, "there is no repository");
        std::fs::create_dir(around.path().join("repository/.git")).unwrap();
        assert_eq!(settings_in("repository", r#"{"model": "opus"}"#), None);
        assert_eq!(settings_in("repository", r#"{"\u0068ooks": {}}"#), Some(".x/settings.json"));
    }
}
