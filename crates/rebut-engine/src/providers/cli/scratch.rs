//! A folder for the temporary files of one call, or of an agent as long as it is kept.
//!
//! Tools leave things behind where they are killed, and some when they fail: one writes the whole prompt into a file
//! there. What is in this folder goes with it.

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};

/// The folder. It is deleted with everything in it when this is dropped.
#[derive(Debug)]
pub(in crate::providers) struct Scratch(PathBuf);

impl Scratch {
    /// Makes a folder of its own below `parent`, or below the system's folder for such things, for this user only.
    pub(in crate::providers) fn create(parent: Option<&str>) -> io::Result<Self> {
        let parent = parent.map_or_else(std::env::temp_dir, PathBuf::from);
        let folder = parent.join(format!("rebut-{}", crate::chance::mark()));
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder)?;
        Ok(Self(folder))
    }

    /// Puts files there.
    pub(in crate::providers) fn put(&self, files: &[(&'static str, String)]) -> io::Result<()> {
        files.iter().try_for_each(|(name, content)| std::fs::write(self.0.join(name), content))
    }

    /// The variables that send a program there.
    pub(in crate::providers) fn variables(&self) -> [(OsString, OsString); 3] {
        ["TMPDIR", "TMP", "TEMP"].map(|name| (name.into(), self.path().into()))
    }

    /// Where it is.
    pub(in crate::providers) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing can be done about what cannot be deleted, and the answer counts more.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_call_leaves_in_its_folder_goes_with_it() {
        let scratch = Scratch::create(None).unwrap();
        let folder = scratch.path().to_owned();
        std::fs::create_dir(folder.join("deep")).unwrap();
        std::fs::write(folder.join("deep/prompt.json"), "secret").unwrap();
        drop(scratch);
        assert!(!folder.exists());
    }
}
