//! Files below a folder, opened folder by folder: no symlink is followed on the way, so that nothing outside is read.
//!
//! Pipes and devices are not opened. Something that turns into one at the last moment is opened without waiting, found
//! out and closed again.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;
#[cfg(unix)]
use std::time::Duration;
use std::time::SystemTime;

use super::Why;

/// How far a NUL byte is looked for.
pub(super) const BINARY_WITHIN: usize = 8 * 1024;

/// What is under a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    File {
        size: u64,
        executable: bool,
    },
    Symlink,
    Folder,
    /// A pipe, a socket, a device.
    Special,
}

/// What a file turned out to be when it was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Gist {
    /// Text, in the buffer.
    Text {
        /// Whether it changed meanwhile.
        unsteady: bool,
    },
    /// Left out, and how many bytes it has.
    Left(Why, u64),
}

/// Reads a file that was opened, unless it is none or has more than `most` bytes. The buffer then holds its content.
pub(super) fn read(file: &mut File, most: u64, buffer: &mut Vec<u8>) -> io::Result<Gist> {
    buffer.clear();
    let before = file.metadata()?;
    if !before.is_file() {
        return Ok(Gist::Left(Why::Special, 0));
    }
    if before.len() > most {
        return Ok(Gist::Left(Why::TooLarge, before.len()));
    }
    // One byte more than it should have: a file that grows is noticed, one that never ends is not read for ever.
    buffer.reserve(usize::try_from(before.len()).unwrap_or(0).saturating_add(1));
    file.take((BINARY_WITHIN as u64).min(most + 1)).read_to_end(buffer)?;
    if buffer.contains(&0) {
        return Ok(Gist::Left(Why::Binary, before.len()));
    }
    file.take((most + 1).saturating_sub(buffer.len() as u64)).read_to_end(buffer)?;
    let length = buffer.len() as u64;
    if length > most {
        return Ok(Gist::Left(Why::TooLarge, length));
    }
    let unsteady = length != before.len() || file.metadata()?.modified().ok() != before.modified().ok();
    Ok(Gist::Text { unsteady })
}

/// Whether an open file has a NUL byte among its first.
pub(super) fn is_binary(file: &File) -> bool {
    let mut first = Vec::new();
    let is_file = file.metadata().is_ok_and(|there| there.is_file());
    is_file && file.take(BINARY_WITHIN as u64).read_to_end(&mut first).is_ok() && first.contains(&0)
}

/// When anything about an open file was last changed, its times included.
#[cfg(unix)]
pub(super) fn changed(there: &Metadata) -> SystemTime {
    use std::os::unix::fs::MetadataExt;
    time(there.ctime(), there.ctime_nsec())
}

/// Where the system keeps no such time, the one of the last write must do.
#[cfg(not(unix))]
pub(super) fn changed(_there: &Metadata) -> SystemTime {
    SystemTime::UNIX_EPOCH
}

#[cfg(unix)]
fn time(seconds: i64, nanoseconds: impl TryInto<u64>) -> SystemTime {
    let seconds = Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
    SystemTime::UNIX_EPOCH + seconds + Duration::from_nanos(nanoseconds.try_into().unwrap_or(0))
}

/// Whether an error says that nothing is there, or that a part of the way is no folder.
pub(super) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) || is_symlink_on_the_way(error)
}

#[cfg(unix)]
pub(super) use unix::Descent;

#[cfg(unix)]
fn is_symlink_on_the_way(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
pub(super) use elsewhere::Descent;

#[cfg(not(unix))]
fn is_symlink_on_the_way(_error: &io::Error) -> bool {
    false
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt;

    use rustix::fs::{AtFlags, FileType, Mode, OFlags};

    use super::{File, Path, Seen, SystemTime, io};

    /// A way down from a folder. Folders on the way stay open: asking in the order of paths opens each once.
    pub(in super::super) struct Descent {
        root: OwnedFd,
        below: Vec<(Vec<u8>, OwnedFd)>,
    }

    const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
    const FILE: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

    impl Descent {
        pub(in super::super) fn from(root: &Path) -> io::Result<Self> {
            Ok(Self { root: rustix::fs::open(root, FOLDER, Mode::empty())?, below: Vec::new() })
        }

        pub(in super::super) fn look(&mut self, path: &[u8]) -> io::Result<Seen> {
            let (folder, name) = self.folder_of(path)?;
            let there = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(match FileType::from_raw_mode(there.st_mode) {
                FileType::RegularFile => Seen::File {
                    size: u64::try_from(there.st_size).unwrap_or(0),
                    executable: Mode::from_raw_mode(there.st_mode).contains(Mode::XUSR),
                },
                FileType::Symlink => Seen::Symlink,
                FileType::Directory => Seen::Folder,
                _ => Seen::Special,
            })
        }

        /// Opens a file that was seen there. What it is now must be asked of the file itself.
        pub(in super::super) fn open(&mut self, path: &[u8]) -> io::Result<File> {
            let (folder, name) = self.folder_of(path)?;
            Ok(rustix::fs::openat(folder, name, FILE | OFlags::NOFOLLOW, Mode::empty())?.into())
        }

        /// Where a symlink points.
        pub(in super::super) fn target(&mut self, path: &[u8]) -> io::Result<Vec<u8>> {
            let (folder, name) = self.folder_of(path)?;
            Ok(rustix::fs::readlinkat(folder, name, Vec::new())?.into_bytes())
        }

        /// When a symlink was last changed.
        pub(in super::super) fn symlink_changed(&mut self, path: &[u8]) -> io::Result<SystemTime> {
            let (folder, name) = self.folder_of(path)?;
            let there = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(super::time(there.st_ctime, there.st_ctime_nsec))
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
}

#[cfg(not(unix))]
mod elsewhere {
    use super::{File, Path, Seen, SystemTime, io};
    use std::path::PathBuf;

    /// A way down from a folder. Without handles of folders, every part is looked at before it is passed.
    pub(in super::super) struct Descent {
        root: PathBuf,
    }

    impl Descent {
        pub(in super::super) fn from(root: &Path) -> io::Result<Self> {
            Ok(Self { root: root.canonicalize()? })
        }

        pub(in super::super) fn look(&mut self, path: &[u8]) -> io::Result<Seen> {
            let there = self.way(path)?.symlink_metadata()?;
            Ok(match there.file_type() {
                kind if kind.is_symlink() => Seen::Symlink,
                kind if kind.is_dir() => Seen::Folder,
                kind if kind.is_file() => Seen::File { size: there.len(), executable: false },
                _ => Seen::Special,
            })
        }

        /// Opens a file that was seen there.
        pub(in super::super) fn open(&mut self, path: &[u8]) -> io::Result<File> {
            match self.look(path)? {
                Seen::File { .. } => File::open(self.way(path)?),
                _ => Err(io::ErrorKind::NotFound.into()),
            }
        }

        /// Where a symlink points.
        pub(in super::super) fn target(&mut self, path: &[u8]) -> io::Result<Vec<u8>> {
            let target = std::fs::read_link(self.way(path)?)?;
            Ok(target.to_string_lossy().replace('\\', "/").into_bytes())
        }

        /// When a symlink was last changed.
        pub(in super::super) fn symlink_changed(&mut self, path: &[u8]) -> io::Result<SystemTime> {
            self.way(path)?.symlink_metadata()?.modified()
        }

        fn way(&self, path: &[u8]) -> io::Result<PathBuf> {
            let path = std::str::from_utf8(path).map_err(|_| io::Error::from(io::ErrorKind::NotFound))?;
            let mut way = self.root.clone();
            for (at, part) in path.split('/').enumerate() {
                if at > 0 && !way.symlink_metadata()?.is_dir() {
                    return Err(io::ErrorKind::NotADirectory.into());
                }
                if matches!(part, "" | "." | "..") || part.contains(['\\', ':']) {
                    return Err(io::ErrorKind::NotFound.into());
                }
                way.push(part);
            }
            Ok(way)
        }
    }
}

#[cfg(unix)]
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

    fn pipe(path: &Path) {
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    }

    #[test]
    fn no_path_and_no_link_leads_out() {
        let dir = folder();
        let root = dir.path().join("ws");
        symlink("..", root.join("up")).unwrap();
        symlink("../secret", root.join("out")).unwrap();
        let mut descent = Descent::from(&root).unwrap();
        for path in ["../secret", "up/secret", "sub/../../secret", "/etc/passwd", "", "sub//a", "./sub/a"] {
            assert!(is_missing(&descent.look(path.as_bytes()).unwrap_err()), "{path}");
            assert!(is_missing(&descent.open(path.as_bytes()).unwrap_err()), "{path}");
        }
        assert_eq!(descent.look(b"out").unwrap(), Seen::Symlink);
        assert!(descent.open(b"out").is_err());
        assert_eq!(descent.target(b"out").unwrap(), b"../secret");
        assert!(descent.open(b"sub/a").is_ok());
    }

    #[test]
    fn a_folder_that_turns_into_a_link_is_not_followed() {
        let dir = folder();
        let root = dir.path().join("ws");
        let mut descent = Descent::from(&root).unwrap();
        assert!(descent.look(b"sub/a").is_ok());
        fs::rename(root.join("sub"), root.join("old")).unwrap();
        symlink("..", root.join("sub")).unwrap();
        // The folder that was opened is still the same one; a new way down finds the link.
        assert!(is_missing(&descent.open(b"sub/secret").unwrap_err()));
        assert!(is_missing(&Descent::from(&root).unwrap().open(b"sub/secret").unwrap_err()));
    }

    #[test]
    fn a_file_that_turns_into_a_pipe_is_found_out_without_waiting() {
        let dir = folder();
        let root = dir.path().join("ws");
        let mut descent = Descent::from(&root).unwrap();
        assert!(matches!(descent.look(b"sub/a").unwrap(), Seen::File { size: 6, .. }));
        fs::remove_file(root.join("sub/a")).unwrap();
        pipe(&root.join("sub/a"));
        let mut opened = descent.open(b"sub/a").unwrap();
        assert_eq!(read(&mut opened, 100, &mut Vec::new()).unwrap(), Gist::Left(Why::Special, 0));
        assert_eq!(descent.look(b"sub/a").unwrap(), Seen::Special);
    }

    #[test]
    fn a_file_with_more_bytes_than_it_says_is_read_no_further_than_the_limit() {
        // The system's own files say that they have none.
        let Ok(mut file) = File::open("/proc/self/status") else { return };
        let mut buffer = Vec::new();
        assert!(matches!(read(&mut file, 16, &mut buffer).unwrap(), Gist::Left(Why::TooLarge, 17)));
        let mut file = File::open("/proc/self/status").unwrap();
        assert_eq!(read(&mut file, 1_000_000, &mut buffer).unwrap(), Gist::Text { unsteady: true });
    }

    #[test]
    fn limits_are_exact_and_a_nul_is_looked_for_in_the_first_bytes_only() {
        let dir = folder();
        let path = dir.path().join("f");
        let gist = |content: &[u8], most| {
            fs::write(&path, content).unwrap();
            read(&mut File::open(&path).unwrap(), most, &mut Vec::new()).unwrap()
        };
        let steady = Gist::Text { unsteady: false };
        assert_eq!(gist(b"abc", 3), steady);
        assert_eq!(gist(b"abcd", 3), Gist::Left(Why::TooLarge, 4));
        assert_eq!(gist(b"", 3), steady);
        assert_eq!(gist(b"a\0", 3), Gist::Left(Why::Binary, 2));
        let mut late = vec![b'x'; 8192];
        late.push(0);
        assert_eq!(gist(&late, 10_000), steady);
    }
}
