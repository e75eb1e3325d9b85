//! Long texts of a journal, each in a file named by the hash of its content.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::BLOBS;
use super::private::{create_folder, private_file, sync_folder};
use crate::store::StoreError;
use crate::store::long_texts::Found;

/// The blobs of one debate.
#[derive(Debug)]
pub(super) struct Blobs {
    folder: PathBuf,
    unsynced: Vec<PathBuf>,
    /// The hashes of all that this process has written or found whole: each is synced once.
    known: BTreeSet<String>,
}

impl Blobs {
    pub(super) fn new(debate: &Path) -> Self {
        Self { folder: debate.join(BLOBS), unsynced: Vec::new(), known: BTreeSet::new() }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Syncs all blobs written so far. Must come before the lines that refer to them are synced.
    pub(super) fn sync(&mut self) -> Result<(), StoreError> {
        if self.unsynced.is_empty() {
            return Ok(());
        }
        // What fails, and what comes after it, is tried again the next time.
        while let Some(path) = self.unsynced.last() {
            let synced = fs::File::open(path).and_then(|file| file.sync_data());
            synced.map_err(StoreError::io("sync", path))?;
            self.unsynced.pop();
        }
        // The folder itself is an entry of the debate's folder, and may be new.
        let above = self.folder.parent().unwrap_or(&self.folder);
        [self.folder.as_path(), above]
            .into_iter()
            .try_for_each(|folder| sync_folder(folder).map_err(StoreError::io("sync", folder)))
    }

    /// Writes a text under its hash.
    pub(super) fn store(&mut self, hash: &str, text: &str) -> Result<(), StoreError> {
        let path = self.folder.join(hash);
        create_folder(&self.folder).map_err(StoreError::io("create", &self.folder))?;
        // A crash can leave a part of a blob under its name: what is there is only kept if it is whole.
        let is_whole = fs::read(&path).is_ok_and(|there| there == text.as_bytes());
        if !is_whole {
            let write = || -> io::Result<()> {
                use std::io::Write;
                private_file().write(true).create(true).truncate(true).open(&path)?.write_all(text.as_bytes())
            };
            write().map_err(StoreError::io("write", &path))?;
        }
        // One that is whole may come from a process that was killed before it synced it.
        if self.known.insert(hash.to_owned()) || !is_whole {
            self.unsynced.push(path);
        }
        Ok(())
    }
}

/// The text under a hash in the folder of a debate.
pub(super) fn find(debate: &Path, hash: &str) -> Found {
    let path = debate.join(BLOBS).join(hash);
    Found { place: path.display().to_string(), content: fs::read(&path) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::long_texts::{LONGEST_INLINE, hash_of};

    fn store(blobs: &mut Blobs, text: &str) {
        blobs.store(&hash_of(text.as_bytes()), text).unwrap();
    }

    #[test]
    fn a_text_that_could_not_be_made_to_last_is_tried_again_with_all_others() {
        let folder = tempfile::tempdir().unwrap();
        let mut blobs = Blobs::new(folder.path());
        let texts = ["a", "b", "c"].map(|letter| letter.repeat(LONGEST_INLINE + 1));
        for text in &texts {
            store(&mut blobs, text);
        }
        let gone = blobs.unsynced[1].clone();
        fs::remove_file(&gone).unwrap();
        assert!(blobs.sync().is_err());
        assert!(blobs.sync().is_err(), "it is still missing");
        fs::write(&gone, &texts[1]).unwrap();
        blobs.sync().unwrap();
        assert!(blobs.unsynced.is_empty());
    }

    #[test]
    fn a_text_that_another_process_left_is_synced_once() {
        let folder = tempfile::tempdir().unwrap();
        let text = "a".repeat(LONGEST_INLINE + 1);
        store(&mut Blobs::new(folder.path()), &text);
        let mut blobs = Blobs::new(folder.path());
        store(&mut blobs, &text);
        let path = blobs.unsynced[0].clone();
        let content = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(blobs.sync().is_err(), "a file that is missing can't be synced");
        fs::write(&path, content).unwrap();
        blobs.sync().unwrap();
        store(&mut blobs, &text);
        assert!(blobs.unsynced.is_empty());
    }
}
