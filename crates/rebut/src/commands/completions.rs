//! `rebut completions`

use clap::Args;
use clap_complete::Shell;

use crate::cli::definition;
use crate::error::{CommandError, Exit};
use crate::terminal::Screen;

/// Completions for your shell, on standard output
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  rebut completions bash > ~/.local/share/bash-completion/completions/rebut")]
pub(crate) struct Completions {
    /// Which shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self, screen: &Screen) -> Result<Exit, CommandError> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut definition(), "rebut", &mut text);
        screen
            .document(&String::from_utf8_lossy(&text))
            .map_err(|error| CommandError::failed(format!("standard output cannot be written: {error}")))?;
        Ok(Exit::Done)
    }
}
