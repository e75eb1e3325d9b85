//! The entry of our MCP server in a tool's settings: found, put in and taken out, with everything else left as written.

use std::path::{Path, PathBuf};

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use rebut_engine::providers::SettingsFormat;
use serde::Serialize;
use serde_json::Value;
use toml_edit::ser::ValueSerializer;
use toml_edit::{DocumentMut, Item};

use super::left_alone;
use crate::error::CommandError;

const SERVER: &str = "rebut";
type Fields = serde_json::Map<String, Value>;

const FIX: &str = "fix the file, or add `rebut mcp` by hand";

/// The settings of a tool, and the entry that belongs in them.
pub(super) struct Settings {
    pub(super) path: PathBuf,
    pub(super) format: SettingsFormat,
    pub(super) entry: Value,
}

/// What is there under our server's name.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Found {
    Nothing,
    /// An entry that starts rebut, with this program.
    Ours {
        program: String,
        entry: Value,
    },
    Foreign,
}

impl Settings {
    pub(super) fn find(&self, text: &str) -> Result<Found, CommandError> {
        let whole = self.parse(text)?;
        let Some(entry) = whole.get(self.key()).and_then(|servers| servers.get(SERVER)) else { return Ok(Found::Nothing) };
        let words: Vec<&str> = words(entry);
        let name = |path: &str| Path::new(path).file_stem().map(|name| name.to_string_lossy().into_owned());
        Ok(match words[..] {
            [program, ref rest @ ..]
                if rest.contains(&"mcp") && [Some(SERVER.to_owned()), name(self.program())].contains(&name(program)) =>
            {
                Found::Ours { program: program.to_owned(), entry: entry.clone() }
            }
            _ => Found::Foreign,
        })
    }

    pub(super) fn program(&self) -> &str {
        words(&self.entry).first().copied().unwrap_or_default()
    }

    /// The settings with our entry. One of ours gets this program and keeps the rest; a foreign one is replaced.
    pub(super) fn with_entry(&self, text: &str) -> Result<String, CommandError> {
        let mut fields = self.entry.as_object().cloned().unwrap_or_default();
        let found = self.find(text)?;
        if let Found::Ours { entry, program } = &found {
            let is_missing = |key: &str| entry.get(key).is_none();
            fields
                .retain(|key, _| (key == "command" && program != self.program()) || (key == "env_vars" && is_missing(key)));
            // Arguments in the same list as the program stay.
            if let (Some(Value::Array(words)), Some(Value::Array(old))) = (fields.get_mut("command"), entry.get("command")) {
                words.truncate(1);
                words.extend(old.iter().skip(1).cloned());
            }
        }
        let is_ours = matches!(found, Found::Ours { .. });
        let without = if is_ours { None } else { self.edited(text, None)? };
        let base = if is_ours { text } else { without.as_deref().unwrap_or_default() };
        if fields.is_empty() { Ok(text.to_owned()) } else { self.edited(base, Some(&fields)).map(Option::unwrap_or_default) }
    }

    /// Sets these fields of the entry, or removes it. None if nothing is left.
    pub(super) fn edited(&self, text: &str, fields: Option<&Fields>) -> Result<Option<String>, CommandError> {
        let bare = text.trim_start_matches('\u{feff}');
        let after = match self.format {
            SettingsFormat::Json(key) => edit_json(bare, key, fields),
            SettingsFormat::Toml(key) => edit_toml(bare, key, fields),
        };
        let after = after.map_err(|what| left_alone(&self.path, what, FIX))?;
        let after = if bare.contains("\r\n") { after.replace("\r\n", "\n").replace('\n', "\r\n") } else { after };
        // Whatever the editors do, nothing but our entry may change.
        let (mut was, mut is) = (self.parse(text)?, self.parse(&after)?);
        let entry = is.get(self.key()).and_then(|servers| servers.get(SERVER));
        let is_set =
            |fields: &Fields| fields.iter().all(|(key, value)| entry.and_then(|entry| entry.get(key)) == Some(value));
        if !fields.map_or(entry.is_none(), is_set) {
            return Err(left_alone(&self.path, "its entry `rebut` is written in a way that can't be changed", FIX));
        }
        for whole in [&mut was, &mut is].into_iter().filter_map(Value::as_object_mut) {
            let servers = whole.get_mut(self.key()).and_then(Value::as_object_mut);
            if servers.is_some_and(|servers| servers.remove(SERVER).is_some() && servers.is_empty() || servers.is_empty()) {
                whole.remove(self.key());
            }
        }
        if was != is {
            return Err(left_alone(&self.path, "more than the entry `rebut` would change", FIX));
        }
        let is_empty = fields.is_none() && matches!(after.trim(), "" | "{}");
        let mark = &text[..text.len() - bare.len()];
        Ok((!is_empty).then(|| format!("{mark}{after}")))
    }

    fn parse(&self, text: &str) -> Result<Value, CommandError> {
        let text = text.trim_start_matches('\u{feff}');
        let bad = |what: String| left_alone(&self.path, what, FIX);
        let value = match self.format {
            _ if text.trim().is_empty() => Value::Object(Fields::new()),
            SettingsFormat::Json(_) => jsonc_parser::parse_to_serde_value(text, &ParseOptions::default())
                .map_err(|error| bad(format!("it is not JSON: {error}")))?,
            SettingsFormat::Toml(_) => {
                let table: toml::Table = text.parse().map_err(|error| bad(format!("it is not TOML: {error}")))?;
                serde_json::to_value(table).unwrap_or_default()
            }
        };
        let key = self.key();
        if !value.is_object() || value.get(key).is_some_and(|servers| !servers.is_object()) {
            return Err(bad(format!("it, or `{key}` in it, is not an object")));
        }
        Ok(value)
    }

    fn key(&self) -> &'static str {
        match self.format {
            SettingsFormat::Json(key) | SettingsFormat::Toml(key) => key,
        }
    }
}

/// The command of an entry with its arguments, be it in one list or in two fields.
fn words(entry: &Value) -> Vec<&str> {
    let strings = |key: &str| match entry.get(key) {
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
        word => word.and_then(Value::as_str).into_iter().collect::<Vec<_>>(),
    };
    [strings("command"), strings("args")].concat()
}

fn edit_json(text: &str, key: &str, fields: Option<&Fields>) -> Result<String, String> {
    let text = if text.trim().is_empty() { "{\n}\n" } else { text };
    let root = CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| format!("it is not JSON: {error}"))?;
    let whole = root.object_value_or_create().ok_or("it is not a JSON object")?;
    let servers = whole.object_value_or_create(key).ok_or_else(|| format!("`{key}` is not a JSON object"))?;
    match (servers.get(SERVER), fields) {
        (None, Some(fields)) => drop(servers.append(SERVER, input(&Value::Object(fields.clone())))),
        (Some(there), None) => there.remove(),
        (None, None) => {}
        (Some(there), Some(fields)) => {
            let there = there.object_value().ok_or("its entry is not an object")?;
            for (key, value) in fields {
                match there.get(key) {
                    Some(field) => field.set_value(input(value)),
                    None => drop(there.append(key, input(value))),
                }
            }
        }
    }
    if servers.children().iter().all(|child| child.is_token() || child.is_whitespace() || child.is_newline())
        && let Some(servers) = whole.get(key)
    {
        servers.remove();
    }
    Ok(root.to_string())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => (*value).into(),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => value.as_str().into(),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(values) => {
            CstInputValue::Object(values.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

fn edit_toml(text: &str, key: &str, fields: Option<&Fields>) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error| format!("it is not TOML: {error}"))?;
    let mut implicit = toml_edit::Table::new();
    implicit.set_implicit(true);
    let servers = document.entry(key).or_insert(Item::Table(implicit));
    let servers = servers.as_table_like_mut().ok_or_else(|| format!("`{key}` is not a table"))?;
    if let Some(fields) = fields {
        let entry = servers.entry(SERVER).or_insert_with(toml_edit::table);
        let entry = entry.as_table_like_mut().ok_or("its entry is not a table")?;
        for (key, value) in fields {
            let value = value.serialize(ValueSerializer::new()).map_err(|error| error.to_string())?;
            entry.insert(key, Item::Value(value));
        }
    } else {
        servers.remove(SERVER);
    }
    if servers.is_empty() {
        document.remove(key);
    }
    Ok(document.to_string())
}
