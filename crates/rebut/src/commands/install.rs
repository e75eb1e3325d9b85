//! `rebut install`

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::hosts::{Change, EntryError, HostTool, Scope, Surroundings, WriteError};
use crate::terminal::{Screen, ask_line};

/// Make debates callable from inside another tool: its MCP entry and a command for it
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Install {
    /// The tool
    #[arg(value_enum)]
    tool: HostTool,
    /// For whom
    #[arg(long, value_enum, default_value_t = Scope::User)]
    scope: Scope,
    /// Take it out again
    #[arg(long)]
    uninstall: bool,
    /// Do it without asking
    #[arg(long, short)]
    yes: bool,
    /// Show what would change, and end
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

const EXAMPLES: &str = "\
Examples:
  rebut install claude                    then, in Claude Code: /debate codex vs gemini on retries
  rebut install codex --scope project     for everybody who works in this project
  rebut install gemini --dry-run          only show what would change
  rebut install opencode --uninstall      take it out again

What is changed is shown first. A file that was there is kept beside it as FILE.before-rebut, and
comes back with --uninstall.

Exit codes: 0 done, or nothing to do, 1 failed, 2 usage, 130 you said no";

impl Install {
    pub(crate) fn run(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let program = std::env::current_exe()
            .map_err(|error| CommandError::failed(format!("this program cannot be found: {error}")))?;
        let around = Surroundings {
            home: desk.home.clone(),
            project: desk.place.workspace.clone(),
            variable: &variable,
            program,
            state: desk.shelf.root().to_owned(),
        };
        let plan = if self.uninstall {
            self.tool.uninstall(self.scope, &around)?
        } else {
            self.tool.install(self.scope, &around)?
        };
        let (changes, notes) = (plan.changes.clone(), &plan.notes);
        for note in notes {
            desk.screen.note(note);
        }
        if self.scope == Scope::Project && !self.uninstall && !is_in_path() {
            desk.screen.note("`rebut` is not in the path; the tool starts it from there");
        }
        let name = self.tool.name();
        if changes.is_empty() {
            let how = if self.uninstall { "is not installed in" } else { "is installed already in" };
            desk.screen.text(&format!("rebut {how} {name}"));
            self.tell(desk, &changes, false);
            return Ok(Exit::Done);
        }
        for change in &changes {
            desk.screen.lines_as_they_are(&change.diff());
        }
        if self.dry_run {
            self.tell(desk, &changes, false);
            return Ok(Exit::Done);
        }
        if !self.yes && !agreed(&desk.screen)? {
            desk.screen.text("nothing was changed");
            self.tell(desk, &changes, false);
            return Ok(Exit::Cancelled);
        }
        for kept in plan.carry_out()? {
            desk.screen.note(&format!("what was there is kept in {}", kept.display()));
        }
        desk.screen.text(&if self.uninstall {
            format!("rebut is taken out of {name}")
        } else {
            format!("rebut is installed in {name}; start it anew, then: {} TOPIC", self.tool.call())
        });
        self.tell(desk, &changes, true);
        Ok(Exit::Done)
    }

    fn tell(&self, desk: &Desk, changes: &[Change], done: bool) {
        let files: Vec<&PathBuf> = changes.iter().map(|change| &change.path).collect();
        let name = self.tool.name();
        desk.screen.json(|| json!({ "type": "install", "tool": name, "files": files, "changed": done }));
    }
}

/// Asks whether the changes shall be made.
fn agreed(screen: &Screen) -> Result<bool, CommandError> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(CommandError::usage("there is no terminal to ask on").hint("--yes does it without asking"));
    }
    let answer = ask_line(screen, "Make these changes? [y/N]").unwrap_or_default();
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Whether the path leads to a program of our name.
fn is_in_path() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("rebut{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).any(|folder| folder.join(&name).is_file())
}

impl From<EntryError> for CommandError {
    fn from(error: EntryError) -> Self {
        let hint = match &error {
            EntryError::Unlike { .. } | EntryError::Unreadable { .. } => "mend the file, or enter `rebut mcp` by hand",
            EntryError::ReadOnly(_) => "make it writable (chmod u+w), and run it again",
            EntryError::Dangling(_) => "make the file that it names, or remove the link, and run it again",
            EntryError::NoHome => "set HOME, or use --scope project",
            EntryError::Program(_) => "install rebut in another folder",
        };
        Self::usage(error.to_string()).hint(hint)
    }
}

impl From<WriteError> for CommandError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Changed(_) => Self::failed(error.to_string()).hint("what will change is then shown anew"),
            WriteError::Read(error) => error.into(),
            WriteError::Write { .. } => {
                Self::failed(error.to_string()).hint("what was there is kept beside each file as FILE.before-rebut")
            }
        }
    }
}
