//! `rebut watch` and `rebut replay`: a debate from its beginning, as it runs or ran.

use clap::Args;
use rebut_core::debate::{DebateId, NewVersion};
use rebut_engine::session::show_events;
use rebut_engine::store::{Cursor, StoreError};

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

/// Replay a debate from its journal, without calling a model
#[derive(Debug, Args)]
#[command(after_long_help = "Also renders debate.json again.\n\nExamples:\n  rebut replay last\n  rebut replay 3fa9 --json")]
pub(crate) struct Replay {
    /// Any unique part of the debate's id, or `last`
    #[arg(default_value = "last")]
    id: String,
}

impl Replay {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let sessions = app.sessions()?;
        let id = app.find(&self.id)?;
        // Read whole first, so that nothing untrusted is shown.
        let whole = app.wait(sessions.read(&id))?;
        let events = app.wait(app.store.events(&id, &Cursor::default()))?.trusted()?;
        let mut screen = app.screen.clone();
        screen.draws = false;
        screen.notifies = false;
        let mut debate = None;
        show_events(&mut debate, events, &mut SessionView::again(&screen, whole))?;
        let debate = debate.ok_or_else(|| StoreError::Empty { id: id.clone() })?;
        // A running debate renders its own file.
        if !app.wait(sessions.is_running(&id))? {
            run::report_unwritten(&screen, &sessions.render_again(&debate, NewVersion::Proposed));
        }
        run::conclude(&screen, &debate, &sessions.documents(&id));
        Ok(Exit::Done)
    }
}
