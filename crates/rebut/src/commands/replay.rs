//! `rebut replay`

use clap::Args;
use rebut_core::debate::NewVersion;
use rebut_engine::session::show_events;
use rebut_engine::store::{Cursor, StoreError};

use crate::app::App;
use crate::error::{CommandError, Exit};
use crate::run::{self, SessionView};

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
