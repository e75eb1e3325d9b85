//! `rebut rm` and `rebut prune`

use clap::Args;
use jiff::{SignedDuration, Timestamp};
use rebut_engine::store::State;
use serde_json::json;

use super::list::read_age;
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
        app.screen.json(|| json!({ "removed": id }));
        Ok(Exit::Done)
    }
}

/// Delete debates that are older than a given age, except running ones
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  rebut prune --older-than 30d\n  rebut prune --older-than 12h --dry-run")]
pub(crate) struct Prune {
    /// Time since the last event: 30d, 12h, 90m
    #[arg(long, value_name = "TIME", value_parser = read_age)]
    older_than: SignedDuration,
    /// Print what would be deleted and exit
    #[arg(long)]
    dry_run: bool,
}

impl Prune {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let now = Timestamp::now();
        let (mut removed, mut failed) = (0_u32, 0_u32);
        let sessions = app.sessions()?;
        for debate in app.wait(app.store.list())? {
            let Some(last) = debate.updated() else { continue };
            if now.duration_since(last) < self.older_than || debate.state == State::Running {
                continue;
            }
            let id = debate.id;
            if !self.dry_run
                && let Err(error) = app.wait(sessions.remove(&id))
            {
                // The others are still removed.
                failed += 1;
                app.screen.error_line("error", &format!("{} was not removed: {error}", id.short()));
                let error = error.to_string();
                app.screen.json(|| json!({ "not_removed": id, "error": error }));
                continue;
            }
            removed += 1;
            app.screen.json(|| json!({ "removed": id, "dry_run": self.dry_run }));
            app.screen.text(&format!("{} {}", if self.dry_run { "would remove" } else { "removed" }, id.short()));
        }
        if removed + failed == 0 {
            app.screen.note("no debate is that old");
        }
        Ok(if failed == 0 { Exit::Done } else { Exit::Failed })
    }
}
