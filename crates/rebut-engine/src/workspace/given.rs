//! Files that the user names by hand, read without waiting, whatever is there.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The bytes of a file, at most so many. The error is worded to follow its path. A pipe, a socket or a device might never
/// come to its end, so it is refused; only what the shell has opened already, `<(command)`, is read like standard input.
pub fn read_given(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    // Asked of the file itself: what was under its name may be another by now.
    let there = file.metadata()?;
    if there.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    if !there.is_file() && !is_opened_by_the_shell(path) {
        return Err(io::Error::other("it is a pipe or a device, not a file"));
    }
    let too_long = || io::Error::other(format!("it is larger than {most} bytes"));
    if there.is_file() && there.len() > most {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
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

    fn outcome(path: &Path, most: u64) -> String {
        read_given(path, most).map_or_else(|error| error.to_string(), |bytes| String::from_utf8(bytes).unwrap())
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
        assert_eq!(outcome(&at("text"), 5), "words");
        assert_eq!(outcome(&at("text"), 4), "it is larger than 4 bytes");
        let no_file = "it is a pipe or a device, not a file";
        for (name, expected) in [
            ("pipe", no_file),
            ("link", no_file),
            ("large", "it is larger than 100 bytes"),
            ("none", "No such file or directory (os error 2)"),
            (".", "it is a folder"),
        ] {
            assert_eq!(outcome(&at(name), 100), expected, "{name}");
        }
        assert!(read_given(&at("socket"), 100).is_err());
        assert_eq!(outcome(Path::new("/dev/zero"), 100), no_file);
    }
}
