//! The keys of all settings with their environment variables, and the nearest one to a misspelled key.

use std::sync::LazyLock;

use super::error::short;
use super::{ConfigError, Field, Settings, Takes};

/// Every key. `NAME` stands for a name of the user's choice, as in `services.NAME.api`.
pub static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let mut keys = Vec::new();
    collect("", Settings::FIELDS, false, &mut keys);
    keys
});

/// Variables of rebut that set no setting, and what they are for.
pub const OTHER_VARIABLES: [(&str, &str); 5] = [
    ("REBUT_SERVE_TOKEN", "The secret in the link of `rebut serve`, at least 16 characters; by default a new one each time"),
    ("REBUT_DEPTH", "Set for tools, so that a rebut inside a seat starts no debate"),
    ("REBUT_CHILD", "Set for tools, so that their processes can be found and ended"),
    ("REBUT_FAULT", "Break the journal at an event (debug builds, for tests)"),
    ("REBUT_TEST_SOURCES", "Redirect host names when fetching pages (debug builds, for tests)"),
];

/// What every variable of rebut begins with.
pub(super) const PREFIX: &str = "REBUT_";

/// The setting that says where debates are, and its variable, which has a short name.
pub(super) const STORE: &str = "store.url";
pub const STORE_VARIABLE: &str = "REBUT_STORE";

/// A setting and its place.
#[derive(Clone, Debug)]
pub struct Key {
    /// The tables and the field: `budget.max_tokens`.
    pub path: String,
    pub field: &'static Field,
    /// Whether the field or a table it is in is the user's alone to set.
    pub user_only: bool,
}

impl Key {
    /// The environment variable that sets it: `REBUT_BUDGET_MAX_TOKENS`.
    pub fn variable(&self) -> String {
        if self.path == STORE {
            return STORE_VARIABLE.to_owned();
        }
        format!("{PREFIX}{}", self.path.replace(['.', '-'], "_").to_uppercase())
    }

    /// The table of names that it is in: `services` for `services.NAME.api`.
    pub fn named_in(&self) -> Option<&str> {
        self.path.split_once(".NAME.").map(|(table, _)| table)
    }

    /// A value as it is typed: a list is written with commas. Whether it is valid is said where it is set.
    pub fn read(&self, text: &str) -> toml::Value {
        self.field.takes.read(text)
    }

    /// The same key for this name.
    pub(super) fn named(&self, name: &str) -> Self {
        Self { path: self.path.replacen("NAME", name, 1), ..self.clone() }
    }
}

/// The key with this path; `services.mine.api` is one too.
pub fn find_key(path: &str) -> Result<Key, ConfigError> {
    let name = path.split('.').nth(1).filter(|name| !name.is_empty()).unwrap_or("NAME");
    KEYS.iter().map(|key| key.named(name)).find(|key| key.path == path).ok_or_else(|| {
        let (key, nearest) = (short(path), nearest_key(path).path.clone());
        ConfigError::NoSuchKey { key, nearest }
    })
}

pub(super) fn nearest_table(name: &str) -> String {
    nearest(Settings::FIELDS, |table| strsim::jaro_winkler(name, table.name)).map_or_else(String::new, |t| t.name.to_owned())
}

/// The key most like this path; a right name in the wrong table is recognised.
pub(super) fn nearest_key(path: &str) -> &'static Key {
    let name_of = |path: &str| path.rsplit('.').next().unwrap_or_default().to_owned();
    let likeness = |key: &Key| {
        let whole = strsim::jaro_winkler(&path.replace('.', "_"), &key.path.replace('.', "_"));
        let same_names = key.named_in().is_some_and(|table| path.split('.').next() == Some(table));
        whole.max(0.95 * strsim::jaro_winkler(&name_of(path), &name_of(&key.path))) + f64::from(same_names)
    };
    nearest(&KEYS, likeness).unwrap_or(&KEYS[0])
}

/// The first of those most alike.
pub(super) fn nearest<T>(known: &[T], likeness: impl Fn(&T) -> f64) -> Option<&T> {
    known.iter().rev().max_by(|one, other| likeness(one).total_cmp(&likeness(other)))
}

fn collect(table: &str, fields: &'static [Field], user_only: bool, keys: &mut Vec<Key>) {
    for field in fields {
        let path = if table.is_empty() { field.name.to_owned() } else { format!("{table}.{}", field.name) };
        let user_only = user_only || field.user_only;
        match field.takes {
            Takes::Table(fields) => collect(&path, fields, user_only, keys),
            Takes::Named(_, _, fields) => collect(&format!("{path}.NAME"), fields, user_only, keys),
            _ => keys.push(Key { path, field, user_only }),
        }
    }
}
