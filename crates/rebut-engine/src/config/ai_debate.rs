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

/// What a file says.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// Its settings, in its order.
    pub(super) entries: Vec<Entry>,
    /// Its keys that are not read.
    pub(super) ignored: Vec<String>,
}

/// The keys that are read, as the plugin names them and as a panel does.
const NUMBERS: [&str; 3] = ["min_rounds", "max_rounds", "time_budget_minutes"];
const MODELS: &str = "models";

type Object<'a> = BTreeMap<String, &'a RawValue>;

/// Reads a file.
pub(super) fn parse(path: &Path, text: &str) -> Result<Read, ConfigError> {
    let source = Source { path, text };
    let content: Object<'_> = object(text).map_err(|error| malformed(&source, &error))?;
    let mut read = Read::default();
    for (name, value) in &content {
        if name == MODELS {
            let models: Object<'_> = object(value.get()).map_err(|_| ConfigError::WrongValue {
                spot: source.spot(offset(text, value)),
                key: MODELS.to_owned(),
                value: short(value.get()),
                takes: "an object of models by role".to_owned(),
            })?;
            for (role, model) in &models {
                read.take(&source, &format!("panel.models.{role}"), &format!("{MODELS}.{role}"), model)?;
            }
        } else if NUMBERS.contains(&name.as_str()) {
            read.take(&source, &format!("panel.{name}"), name, value)?;
        } else {
            read.ignored.push(short(name));
        }
    }
    read.entries.sort_by_key(|entry| entry.spot.place());
    Ok(read)
}

impl Read {
    fn take(&mut self, source: &Source<'_>, path: &str, name: &str, value: &RawValue) -> Result<(), ConfigError> {
        let Some(key) = key(path).cloned() else {
            self.ignored.push(short(name));
            return Ok(());
        };
        // Nothing is set by null.
        if value.get() == "null" {
            return Ok(());
        }
        let (spot, written) = (source.spot(offset(source.text, value)), short(value.get()));
        let Ok(value) = serde_json::from_str(value.get()) else {
            let (key, takes) = (key.path, key.field.takes.in_words());
            return Err(ConfigError::WrongValue { spot, key, value: written, takes });
        };
        self.entries.push(Entry { key, value, written, spot });
        Ok(())
    }
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
