//! `rebut init`

use std::fs;

use clap::Args;
use rebut_engine::config::project_template;
use serde_json::json;

use crate::app::App;
use crate::error::{CommandError, Exit};

use super::config::write;

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
        let file = app.places.project_file();
        if fs::symlink_metadata(&file).is_ok() {
            return Err(CommandError::usage(format!("{} already exists", file.display()))
                .hint("change it with: rebut config edit --project"));
        }
        let question = format!("Write {}?", file.display());
        let help = "The file lists every setting that a project can have, commented out, with its default.";
        if !self.yes && app.screen.can_ask() && !app.screen.confirm_unless_no(&question, help) {
            app.screen.note("nothing was written");
            return Ok(Exit::Cancelled);
        }
        write(&file, &project_template())?;
        app.screen.text(&format!("wrote {}; every setting is commented out", file.display()));
        app.screen.json(|| json!({ "type": "init", "file": file }));
        Ok(Exit::Done)
    }
}
