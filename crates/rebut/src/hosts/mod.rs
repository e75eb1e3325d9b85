//! Tools that can call rebut: where each keeps its MCP servers and its commands, and what is written there.

mod backup;
mod change;
mod entry;
mod plan;
mod record;
mod write;

use std::path::{Path, PathBuf};

use clap::ValueEnum;

pub(crate) use change::{Change, Plan, WriteError};
pub(crate) use entry::EntryError;
use entry::Shape;
use plan::Files;
use record::Record;
use write::Privacy;

/// The skill, which most tools read as it is.
const SKILL: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../skills/debate/SKILL.md"));
/// The command of Gemini CLI.
const GEMINI_COMMAND: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../commands/debate.toml"));
/// The command of opencode.
const OPENCODE_COMMAND: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../opencode/debate.md"));

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

/// For whom it is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// For you, in every project
    User,
    /// For everybody who works in this project, and in it alone
    Project,
}

impl Scope {
    /// What is entered: this very program for its own person. Others have theirs elsewhere, and find it by the path.
    fn program<'a>(self, around: &'a Surroundings) -> Result<&'a str, EntryError> {
        match self {
            Self::User => around.program.to_str().ok_or_else(|| EntryError::Program(around.program.clone())),
            Self::Project => Ok("rebut"),
        }
    }
}

/// Where a tool looks: the person's home, the project, and the tool's own variables.
pub(crate) struct Surroundings<'a> {
    pub(crate) home: Option<PathBuf>,
    pub(crate) project: PathBuf,
    pub(crate) variable: &'a dyn Fn(&str) -> Option<PathBuf>,
    /// This program.
    pub(crate) program: PathBuf,
    /// Where rebut writes down what it made.
    pub(crate) state: PathBuf,
}

impl HostTool {
    /// The tool's name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Copilot => "copilot",
        }
    }

    /// How the command is called there.
    pub(crate) fn call(self) -> &'static str {
        match self {
            Self::Codex => "$debate",
            Self::Claude | Self::Gemini | Self::Opencode | Self::Copilot => "/debate",
        }
    }

    /// What installing changes.
    pub(crate) fn install(self, scope: Scope, around: &Surroundings) -> Result<Plan, EntryError> {
        let privacy = if scope == Scope::User { Privacy::Own } else { Privacy::Usual };
        plan::install(self.files(scope, around)?, scope.program(around)?, privacy, Record::read(&around.state)?)
    }

    /// What uninstalling changes.
    pub(crate) fn uninstall(self, scope: Scope, around: &Surroundings) -> Result<Plan, EntryError> {
        plan::uninstall(&self.files(scope, around)?, Scope::User.program(around)?, Record::read(&around.state)?)
    }

    fn files(self, scope: Scope, around: &Surroundings) -> Result<Files, EntryError> {
        let home = |name: &str, usual: &str| -> Result<PathBuf, EntryError> {
            let named = (around.variable)(name).filter(|path| path.is_absolute());
            let usual = || around.home.as_ref().map(|home| home.join(usual));
            named.or_else(usual).ok_or(EntryError::NoHome)
        };
        let project = &around.project;
        let skill = |folder: PathBuf| folder.join("skills/debate/SKILL.md");
        Ok(match (self, scope) {
            (Self::Claude, Scope::User) => Files {
                settings: home("CLAUDE_CONFIG_DIR", "")?.join(".claude.json"),
                shape: Shape::Servers { kind: Some("stdio") },
                command: skill(home("CLAUDE_CONFIG_DIR", ".claude")?),
                command_text: SKILL,
            },
            (Self::Claude, Scope::Project) => Files {
                settings: project.join(".mcp.json"),
                shape: Shape::Servers { kind: Some("stdio") },
                command: skill(project.join(".claude")),
                command_text: SKILL,
            },
            (Self::Codex, scope) => {
                let folder = if scope == Scope::User { home("CODEX_HOME", ".codex")? } else { project.join(".codex") };
                Files {
                    settings: folder.join("config.toml"),
                    shape: Shape::Toml,
                    command: skill(folder),
                    command_text: SKILL,
                }
            }
            (Self::Gemini, scope) => {
                let folder = if scope == Scope::User { home("GEMINI_CLI_HOME", "")? } else { project.clone() };
                let folder = folder.join(".gemini");
                Files {
                    settings: folder.join("settings.json"),
                    shape: Shape::Servers { kind: None },
                    command: folder.join("commands/debate.toml"),
                    command_text: GEMINI_COMMAND,
                }
            }
            (Self::Opencode, Scope::User) => {
                let folder = home("XDG_CONFIG_HOME", ".config")?.join("opencode");
                Files {
                    settings: existing(&folder, &["opencode.jsonc", "opencode.json"]),
                    shape: Shape::Opencode,
                    command: folder.join("commands/debate.md"),
                    command_text: OPENCODE_COMMAND,
                }
            }
            (Self::Opencode, Scope::Project) => Files {
                settings: existing(project, &["opencode.jsonc", "opencode.json"]),
                shape: Shape::Opencode,
                command: project.join(".opencode/commands/debate.md"),
                command_text: OPENCODE_COMMAND,
            },
            (Self::Copilot, Scope::User) => Files {
                settings: home("COPILOT_HOME", ".copilot")?.join("mcp-config.json"),
                shape: Shape::Copilot,
                command: skill(home("COPILOT_HOME", ".copilot")?),
                command_text: SKILL,
            },
            (Self::Copilot, Scope::Project) => Files {
                settings: project.join(".github/mcp.json"),
                shape: Shape::Copilot,
                command: skill(project.join(".github")),
                command_text: SKILL,
            },
        })
    }
}

/// The first of these that is there, else the last.
fn existing(folder: &Path, names: &[&str]) -> PathBuf {
    let there = names.iter().map(|name| folder.join(name)).find(|path| path.exists());
    there.unwrap_or_else(|| folder.join(names.last().copied().unwrap_or_default()))
}
