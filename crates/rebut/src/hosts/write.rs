//! Files of other tools, written whole: at no moment is a part of one there, or open to more people than it was.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Who may read a file that was not there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Privacy {
    /// The person alone: settings hold keys.
    Own,
    /// Whoever may read new files here.
    Usual,
}

/// Writes a file as a whole: whoever reads it meanwhile reads the one or the other. One that is there keeps its mode and
/// its owner.
pub(super) fn replace(path: &Path, text: &str, privacy: Privacy) -> io::Result<()> {
    let fresh = beside(path, &format!("rebut-{}", std::process::id()));
    let there = fs::metadata(path).ok();
    create(&fresh, text, there.as_ref(), privacy)?;
    fs::rename(&fresh, path).inspect_err(|_| {
        // The error itself is reported.
        let _ = fs::remove_file(&fresh);
    })?;
    sync_folder(path)
}

/// Writes a file that is not there yet, for the eyes of those who may read the other.
pub(super) fn write_new(path: &Path, text: &str, like: &Path) -> io::Result<()> {
    create(path, text, Some(&fs::metadata(like)?), Privacy::Own)?;
    sync_folder(path)
}

/// The path with another ending added to its name.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(ending);
    path.with_file_name(name)
}

fn create(path: &Path, text: &str, like: Option<&Metadata>, privacy: Privacy) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // Until it has the other's owner and mode, nobody else may read it.
    #[cfg(unix)]
    if like.is_some() || privacy == Privacy::Own {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let mut file = options.open(path)?;
    let mut write = || -> io::Result<()> {
        if let Some(like) = like {
            own_alike(&file, like)?;
            file.set_permissions(like.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    write().inspect_err(|_| {
        // The error itself is reported.
        let _ = fs::remove_file(path);
    })
}

/// Gives the file to the other's owner, as when a person runs us with the rights of another.
#[cfg(unix)]
fn own_alike(file: &File, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let own = file.metadata()?;
    if (own.uid(), own.gid()) == (like.uid(), like.gid()) {
        return Ok(());
    }
    std::os::unix::fs::fchown(file, Some(like.uid()), Some(like.gid()))
}

#[cfg(not(unix))]
fn own_alike(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Makes the name of a file last.
fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
