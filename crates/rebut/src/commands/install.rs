//! `rebut install`

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use rebut_engine::providers::{TOOLS, Tool, tool};
use serde_json::json;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::hosts::{self, HostError, Scope, Step, Surroundings};
use crate::terminal::{Screen, ask_line};

/// Make debates callable from inside another tool: its MCP entry and a command for it
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Install {
    /// The tool
    #[arg(value_parser = PossibleValuesParser::new(TOOLS.map(|tool| tool.name)).map(|name| tool(&name).unwrap_or(TOOLS[0])))]
    tool: &'static Tool,
    /// Whose settings
    #[arg(long, value_enum, default_value_t = Scope::User)]
    scope: Scope,
    /// Remove it again
    #[arg(long)]
    uninstall: bool,
    /// Don't ask
    #[arg(long, short)]
    yes: bool,
    /// Print what would change and exit
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

const EXAMPLES: &str = "\
Examples:
  rebut install claude                    then, in Claude Code: /debate codex vs gemini on retries
  rebut install codex --scope project     for everyone who works in this project
  rebut install gemini --dry-run          only show what would change
  rebut install claude --uninstall        remove it again

Changes are shown first. A tool's own `mcp add` and `mcp remove` are used where it has them.
A changed file is backed up beside it as FILE.before-rebut.

Exit codes: 0 done, or nothing to do, 1 failed, 2 usage, 130 you said no";

impl Install {
    pub(crate) fn run(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let program = std::env::current_exe()
            .map_err(|error| CommandError::failed(format!("this program cannot be found: {error}")))?;
        let around =
            Surroundings { home: desk.home.clone(), project: desk.place.workspace.clone(), variable: &variable, program };
        let plan = if self.uninstall { hosts::uninstall } else { hosts::install };
        let plan = plan(self.tool, self.scope, &around)?;
        let steps = plan.steps.clone();
        for note in &plan.notes {
            desk.screen.note(note);
        }
        if self.scope == Scope::Project && !self.uninstall && !is_in_path() {
            desk.screen.note("`rebut` is not in the path; the tool starts it from there");
        }
        let name = self.tool.name;
        if steps.is_empty() {
            let how = if self.uninstall { "is not installed in" } else { "is installed already in" };
            desk.screen.text(&format!("rebut {how} {name}"));
            self.tell(desk, &steps, false);
            return Ok(Exit::Done);
        }
        for step in &steps {
            desk.screen.lines_as_they_are(&step.shown());
        }
        if self.dry_run {
            self.tell(desk, &steps, false);
            return Ok(Exit::Done);
        }
        if !self.yes && !agreed(&desk.screen)? {
            desk.screen.text("nothing was changed");
            self.tell(desk, &steps, false);
            return Ok(Exit::Cancelled);
        }
        for kept in plan.carry_out()? {
            desk.screen.note(&format!("backup: {}", kept.display()));
        }
        desk.screen.text(&if self.uninstall {
            format!("rebut is taken out of {name}")
        } else {
            format!("rebut is installed in {name}; start it anew, then: {} TOPIC", self.tool.host.call)
        });
        self.tell(desk, &steps, true);
        Ok(Exit::Done)
    }

    fn tell(&self, desk: &Desk, steps: &[Step], done: bool) {
        let mut files: Vec<&Path> = steps.iter().map(Step::path).collect();
        files.dedup();
        let name = self.tool.name;
        desk.screen.json(|| json!({ "type": "install", "tool": name, "files": files, "changed": done }));
    }
}

/// Asks whether the changes shall be made.
fn agreed(screen: &Screen) -> Result<bool, CommandError> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(CommandError::usage("there is no terminal to ask on").hint("--yes does it without asking"));
    }
    let answer = ask_line(screen, "Make these changes? [y/N]", "`y` writes the files above; `--uninstall` undoes it.")
        .unwrap_or_default();
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Whether the path leads to a program of our name.
fn is_in_path() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("rebut{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).any(|folder| folder.join(&name).is_file())
}

impl From<HostError> for CommandError {
    fn from(error: HostError) -> Self {
        let new = if error.midway { Self::failed } else { Self::usage };
        new(error.message).hint(error.hint)
    }
}
