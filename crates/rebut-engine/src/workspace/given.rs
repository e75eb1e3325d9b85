//! Files that the user names by hand, read without waiting, whatever is there.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Why a file that was named is not read.
#[derive(Debug, thiserror::Error)]
pub enum GivenError {
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{} is a folder; name a file, or `-` for standard input", .0.display())]
    Folder(PathBuf),
    /// It is a pipe, a socket or a device, and might never come to its end.
    #[error("{} is a pipe or a device, not a file; pass its content on standard input with `-`", .0.display())]
    NoFile(PathBuf),
    #[error("{} is larger than {most} bytes; split it", path.display())]
    TooLong { path: PathBuf, most: u64 },
}

/// Why it is not read, without its name.
impl From<GivenError> for io::Error {
    fn from(error: GivenError) -> Self {
        match error {
            GivenError::Unreadable { source, .. } => source,
            GivenError::Folder(_) => Self::other("it is a folder"),
            GivenError::NoFile(_) => Self::other("it is a pipe or a device"),
            GivenError::TooLong { most, .. } => Self::other(format!("it is larger than {most} bytes")),
        }
    }
}

/// The bytes of a file, at most so many. What is no file is told so, and never waited for; only what the shell has opened
/// already, `<(command)`, is read to its end like standard input.
pub fn read_given(path: &Path, most: u64) -> Result<Vec<u8>, GivenError> {
    let unreadable = |source: io::Error| GivenError::Unreadable { path: path.to_owned(), source };
    let file = open(path).map_err(unreadable)?;
    // Asked of the file itself: what was under its name may be another by now.
    let there = file.metadata().map_err(unreadable)?;
    if there.is_dir() {
        return Err(GivenError::Folder(path.to_owned()));
    }
    if !there.is_file() && !is_opened_by_the_shell(path) {
        return Err(GivenError::NoFile(path.to_owned()));
    }
    let too_long = || GivenError::TooLong { path: path.to_owned(), most };
    if there.is_file() && there.len() > most {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > most { Err(too_long()) } else { Ok(bytes) }
}

/// `/dev/fd/63`, which shells put in the place of `<(command)`.
fn is_opened_by_the_shell(path: &Path) -> bool {
    path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd")
}

/// Opens without waiting for a writer.
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};

    if is_opened_by_the_shell(path) {
        return File::open(path);
    }
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn told(path: &Path, most: u64) -> String {
        match read_given(path, most) {
            Ok(bytes) => String::from_utf8(bytes).unwrap(),
            Err(error) => error.to_string().replace(&path.display().to_string(), "IT"),
        }
    }

    #[test]
    fn whatever_is_there_is_answered_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("text"), "words").unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
        std::os::unix::fs::symlink(at("pipe"), at("link")).unwrap();
        // A file of 2 GB that takes no room.
        fs::File::create(at("large")).unwrap().set_len(2 << 30).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        assert_eq!(told(&at("text"), 5), "words");
        assert_eq!(told(&at("text"), 4), "IT is larger than 4 bytes; split it");
        let no_file = "IT is a pipe or a device, not a file; pass its content on standard input with `-`";
        for (name, expected) in [
            ("pipe", no_file),
            ("link", no_file),
            ("large", "IT is larger than 100 bytes; split it"),
            ("none", "cannot read IT: No such file or directory (os error 2)"),
            (".", "IT is a folder; name a file, or `-` for standard input"),
        ] {
            assert_eq!(told(&at(name), 100), expected, "{name}");
        }
        assert!(told(&at("socket"), 100).contains("IT"), "a socket cannot be opened, or is no file");
        assert_eq!(told(Path::new("/dev/zero"), 100), no_file);
    }
}
