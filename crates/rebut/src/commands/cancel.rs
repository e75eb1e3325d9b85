//! `rebut cancel`

use clap::Args;
use rebut_core::debate::{Interruption, Status};
use rebut_engine::clock::Clock;
use rebut_engine::runner::{Nobody, Runner};
use serde_json::json;

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
        if let Some(outcome) = debate.outcome() {
            return Err(CommandError::usage(format!("{} has ended already ({})", shelved.id, outcome.status.as_str())));
        }
        let told = |running: bool| json!({ "type": "cancel", "id": shelved.id, "running": running });
        if shelved.is_running() {
            shelved.ask_to_stop()?;
            desk.screen.text(&format!("{} was asked to stop; go on with: rebut resume {}", shelved.id, shelved.id));
            desk.screen.json(|| told(true));
            return Ok(Exit::Done);
        }
        if debate.status() == Status::Cancelled {
            return Err(CommandError::usage(format!("{} is stopped already", shelved.id)));
        }
        let (mut runner, _) = Runner::open(&shelved.folder, Clock::start(), Desk::fault()?)?;
        runner.interrupt(Interruption::Command, &mut Nobody)?;
        desk.screen.text(&format!("{} is stopped; go on with: rebut resume {}", shelved.id, shelved.id));
        desk.screen.json(|| told(false));
        Ok(Exit::Done)
    }
}
