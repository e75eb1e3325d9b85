//! Removes files and folders, read-only ones too: copies of a workspace are, and so may be what a tool leaves.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{CWD, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::path::Arg;

/// Removes a file, or a folder with everything in it. No symlink is followed; what is not there is no error.
pub(crate) fn remove(place: &Path) -> io::Result<()> {
    let removed = match place.symlink_metadata() {
        Ok(there) if there.is_dir() => open_up(place).and_then(|()| fs::remove_dir_all(place)),
        Ok(_) => fs::remove_file(place),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Makes a folder and all below it writable. No symlink is followed.
fn open_up(folder: &Path) -> io::Result<()> {
    match enter(CWD, folder)? {
        Some(folder) => open_up_below(folder.as_fd()),
        None => Ok(()),
    }
}

fn open_up_below(folder: BorrowedFd<'_>) -> io::Result<()> {
    rustix::fs::fchmod(folder, Mode::RWXU)?;
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(entry.file_type(), FileType::Directory | FileType::Unknown)
            && !matches!(name.to_bytes(), b"." | b"..")
            && let Some(below) = enter(folder, name)?
        {
            open_up_below(below.as_fd())?;
        }
    }
    Ok(())
}

/// Opens a folder, even one without permissions; `None` if there is no folder, or a symlink.
fn enter(above: BorrowedFd<'_>, name: impl Arg + Copy) -> io::Result<Option<OwnedFd>> {
    let open = || rustix::fs::openat(above, name, FOLDER, Mode::empty());
    match open() {
        Ok(folder) => Ok(Some(folder)),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
        Err(Errno::ACCESS) => {
            let_us_in(above, name)?;
            Ok(Some(open()?))
        }
        Err(error) => Err(error.into()),
    }
}

/// Restores the permissions of a folder that cannot be opened. It is held by its path first, so that no symlink is followed.
#[cfg(target_os = "linux")]
fn let_us_in(above: BorrowedFd<'_>, name: impl Arg) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    let held = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
    let held = rustix::fs::openat(above, name, held, Mode::empty())?;
    let place = format!("/proc/self/fd/{}", held.as_raw_fd());
    Ok(rustix::fs::chmod(place.as_str(), Mode::RWXU)?)
}

#[cfg(not(target_os = "linux"))]
fn let_us_in(above: BorrowedFd<'_>, name: impl Arg) -> io::Result<()> {
    Ok(rustix::fs::chmodat(above, name, Mode::RWXU, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)?)
}
