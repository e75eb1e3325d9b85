//! `ai-debate.json`: the settings of the Claude Code plugin of that name, read as those of a panel.
//!
//! The file belongs to another program: keys that a panel has no use for are no fault, but they are reported.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::value::RawValue;

use super::ConfigError;
use super::error::{harmless, short};
use super::file::{Entry, Source};
use super::keys::find_key;

/// The keys that are read, as the plugin names them and as a panel does.
const NUMBERS: [&str; 3] = ["min_rounds", "max_rounds", "time_budget_minutes"];
const MODELS: &str = "models";

type Object<'a> = BTreeMap<String, &'a RawValue>;

/// The settings of a file, and its keys that are not read.
pub(super) fn parse(path: &Path, text: &str) -> Result<(Vec<Entry>, Vec<String>), ConfigError> {
    let source = Source { path, text };
    let mut content: Object<'_> = serde_json::from_str(text).map_err(|error| malformed(&source, &error))?;
    let spot = |value: &RawValue| source.spot((value.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize));
    if let Some(models) = content.remove(MODELS) {
        let models: Object<'_> = serde_json::from_str(models.get()).map_err(|_| ConfigError::WrongValue {
            spot: spot(models),
            key: MODELS.to_owned(),
            value: short(models.get()),
            takes: "an object of models by role".to_owned(),
        })?;
        content.extend(models.into_iter().map(|(role, model)| (format!("{MODELS}.{role}"), model)));
    }
    let (mut entries, mut ignored) = (Vec::new(), Vec::new());
    for (name, written) in content {
        let known = NUMBERS.contains(&name.as_str()) || name.starts_with("models.");
        match find_key(&format!("panel.{name}")) {
            // Nothing is set by null.
            Ok(_) if known && written.get() == "null" => {}
            Ok(key) if known => {
                // What TOML has no word for is no setting either: an empty table stands for it, which none takes.
                let value = serde_json::from_str(written.get()).unwrap_or_else(|_| toml::Table::new().into());
                entries.push(Entry { key, value, written: short(written.get()), spot: spot(written) });
            }
            _ => ignored.push(short(&name)),
        }
    }
    Ok((entries, ignored))
}

fn malformed(source: &Source<'_>, error: &serde_json::Error) -> ConfigError {
    let before: usize = source.text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    // The parser counts the column in bytes.
    let spot = source.spot(before + error.column().saturating_sub(1));
    let reason = error.to_string();
    let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(reason, _)| reason);
    ConfigError::Malformed { language: "JSON", spot, reason: harmless(reason) }
}
