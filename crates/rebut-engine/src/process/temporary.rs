//! Where temporary files lie.

use std::path::PathBuf;

/// The system's folder for temporary files. A variable that is set to nothing counts as one that is not set.
pub(crate) fn temporary_folder() -> PathBuf {
    unless_empty(std::env::temp_dir())
}

fn unless_empty(folder: PathBuf) -> PathBuf {
    if folder.as_os_str().is_empty() { PathBuf::from("/tmp") } else { folder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_set_to_nothing_is_the_usual_one() {
        assert_eq!(unless_empty(PathBuf::new()), PathBuf::from("/tmp"));
        assert_eq!(unless_empty(PathBuf::from("/var/tmp")), PathBuf::from("/var/tmp"));
    }
}
