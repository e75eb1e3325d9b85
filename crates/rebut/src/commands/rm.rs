//! `rebut rm`

use clap::Args;

use crate::app::App;
use crate::error::{CommandError, Exit};

/// Delete a debate that is not running
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  rebut rm 3fa9")]
pub(crate) struct Rm {
    /// Any unique part of the debate's id, or `last`
    id: String,
}

impl Rm {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let sessions = app.sessions()?;
        let id = app.find(&self.id)?;
        app.wait(sessions.remove(&id))?;
        app.screen.text(&format!("removed {}", id.short()));
        app.screen.json(|| serde_json::json!({ "removed": id }));
        Ok(Exit::Done)
    }
}
