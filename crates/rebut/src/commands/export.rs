//! `rebut export`

use clap::{Args, ValueEnum};
use rebut_core::report;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};

/// Write a debate to standard output as a document
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  rebut export last --as md > debate.md\n  rebut export 3fa9 --as json > debate.json"
)]
pub(crate) struct Export {
    /// Any unique part of the debate's id, or `last`
    #[arg(default_value = "last")]
    id: String,
    /// The kind of document
    #[arg(long = "as", value_name = "KIND", default_value = "md")]
    kind: Kind,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// Markdown: topic, statements, verdict, accounts
    Md,
    /// The state as debate.json holds it
    Json,
}

impl Export {
    pub(crate) fn run(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let debate = desk.shelf.find(&self.id)?.read()?;
        let text = match self.kind {
            Kind::Md => report::document(&debate),
            Kind::Json => format!("{:#}\n", report::state(&debate)),
        };
        desk.screen
            .document(&text)
            .map_err(|error| CommandError::failed(format!("standard output cannot be written: {error}")))?;
        Ok(Exit::Done)
    }
}
