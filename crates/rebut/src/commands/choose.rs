//! `rebut choose`

use clap::Args;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};
use crate::running::{self, runtime};

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
        let sessions = desk.sessions()?;
        runtime()?.block_on(async {
            let id = sessions.find(&self.id).await?;
            let Some(option) = &self.option else {
                let (_, choice) = sessions.open_choice(&id).await?;
                desk.screen.text(&choice.question);
                for (name, meaning) in &choice.options {
                    let mark = if *name == choice.recommended { "  (recommended)" } else { "" };
                    desk.screen.text(&format!("  {name}  {meaning}{mark}"));
                }
                desk.screen.json(|| super::choice_json(&choice));
                return Ok(Exit::Done);
            };
            sessions.choose(&id, option).await?;
            running::tell_detached(desk, &id, &sessions.documents(&id));
            Ok(Exit::Done)
        })
    }
}
