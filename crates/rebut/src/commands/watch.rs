//! `rebut watch`

use clap::Args;
use rebut_core::debate::DebateId;

use crate::app::App;
use crate::error::{CommandError, Exit};
use crate::run::{self, SessionView};

/// Follow a running debate until it ends
#[derive(Debug, Args)]
#[command(
    after_long_help = "Ctrl-C stops watching; the debate continues.\n\nExamples:\n  rebut watch\n  rebut watch 3fa9 --notify"
)]
pub(crate) struct Watch {
    /// Any unique part of the debate's id, or `last`
    #[arg(default_value = "last")]
    id: String,
    /// Notify when it ends: on the desktop, else with the terminal's bell
    #[arg(long)]
    notify: bool,
}

impl Watch {
    pub(crate) fn run(&self, mut app: App) -> Result<Exit, CommandError> {
        app.screen.notifies |= self.notify;
        let id = app.find(&self.id)?;
        follow(&app, &id)
    }
}

/// Shows a debate from its beginning until it ends or stops, and its result.
pub(crate) fn follow(app: &App, id: &DebateId) -> Result<Exit, CommandError> {
    let sessions = app.sessions()?;
    let mut view = SessionView::new(&app.screen);
    let debate = app.wait(sessions.watch(id, &mut view))?;
    drop(view);
    Ok(run::conclude(&app.screen, &debate, &sessions.documents(id)))
}
