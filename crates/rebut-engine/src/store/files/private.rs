//! Private files and folders: 0600 and 0700, and replaced whole or not at all.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Options for files that only their owner may read.
pub(crate) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates a folder that only its owner may enter, with its parents; one that exists is left as it is.
pub fn create_folder(path: &Path) -> io::Result<()> {
    private_folder().recursive(true).create(path)
}

/// Creates a folder that only its owner may enter, and that must not exist yet.
pub(super) fn create_new_folder(path: &Path) -> io::Result<()> {
    private_folder().create(path)
}

fn private_folder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "modes are of unix"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Writes a file that must not exist yet, and syncs it.
pub fn write_new_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = private_file().write(true).create_new(true).open(path)?;
    file.write_all(content)?;
    file.sync_data()
}

/// Replaces a file as a whole, by rename: a reader sees the old content or the new, never a part. `temporary` is
/// beside it and must belong to one writer alone.
pub fn replace_file(path: &Path, temporary: &Path, content: &[u8]) -> io::Result<()> {
    replace_by(path, temporary, |file| file.write_all(content))
}

/// The same; `prepare` makes the new file complete before anybody sees it.
pub fn replace_by(path: &Path, temporary: &Path, prepare: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let write = || -> io::Result<()> {
        let create = || private_file().write(true).create_new(true).open(temporary);
        let mut file = match create() {
            // The rest of an earlier attempt, or a link that was planted: neither is written through.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                fs::remove_file(temporary)?;
                create()?
            }
            created => created?,
        };
        prepare(&mut file)?;
        fs::rename(temporary, path)
    };
    write().inspect_err(|_| {
        // The write has failed and is reported; half a temporary file must not stay.
        let _ = fs::remove_file(temporary);
    })
}

/// Syncs the entries of a folder.
///
/// Like every sync, it waits on its own thread: handing that thread's other debates to another one takes about as much
/// processor time as the sync. On a runtime with more worker threads than cores they wait for the disk at the same time.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_the_temporary_file_is_not_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("mine"), "mine").unwrap();
        std::os::unix::fs::symlink(at("mine"), at(".a.new")).unwrap();
        replace_file(&at("a"), &at(".a.new"), b"new").unwrap();
        assert_eq!(fs::read_to_string(at("mine")).unwrap(), "mine");
        assert!(at("a").symlink_metadata().unwrap().is_file());
        assert_eq!(fs::read_to_string(at("a")).unwrap(), "new");
        fs::write(at(".a.new"), "the rest of an earlier attempt").unwrap();
        replace_file(&at("a"), &at(".a.new"), b"newer").unwrap();
        assert_eq!(fs::read_to_string(at("a")).unwrap(), "newer");
    }
}
