//! What installing and uninstalling do: shown first, done only to what was shown, and never without a way back.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use similar::TextDiff;

use super::settings::Found;
use super::{Host, file};
use crate::error::CommandError;

/// A change to one file.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) path: PathBuf,
    /// None for a file that does not exist.
    before: Option<String>,
    backup: bool,
    change: Change,
}

#[derive(Debug)]
enum Change {
    /// None removes the file.
    Text(Option<String>),
    /// The tool's own command makes it.
    Command(Vec<String>),
}

#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    pub(crate) notes: Vec<String>,
    folder: PathBuf,
    /// The home or project that is changed. It stays, however empty.
    root: PathBuf,
}

/// Adds the server and the command. What is there already as it should be is no step.
pub(super) fn install(host: Host, folder: &Path) -> Result<Plan, CommandError> {
    let Host { settings, own, command: (command, command_text), root } = host;
    let mut plan = Plan { steps: Vec::new(), notes: Vec::new(), folder: folder.to_owned(), root };
    let before = file::read(&settings.path)?;
    let text = before.as_deref().unwrap_or_default();
    let found = settings.find(text)?;
    if found == Found::Foreign {
        plan.notes.push(format!("the entry `rebut` in {} starts something else; it is replaced", settings.path.display()));
    }
    let after = settings.with_entry(text)?;
    if let Found::Ours { entry, .. } = settings.find(&after)? {
        let is_off = entry.get("enabled") == Some(&false.into()) || entry.get("disabled") == Some(&true.into());
        if is_off {
            let path = settings.path.display();
            plan.notes.push(format!("the entry `rebut` in {path} is switched off, and stays so: switch it on there"));
        }
        let variables = entry.get("env_vars").and_then(Value::as_array);
        if variables.is_some_and(|names| !names.contains(&"REBUT_DEPTH".into())) {
            let entry = format!("`env_vars` of the entry `rebut` in {}", settings.path.display());
            plan.notes.push(format!("add REBUT_DEPTH to {entry}: it keeps debates from nesting"));
        }
    }
    let is_done = matches!(&found, Found::Ours { program, .. } if program == settings.program());
    match own {
        Some(_) if is_done => {}
        Some([add, remove]) => {
            // A tool adds no server whose name is taken.
            let words = if found == Found::Nothing { vec![add] } else { vec![remove, add] };
            for (at, words) in words.into_iter().enumerate() {
                let (path, before, change) = (settings.path.clone(), before.clone(), Change::Command(words));
                plan.steps.push(Step { path, before, backup: at == 0, change });
            }
        }
        None => plan.edit(settings.path, before, Some(after), true)?,
    }
    let before = file::read(&command)?;
    plan.edit(command, before, Some(command_text.to_owned()), true)?;
    Ok(plan)
}

/// Removes the server and the command. Foreign entries and a command that was rewritten are left alone.
pub(super) fn uninstall(host: Host, folder: &Path) -> Result<Plan, CommandError> {
    let Host { settings, own, command: (command, command_text), root } = host;
    let mut plan = Plan { steps: Vec::new(), notes: Vec::new(), folder: folder.to_owned(), root };
    let before = file::read(&settings.path)?;
    let text = before.as_deref().unwrap_or_default();
    match settings.find(text)? {
        Found::Nothing => {}
        Found::Foreign => {
            let path = settings.path.display();
            plan.notes.push(format!("the entry `rebut` in {path} starts something else, and is left alone"));
        }
        Found::Ours { entry, .. } => {
            // An entry with nothing of the user's in it needs no backup.
            let is_ours = |(key, value): (&String, &Value)| {
                key == "command" || settings.entry.get(key) == Some(value) || *value == serde_json::json!({})
            };
            let backup = !entry.as_object().is_some_and(|entry| entry.iter().all(is_ours));
            if let Some([_, words]) = own {
                plan.steps.push(Step { path: settings.path, before, backup, change: Change::Command(words) });
            } else {
                let after = settings.edited(text, None)?;
                plan.edit(settings.path, before, after, backup)?;
            }
        }
    }
    match file::read(&command)? {
        None => {}
        Some(text) if text != command_text || command.is_symlink() => {
            plan.notes.push(format!("{} is not as rebut wrote it, and is left alone", command.display()));
        }
        before => plan.edit(command, before, None, false)?,
    }
    Ok(plan)
}

impl Plan {
    fn edit(
        &mut self,
        path: PathBuf,
        before: Option<String>,
        after: Option<String>,
        backup: bool,
    ) -> Result<(), CommandError> {
        if before != after {
            file::check_writable(&path)?;
            self.steps.push(Step { path, before, backup, change: Change::Text(after) });
        }
        Ok(())
    }

    /// Does it; gives the backups. If a file is no longer what was shown, nothing is changed.
    pub(crate) fn carry_out(self) -> Result<Vec<PathBuf>, CommandError> {
        self.steps.iter().try_for_each(Step::check)?;
        let mut backups = Vec::new();
        for step in &self.steps {
            let failed = |error: io::Error| {
                let message = format!("failed to change {}: {error}", step.path.display());
                CommandError::failed(message).hint("what was there is beside each file as FILE.before-rebut")
            };
            let Step { path, before, backup, change } = step;
            if let Some(text) = before.as_ref().filter(|_| *backup) {
                backups.push(file::back_up(path, text).map_err(failed)?);
            }
            step.check()?;
            let is_gone = match change {
                Change::Command(words) => {
                    self.run(words)?;
                    // Settings that a tool leaves empty can hide others: some read the first file of a project only.
                    let left = file::read(path)?.map(|text| text.split_whitespace().collect::<String>());
                    let is_empty = matches!(left.as_deref(), Some("" | "{}" | "{\"mcpServers\":{}}"));
                    is_empty && file::replace(path, None, false).is_ok()
                }
                Change::Text(after) => {
                    let is_private = self.root != self.folder;
                    file::replace(path, after.as_deref(), is_private).map_err(failed)?;
                    if before.is_some() {
                        file::drop_backups(path, after.as_deref()).map_err(failed)?;
                    }
                    after.is_none()
                }
            };
            let mut above = path.ancestors().skip(1).filter(|_| is_gone);
            // A folder that isn't empty stays, and so does the root.
            let _ = above.try_for_each(|folder| {
                if *folder == *self.root { Err(io::ErrorKind::Other.into()) } else { fs::remove_dir(folder) }
            });
        }
        backups.retain(|backup| backup.exists());
        Ok(backups)
    }

    fn run(&self, words: &[String]) -> Result<(), CommandError> {
        let failed = |why: &str| {
            CommandError::failed(format!("`{}` failed: {why}", words.join(" "))).hint("run it yourself to see why")
        };
        let output = Command::new(&words[0]).args(&words[1..]).current_dir(&self.folder).stdin(Stdio::null()).output();
        match output {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(CommandError::failed(format!("{} is not on the search path", words[0])).hint("install it first"))
            }
            Err(error) => Err(failed(&error.to_string())),
            Ok(output) if output.status.success() => Ok(()),
            Ok(output) => Err(failed(String::from_utf8_lossy(&output.stderr).trim())),
        }
    }
}

impl Step {
    /// The step as the user reads it: a diff, or a command line.
    pub(crate) fn shown(&self) -> String {
        let Self { path, before, .. } = self;
        match &self.change {
            Change::Command(words) => format!("$ {}\n", words.join(" ")),
            Change::Text(after) => {
                let name = path.display().to_string();
                let side = |text: &Option<String>| if text.is_some() { name.clone() } else { "/dev/null".to_owned() };
                let (old, new) = (before.as_deref().unwrap_or_default(), after.as_deref().unwrap_or_default());
                let diff = TextDiff::from_lines(old, new);
                diff.unified_diff().context_radius(2).header(&side(before), &side(after)).to_string()
            }
        }
    }

    fn check(&self) -> Result<(), CommandError> {
        if matches!(self.change, Change::Command(_)) || file::read(&self.path)? == self.before {
            return Ok(());
        }
        let message = format!("{} has changed meanwhile, and is left alone", self.path.display());
        Err(CommandError::failed(message).hint("run it again"))
    }
}
