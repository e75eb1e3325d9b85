//! `rebut init`

use std::fs;

use clap::Args;
use rebut_engine::config::project_template;
use serde_json::json;

use crate::app::App;
use crate::error::{CommandError, Exit};

use super::config::{Whose, write};

/// Write a commented config file for this project
#[derive(Debug, Args)]
#[command(
    after_long_help = "Writes .rebut/config.toml; never overwrites one.\n\nExamples:\n  rebut init\n  rebut init --yes"
)]
pub(crate) struct Init {
    /// Don't ask
    #[arg(long, short)]
    yes: bool,
}

impl Init {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let file = Whose::Project.file(app)?;
        if fs::symlink_metadata(&file).is_ok() {
            return Err(CommandError::usage(format!("{} already exists", file.display()))
                .hint("change it with: rebut config edit --project"));
        }
        let question = format!("Write {}? [Y/n]", file.display());
        let help = "The file lists every setting that a project can have, commented out, with its default.";
        if !self.yes && app.screen.can_ask() {
            let answer = app.screen.ask(&question, help).map(|answer| answer.to_lowercase());
            if !matches!(answer.as_deref(), Some("" | "y" | "yes")) {
                app.screen.note("nothing was written");
                return Ok(Exit::Cancelled);
            }
        }
        write(&file, &project_template())?;
        app.screen.text(&format!("wrote {}; every setting is commented out", file.display()));
        app.screen.json(|| json!({ "type": "init", "file": file }));
        Ok(Exit::Done)
    }
}
