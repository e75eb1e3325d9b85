//! The levels, merged: the settings in effect, and where each comes from.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use toml::Value;

use super::error::{harmless, short};
use super::file::{Entry, parse, read_text};
use super::keys::{PREFIX, STORE, key, nearest_key};
use super::{ConfigError, KEYS, Key, OTHER_VARIABLES, Places, ProjectFiles, Settings, Takes, ai_debate};
use crate::providers::{SeatSpec, TOOLS, http};

/// The levels merged so far; one that is added wins over those before it, key by key.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// What is set above the built-in level.
    table: toml::Table,
    /// The same over the built-in values.
    settings: Settings,
    /// What is set, by path.
    origins: BTreeMap<String, (Key, Origin)>,
    /// What the user's own files set: a project may lower their budget and not raise it.
    users: toml::Table,
    /// Budgets of a project above the user's, as notes for the plan.
    over_budget: Vec<String>,
    files: Vec<ReadFile>,
}

#[derive(Clone, Debug)]
struct ReadFile {
    origin: Origin,
    /// The keys of an `ai-debate.json` that are no settings of ours.
    ignored: Option<Vec<String>>,
}

/// Where a value comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    pub level: Level,
    /// A file, a variable or a flag; empty if it is built in.
    pub place: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    #[default]
    BuiltIn,
    User,
    /// The project's shared file.
    Project,
    /// The project's file on this machine.
    Local,
    Environment,
    Flag,
}

/// A setting as `config show` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub key: String,
    /// The value in TOML, on one line; `None` if it is not set and has no built-in value.
    pub value: Option<String>,
    pub origin: Origin,
    pub help: &'static str,
}

impl Layers {
    /// Reads the files of `places`, then `environment` (all of it: what is not ours is passed over).
    pub fn read(places: &Places, environment: impl IntoIterator<Item = (OsString, OsString)>) -> Result<Self, ConfigError> {
        let mut layers = Self::default();
        for (level, file) in places.files() {
            if let Some((file, text)) = read_level(level, file, places)? {
                layers.add_file(level, &file, &text)?;
            }
        }
        layers.add_environment(environment)?;
        Ok(layers)
    }

    /// Checks the text of a file by the rules of its level.
    pub fn check_file(level: Level, file: &Path, text: &str) -> Result<(), ConfigError> {
        Self::default().add_file(level, file, text)
    }

    /// Sets a value by a flag; call it after everything else was read.
    pub fn set_flag(&mut self, path: &str, value: Value, flag: &str) -> Result<(), ConfigError> {
        let spot = flag.to_owned();
        let Some(key) = key(path).cloned() else {
            let nearest = nearest_key(path).path.clone();
            return Err(ConfigError::UnknownKey { spot, key: path.to_owned(), nearest });
        };
        // As it is typed in a flag.
        let written = match value.as_array().map(|all| all.iter().filter_map(Value::as_str).collect::<Vec<_>>()) {
            Some(texts) => texts.join(","),
            None => value.to_string(),
        };
        let written = short(&written);
        self.set(Entry { key, value, written, spot }, Origin { level: Level::Flag, place: flag.to_owned() })
    }

    /// The settings in effect.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Where the value of a setting comes from.
    pub fn origin(&self, path: &str) -> Origin {
        self.origins.get(path).map(|(_, origin)| origin.clone()).unwrap_or_default()
    }

    /// What a project's own files set in these tables, a line for each file.
    pub fn set_by_project(&self, tables: &[&str]) -> Vec<String> {
        let in_tables = |row: &Row| row.key.split_once('.').is_some_and(|(table, _)| tables.contains(&table));
        let files = self.files.iter().filter(|file| file.ignored.is_none() && file.origin.is_the_projects());
        let lines = files.filter_map(|file| {
            let set = self.set_in(file, in_tables);
            (!set.is_empty()).then(|| format!("set by {}: {}", file.origin, set.join(", ")))
        });
        lines.chain(self.over_budget.iter().cloned()).collect()
    }

    /// What the files of the plugin ai-debate set, a line for each.
    pub fn ai_debate_notes(&self) -> Vec<String> {
        let note = |file: &ReadFile| {
            let (ignored, set) = (file.ignored.as_ref()?, self.set_in(file, |_| true));
            let set = if set.is_empty() { "none".to_owned() } else { set.join(", ") };
            let ignored = if ignored.is_empty() { String::new() } else { format!("; not read: {}", ignored.join(", ")) };
            Some(format!("settings from {}: {set}{ignored}", file.origin.place))
        };
        self.files.iter().filter_map(note).collect()
    }

    fn set_in(&self, file: &ReadFile, is_meant: impl Fn(&Row) -> bool) -> Vec<String> {
        let rows = self.rows().into_iter().filter(|row| row.origin == file.origin && is_meant(row));
        rows.map(|row| format!("{} = {}", row.key, row.value.unwrap_or_default())).collect()
    }

    /// Every setting, set or not, and then those with a name of the user's choice that are set.
    pub fn rows(&self) -> Vec<Row> {
        // Settings hold nothing that TOML cannot express; a test shows every value.
        let table = toml::Table::try_from(&self.settings).unwrap_or_default();
        let named = self.origins.values().map(|(key, _)| key).filter(|set| key(&set.path).is_none());
        let row = |key: &Key| Row {
            value: value_at(&table, &key.path).map(|value| without_password(&key.path, harmless(&value.to_string()))),
            origin: self.origin(&key.path),
            help: key.field.help,
            key: key.path.clone(),
        };
        KEYS.iter().chain(named).map(row).collect()
    }

    fn add_file(&mut self, level: Level, file: &Path, text: &str) -> Result<(), ConfigError> {
        let origin = Origin { level, place: file.display().to_string() };
        let is_toml = file.extension().is_none_or(|extension| extension != "json");
        let (entries, ignored) = if is_toml { (parse(file, text)?, None) } else { ai_debate::parse(file, text)? };
        self.files.push(ReadFile { origin: origin.clone(), ignored });
        for entry in entries {
            if origin.is_the_projects() {
                check_projects(&entry)?;
                if self.exceeds_users_budget(&entry) {
                    let Entry { key, written, .. } = entry;
                    let note = format!("{} = {written} in {origin} exceeds your own limit and is ignored", key.path);
                    self.over_budget.push(note);
                    continue;
                }
            }
            self.set(entry, origin.clone())?;
        }
        if !origin.is_the_projects() {
            self.users = self.table.clone();
        }
        Ok(())
    }

    fn exceeds_users_budget(&self, entry: &Entry) -> bool {
        let number = |value: &Value| value.clone().try_into::<f64>().ok();
        let users = value_at(&self.users, &entry.key.path).filter(|_| entry.key.path.starts_with("budget."));
        let is_valid = entry.key.field.takes.accepts(&entry.value);
        is_valid && users.and_then(number).zip(number(&entry.value)).is_some_and(|(users, own)| own > users)
    }

    fn add_environment(&mut self, environment: impl IntoIterator<Item = (OsString, OsString)>) -> Result<(), ConfigError> {
        let is_other = |name: &str| OTHER_VARIABLES.iter().any(|(other, _)| *other == name);
        // Sorted, so that of several faults always the same one is reported.
        let ours: BTreeMap<_, _> = environment
            .into_iter()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value))
            .filter(|(name, _)| name.starts_with(PREFIX) && !is_other(name))
            .collect();
        for (name, value) in ours {
            let Some(key) = self.by_variable(&name) else {
                let rest = name.strip_prefix(PREFIX).unwrap_or(&name).to_lowercase();
                return Err(ConfigError::UnknownVariable { name: short(&name), nearest: nearest_key(&rest).variable() });
            };
            let written = short(&format!("\"{}\"", value.display()));
            let Some(text) = value.to_str() else {
                let takes = "UTF-8 text".to_owned();
                return Err(ConfigError::WrongValue { spot: name, key: key.path, value: written, takes });
            };
            // `REBUT_X= rebut …` is how a shell unsets a variable for one command.
            if !text.is_empty() {
                let value = key.field.takes.read(text).unwrap_or_else(|| text.into());
                let spot = name.clone();
                self.set(Entry { key, value, written, spot }, Origin { level: Level::Environment, place: name })?;
            }
        }
        Ok(())
    }

    /// The key that a variable sets. Names are those built in and those of the files.
    fn by_variable(&self, variable: &str) -> Option<Key> {
        KEYS.iter().find_map(|key| match key.named_in() {
            None => (key.variable() == variable).then(|| key.clone()),
            Some(table) => self.names_in(table).iter().map(|name| key.of(name)).find(|key| key.variable() == variable),
        })
    }

    fn names_in(&self, table: &str) -> Vec<String> {
        match table {
            "tools" => TOOLS.iter().map(|tool| tool.name.to_owned()).collect(),
            "services" => http::names(&self.settings.services),
            _ => {
                self.table.get(table).and_then(Value::as_table).into_iter().flat_map(|named| named.keys().cloned()).collect()
            }
        }
    }

    fn set(&mut self, entry: Entry, origin: Origin) -> Result<(), ConfigError> {
        let mut table = self.table.clone();
        insert(&mut table, &entry.key.path, entry.value.clone());
        let settings = entry.key.field.takes.accepts(&entry.value).then(|| table.clone().try_into().ok()).flatten();
        let Some(settings) = settings else { return Err(entry.wrong()) };
        (self.table, self.settings) = (table, settings);
        self.origins.insert(entry.key.path.clone(), (entry.key, origin));
        Ok(())
    }
}

/// Refuses what a project must not set.
fn check_projects(entry: &Entry) -> Result<(), ConfigError> {
    let (spot, key) = (entry.spot.clone(), entry.key.path.clone());
    if entry.key.user_only {
        return Err(ConfigError::UserOnly { spot, key });
    }
    let seats = match (&entry.key.field.takes, &entry.value) {
        (Takes::Seat, seat) => std::slice::from_ref(seat),
        (Takes::Seats, Value::Array(seats)) => seats,
        _ => &[],
    };
    let is_users = |seat: &&str| SeatSpec::parse(seat).is_ok_and(|seat| seat.is_users_own());
    match seats.iter().filter_map(Value::as_str).find(is_users) {
        Some(seat) => Err(ConfigError::UsersSeat { spot, key, seat: short(seat) }),
        None => Ok(()),
    }
}

/// A file in the version that counts, by its name for the user and with its text; none if there is none.
fn read_level(level: Level, file: PathBuf, places: &Places) -> Result<Option<(PathBuf, String)>, ConfigError> {
    match &places.project {
        _ if level == Level::User => {}
        ProjectFiles::Workspace => {}
        ProjectFiles::Nothing => return Ok(None),
        ProjectFiles::Commit { name, texts } => {
            let inside = file.strip_prefix(&places.workspace).unwrap_or(&file);
            let named = PathBuf::from(format!("{name}:{}", inside.display()));
            return Ok(texts.get(inside).map(|text| (named, text.clone())));
        }
    }
    Ok(read_text(&file)?.map(|text| (file, text)))
}

impl Origin {
    /// Whether the project's authors wrote it.
    pub fn is_the_projects(&self) -> bool {
        matches!(self.level, Level::Project | Level::Local)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = ["built-in", "user", "project", "local", "environment", "flag"][self.level as usize];
        if self.place.is_empty() { f.write_str(level) } else { write!(f, "{level} ({})", self.place) }
    }
}

/// The address of a database without its password.
fn without_password(path: &str, value: String) -> String {
    let parts = value.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.rsplit_once('@')?)));
    match parts {
        Some((scheme, (user, rest))) if path == STORE => {
            let user = user.split_once(':').map_or(user, |(user, _)| user);
            format!("{scheme}://{user}:[redacted]@{rest}")
        }
        _ => value,
    }
}

fn insert(table: &mut toml::Table, path: &str, value: Value) {
    let Some((head, rest)) = path.split_once('.') else { return drop(table.insert(path.to_owned(), value)) };
    if let Value::Table(inner) = table.entry(head).or_insert_with(|| toml::Table::new().into()) {
        insert(inner, rest, value);
    }
}

fn value_at<'a>(table: &'a toml::Table, path: &str) -> Option<&'a Value> {
    match path.split_once('.') {
        Some((head, rest)) => value_at(table.get(head)?.as_table()?, rest),
        None => table.get(path),
    }
}
