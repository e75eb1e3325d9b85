//! Files of other tools: read with care, replaced whole, and backed up.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};

use rebut_engine::workspace::read_given;

use super::left_alone;
use crate::error::CommandError;

/// Added to the name of a file for its backup; a second one gets `-2`, and so on.
const BACKUP: &str = "before-rebut";
const MOST_BYTES: u64 = 16 << 20;

/// The text of a file, if it exists. A pipe in its place is an error, and is not waited for.
pub(super) fn read(path: &Path) -> Result<Option<String>, CommandError> {
    let unreadable = |why: String| left_alone(path, format!("it can't be read: {why}"), "fix the file, and run it again");
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.is_symlink() => {
            let hint = "create the file that it names, or remove the symlink, and run it again";
            return Err(left_alone(path, "it is a symlink to a file that does not exist", hint));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error.to_string())),
        Ok(_) => {}
    }
    let bytes = read_given(path, MOST_BYTES).map_err(|error| unreadable(error.to_string()))?;
    String::from_utf8(bytes).map(Some).map_err(|_| unreadable("it is not UTF-8".to_owned()))
}

pub(super) fn check_writable(path: &Path) -> Result<(), CommandError> {
    if fs::metadata(path).is_ok_and(|metadata| metadata.permissions().readonly()) {
        return Err(left_alone(path, "it is read-only", "make it writable (chmod u+w), and run it again"));
    }
    Ok(())
}

/// Backs up a file that has this text; gives where. No backup is ever overwritten.
pub(super) fn back_up(path: &Path, text: &str) -> io::Result<PathBuf> {
    let path = real(path);
    for number in 1.. {
        let backup = backup_path(&path, number);
        match create(&backup, text, fs::metadata(&path).ok().as_ref(), true) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if read(&backup).is_ok_and(|kept| kept.as_deref() == Some(text)) {
                    return Ok(backup);
                }
            }
            end => return end.map(|()| backup),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Removes the backups that have the text of the file again.
pub(super) fn drop_backups(path: &Path, text: Option<&str>) -> io::Result<()> {
    let path = real(path);
    for number in 1.. {
        let backup = backup_path(&path, number);
        if !backup.exists() {
            break;
        }
        if read(&backup).is_ok_and(|kept| kept.as_deref() == text) {
            fs::remove_file(&backup)?;
        }
    }
    Ok(())
}

/// Replaces a file, or removes it, in one step. An existing one keeps its mode and owner; a symlink stays, and the file
/// that it names is changed.
pub(super) fn replace(path: &Path, text: Option<&str>, private: bool) -> io::Result<()> {
    let path = &real(path);
    let Some(text) = text else { return fs::remove_file(path) };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let fresh = with_ending(path, &format!("rebut-{}", std::process::id()));
    create(&fresh, text, fs::metadata(path).ok().as_ref(), private)?;
    fs::rename(&fresh, path).inspect_err(|_| drop(fs::remove_file(&fresh)))?;
    if let Some(folder) = path.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn backup_path(path: &Path, number: u32) -> PathBuf {
    if number == 1 { with_ending(path, BACKUP) } else { with_ending(path, &format!("{BACKUP}-{number}")) }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(ending);
    path.with_file_name(name)
}

fn create(path: &Path, text: &str, like: Option<&Metadata>, private: bool) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // Until it has the other's owner and mode, only the owner may read it.
    if like.is_some() || private {
        options.mode(0o600);
    }
    let mut file = options.open(path)?;
    let mut write = || -> io::Result<()> {
        if let Some(like) = like {
            let own = file.metadata()?;
            if (own.uid(), own.gid()) != (like.uid(), like.gid()) {
                fchown(&file, Some(like.uid()), Some(like.gid()))?;
            }
            file.set_permissions(like.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    write().inspect_err(|_| drop(fs::remove_file(path)))
}
