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
    /// List every setting with its value and origin
    #[command(after_long_help = "Examples:\n  rebut config show\n  REBUT_DUEL_ROUNDS=3 rebut config show")]
    Show,
}

impl Config {
    pub(crate) fn run(&self, desk: &Desk) -> Result<Exit, CommandError> {
        let What::Show = self.what;
        let rows = desk.layers.rows();
        let is_shown = |row: &&Row| row.value.is_some() || !row.key.contains(".NAME.");
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
            if !is_shown(&row) {
                continue;
            }
            let value = shown(row);
            desk.screen.text(&format!("{:<width$}  {value:<value_width$}  {}", row.key, row.origin));
        }
        if !desk.screen.json {
            desk.screen.note(
                "not shown unless set: tools.NAME, services.NAME, agents.NAME and checks.NAME (--json lists their keys)",
            );
        }
        Ok(Exit::Done)
    }
}
