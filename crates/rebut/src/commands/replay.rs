//! `rebut replay`

use clap::Args;
use rebut_core::formats::begin;
use rebut_engine::journal::JournalError;
use rebut_engine::runner::Observer;
use rebut_engine::session::render_again;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running;
use crate::terminal::{JsonLines, Live};

/// Show a debate again as it was held, from the journal alone; nobody is called
#[derive(Debug, Args)]
#[command(
    after_long_help = "Renders debate.json anew as well.\n\nExamples:\n  rebut replay last\n  rebut replay 3fa9 --json"
)]
pub(crate) struct Replay {
    /// Any unique part of the debate's id, or `last`
    #[arg(default_value = "last")]
    id: String,
}

impl Replay {
    pub(crate) fn run(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let shelved = desk.shelf.find(&self.id)?;
        let events = shelved.events()?;
        let impossible = |error| CommandError::failed(format!("the journal tells of what cannot have happened: {error}"));
        let mut screen = desk.screen.clone();
        // What was under way then is not under way now.
        screen.draws = false;
        let mut events = events.into_iter();
        let first =
            events.next().ok_or_else(|| CommandError::from(JournalError::Empty { folder: shelved.folder.clone() }))?;
        let mut debate = begin(first.clone()).map_err(impossible)?;
        let whole = events.clone().try_fold(debate.clone(), |mut debate, event| debate.apply(event).map(|()| debate));
        let live = Live::again(&screen, whole.map_err(impossible)?);
        let mut watchers: Vec<Box<dyn Observer>> = vec![Box::new(JsonLines::new(&screen)), Box::new(live)];
        watchers.event(&debate, 0, &first);
        for (seq, event) in (1..).zip(events) {
            debate.apply(event.clone()).map_err(impossible)?;
            watchers.event(&debate, seq, &event);
        }
        // The process that runs it renders its file itself.
        if !shelved.is_running() {
            running::tell_unwritten(&screen, &render_again(&shelved.folder, &debate));
        }
        running::conclude(&screen, &debate, &shelved.folder, running::exit_of(&debate));
        Ok(Exit::Done)
    }
}
