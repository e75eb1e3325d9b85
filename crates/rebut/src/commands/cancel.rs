//! `rebut cancel`

use clap::Args;
use rebut_engine::session::Stopped;
use serde_json::json;

use crate::app::App;
use crate::error::{CommandError, Exit};

/// Stop a running debate, or mark an interrupted one as cancelled
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  rebut cancel last\n  rebut cancel 3fa9")]
pub(crate) struct Cancel {
    /// Any unique part of the debate's id, or `last`
    id: String,
}

impl Cancel {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let sessions = app.sessions()?;
        let id = app.find(&self.id)?;
        let stopped = app.wait(sessions.cancel(&id))?;
        let short = id.short();
        let how = match stopped {
            Stopped::Asked => "is stopping",
            Stopped::Marked => "is cancelled",
        };
        app.screen.text(&format!("{short} {how}; continue with: rebut resume {short}"));
        app.screen.json(|| json!({ "type": "cancel", "id": id, "running": stopped == Stopped::Asked }));
        Ok(Exit::Done)
    }
}
