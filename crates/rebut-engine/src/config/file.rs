//! One TOML file: its settings, each with file, line and column.

use std::io::ErrorKind;
use std::path::Path;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue, ValueDeserializer};

use super::error::{harmless, short};
use super::keys::{nearest_key, nearest_table};
use super::{ConfigError, Field, Key, Settings, Takes};
use crate::workspace::read_given;

/// The largest file that is read.
const MAX_BYTES: u64 = 1 << 20;

/// A setting as a file, a variable or a flag has it.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: Key,
    pub(super) value: toml::Value,
    /// The value as it is written.
    pub(super) written: String,
    pub(super) spot: String,
}

impl Entry {
    pub(super) fn wrong(self) -> ConfigError {
        let takes = self.key.field.takes.in_words();
        ConfigError::WrongValue { spot: self.spot, key: self.key.path, value: self.written, takes }
    }
}

/// The text of a file; `None` if there is none.
pub(super) fn read_text(path: &Path) -> Result<Option<String>, ConfigError> {
    let unreadable = |reason: String| ConfigError::Unreadable { path: path.to_owned(), reason };
    match read_given(path, MAX_BYTES) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| unreadable("it is not UTF-8 text".to_owned())),
        // Below a file there is nothing either: `HOME=/dev/null` is a way to have no config.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(unreadable(error.to_string())),
    }
}

/// The settings of a file, in its order.
pub(super) fn parse(path: &Path, text: &str) -> Result<Vec<Entry>, ConfigError> {
    let source = Source { path, text };
    let document = DeTable::parse(text).map_err(|error| ConfigError::Malformed {
        language: "TOML",
        spot: source.spot(error.span().map_or(0, |span| span.start)),
        reason: harmless(error.message()),
    })?;
    let mut entries = Vec::new();
    source.collect("", Settings::FIELDS, false, document.get_ref(), &mut entries)?;
    Ok(entries)
}

/// The text of a file, and where it comes from.
pub(super) struct Source<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

impl Source<'_> {
    fn collect(
        &self,
        table: &str,
        fields: &'static [Field],
        user_only: bool,
        content: &DeTable<'_>,
        entries: &mut Vec<Entry>,
    ) -> Result<(), ConfigError> {
        for (name, value) in in_order(content) {
            let path = join(table, name.get_ref());
            let Some(field) = fields.iter().find(|field| field.name == name.get_ref()) else {
                let is_top_table = table.is_empty() && value.get_ref().is_table();
                let nearest = if is_top_table { nearest_table(&path) } else { nearest_key(&path).path.clone() };
                return Err(ConfigError::UnknownKey { spot: self.spot(name.span().start), key: path, nearest });
            };
            let user_only = user_only || field.user_only;
            match &field.takes {
                Takes::Table(fields) => self.collect(&path, fields, user_only, self.table(value, &path)?, entries)?,
                Takes::Named(is_name, takes, fields) => {
                    for (name, value) in in_order(self.table(value, &path)?) {
                        if !is_name(name.get_ref()) {
                            let (spot, value) = (self.spot(name.span().start), join("", name.get_ref()));
                            return Err(ConfigError::WrongValue { spot, key: path, value, takes: (*takes).to_owned() });
                        }
                        let path = join(&path, name.get_ref());
                        let content = self.table(value, &path)?;
                        let needs = fields.iter().find(|field| matches!(field.takes, Takes::Command));
                        if let Some(missing) = needs.filter(|field| !content.contains_key(field.name)) {
                            let takes = format!("a table with `{}`, {}", missing.name, missing.takes.in_words());
                            return Err(self.wrong(value, &path, &takes));
                        }
                        self.collect(&path, fields, user_only, content, entries)?;
                    }
                }
                _ => entries.push(self.entry(Key { path, field, user_only }, value)?),
            }
        }
        Ok(())
    }

    fn table<'a, 'b>(&self, value: &'a Spanned<DeValue<'b>>, key: &str) -> Result<&'a DeTable<'b>, ConfigError> {
        value.get_ref().as_table().ok_or_else(|| self.wrong(value, key, &Takes::Table(&[]).in_words()))
    }

    fn entry(&self, key: Key, value: &Spanned<DeValue<'_>>) -> Result<Entry, ConfigError> {
        // The one thing that TOML allows and the conversion does not is a number too large for any setting.
        let converted = toml::Value::deserialize(ValueDeserializer::from(value.clone()));
        let converted = converted.map_err(|_| self.wrong(value, &key.path, &key.field.takes.in_words()))?;
        Ok(Entry { key, value: converted, written: self.written(value), spot: self.spot(value.span().start) })
    }

    fn written(&self, value: &Spanned<DeValue<'_>>) -> String {
        short(self.text.get(value.span()).unwrap_or_default())
    }

    fn wrong(&self, value: &Spanned<DeValue<'_>>, key: &str, takes: &str) -> ConfigError {
        let (key, takes) = (key.to_owned(), takes.to_owned());
        ConfigError::WrongValue { spot: self.spot(value.span().start), key, value: self.written(value), takes }
    }

    pub(super) fn spot(&self, at: usize) -> String {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("{}:{line}:{column}", self.path.display())
    }
}

/// The parser sorts by name; of several faults the first in the file is the one to report.
fn in_order<'a, 'b>(table: &'a DeTable<'b>) -> Vec<(&'a Spanned<DeString<'b>>, &'a Spanned<DeValue<'b>>)> {
    let mut content: Vec<_> = table.iter().collect();
    content.sort_by_key(|(name, _)| name.span().start);
    content
}

/// The path of a name in a table. A name that needs quotes keeps them, so that `"duel.rounds"` is not `duel.rounds`.
fn join(table: &str, name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let name = if bare { short(name) } else { short(&format!("{name:?}")) };
    if table.is_empty() { name } else { format!("{table}.{name}") }
}
