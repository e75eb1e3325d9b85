//! The user's files that a program is lent; this process or its guard gives back what it renewed.
//!
//! A tool that renews its credentials may replace the link to them with a new file. The old ones may then be invalid, so the
//! new file must become the user's before anything is deleted.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::store::files::replace_by;

static KEPT: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// What could not be given back since the last call, and where it is now.
pub fn take_kept() -> Vec<String> {
    std::mem::take(&mut KEPT.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Gives the user's file back if a newer one is in its place. If that fails, it is kept in `refuge` for [`take_kept`].
pub(crate) fn give_back(place: &Path, file: &Path, refuge: &Path) {
    if let Err(error) = replace(place, file) {
        let advice = match keep(place, refuge) {
            Ok(kept) => format!("the new file is {}: move it there, or sign in again", kept.display()),
            Err(_) => "sign in again when the tool asks for it".to_owned(),
        };
        let kept = format!("a tool renewed {}, which could not be written ({error}); {advice}", file.display());
        KEPT.lock().unwrap_or_else(PoisonError::into_inner).push(kept);
    }
}

fn replace(place: &Path, file: &Path) -> io::Result<()> {
    let Ok(there) = place.symlink_metadata() else { return Ok(()) };
    if !there.is_file() {
        return Ok(());
    }
    let content = fs::read(place)?;
    if content.is_empty() || fs::read(file).is_ok_and(|own| own == content) {
        return Ok(());
    }
    // Of several parallel calls, the last to end need not be the last that renewed it.
    let renewed = there.modified()?;
    if file.metadata().and_then(|own| own.modified()).is_ok_and(|own| own > renewed) {
        return Ok(());
    }
    let mut beside = file.as_os_str().to_owned();
    beside.push(format!(".{}", crate::chance::mark()));
    replace_by(file, Path::new(&beside), |new| {
        new.write_all(&content)?;
        new.set_modified(renewed)
    })
}

/// Moves a file out of a folder that is about to be deleted.
fn keep(place: &Path, refuge: &Path) -> io::Result<PathBuf> {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let kept = refuge.join(format!("rebut-kept-{}-{name}", crate::chance::mark()));
    // Its folder hid it from other users.
    fs::set_permissions(place, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    fs::rename(place, &kept)?;
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    fn write(file: &Path, text: &str, age_seconds: u64) {
        fs::write(file, text).unwrap();
        let time = SystemTime::now() - Duration::from_secs(age_seconds);
        fs::File::options().write(true).open(file).unwrap().set_modified(time).unwrap();
    }

    #[test]
    fn the_later_of_two_renewals_wins_in_any_order() {
        for order in [[0, 1], [1, 0]] {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            write(&at("own"), "old", 100);
            write(&at("first"), "renewed first", 50);
            write(&at("second"), "renewed second", 20);
            for call in order {
                give_back(&at(["first", "second"][call]), &at("own"), folder.path());
            }
            assert_eq!(fs::read_to_string(at("own")).unwrap(), "renewed second", "{order:?}");
        }
    }

    #[test]
    fn what_cannot_be_given_back_is_kept_and_reported() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("auth.json");
        // Its folder is gone, which fails for root as well.
        let file = folder.path().join("gone/auth.json");
        fs::write(&place, "renewed").unwrap();
        give_back(&place, &file, folder.path());
        let kept = take_kept().into_iter().find(|kept| kept.contains("gone/auth.json")).unwrap();
        let new = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        assert!(!place.exists() && kept.contains(&new.display().to_string()), "{kept}");
        assert_eq!(fs::read_to_string(new).unwrap(), "renewed");
    }
}
