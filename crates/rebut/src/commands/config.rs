//! `rebut config` and `rebut init`

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, Subcommand};
use rebut_engine::config::{Layers, Level, Row, find_key, project_template};
use serde_json::json;
use toml_edit::{DocumentMut, Item, Table};

use crate::app::App;
use crate::error::{CommandError, Exit};

/// Show and change settings
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  rebut config show\n  rebut config set duel.rounds 3\n  rebut config edit --project"
)]
pub(crate) struct Config {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List every setting with its value and origin
    #[command(after_long_help = "Examples:\n  rebut config show\n  REBUT_DUEL_ROUNDS=3 rebut config show")]
    Show,
    /// Print the path of your config file
    #[command(after_long_help = "Examples:\n  rebut config path\n  rebut config path --project")]
    Path(Place),
    /// Print the value of a setting
    #[command(after_long_help = "Examples:\n  rebut config get duel.rounds")]
    Get {
        /// The setting: `duel.rounds`
        key: String,
    },
    /// Change a setting in your config file
    #[command(after_long_help = SET_EXAMPLES)]
    Set {
        /// The setting: `duel.rounds`
        key: String,
        /// The value; a list is written with commas
        value: String,
        #[command(flatten)]
        place: Place,
    },
    /// Open your config file in $VISUAL or $EDITOR, and check it
    #[command(after_long_help = "Examples:\n  rebut config edit\n  EDITOR=nano rebut config edit --project")]
    Edit(Place),
}

const SET_EXAMPLES: &str = "\
Examples:
  rebut config set duel.judge gemini
  rebut config set cross.partners claude,codex,gemini
  rebut config set duel.rounds 3 --project";

#[derive(Clone, Copy, Debug, Args)]
struct Place {
    /// Use this project's .rebut/config.toml instead
    #[arg(long)]
    project: bool,
}

impl Place {
    fn level(self) -> Level {
        if self.project { Level::Project } else { Level::User }
    }

    fn file(self, app: &App) -> Result<PathBuf, CommandError> {
        if self.project {
            return Ok(app.places.project_file());
        }
        app.places
            .user_file()
            .ok_or_else(|| CommandError::usage("no home folder for your config file").hint("set HOME or XDG_CONFIG_HOME"))
    }
}

impl Config {
    /// Whether it must work even if the settings are broken.
    pub(crate) fn mends(&self) -> bool {
        matches!(self.what, What::Path(_) | What::Set { .. } | What::Edit(_))
    }

    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        match &self.what {
            What::Show => show(app),
            What::Path(place) => {
                let file = place.file(app)?;
                app.screen.lines_as_they_are(&file.display().to_string());
                app.screen.json(|| json!({ "path": file, "exists": file.exists() }));
            }
            What::Get { key } => get(app, key)?,
            What::Set { key, value, place } => set(app, key, value, *place)?,
            What::Edit(place) => edit(app, *place)?,
        }
        Ok(Exit::Done)
    }
}

/// Writes a config file in place, so that a symlink stays one, and makes the folders above it.
pub(crate) fn write(file: &Path, text: &str) -> Result<(), CommandError> {
    let failed = |error| CommandError::failed(format!("can't write {}: {error}", file.display()));
    fs::create_dir_all(file.parent().unwrap_or(file)).and_then(|()| fs::write(file, text)).map_err(failed)
}

fn show(app: &App) {
    let rows = app.layers.rows();
    for row in &rows {
        app.screen
            .json(|| json!({ "key": row.key, "value": row.value, "origin": row.origin.to_string(), "help": row.help }));
    }
    if !app.screen.json {
        let is_shown = |row: &&Row| !row.key.contains(".NAME.");
        let value = |row: &Row| row.value.clone().unwrap_or_else(|| "(not set)".to_owned());
        let cells = |row: &Row| vec![row.key.clone(), value(row), row.origin.to_string()];
        app.screen.rows(&["SETTING", "VALUE", "ORIGIN"], &rows.iter().filter(is_shown).map(cells).collect::<Vec<_>>());
        app.screen
            .note("not shown unless set: tools.NAME, services.NAME, agents.NAME and checks.NAME (--json lists their keys)");
    }
}

fn get(app: &App, key: &str) -> Result<(), CommandError> {
    let key = find_key(key)?;
    let row = app.layers.rows().into_iter().find(|row| row.key == key.path);
    let value = row.and_then(|row| row.value);
    app.screen.json(|| json!({ "key": key.path, "value": value }));
    if let Some(value) = value {
        // Strings are printed without quotes, for scripts.
        let plain = value.parse::<toml::Value>().ok().and_then(|value| value.as_str().map(str::to_owned));
        app.screen.lines_as_they_are(&plain.unwrap_or(value));
    }
    Ok(())
}

fn set(app: &App, key: &str, value: &str, place: Place) -> Result<(), CommandError> {
    let (key, file) = (find_key(key)?, place.file(app)?);
    let text = read(&file)?;
    let mut document: DocumentMut =
        text.parse().map_err(|error| CommandError::usage(format!("malformed TOML in {}: {error}", file.display())))?;
    let value = key.read(value).to_string().parse::<toml_edit::Value>();
    let value = value.map_err(|error| CommandError::usage(format!("can't write the value as TOML: {error}")))?;
    let mut parts: Vec<&str> = key.path.split('.').collect();
    let name = parts.pop().unwrap_or_default();
    let mut table: &mut Table = document.as_table_mut();
    for part in parts {
        let item = table.entry(part).or_insert_with(|| {
            let mut new = Table::new();
            new.set_implicit(true);
            Item::Table(new)
        });
        table = item.as_table_mut().ok_or_else(|| {
            CommandError::usage(format!("`{part}` in {} is an inline table", file.display()))
                .hint("change it there: rebut config edit")
        })?;
    }
    table.insert(name, Item::Value(value));
    let text = document.to_string();
    Layers::check_file(place.level(), &file, &text)?;
    write(&file, &text)?;
    app.screen.note(&format!("set {} in {}", key.path, file.display()));
    app.screen.json(|| json!({ "type": "config", "key": key.path, "file": file }));
    Ok(())
}

fn edit(app: &App, place: Place) -> Result<(), CommandError> {
    let file = place.file(app)?;
    if !file.exists() {
        write(&file, "")?;
    }
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    app.screen.finish();
    let status = Command::new(program).args(words).arg(&file).status();
    if !status.is_ok_and(|status| status.success()) {
        return Err(
            CommandError::failed(format!("the editor `{editor}` failed")).hint("set VISUAL or EDITOR to your editor")
        );
    }
    Ok(Layers::check_file(place.level(), &file, &read(&file)?)?)
}

fn read(file: &Path) -> Result<String, CommandError> {
    match fs::read_to_string(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|error| CommandError::failed(format!("can't read {}: {error}", file.display()))),
    }
}

/// Write a commented config file for this project
#[derive(Debug, Args)]
#[command(
    after_long_help = "Writes .rebut/config.toml; never overwrites one.\n\nExamples:\n  rebut init\n  rebut init --yes"
)]
pub(crate) struct Init {
    /// Don't ask
    #[arg(long, short)]
    yes: bool,
}

impl Init {
    pub(crate) fn run(&self, app: &App) -> Result<Exit, CommandError> {
        let file = app.places.project_file();
        if fs::symlink_metadata(&file).is_ok() {
            return Err(CommandError::usage(format!("{} already exists", file.display()))
                .hint("change it with: rebut config edit --project"));
        }
        let question = format!("Write {}?", file.display());
        let help = "The file lists every setting that a project can have, commented out, with its default.";
        if !self.yes && app.screen.can_ask() && !app.screen.confirm_unless_no(&question, help) {
            app.screen.note("nothing was written");
            return Ok(Exit::Cancelled);
        }
        write(&file, &project_template())?;
        app.screen.text(&format!("wrote {}; every setting is commented out", file.display()));
        app.screen.json(|| json!({ "type": "init", "file": file }));
        Ok(Exit::Done)
    }
}
