//! What a file was before we changed it, kept beside it: `FILE.before-rebut`, then `FILE.before-rebut-2` and so on. None is
//! ever written over.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::change::text_of;
use super::write::{beside, write_new};

/// What is added to a file's name for what it was before.
const BACKUP: &str = "before-rebut";

/// A file as it was once.
#[derive(Clone, Debug)]
pub(super) struct Backup {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// What is kept of a file, the latest first. What is no text was not kept by us.
pub(super) fn all(path: &Path) -> Vec<Backup> {
    let read = |(_, path): (u32, PathBuf)| Some(Backup { text: text_of(&path).ok()?, path });
    numbered(path).into_iter().rev().filter_map(read).collect()
}

/// Keeps what a file is now; gives where.
pub(super) fn keep(path: &Path, text: &str) -> io::Result<PathBuf> {
    let there = numbered(path);
    if let Some((_, latest)) = there.last()
        && text_of(latest).is_ok_and(|kept| kept == text)
    {
        return Ok(latest.clone());
    }
    let next = match there.last() {
        None => beside(path, BACKUP),
        Some((number, _)) => beside(path, &format!("{BACKUP}-{}", number + 1)),
    };
    write_new(&next, text, path)?;
    Ok(next)
}

/// The names of what is kept, by number.
fn numbered(path: &Path) -> Vec<(u32, PathBuf)> {
    let first = beside(path, BACKUP);
    let Some((folder, first)) = path.parent().zip(first.file_name().map(|name| name.to_string_lossy().into_owned())) else {
        return Vec::new();
    };
    let number = |name: &str| match name.strip_prefix(&first)? {
        "" => Some(1),
        rest => rest.strip_prefix('-')?.parse().ok(),
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.filter_map(|entry| Some((number(entry.file_name().to_str()?)?, entry.path())));
    let mut found: Vec<(u32, PathBuf)> = named.collect();
    found.sort();
    found
}
