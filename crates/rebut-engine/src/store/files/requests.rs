//! Requests as files. A request to stop is removed when it is taken; a choice is in one file per step, which is removed once
//! the choice is in the journal.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rebut_core::debate::StepKey;

use super::private::{create_folder, replace_file, write_new_file};
use crate::chance;
use crate::store::{Request, StoreError};

/// The folder of requests in the debate's folder. It is there only while there are any.
const REQUESTS: &str = "requests";
/// How often a request is written again after its folder was removed.
const TRIES: u32 = 20;

pub(super) fn write(folder: &Path, request: &Request) -> Result<(), StoreError> {
    let requests = folder.join(REQUESTS);
    let mark = chance::mark();
    let temporary = requests.join(format!("{mark}.new"));
    let path = match request {
        Request::Cancel => requests.join(format!("{mark}.json")),
        Request::Choose { key, .. } => of_choice(folder, key),
    };
    let failed = |error| StoreError::io("write", &path)(error);
    let content = serde_json::to_vec(request).map_err(|error| failed(error.into()))?;
    for _ in 0..TRIES {
        // A reader never sees a part of it.
        let written = create_folder(&requests).and_then(|()| match request {
            Request::Cancel => replace_file(&path, &temporary, &content),
            Request::Choose { .. } => write_once(&path, &temporary, &content),
        });
        match written {
            Err(error) if error.kind() == io::ErrorKind::NotFound && folder.is_dir() => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match read(&path) {
                Some(earlier) if earlier == *request => return Ok(()),
                Some(Request::Choose { option, .. }) => return Err(StoreError::Chosen { option }),
                // It was settled just now.
                _ => {}
            },
            written => return written.map_err(failed),
        }
    }
    Err(failed(io::ErrorKind::NotFound.into()))
}

/// Gives every request. Those to stop are removed, and those that can't be read.
pub(super) fn take(folder: &Path) -> Result<Vec<Request>, StoreError> {
    let mut taken = Vec::new();
    for (path, request) in all(folder) {
        if !matches!(request, Some(Request::Choose { .. })) {
            forget(&path)?;
        }
        taken.extend(request);
    }
    Ok(taken)
}

/// Removes the request for a choice that was made.
pub(super) fn settle(folder: &Path, key: &StepKey) -> Result<(), StoreError> {
    forget(&of_choice(folder, key))
}

/// The requests to stop that are there.
pub(super) fn to_stop(folder: &Path) -> Vec<PathBuf> {
    all(folder).into_iter().filter(|(_, request)| *request == Some(Request::Cancel)).map(|(path, _)| path).collect()
}

pub(super) fn forget(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io("remove", path)(error)),
        _ => {
            // It stays if it holds others.
            let _ = path.parent().map(fs::remove_dir);
            Ok(())
        }
    }
}

/// Every request; one that cannot be read asks for nothing.
fn all(folder: &Path) -> Vec<(PathBuf, Option<Request>)> {
    let Ok(entries) = fs::read_dir(folder.join(REQUESTS)) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "json"));
    paths.map(|path| (path.clone(), read(&path))).collect()
}

fn read(path: &Path) -> Option<Request> {
    fs::read(path).ok().and_then(|text| serde_json::from_slice(&text).ok())
}

/// A step's name can contain slashes, and its hash can't.
fn of_choice(folder: &Path, key: &StepKey) -> PathBuf {
    folder.join(REQUESTS).join(format!("choose-{}.json", blake3::hash(key.as_str().as_bytes()).to_hex()))
}

/// Writes a file whole, and fails where there is one.
fn write_once(path: &Path, temporary: &Path, content: &[u8]) -> io::Result<()> {
    // A link fails where a file is, and a rename would replace it.
    let written = write_new_file(temporary, content).and_then(|()| fs::hard_link(temporary, path));
    // If it can't be removed, nothing reads it.
    let _ = fs::remove_file(temporary);
    written
}
