//! `rebut rm`

use clap::Args;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running::runtime;

/// Delete a debate that is not running
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  rebut rm 3fa9")]
pub(crate) struct Rm {
    /// Any unique part of the debate's id, or `last`
    id: String,
}

impl Rm {
    pub(crate) fn run(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let sessions = desk.sessions()?;
        let id = desk.find(&self.id)?;
        runtime()?.block_on(sessions.remove(&id))?;
        desk.screen.text(&format!("removed {}", id.short()));
        desk.screen.json(|| serde_json::json!({ "removed": id }));
        Ok(Exit::Done)
    }
}
