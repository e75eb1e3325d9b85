//! `ai-debate.json`: the settings of the Claude Code plugin of that name, read as those of a panel.
//!
//! The file belongs to another program: keys that a panel has no use for are no fault, but they are reported.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::value::RawValue;

use super::ConfigError;
use super::error::{harmless, short};
use super::file::{Entry, Source};
use super::keys::key;

/// The keys that are read, as the plugin names them and as a panel does.
const NUMBERS: [&str; 3] = ["min_rounds", "max_rounds", "time_budget_minutes"];
const MODELS: &str = "models";

type Object<'a> = BTreeMap<String, &'a RawValue>;

/// The settings of a file, and its keys that are not read.
pub(super) fn parse(path: &Path, text: &str) -> Result<(Vec<Entry>, Option<Vec<String>>), ConfigError> {
    let source = Source { path, text };
    let content: Object<'_> = object(text).map_err(|error| malformed(&source, &error))?;
    let (mut entries, mut ignored) = (Vec::new(), Vec::new());
    let mut take = |name: &str, value: &RawValue| {
        let known = NUMBERS.contains(&name) || name.starts_with("models.");
        match key(&format!("panel.{name}")).filter(|_| known) {
            // Nothing is set by null.
            Some(_) if value.get() == "null" => {}
            Some(key) => {
                let (spot, written) = (source.spot(offset(text, value)), short(value.get()));
                // What TOML has no word for is no setting either: an empty table stands for it, which none takes.
                let value = serde_json::from_str(value.get()).unwrap_or_else(|_| toml::Table::new().into());
                entries.push(Entry { key: key.clone(), value, written, spot });
            }
            None => ignored.push(short(name)),
        }
    };
    for (name, value) in &content {
        if name == MODELS {
            let models: Object<'_> = object(value.get()).map_err(|_| ConfigError::WrongValue {
                spot: source.spot(offset(text, value)),
                key: MODELS.to_owned(),
                value: short(value.get()),
                takes: "an object of models by role".to_owned(),
            })?;
            for (role, model) in &models {
                take(&format!("{MODELS}.{role}"), model);
            }
        } else {
            take(name, value);
        }
    }
    Ok((entries, Some(ignored)))
}

fn object(text: &str) -> serde_json::Result<Object<'_>> {
    serde_json::from_str(text)
}

fn malformed(source: &Source<'_>, error: &serde_json::Error) -> ConfigError {
    let before = source.text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
    // The parser counts the column in bytes.
    let spot = source.spot(before + error.column().saturating_sub(1));
    let reason = error.to_string();
    let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(reason, _)| reason);
    ConfigError::Malformed { language: "JSON", spot, reason: harmless(reason) }
}

/// Where a value stands in the text that it was read from.
fn offset(text: &str, value: &RawValue) -> usize {
    (value.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}
