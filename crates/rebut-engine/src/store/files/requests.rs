//! Requests as files, each with a name of its own: the process that takes one removes it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::private::{create_folder, replace_file};
use crate::chance;
use crate::store::{Request, StoreError};

/// The folder of requests in the debate's folder. It is there only while there are any.
const REQUESTS: &str = "requests";
/// How often a request is written again whose folder was removed meanwhile.
const TRIES: u32 = 20;

pub(super) fn write(folder: &Path, request: &Request) -> Result<(), StoreError> {
    let requests = folder.join(REQUESTS);
    let mark = chance::mark();
    let (path, temporary) = (requests.join(format!("{mark}.json")), requests.join(format!("{mark}.new")));
    let failed = |error| StoreError::io("write", &path)(error);
    let content = serde_json::to_vec(request).map_err(|error| failed(error.into()))?;
    for _ in 0..TRIES {
        // A reader never sees a part of it.
        let written = create_folder(&requests).and_then(|()| replace_file(&path, &temporary, &content));
        match written {
            Err(error) if error.kind() == io::ErrorKind::NotFound && folder.is_dir() => {}
            written => return written.map_err(failed),
        }
    }
    Err(failed(io::ErrorKind::NotFound.into()))
}

/// Takes every request.
pub(super) fn take(folder: &Path) -> Result<Vec<Request>, StoreError> {
    let found = all(folder);
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let mut taken = Vec::new();
    for (path, request) in found {
        forget(&path)?;
        taken.extend(request);
    }
    // Another request may have come meanwhile: then the folder stays.
    let _ = fs::remove_dir(folder.join(REQUESTS));
    Ok(taken)
}

/// The requests to stop that are there.
pub(super) fn to_stop(folder: &Path) -> Vec<PathBuf> {
    all(folder).into_iter().filter(|(_, request)| *request == Some(Request::Cancel)).map(|(path, _)| path).collect()
}

pub(super) fn forget(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io("remove", path)(error)),
        _ => {
            // Where it holds others, it stays.
            let _ = path.parent().map(fs::remove_dir);
            Ok(())
        }
    }
}

/// Every request; one that cannot be read asks for nothing.
fn all(folder: &Path) -> Vec<(PathBuf, Option<Request>)> {
    let Ok(entries) = fs::read_dir(folder.join(REQUESTS)) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "json"));
    paths.map(|path| (path.clone(), fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok()))).collect()
}
