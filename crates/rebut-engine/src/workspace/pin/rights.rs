//! Who may do what with the files of a copy: modes, where there are any.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

use super::copy::Use;

#[cfg(unix)]
pub(super) use unix::{close, close_to_others, is_closed, link, number_and_mode, reopen, write};

#[cfg(unix)]
mod unix {
    use std::fs::OpenOptions;
    use std::io::Write;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};

    use super::{Metadata, Path, Use, fs, io};

    pub(in super::super) fn write(path: &Path, content: &[u8], executable: bool, purpose: Use) -> io::Result<()> {
        // Whoever creates a file may write to it, also where nobody may from then on.
        let mode = match (purpose, executable) {
            (Use::Reading, true) => 0o555,
            (Use::Reading, false) => 0o444,
            (Use::Working, true) => 0o700,
            (Use::Working, false) => 0o600,
        };
        OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?.write_all(content)
    }

    pub(in super::super) fn link(target: &Path, path: &Path) -> io::Result<()> {
        std::os::unix::fs::symlink(target, path)
    }

    /// Takes the right to write to a folder away.
    pub(in super::super) fn close(folder: &Path) -> io::Result<()> {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o555))
    }

    /// The same for the copy as a whole, which is nobody else's business.
    pub(in super::super) fn close_to_others(folder: &Path) -> io::Result<()> {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o500))
    }

    /// Which file of its disk it is, and who may do what with it.
    pub(in super::super) fn number_and_mode(there: &Metadata) -> (u64, u32) {
        (there.ino(), there.mode())
    }

    /// Whether nobody has given himself rights to a folder.
    pub(in super::super) fn is_closed(folder: &Metadata, is_root: bool) -> bool {
        folder.permissions().mode() & 0o7777 == if is_root { 0o500 } else { 0o555 }
    }

    /// Gives the right to write back.
    pub(in super::super) fn reopen(folder: &Path) -> io::Result<()> {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
    }
}

#[cfg(not(unix))]
pub(super) use elsewhere::{close, close_to_others, is_closed, link, number_and_mode, reopen, write};

#[cfg(not(unix))]
mod elsewhere {
    use super::{Metadata, Path, Use, fs, io};

    pub(in super::super) fn write(path: &Path, content: &[u8], _executable: bool, purpose: Use) -> io::Result<()> {
        fs::write(path, content)?;
        if purpose == Use::Working {
            return Ok(());
        }
        let mut permissions = fs::metadata(path)?.permissions();
        permissions.set_readonly(true);
        fs::set_permissions(path, permissions)
    }

    pub(in super::super) fn link(_target: &Path, _path: &Path) -> io::Result<()> {
        // Links need a right of their own here; the file that it leads to is there under its own name.
        Ok(())
    }

    pub(in super::super) fn number_and_mode(there: &Metadata) -> (u64, u32) {
        (0, u32::from(there.permissions().readonly()))
    }

    pub(in super::super) fn is_closed(_folder: &Metadata, _is_root: bool) -> bool {
        true
    }

    pub(in super::super) fn close(_folder: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(in super::super) fn close_to_others(_folder: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(in super::super) fn reopen(_folder: &Path) -> io::Result<()> {
        Ok(())
    }
}
