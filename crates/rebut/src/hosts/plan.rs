//! What installing and uninstalling change.

use std::path::{Path, PathBuf};

use super::backup::{self, Backup};
use super::change::{self, Change, Plan};
use super::entry::{EntryError, Origin, Shape, Standing, Taken};
use super::record::{Record, Written};
use super::write::Privacy;

/// The files of a tool: its settings with their shape, and its command.
pub(super) struct Files {
    pub(super) settings: PathBuf,
    pub(super) shape: Shape,
    pub(super) command: PathBuf,
    pub(super) command_text: &'static str,
}

/// What installing changes: the entry of the server that runs this program, and the command. What is there already as it
/// should be is no change.
pub(super) fn install(files: Files, program: &str, privacy: Privacy, record: Record) -> Result<Plan, EntryError> {
    let Files { settings, shape, command, command_text } = files;
    let mut notes = Vec::new();
    let before = change::read(&settings)?;
    let text = before.as_deref().unwrap_or_default();
    let standing = shape.standing(&settings, text, program)?;
    if standing == Standing::Foreign {
        notes.push(format!("the entry `rebut` in {} starts something else; it is replaced", settings.display()));
    }
    // An entry that is there already was put into what the record tells of; any other is put into what is there now.
    let recorded = matches!(standing, Standing::Ours(_)).then(|| record.file(&settings)).unwrap_or_default();
    let after = shape.with_server(&settings, text, program)?;
    notes.extend(shape.cautions(&settings, &after)?);
    let settings = Change {
        written: Some(Written { made: before.is_none() || recorded.made, ..recorded }),
        path: settings,
        before,
        after: Some(after),
        privacy,
        is_kept: true,
        spent: Vec::new(),
    };
    let before = change::read(&command)?;
    let recorded = record.file(&command);
    // What we wrote ourselves, in another version, is nobody's to keep.
    let is_ours = before.is_some() && before == recorded.text;
    let command = Change {
        written: Some(Written {
            made: before.is_none() || (is_ours && recorded.made),
            origin: None,
            text: Some(command_text.to_owned()),
        }),
        path: command,
        before,
        after: Some(command_text.to_owned()),
        privacy: Privacy::Usual,
        is_kept: !is_ours,
        spent: Vec::new(),
    };
    let changes = Change::real_ones([settings, command])?;
    Ok(Plan { changes, notes, forgotten: Vec::new(), record })
}

/// What uninstalling changes: what was there before comes back. An entry of somebody else and a command that somebody has
/// rewritten are left alone.
pub(super) fn uninstall(files: &Files, program: &str, record: Record) -> Result<Plan, EntryError> {
    let mut notes = Vec::new();
    let forgotten = vec![files.settings.clone(), files.command.clone()];
    let settings = without_entry(files, program, &record, &mut notes)?;
    let command = without_command(files, &record, &mut notes)?;
    let changes = Change::real_ones(settings.into_iter().chain(command))?;
    Ok(Plan { changes, notes, forgotten, record })
}

fn without_entry(
    files: &Files,
    program: &str,
    record: &Record,
    notes: &mut Vec<String>,
) -> Result<Option<Change>, EntryError> {
    let Files { settings: path, shape, .. } = files;
    let Some(before) = change::read(path)? else { return Ok(None) };
    let command = match shape.standing(path, &before, program)? {
        Standing::Free => return Ok(None),
        Standing::Foreign => {
            notes.push(format!("the entry `rebut` in {} starts something else, and is left alone", path.display()));
            return Ok(None);
        }
        Standing::Ours(command) => command,
    };
    let recorded = record.file(path);
    let backups = backup::all(&change::real(path));
    let is_ours = |text: &str| matches!(shape.standing(path, text, program), Ok(Standing::Ours(_)));
    let first = backups.iter().find(|backup| Some(&backup.path) == recorded.origin.as_ref());
    let own = first.or_else(|| backups.iter().find(|backup| !is_ours(&backup.text)));
    let origin = match own {
        _ if recorded.made && !path.is_symlink() => Origin::Made,
        Some(own) => Origin::Kept(&own.text),
        None => Origin::Unknown,
    };
    let taken = shape.without_server(path, &before, origin, program)?;
    // One that differs in our entry alone, as we write it, holds nothing of the person's either.
    let says_the_same = |backup: &Backup| {
        let without = || shape.without_server(path, &backup.text, origin, program).ok();
        let is_plain = || shape.is_as_written(path, &backup.text, program).unwrap_or(false);
        Taken::Text(backup.text.clone()) == taken || (is_plain() && without().as_ref() == Some(&taken))
    };
    // What goes is kept, unless it is an entry as we write it, or all comes back that was there.
    let comes_back = own.is_some_and(|own| {
        Taken::Text(own.text.clone()) == taken
            && shape.with_server(path, &own.text, &command).is_ok_and(|with| with == before)
    });
    let is_plain = record.knows(path) && shape.is_as_written(path, &before, program)?;
    let is_kept = !(comes_back || is_plain);
    let spent = spent(path, &backups, says_the_same, notes);
    let after = match taken {
        Taken::Text(text) => Some(text),
        Taken::Nothing => None,
    };
    Ok(Some(Change { is_kept, ..removal(path, before, after, spent) }))
}

fn without_command(files: &Files, record: &Record, notes: &mut Vec<String>) -> Result<Option<Change>, EntryError> {
    let Files { command: path, command_text, .. } = files;
    let Some(before) = change::read(path)? else { return Ok(None) };
    let recorded = record.file(path);
    if before != *command_text && recorded.text.as_ref() != Some(&before) {
        notes.push(format!("{} is not as rebut wrote it, and is left alone", path.display()));
        return Ok(None);
    }
    let backups = backup::all(&change::real(path));
    let own = backups.first().filter(|_| !recorded.made || path.is_symlink());
    if own.is_none() && path.is_symlink() {
        notes.push(format!("{} is a link that rebut did not make, and is left alone", path.display()));
        return Ok(None);
    }
    let after = own.map(|own| own.text.clone());
    let spent = spent(path, &backups, |backup| Some(&backup.text) == after.as_ref(), notes);
    Ok(Some(removal(path, before, after, spent)))
}

/// The backups that are not needed any more. The others stay, and are told of.
fn spent(path: &Path, backups: &[Backup], is_spent: impl Fn(&Backup) -> bool, notes: &mut Vec<String>) -> Vec<PathBuf> {
    let (spent, needed): (Vec<&Backup>, Vec<&Backup>) = backups.iter().partition(|backup| is_spent(backup));
    for backup in needed {
        notes.push(format!("{} stays: {} has changed since", backup.path.display(), path.display()));
    }
    spent.into_iter().map(|backup| backup.path.clone()).collect()
}

fn removal(path: &Path, before: String, after: Option<String>, spent: Vec<PathBuf>) -> Change {
    let path = path.to_owned();
    Change { path, before: Some(before), after, privacy: Privacy::Usual, is_kept: false, spent, written: None }
}
