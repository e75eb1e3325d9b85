//! How much room a disk has.

use std::path::Path;

use super::ModelError;

/// What is left free: a disk that is filled to the brim breaks other programs.
const MARGIN: u64 = 64 * 1024 * 1024;

/// Whether so many bytes fit; where the system does not say, it is tried.
pub(super) fn check(folder: &Path, needed: u64) -> Result<(), ModelError> {
    match free(folder) {
        Some(free) if needed > free.saturating_sub(MARGIN) => {
            Err(ModelError::NoRoom { folder: folder.to_owned(), needed: needed.saturating_add(MARGIN), free })
        }
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn free(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
fn free(_folder: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_told_before_it_is_begun() {
        let folder = tempfile::tempdir().unwrap();
        assert!(check(folder.path(), 1).is_ok());
        assert!(matches!(check(folder.path(), u64::MAX / 2), Err(ModelError::NoRoom { .. })));
        assert!(check(Path::new("/no/such/folder"), u64::MAX).is_ok(), "nobody knows");
    }
}
