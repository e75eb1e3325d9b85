//! Files below a folder, opened folder by folder: no symlink is followed on the way, so that nothing outside is read.
//!
//! Pipes and devices are not read. A file that turns into one at the last moment is opened without waiting, and closed.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use super::Why;

/// How far to look for a NUL byte.
pub(super) const BINARY_WITHIN: usize = 8 * 1024;

/// What is under a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathKind {
    File {
        size: u64,
        executable: bool,
    },
    Symlink,
    Folder,
    /// A pipe, a socket, a device.
    Special,
}

/// What a file was when it was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FileRead {
    /// Text, in the buffer.
    Text {
        /// Whether it changed meanwhile.
        unsteady: bool,
    },
    /// Left out, and how many bytes it has.
    Left(Why, u64),
}

/// Reads a file that was opened, unless it is none or has more than `most` bytes. The buffer then holds its content.
pub(super) fn read(file: &mut File, most: u64, buffer: &mut Vec<u8>) -> io::Result<FileRead> {
    buffer.clear();
    let before = file.metadata()?;
    if !before.is_file() {
        return Ok(FileRead::Left(Why::Special, 0));
    }
    if before.len() > most {
        return Ok(FileRead::Left(Why::TooLarge, before.len()));
    }
    // One byte more, so that a file that grows is noticed.
    buffer.reserve(usize::try_from(before.len()).unwrap_or(0).saturating_add(1));
    file.take(most + 1).read_to_end(buffer)?;
    if buffer.iter().take(BINARY_WITHIN).any(|byte| *byte == 0) {
        return Ok(FileRead::Left(Why::Binary, before.len()));
    }
    let length = buffer.len() as u64;
    if length > most {
        return Ok(FileRead::Left(Why::TooLarge, length));
    }
    let unsteady = length != before.len() || file.metadata()?.modified().ok() != before.modified().ok();
    Ok(FileRead::Text { unsteady })
}

/// Whether an open file has a NUL byte among its first.
pub(super) fn is_binary(mut file: &File) -> bool {
    let mut first = [0; BINARY_WITHIN];
    file.read(&mut first).is_ok_and(|length| first[..length].contains(&0))
}

/// When anything about an open file was last changed, its times included.
pub(super) fn changed(there: &Metadata) -> SystemTime {
    time(there.ctime(), there.ctime_nsec())
}

fn time(seconds: i64, nanoseconds: impl TryInto<u64>) -> SystemTime {
    let seconds = Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
    SystemTime::UNIX_EPOCH + seconds + Duration::from_nanos(nanoseconds.try_into().unwrap_or(0))
}

/// Whether an error means that nothing is there, or that a part of the path is not a folder.
pub(super) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        || error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

/// A path walker below a folder. Folders stay open: in the order of paths each is opened once.
pub(super) struct Walker {
    root: OwnedFd,
    below: Vec<(Vec<u8>, OwnedFd)>,
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
const FILE: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

impl Walker {
    pub(super) fn from(root: &Path) -> io::Result<Self> {
        Ok(Self { root: rustix::fs::open(root, FOLDER, Mode::empty())?, below: Vec::new() })
    }

    pub(super) fn look(&mut self, path: &[u8]) -> io::Result<PathKind> {
        let (folder, name) = self.folder_of(path)?;
        let there = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(match FileType::from_raw_mode(there.st_mode) {
            FileType::RegularFile => PathKind::File {
                size: u64::try_from(there.st_size).unwrap_or(0),
                executable: Mode::from_raw_mode(there.st_mode).contains(Mode::XUSR),
            },
            FileType::Symlink => PathKind::Symlink,
            FileType::Directory => PathKind::Folder,
            _ => PathKind::Special,
        })
    }

    /// Opens a file. What it is by now must be asked of the file itself.
    pub(super) fn open(&mut self, path: &[u8]) -> io::Result<File> {
        let (folder, name) = self.folder_of(path)?;
        Ok(rustix::fs::openat(folder, name, FILE | OFlags::NOFOLLOW, Mode::empty())?.into())
    }

    /// Where a symlink points.
    pub(super) fn target(&mut self, path: &[u8]) -> io::Result<Vec<u8>> {
        let (folder, name) = self.folder_of(path)?;
        Ok(rustix::fs::readlinkat(folder, name, Vec::new())?.into_bytes())
    }

    /// When a symlink was last changed.
    pub(super) fn symlink_changed(&mut self, path: &[u8]) -> io::Result<SystemTime> {
        let (folder, name) = self.folder_of(path)?;
        let there = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(time(there.st_ctime, there.st_ctime_nsec))
    }

    /// The open folder that the path's last part is in.
    fn folder_of<'a>(&mut self, path: &'a [u8]) -> io::Result<(&OwnedFd, &'a OsStr)> {
        let mut parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        if parts.iter().any(|part| matches!(*part, b"" | b"." | b"..")) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let name = parts.pop().unwrap_or_default();
        let shared = self.below.iter().zip(&parts).take_while(|((open, _), part)| open == *part).count();
        self.below.truncate(shared);
        for part in &parts[shared..] {
            let above = self.below.last().map_or(&self.root, |(_, folder)| folder);
            let folder = rustix::fs::openat(above, OsStr::from_bytes(part), FOLDER | OFlags::NOFOLLOW, Mode::empty())?;
            self.below.push((part.to_vec(), folder));
        }
        Ok((self.below.last().map_or(&self.root, |(_, folder)| folder), OsStr::from_bytes(name)))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("ws/sub")).unwrap();
        fs::write(dir.path().join("ws/sub/a"), "inside").unwrap();
        fs::write(dir.path().join("secret"), "outside").unwrap();
        dir
    }

    #[test]
    fn no_path_and_no_link_leads_out() {
        let dir = folder();
        let root = dir.path().join("ws");
        symlink("..", root.join("up")).unwrap();
        symlink("../secret", root.join("out")).unwrap();
        let mut walker = Walker::from(&root).unwrap();
        for path in ["../secret", "up/secret", "sub/../../secret", "/etc/passwd", "", "sub//a", "./sub/a"] {
            assert!(is_missing(&walker.look(path.as_bytes()).unwrap_err()), "{path}");
            assert!(is_missing(&walker.open(path.as_bytes()).unwrap_err()), "{path}");
        }
        assert_eq!(walker.look(b"out").unwrap(), PathKind::Symlink);
        assert!(walker.open(b"out").is_err());
        assert_eq!(walker.target(b"out").unwrap(), b"../secret");
        assert!(walker.open(b"sub/a").is_ok());
    }

    #[test]
    fn a_folder_that_turns_into_a_link_is_not_followed() {
        let dir = folder();
        let root = dir.path().join("ws");
        let mut walker = Walker::from(&root).unwrap();
        assert!(walker.look(b"sub/a").is_ok());
        fs::rename(root.join("sub"), root.join("old")).unwrap();
        symlink("..", root.join("sub")).unwrap();
        // The folder that was opened is still the same one; a new way down finds the link.
        assert!(is_missing(&walker.open(b"sub/secret").unwrap_err()));
        assert!(is_missing(&Walker::from(&root).unwrap().open(b"sub/secret").unwrap_err()));
    }
}
