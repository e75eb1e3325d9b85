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
