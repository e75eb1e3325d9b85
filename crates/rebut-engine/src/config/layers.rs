//! The levels, merged: the settings in effect, and where each comes from.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use toml::Value;

use super::error::{harmless, short};
use super::file::{Entry, parse, read_text};
use super::keys::{PREFIX, STORE, find_key, nearest_key};
use super::{ConfigError, KEYS, Key, OTHER_VARIABLES, Places, ProjectFiles, Settings, Takes, ai_debate};
use crate::providers::{SeatSpec, TOOLS, http};

/// The levels merged so far; one that is added wins over those before it, key by key.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// What is set above the built-in level: the last entry of a key wins.
    set: Vec<(Entry, Origin)>,
    /// The same over the built-in values.
    settings: Settings,
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
        let (key, spot) = (find_key(path)?, flag.to_owned());
        let texts = value.as_array().map(|all| all.iter().filter_map(Value::as_str).collect::<Vec<_>>());
        let written = short(&texts.map_or_else(|| value.to_string(), |texts| texts.join(",")));
        self.set(Entry { key, value, written, spot }, Origin { level: Level::Flag, place: flag.to_owned() })
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn origin(&self, path: &str) -> Origin {
        self.last(path).map(|(_, origin)| origin.clone()).unwrap_or_default()
    }

    fn last(&self, path: &str) -> Option<&(Entry, Origin)> {
        self.set.iter().rfind(|(entry, _)| entry.key.path == path)
    }

    /// What the project's files and those of ai-debate set in these tables, a line for each.
    pub fn notes(&self, tables: &[&str]) -> Vec<String> {
        let rows = self.rows();
        let in_tables = |row: &&Row| row.key.split_once('.').is_some_and(|(table, _)| tables.contains(&table));
        let note = |ReadFile { origin, ignored }: &ReadFile| {
            let set = rows.iter().filter(|row| row.origin == *origin).filter(in_tables);
            let set = set.map(|row| format!("{} = {}", row.key, row.value.as_deref().unwrap_or_default()));
            let ignored = ignored.iter().flatten().filter(|_| tables.contains(&"panel"));
            let all: Vec<String> = set.chain(ignored.map(|name| format!("{name} (not read)"))).collect();
            (!all.is_empty()).then(|| format!("set by {origin}: {}", all.join(", ")))
        };
        let files = self.files.iter().filter(|file| file.ignored.is_some() || file.origin.is_the_projects());
        files.filter_map(note).chain(self.over_budget.iter().cloned()).collect()
    }

    /// Every setting, set or not, and then those with a name of the user's choice that are set.
    pub fn rows(&self) -> Vec<Row> {
        let value = |key: &Key| self.last(&key.path).map(|(entry, _)| entry.value.clone()).or_else(key.field.default);
        let row = |key: &Key| Row {
            value: value(key).map(|value| without_password(&key.path, harmless(&value.to_string()))),
            origin: self.origin(&key.path),
            help: key.field.help,
            key: key.path.clone(),
        };
        let set = self.set.iter().map(|(entry, _)| (&entry.key.path, &entry.key));
        let named: BTreeMap<_, _> = set.filter(|(path, _)| KEYS.iter().all(|key| key.path != **path)).collect();
        KEYS.iter().chain(named.into_values()).map(row).collect()
    }

    fn add_file(&mut self, level: Level, file: &Path, text: &str) -> Result<(), ConfigError> {
        let origin = Origin { level, place: file.display().to_string() };
        let (entries, ignored) = if file.extension().is_some_and(|extension| extension == "json") {
            let (entries, ignored) = ai_debate::parse(file, text)?;
            (entries, Some(ignored))
        } else {
            (parse(file, text)?, None)
        };
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
        Ok(())
    }

    /// A project may lower the user's budget and not raise it.
    fn exceeds_users_budget(&self, entry: &Entry) -> bool {
        let number = |entry: &Entry| entry.value.clone().try_into::<f64>().ok();
        let users = self.set.iter().rfind(|(set, origin)| !origin.is_the_projects() && set.key.path == entry.key.path);
        let users = users.filter(|_| entry.key.path.starts_with("budget.") && entry.key.field.takes.accepts(&entry.value));
        users.is_some_and(|(users, _)| number(entry) > number(users))
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
                let entry = Entry { value: key.read(text), key, written, spot: name.clone() };
                self.set(entry, Origin { level: Level::Environment, place: name })?;
            }
        }
        Ok(())
    }

    /// The key that a variable sets. Names are those built in and those of the files.
    fn by_variable(&self, variable: &str) -> Option<Key> {
        let names = |table: &str| match table {
            "tools" => TOOLS.map(|tool| tool.name.to_owned()).to_vec(),
            "services" => http::names(&self.settings.services),
            "agents" => self.settings.agents.keys().cloned().collect(),
            _ => self.settings.checks.keys().cloned().collect(),
        };
        let keys = KEYS.iter().flat_map(|key| match key.named_in() {
            Some(table) => names(table).iter().map(|name| key.named(name)).collect(),
            None => vec![key.clone()],
        });
        keys.into_iter().find(|key| key.variable() == variable)
    }

    fn set(&mut self, entry: Entry, origin: Origin) -> Result<(), ConfigError> {
        let set = self.set.iter().map(|(entry, _)| entry).chain([&entry]);
        let set: BTreeMap<&str, &Value> = set.map(|entry| (entry.key.path.as_str(), &entry.value)).collect();
        let lines: Vec<String> = set.into_iter().map(|(path, value)| format!("{path} = {value}\n")).collect();
        let settings = toml::from_str(&lines.concat()).ok().filter(|_| entry.key.field.takes.accepts(&entry.value));
        let Some(settings) = settings else { return Err(entry.wrong()) };
        self.settings = settings;
        self.set.push((entry, origin));
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
        ProjectFiles::Nothing if level != Level::User => Ok(None),
        ProjectFiles::Commit { name, texts } if level != Level::User => {
            let inside = file.strip_prefix(&places.workspace).unwrap_or(&file);
            Ok(texts.get(inside).map(|text| (format!("{name}:{}", inside.display()).into(), text.clone())))
        }
        _ => Ok(read_text(&file)?.map(|text| (file, text))),
    }
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
