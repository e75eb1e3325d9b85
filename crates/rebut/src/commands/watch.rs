//! `rebut watch`

use clap::Args;
use rebut_core::debate::DebateId;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running::{self, Shown, runtime};

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
    pub(crate) fn run(&self, mut desk: Desk) -> Result<Exit, CommandError> {
        desk.screen.notifies |= self.notify;
        let id = desk.find(&self.id)?;
        follow(&desk, &id)
    }
}

/// Shows a debate from its beginning until it ends or stops, and its result.
pub(crate) fn follow(desk: &Desk, id: &DebateId) -> Result<Exit, CommandError> {
    let sessions = desk.sessions()?;
    let mut shown = Shown::new(&desk.screen);
    let debate = runtime()?.block_on(sessions.watch(id, &mut shown))?;
    drop(shown);
    Ok(running::conclude(&desk.screen, &debate, &sessions.documents(id), running::exit_of(&debate)))
}
