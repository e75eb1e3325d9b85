//! Tools that can call rebut: how each gets its MCP server and its `debate` command.
//!
//! A tool with `mcp add` and `mcp remove` commands of its own changes its settings itself; for the others the file is
//! edited, with a backup. Both are shown before they happen.

mod file;
mod plan;
mod settings;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Value, json};

pub(crate) use plan::{Plan, Step};
use settings::{Format, Settings};

/// The skill, which most tools read as it is.
const SKILL: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../skills/debate/SKILL.md"));
const GEMINI_COMMAND: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../commands/debate.toml"));
const OPENCODE_COMMAND: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../opencode/debate.md"));

/// Codex starts servers with few variables. These are passed on if set: the nesting depth, where debates and settings
/// are, and what the tools in a debate sign in with.
const CODEX_VARIABLES: &str = "REBUT_DEPTH REBUT_CHILD REBUT_STATE_DIR REBUT_MODEL_DIR XDG_STATE_HOME XDG_CONFIG_HOME \
    XDG_DATA_HOME XDG_CACHE_HOME CLAUDE_CONFIG_DIR CODEX_HOME GEMINI_CLI_HOME COPILOT_HOME ANTHROPIC_API_KEY \
    CLAUDE_CODE_OAUTH_TOKEN OPENAI_API_KEY CODEX_API_KEY GEMINI_API_KEY GOOGLE_API_KEY OPENCODE_API_KEY KIRO_API_KEY \
    COPILOT_GITHUB_TOKEN GH_TOKEN GITHUB_TOKEN";

/// A tool that can call rebut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HostTool {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
    /// opencode
    Opencode,
    /// GitHub Copilot CLI
    Copilot,
}

/// Whose settings are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// Yours, for every project
    User,
    /// This project's, for everybody who works in it
    Project,
}

/// Why nothing was changed, and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct HostError {
    pub(crate) message: String,
    pub(crate) hint: &'static str,
    /// Whether it failed during the change, not before.
    pub(crate) midway: bool,
}

impl HostError {
    fn new(message: impl Into<String>, hint: &'static str) -> Self {
        Self { message: message.into(), hint, midway: false }
    }

    /// A file that is left alone.
    fn file(path: &Path, what: impl std::fmt::Display, hint: &'static str) -> Self {
        Self::new(format!("{}: {what}; it is left alone", path.display()), hint)
    }
}

/// Where tools look: the user's home, the project, and their own variables.
pub(crate) struct Surroundings<'a> {
    pub(crate) home: Option<PathBuf>,
    pub(crate) project: PathBuf,
    pub(crate) variable: &'a dyn Fn(&str) -> Option<PathBuf>,
    /// This program.
    pub(crate) program: PathBuf,
}

/// How one tool is installed in one scope.
struct Host {
    settings: Settings,
    /// The tool's own commands that add and remove the server, where it has both.
    own: Option<[Vec<String>; 2]>,
    /// The file of the `debate` command, and its content.
    command: (PathBuf, &'static str),
    /// The folder that stays, however empty.
    root: PathBuf,
}

impl HostTool {
    /// Its program.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Copilot => "copilot",
        }
    }

    /// How the command is called in it.
    pub(crate) fn call(self) -> &'static str {
        if self == Self::Codex { "$debate" } else { "/debate" }
    }

    pub(crate) fn install(self, scope: Scope, around: &Surroundings) -> Result<Plan, HostError> {
        plan::install(self.host(scope, around)?, &around.project)
    }

    pub(crate) fn uninstall(self, scope: Scope, around: &Surroundings) -> Result<Plan, HostError> {
        plan::uninstall(self.host(scope, around)?, &around.project)
    }

    fn host(self, scope: Scope, around: &Surroundings) -> Result<Host, HostError> {
        let user = scope == Scope::User;
        let project = &around.project;
        let no_home =
            || HostError::new("there is no home folder whose settings could be changed", "set HOME, or use --scope project");
        // The folder that a variable names, or one below home.
        let home = |name: &str, usual: &str| -> Result<PathBuf, HostError> {
            let named = (around.variable)(name).filter(|path| path.is_absolute());
            named.or_else(|| around.home.as_ref().map(|home| home.join(usual))).ok_or_else(no_home)
        };
        // Others have rebut elsewhere, and find it on the search path.
        let not_utf8 =
            || HostError::new(format!("{} is not UTF-8", around.program.display()), "install rebut in another folder");
        let program = if user { around.program.to_str().ok_or_else(not_utf8)? } else { "rebut" };
        let servers = Format::Json("mcpServers");
        let stdio = json!({ "type": "stdio", "command": program, "args": ["mcp"] });
        let skill = |folder: &Path| (folder.join("skills/debate/SKILL.md"), SKILL);
        let scope_flag = if user { "user" } else { "project" };
        let own = |add: &[&str], remove: &[&str]| {
            Some(
                [add, remove].map(|words| [self.name(), "mcp"].iter().chain(words).map(|word| (*word).to_owned()).collect()),
            )
        };
        let (path, format, entry, command, own): (PathBuf, Format, Value, _, _) = match self {
            Self::Claude => {
                let own =
                    own(&["add", "-s", scope_flag, "rebut", "--", program, "mcp"], &["remove", "-s", scope_flag, "rebut"]);
                let (path, folder) = if user {
                    (home("CLAUDE_CONFIG_DIR", "")?.join(".claude.json"), home("CLAUDE_CONFIG_DIR", ".claude")?)
                } else {
                    (project.join(".mcp.json"), project.join(".claude"))
                };
                (path, servers, stdio, skill(&folder), own)
            }
            Self::Gemini => {
                let folder = if user { home("GEMINI_CLI_HOME", "")? } else { project.clone() }.join(".gemini");
                let own = own(&["add", "-s", scope_flag, "rebut", program, "mcp"], &["remove", "-s", scope_flag, "rebut"]);
                (folder.join("settings.json"), servers, stdio, (folder.join("commands/debate.toml"), GEMINI_COMMAND), own)
            }
            // `codex mcp add` cannot name variables to pass on.
            Self::Codex => {
                let folder = if user { home("CODEX_HOME", ".codex")? } else { project.join(".codex") };
                let variables: Vec<&str> = CODEX_VARIABLES.split_whitespace().collect();
                let entry = json!({ "command": program, "args": ["mcp"], "env_vars": variables });
                (folder.join("config.toml"), Format::Toml, entry, skill(&folder), None)
            }
            // opencode has no command that removes a server.
            Self::Opencode => {
                let folder = if user { home("XDG_CONFIG_HOME", ".config")?.join("opencode") } else { project.clone() };
                let commands = if user { folder.clone() } else { project.join(".opencode") };
                let path = ["opencode.jsonc", "opencode.json"].map(|name| folder.join(name));
                let path = path.iter().find(|path| path.exists()).unwrap_or(&path[1]).clone();
                let entry = json!({ "type": "local", "command": [program, "mcp"], "enabled": true });
                (path, Format::Json("mcp"), entry, (commands.join("commands/debate.md"), OPENCODE_COMMAND), None)
            }
            Self::Copilot => {
                let folder = if user { home("COPILOT_HOME", ".copilot")? } else { project.join(".github") };
                // Its own commands know the user's settings only.
                let own = own(&["add", "rebut", "--", program, "mcp"], &["remove", "rebut"]).filter(|_| user);
                let path = folder.join(if user { "mcp-config.json" } else { "mcp.json" });
                let entry = json!({ "type": "local", "command": program, "args": ["mcp"], "tools": ["*"] });
                (path, servers, entry, skill(&folder), own)
            }
        };
        let root = if user { around.home.clone().ok_or_else(no_home)? } else { project.clone() };
        Ok(Host { settings: Settings { path, format, entry }, own, command, root })
    }
}
