//! `rebut config`

use clap::{Args, Subcommand};
use rebut_engine::config::Row;
use serde_json::json;

use crate::desk::Desk;
use crate::error::{CommandError, Exit};

/// Settings
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  rebut config show\n  rebut config show --json | jq -r 'select(.value).key'")]
pub(crate) struct Config {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Every setting with its value and where it comes from
    #[command(after_long_help = "Examples:\n  rebut config show\n  REBUT_DUEL_ROUNDS=3 rebut config show")]
    Show,
}

impl Config {
    pub(crate) fn run(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let What::Show = self.what;
        let rows = desk.layers.rows();
        let is_shown = |row: &&Row| row.value.is_some() || !["tools.", "services."].iter().any(|of| row.key.starts_with(of));
        let width = rows.iter().filter(is_shown).map(|row| row.key.len()).max().unwrap_or(0);
        let shown = |row: &Row| row.value.clone().unwrap_or_else(|| "(not set)".to_owned());
        let value_width = rows.iter().map(|row| shown(row).chars().count()).max().unwrap_or(0);
        for row in &rows {
            if desk.screen.json {
                desk.screen.json(
                    || json!({ "key": row.key, "value": row.value, "origin": row.origin.to_string(), "help": row.help }),
                );
                continue;
            }
            // Tools and services have many settings, and mostly nobody sets one.
            if !is_shown(&row) {
                continue;
            }
            let value = shown(row);
            desk.screen.text(&format!("{:<width$}  {value:<value_width$}  {}", row.key, row.origin));
        }
        if !desk.screen.json {
            desk.screen
                .note("settings of tools and services that nobody set are not shown: tools.NAME.program, services.NAME.base_url, …");
        }
        Ok(Exit::Done)
    }
}
