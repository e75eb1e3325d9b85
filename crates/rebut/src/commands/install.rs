//! `rebut install`

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use rebut_engine::providers::{TOOLS, Tool, tool};
use serde_json::json;

use crate::app::App;
use crate::error::{CommandError, Exit};
use crate::hosts::{self, Plan, Scope, Surroundings};

/// Install rebut in another tool: an MCP server and a /debate command
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Install {
    /// The tool
    #[arg(value_parser = PossibleValuesParser::new(TOOLS.map(|tool| tool.name)).map(|name| tool(&name).unwrap_or(TOOLS[0])))]
    tool: &'static Tool,
    /// Whose settings to change
    #[arg(long, value_enum, default_value_t = Scope::User)]
    scope: Scope,
    /// Remove rebut from the tool
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
  rebut install gemini --dry-run          show what would change
  rebut install claude --uninstall        remove it

Changes are shown first. rebut uses the tool's own `mcp add` and `mcp remove` if it has them, and
backs up each changed file as FILE.before-rebut.

Exit codes: 0 done or nothing to do, 1 failed, 2 usage, 130 declined";

impl Install {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let program = std::env::current_exe()
            .map_err(|error| CommandError::failed(format!("can't find the running program: {error}")))?;
        let around = Surroundings { home: app.home.clone(), project: app.place.workspace.clone(), program };
        let plan = hosts::plan(self.tool, self.scope, self.uninstall, &around)?;
        for note in &plan.notes {
            app.screen.note(note);
        }
        if self.scope == Scope::Project && !self.uninstall && !is_in_path() {
            app.screen.note("`rebut` is not on your PATH, where the tool looks for it");
        }
        let name = self.tool.name;
        let mut files: Vec<PathBuf> = plan.steps.iter().map(|step| step.path.clone()).collect();
        files.dedup();
        let exit = self.carry_out(app, plan)?;
        let changed = exit == Some(Exit::Done);
        app.screen.json(|| json!({ "type": "install", "tool": name, "files": files, "changed": changed }));
        Ok(exit.unwrap_or(Exit::Done))
    }

    /// Shows the steps, and does them if the user agrees. None if there is nothing to do here.
    fn carry_out(&self, app: &App, plan: Plan) -> Result<Option<Exit>, CommandError> {
        let name = self.tool.name;
        if plan.steps.is_empty() {
            let how = if self.uninstall { "is not installed in" } else { "is already installed in" };
            app.screen.text(&format!("rebut {how} {name}"));
            return Ok(None);
        }
        for step in &plan.steps {
            app.screen.lines_as_they_are(&step.shown());
        }
        if self.dry_run {
            return Ok(None);
        }
        let help = "`y` writes the files above; `--uninstall` undoes it.";
        let otherwise = "use --yes to make the changes without asking";
        if !self.yes && !app.screen.agreed("Make these changes?", help, otherwise)? {
            app.screen.text("nothing was changed");
            return Ok(Some(Exit::Cancelled));
        }
        for kept in plan.carry_out()? {
            app.screen.note(&format!("backup: {}", kept.display()));
        }
        app.screen.text(&if self.uninstall {
            format!("removed rebut from {name}")
        } else {
            format!("installed rebut in {name}; restart it, then: {} TOPIC", self.tool.host.call)
        });
        Ok(Some(Exit::Done))
    }
}

fn is_in_path() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join("rebut").is_file())
}
