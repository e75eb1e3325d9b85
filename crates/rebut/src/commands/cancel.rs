//! `rebut cancel`

use clap::Args;
use rebut_engine::session::Stopped;
use serde_json::json;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running::runtime;

/// Stop a running debate, or mark an interrupted one as cancelled
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  rebut cancel last\n  rebut cancel 3fa9")]
pub(crate) struct Cancel {
    /// Any unique part of the debate's id, or `last`
    id: String,
}

impl Cancel {
    pub(crate) fn run(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let sessions = desk.sessions()?;
        let id = desk.find(&self.id)?;
        let stopped = runtime()?.block_on(sessions.cancel(&id))?;
        let short = id.short();
        let how = match stopped {
            Stopped::Asked => "is stopping",
            Stopped::Marked => "is cancelled",
        };
        desk.screen.text(&format!("{short} {how}; continue with: rebut resume {short}"));
        desk.screen.json(|| json!({ "type": "cancel", "id": id, "running": stopped == Stopped::Asked }));
        Ok(Exit::Done)
    }
}
