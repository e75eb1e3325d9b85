//! `rebut choose`

use clap::Args;
use rebut_core::debate::Status;
use rebut_core::formats::open_choice;
use rebut_engine::clock::Clock;
use rebut_engine::runner::{Nobody, Runner};

use crate::desk::Desk;
use crate::detached;
use crate::error::{CommandError, Exit};

/// Make the choice that a review waits for, and let it run on
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Choose {
    /// Any unique part of the debate's id, or `last`
    id: String,
    /// The option, as it was offered: A, B, C, D or E; without one, what is offered is shown
    option: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  rebut review --mode manual --detach
  rebut choose last              what is offered, and what is recommended
  rebut choose last B            choose, and let the review run on by itself";

impl Choose {
    pub(crate) fn run(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let shelved = desk.shelf.find(&self.id)?;
        let running = shelved.is_running();
        let debate = shelved.read()?;
        if debate.status() == Status::Cancelled {
            let error = CommandError::usage(format!("{} was stopped", shelved.id));
            return Err(error.hint(format!("go on with: rebut resume {}", shelved.id)));
        }
        let Some((key, choice)) = open_choice(&debate).filter(|_| !running) else {
            // A worker whose debate has ended may still be writing what is rendered from it.
            let how = if running && debate.outcome().is_none() { "is running" } else { "waits for no choice" };
            return Err(CommandError::usage(format!("{} {how}", shelved.id)));
        };
        let Some(option) = &self.option else {
            desk.screen.text(&choice.question);
            for (name, meaning) in &choice.options {
                let mark = if *name == choice.recommended { "  (recommended)" } else { "" };
                desk.screen.text(&format!("  {name}  {meaning}{mark}"));
            }
            desk.screen.json(|| super::choice_json(&choice));
            return Ok(Exit::Done);
        };
        let Some((option, _)) = choice.options.iter().find(|(name, _)| name.eq_ignore_ascii_case(option.trim())) else {
            let names: Vec<&str> = choice.options.iter().map(|(name, _)| name.as_str()).collect();
            return Err(CommandError::usage(format!("`{option}` is not offered; there is {}", names.join(", "))));
        };
        let (mut runner, _) = Runner::open(&shelved.folder, Clock::start(), Desk::fault()?)?;
        // It may have been made by somebody else while this was looked at.
        if open_choice(runner.debate()).is_none_or(|(open, _)| open != key) {
            return Err(CommandError::usage(format!("{} waits for no choice any more", shelved.id)));
        }
        runner.choose(key, option.clone(), &mut Nobody)?;
        detached::send_off(desk, &shelved, runner)
    }
}
