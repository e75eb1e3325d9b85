//! Removing what is left, be it closed to writing: the copy of a workspace is, and so may be what a tool leaves.

use std::fs;
use std::io;
use std::path::Path;

/// Removes a file, or a folder with all that is in it. No link is followed, and what is not there is removed already.
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

#[cfg(unix)]
use unix::open_up;

#[cfg(unix)]
mod unix {
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

    use rustix::fs::{CWD, Dir, FileType, Mode, OFlags};
    use rustix::io::Errno;
    use rustix::path::Arg;

    use super::{Path, io};

    const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

    /// Gives the right to write back, for the folder and all below it. No link is followed.
    pub(super) fn open_up(folder: &Path) -> io::Result<()> {
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

    /// Opens a folder, be it one that nobody may look into; none where there is no folder, or a link.
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

    /// Gives the rights to a folder that cannot be opened back. It is taken hold of first, which needs no right to it: so
    /// nothing is changed behind a link.
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
}

#[cfg(not(unix))]
use elsewhere::open_up;

#[cfg(not(unix))]
mod elsewhere {
    use super::{Path, fs, io};

    pub(super) fn open_up(folder: &Path) -> io::Result<()> {
        let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
        for entry in entries.flatten() {
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open_up(&entry.path())?;
            } else if kind.is_file() {
                let mut permissions = entry.metadata()?.permissions();
                #[expect(clippy::permissions_set_readonly_false, reason = "the file is about to be removed")]
                permissions.set_readonly(false);
                fs::set_permissions(entry.path(), permissions)?;
            }
        }
        Ok(())
    }
}
