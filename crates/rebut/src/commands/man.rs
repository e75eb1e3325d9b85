//! `rebut man`

use clap::Args;
use clap_mangen::Man as Page;

use crate::cli::definition;
use crate::error::{CommandError, Exit};
use crate::terminal::Screen;

/// Print the manual page
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  rebut man | man -l -\n  rebut man duel | man -l -")]
pub(crate) struct Man {
    /// The page of one command
    command: Option<String>,
}

impl Man {
    pub(crate) fn run(&self, screen: &Screen) -> Result<Exit, CommandError> {
        let mut definition = definition();
        definition.build();
        let page = match &self.command {
            None => definition,
            Some(name) => {
                let command = definition.find_subcommand(name).cloned();
                command.ok_or_else(|| {
                    CommandError::usage(format!("there is no command `{name}`")).hint("`rebut --help` lists them")
                })?
            }
        };
        let mut text = Vec::new();
        let rendered = Page::new(page).render(&mut text);
        rendered.map_err(|error| CommandError::failed(format!("can't render the page: {error}")))?;
        screen.document(&String::from_utf8_lossy(&text));
        Ok(Exit::Done)
    }
}
