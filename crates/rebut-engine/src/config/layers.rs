//! The levels, one on top of the other: the settings that hold, and the level that each comes from.
//!
//! [`Layers::read`] is the edge that touches files; everything below it takes data.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use super::error::{harmless, short};
use super::file::{Entry, parse, read_text};
use super::keys::{PREFIX, nearest_key};
use super::{
    BudgetSettings, ConfigError, KEYS, Key, OTHER_VARIABLES, Places, ProjectFiles, Settings, Spot, Who, ai_debate, key,
};
use crate::providers::SeatSpec;

/// The levels merged so far; a level that is added wins over those before it, key by key.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// What was set above the built-in level, as one document.
    table: toml::Table,
    /// The same over the built-in values: what holds.
    settings: Settings,
    origins: BTreeMap<String, Origin>,
    /// The limits of the user's own config file, which a project may lower and not raise.
    users_budget: BudgetSettings,
    /// What a project set above those limits, as notes for the plan.
    over_budget: Vec<String>,
    /// Files of the plugin ai-debate that were read, with the keys of theirs that were not.
    ai_debate: Vec<(PathBuf, Vec<String>)>,
}

/// Where a value comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    #[default]
    BuiltIn,
    /// The user's config file.
    User(PathBuf),
    /// The project's shared config file.
    Project(PathBuf),
    /// The project's config file on this machine.
    Local(PathBuf),
    /// An environment variable, by name.
    Environment(String),
    /// A flag, as it is written: `--rounds`.
    Flag(String),
}

/// A setting as `config show` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The setting: `budget.max_tokens`.
    pub key: String,
    /// The value in TOML, on one line; `None` where it is not set and has no built-in value.
    pub value: Option<String>,
    /// Where the value comes from.
    pub origin: Origin,
    /// What the setting is for.
    pub help: &'static str,
}

impl Layers {
    /// Reads the files of `places`, then `environment` (all of it: what is not ours is passed over).
    pub fn read(places: &Places, environment: impl IntoIterator<Item = (OsString, OsString)>) -> Result<Self, ConfigError> {
        let user = [places.user_ai_debate(), places.user_file()].into_iter().flatten().map(Origin::User);
        let project = [places.project_ai_debate(), places.project_file()].map(Origin::Project);
        let local = [places.local_ai_debate(), places.local_file()].map(Origin::Local);
        let mut layers = Self::default();
        for origin in user.chain(project).chain(local) {
            if let Some((origin, text)) = origin.read(places)? {
                layers.add_file(&origin, &text)?;
            }
        }
        layers.add_environment(environment)?;
        Ok(layers)
    }

    /// Sets a value by a flag; call it after everything else was read.
    pub fn set_flag(&mut self, path: &str, value: toml::Value, flag: &str) -> Result<(), ConfigError> {
        let spot = Spot::Flag(flag.to_owned());
        let Some(key) = key(path) else {
            let nearest = nearest_key(path).path.to_owned();
            return Err(ConfigError::UnknownKey { spot, key: path.to_owned(), nearest });
        };
        let written = short(&value.to_string());
        self.set(key, path, [value], Origin::Flag(flag.to_owned()), spot, written)
    }

    /// The settings that hold.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Where the value of a setting comes from.
    pub fn origin(&self, path: &str) -> Origin {
        self.origins.get(path).cloned().unwrap_or_default()
    }

    /// What a project's own files set in these tables, a line for each file.
    pub fn set_by_project(&self, tables: &[&str]) -> Vec<String> {
        let in_tables = |key: &str| key.split_once('.').is_some_and(|(table, _)| tables.contains(&table));
        let of_plugin = |origin: &Origin| self.ai_debate.iter().any(|(file, _)| origin.file() == Some(file));
        let is_meant = |row: &Row| row.origin.is_the_projects() && in_tables(&row.key) && !of_plugin(&row.origin);
        let mut lines: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in self.rows().into_iter().filter(is_meant) {
            let set = format!("{} = {}", row.key, row.value.unwrap_or_default());
            lines.entry(row.origin.to_string()).or_default().push(set);
        }
        let set = lines.into_iter().map(|(origin, set)| format!("set by {origin}: {}", set.join(", ")));
        set.chain(self.over_budget.iter().cloned()).collect()
    }

    /// What holds by a file of the plugin ai-debate, a line for each file.
    pub fn ai_debate_notes(&self) -> Vec<String> {
        let rows = self.rows();
        let note = |(file, ignored): &(PathBuf, Vec<String>)| {
            let of_file = rows.iter().filter(|row| row.origin.file() == Some(file));
            let settings: Vec<String> =
                of_file.map(|row| format!("{} = {}", row.key, row.value.as_deref().unwrap_or_default())).collect();
            let settings = if settings.is_empty() { "none".to_owned() } else { settings.join(", ") };
            let ignored = if ignored.is_empty() { String::new() } else { format!("; not read: {}", ignored.join(", ")) };
            format!("settings from {}: {settings}{ignored}", file.display())
        };
        self.ai_debate.iter().map(note).collect()
    }

    /// Every setting, in the order of [`KEYS`], also those that nobody set; and what is said of each tool and service.
    pub fn rows(&self) -> Vec<Row> {
        // Settings hold nothing that TOML cannot say; a test shows every value.
        let table = toml::Table::try_from(&self.settings).unwrap_or_default();
        let row = |key: &Key, path: String| Row {
            value: value_at(&table, &path).map(|value| harmless(&value.to_string())),
            origin: self.origin(&path),
            help: key.help,
            key: path,
        };
        let names = self.settings.tools.names().chain(self.settings.services.names());
        let said = names.flat_map(|name| {
            let paths = KEYS.iter().filter(|key| key.is_per_name()).map(move |key| (key, key.path_for(name)));
            paths.filter(|(_, path)| self.origins.contains_key(path))
        });
        KEYS.iter().map(|key| (key, key.path.to_owned())).chain(said).map(|(key, path)| row(key, path)).collect()
    }

    fn add_file(&mut self, origin: &Origin, text: &str) -> Result<(), ConfigError> {
        let file = origin.file().unwrap_or(Path::new(""));
        let entries = if file.extension().is_some_and(|extension| extension == "json") {
            let ai_debate::Read { entries, ignored } = ai_debate::parse(file, text)?;
            self.ai_debate.push((file.to_owned(), ignored));
            entries
        } else {
            parse(file, text)?
        };
        for entry in entries {
            if !origin.is_the_projects() {
                self.set(entry.key, &entry.path, [entry.value], origin.clone(), entry.spot, entry.written)?;
                continue;
            }
            check_projects(&entry)?;
            let over = format!("{} = {} in {origin} exceeds your own limit and is ignored", entry.path, entry.written);
            let mut set = self.clone();
            set.set(entry.key, &entry.path, [entry.value], origin.clone(), entry.spot, entry.written)?;
            if set.settings.budget.exceeds(&self.users_budget) {
                self.over_budget.push(over);
            } else {
                *self = set;
            }
        }
        if !origin.is_the_projects() {
            self.users_budget = self.settings.budget.clone();
        }
        Ok(())
    }

    fn add_environment(&mut self, environment: impl IntoIterator<Item = (OsString, OsString)>) -> Result<(), ConfigError> {
        // Sorted, so that of several faults always the same one is reported.
        let ours: BTreeMap<_, _> = environment
            .into_iter()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value))
            .filter(|(name, _)| name.starts_with(PREFIX) && !OTHER_VARIABLES.contains(&name.as_str()))
            .collect();
        for (name, value) in ours {
            let Some((key, path)) = self.set_by(&name) else {
                let rest = name.strip_prefix(PREFIX).unwrap_or(&name).to_lowercase();
                return Err(ConfigError::UnknownVariable { name: short(&name), nearest: nearest_key(&rest).variable() });
            };
            let spot = Spot::Variable(name.clone());
            let written = short(&format!("\"{}\"", value.display()));
            let Some(text) = value.to_str() else {
                let (key, takes) = (path, "UTF-8 text".to_owned());
                return Err(ConfigError::WrongValue { spot, key, value: written, takes });
            };
            // `REBUT_X= rebut …` is how a shell takes a variable away for one command.
            if !text.is_empty() {
                self.set(key, &path, readings(text), Origin::Environment(name), spot, written)?;
            }
        }
        Ok(())
    }

    /// The setting that a variable sets, and its path. Services are those that are built in and those of the files.
    fn set_by(&self, variable: &str) -> Option<(&'static Key, String)> {
        if let Some(key) = KEYS.iter().find(|key| !key.is_per_name() && key.variable() == variable) {
            return Some((key, key.path.to_owned()));
        }
        let table = variable.strip_prefix(PREFIX)?.split('_').next()?.to_lowercase();
        let names = match table.as_str() {
            "services" => crate::providers::http::names(&self.settings.services),
            "tools" => crate::providers::TOOLS.map(|tool| tool.name.to_owned()).to_vec(),
            _ => return None,
        };
        let keys = || KEYS.iter().filter(|key| key.path.split('.').next() == Some(&table));
        names.iter().find_map(|name| {
            let named = keys().find(|named| named.variable_for(name) == variable)?;
            let path = named.path_for(name);
            key(&path).map(|key| (key, path))
        })
    }

    /// Sets a key to the first of these values that it takes.
    fn set(
        &mut self,
        key: &'static Key,
        path: &str,
        values: impl IntoIterator<Item = toml::Value>,
        origin: Origin,
        spot: Spot,
        written: String,
    ) -> Result<(), ConfigError> {
        let Some((table, settings)) = values.into_iter().find_map(|value| self.with(path, value)) else {
            let (key, takes) = (path.to_owned(), key.takes.to_owned());
            return Err(ConfigError::WrongValue { spot, key, value: written, takes });
        };
        self.table = table;
        self.settings = settings;
        self.origins.insert(path.to_owned(), origin);
        Ok(())
    }

    fn with(&self, path: &str, value: toml::Value) -> Option<(toml::Table, Settings)> {
        let mut table = self.table.clone();
        insert(&mut table, path, value);
        let settings: Settings = table.clone().try_into().ok()?;
        settings.in_range().then_some((table, settings))
    }
}

/// Refuses what a project must not set.
fn check_projects(entry: &Entry) -> Result<(), ConfigError> {
    let (spot, key) = (entry.spot.clone(), entry.path.clone());
    if entry.key.who == Who::UserOnly {
        return Err(ConfigError::UserOnly { spot, key });
    }
    let named = match &entry.value {
        toml::Value::Array(seats) => seats.as_slice(),
        seat => std::slice::from_ref(seat),
    };
    let mut named = named.iter().filter_map(toml::Value::as_str).filter(|_| entry.key.names_seats());
    match named.find(|seat| SeatSpec::parse(seat).is_ok_and(|seat| seat.is_users_own())) {
        Some(seat) => Err(ConfigError::UsersSeat { spot, key, seat: short(seat) }),
        None => Ok(()),
    }
}

impl Origin {
    /// The text of the file in the version that counts, with where it comes from; none where there is none.
    fn read(self, places: &Places) -> Result<Option<(Self, String)>, ConfigError> {
        let Some(file) = self.file() else { return Ok(None) };
        let (name, texts) = match &places.project {
            ProjectFiles::Nothing if self.is_the_projects() => return Ok(None),
            ProjectFiles::Commit { name, texts } if self.is_the_projects() => (name, texts),
            _ => return Ok(read_text(file)?.map(|text| (self, text))),
        };
        let inside = file.strip_prefix(&places.workspace).unwrap_or(file);
        let Some(text) = texts.get(inside) else { return Ok(None) };
        let file = PathBuf::from(format!("{name}:{}", inside.display()));
        let origin = if matches!(self, Self::Local(_)) { Self::Local(file) } else { Self::Project(file) };
        Ok(Some((origin, text.clone())))
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::User(path) | Self::Project(path) | Self::Local(path) => Some(path),
            Self::BuiltIn | Self::Environment(_) | Self::Flag(_) => None,
        }
    }

    /// Whether it was written by whoever wrote the project.
    pub fn is_the_projects(&self) -> bool {
        matches!(self, Self::Project(_) | Self::Local(_))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built-in"),
            Self::User(path) => write!(f, "user ({})", path.display()),
            Self::Project(path) => write!(f, "project ({})", path.display()),
            Self::Local(path) => write!(f, "local ({})", path.display()),
            Self::Environment(name) => write!(f, "environment ({name})"),
            Self::Flag(flag) => write!(f, "flag ({flag})"),
        }
    }
}

/// Everything that a variable's text may mean, narrowest first. The key's type says which of them it is: to a number
/// `5` is five, to a seat it is a name, to a list `a,b` has two entries.
fn readings(text: &str) -> Vec<toml::Value> {
    let list = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    let numbers = [text.trim().parse().ok().map(toml::Value::Integer), text.trim().parse().ok().map(toml::Value::Float)];
    let mut readings: Vec<_> = numbers.into_iter().flatten().collect();
    readings.extend(text.trim().parse().ok().map(toml::Value::Boolean));
    readings.push(toml::Value::String(text.to_owned()));
    readings.push(list.map(|item| toml::Value::String(item.to_owned())).collect::<Vec<_>>().into());
    readings
}

fn insert(table: &mut toml::Table, path: &str, value: toml::Value) {
    let Some((head, rest)) = path.split_once('.') else {
        match (table.get_mut(path), value) {
            // Names of the person's own come one by one.
            (Some(toml::Value::Table(known)), toml::Value::Table(more)) => known.extend(more),
            (_, value) => drop(table.insert(path.to_owned(), value)),
        }
        return;
    };
    if let toml::Value::Table(inner) = table.entry(head).or_insert_with(|| toml::Table::new().into()) {
        insert(inner, rest, value);
    }
}

fn value_at<'a>(table: &'a toml::Table, path: &str) -> Option<&'a toml::Value> {
    match path.split_once('.') {
        Some((head, rest)) => value_at(table.get(head)?.as_table()?, rest),
        None => table.get(path),
    }
}

#[cfg(test)]
mod tests;
