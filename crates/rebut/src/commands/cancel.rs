//! `rebut cancel`

use clap::Args;
use rebut_core::debate::{Interruption, Status};
use rebut_engine::clock::Clock;
use rebut_engine::journal::JournalError;
use rebut_engine::runner::{Nobody, RunError, Runner};
use rebut_engine::shelf::Shelved;
use serde_json::{Value, json};

use crate::desk::Desk;
use crate::error::{CommandError, Exit};

/// Stop a debate that is running, or mark one that was cut off as stopped
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  rebut cancel last\n  rebut cancel 3fa9")]
pub(crate) struct Cancel {
    /// Any unique part of the debate's id, or `last`
    id: String,
}

impl Cancel {
    pub(crate) fn run(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let shelved = desk.shelf.find(&self.id)?;
        let debate = shelved.read()?;
        if shelved.is_running() {
            return ask_to_stop(desk, &shelved);
        }
        if let Some(outcome) = debate.outcome() {
            return Err(CommandError::usage(format!("{} has ended already ({})", shelved.id, outcome.status.as_str())));
        }
        if debate.status() == Status::Cancelled {
            return Err(CommandError::usage(format!("{} is stopped already", shelved.id)));
        }
        let (mut runner, _) = match Runner::open(&shelved.folder, Clock::start(), Desk::fault()?) {
            // Somebody has taken it up just now.
            Err(RunError::Journal { source: JournalError::Locked { .. }, .. }) => return ask_to_stop(desk, &shelved),
            opened => opened?,
        };
        runner.interrupt(Interruption::Command, &mut Nobody)?;
        desk.screen.text(&format!("{} is stopped; go on with: rebut resume {}", shelved.id, shelved.id));
        desk.screen.json(|| as_json(&shelved, false));
        Ok(Exit::Done)
    }
}

/// Asks the process that has the debate open, whether it runs it already or is about to.
fn ask_to_stop(desk: &Desk, shelved: &Shelved) -> Result<Exit, CommandError> {
    shelved.ask_to_stop()?;
    desk.screen.text(&format!("{} was asked to stop; go on with: rebut resume {}", shelved.id, shelved.id));
    desk.screen.json(|| as_json(shelved, true));
    Ok(Exit::Done)
}

fn as_json(shelved: &Shelved, running: bool) -> Value {
    json!({ "type": "cancel", "id": shelved.id, "running": running })
}
