//! `rebut compare`

use clap::Args;
use rebut_core::report;

use crate::app::App;
use crate::error::{CommandError, Exit};

/// Compare two debates: verdicts, evidence, seats and cost
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  rebut compare 3fa9 ae3f\n  rebut compare 3fa9 ae3f > comparison.md\n  rebut compare 3fa9 ae3f --json | jq '.debates[].headline'"
)]
pub(crate) struct Compare {
    /// Any unique part of a debate's id, or `last`
    #[arg(value_name = "ID")]
    one: String,
    /// The debate to compare it with
    #[arg(value_name = "OTHER")]
    other: String,
}

impl Compare {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let (one, other) = (app.read(&self.one)?, app.read(&self.other)?);
        app.screen.markdown(&report::comparison([&one, &other]));
        app.screen.json(|| report::comparison_json([&one, &other]));
        Ok(Exit::Done)
    }
}
