//! Tools that can call rebut: where each keeps its MCP servers and its commands, and what is written there.

mod change;
mod entry;

use std::path::{Path, PathBuf};

use clap::ValueEnum;

pub(crate) use change::{Change, WriteError, carry_out};
pub(crate) use entry::EntryError;
use entry::Shape;

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

/// Where a tool looks: the person's home, the project, and the tool's own variables.
pub(crate) struct Surroundings<'a> {
    pub(crate) home: Option<PathBuf>,
    pub(crate) project: PathBuf,
    pub(crate) variable: &'a dyn Fn(&str) -> Option<PathBuf>,
}

/// The files of a tool: its settings with their shape, and its command.
struct Files {
    settings: PathBuf,
    shape: Shape,
    command: PathBuf,
    command_text: &'static str,
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

    /// What installing changes: the entry of the server that runs this program, and the command. What is there already as
    /// it should be is no change.
    pub(crate) fn install(self, scope: Scope, around: &Surroundings, program: &Path) -> Result<Vec<Change>, EntryError> {
        let Files { settings, shape, command, command_text } = self.files(scope, around)?;
        let before = change::read(&settings)?;
        let after = shape.with_server(&settings, before.as_deref().unwrap_or_default(), program)?;
        let command_before = change::read(&command)?;
        let changes = [
            Change { path: settings, before, after: Some(after) },
            Change { path: command, before: command_before, after: Some(command_text.to_owned()) },
        ];
        Ok(changes.into_iter().filter(Change::is_one).collect())
    }

    /// What uninstalling changes. A command that somebody has rewritten is left alone.
    pub(crate) fn uninstall(self, scope: Scope, around: &Surroundings) -> Result<(Vec<Change>, Vec<String>), EntryError> {
        let Files { settings, shape, command, command_text } = self.files(scope, around)?;
        let mut notes = Vec::new();
        let before = change::read(&settings)?;
        let after = match &before {
            Some(text) => shape.without_server(&settings, text)?,
            None => None,
        };
        let command_before = change::read(&command)?;
        let command_after = command_before.clone().filter(|text| text != command_text);
        if command_after.is_some() {
            notes.push(format!("{} is not as rebut wrote it, and is left alone", command.display()));
        }
        let changes = [
            Change { path: settings, before, after },
            Change { path: command, before: command_before, after: command_after },
        ];
        Ok((changes.into_iter().filter(Change::is_one).collect(), notes))
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
