//! Lists debates from their stored summaries, and finds one by a part of its id.
//!
//! A summary names the journal's length and time of change. If they differ now, the process that ran the debate was killed or
//! the journal was changed: then the journal is read, and the summary is stored again.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use jiff::Timestamp;
use rebut_core::debate::DebateId;
use serde::{Deserialize, Serialize};

use super::private::replace_file;
use super::{JOURNAL, claim, reader};
use crate::store::{Cursor, Events, Listed, State, StoreError, Summary, only_match};

const SUMMARY: &str = "summary.json";

/// A summary with what it was made of.
#[derive(Serialize, Deserialize)]
struct Kept {
    journal: Stamp,
    summary: Summary,
}

/// The length of a journal, and when it was changed, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    bytes: u64,
    changed: u64,
}

/// Stores the summary of a journal as it is now. Only the process that has the claim may say so.
pub(super) fn write_summary(folder: &Path, summary: &Summary) -> Result<(), StoreError> {
    let Some(journal) = stamp(folder) else { return Ok(()) };
    store(folder, &Kept { journal, summary: summary.clone() })
}

fn store(folder: &Path, kept: &Kept) -> Result<(), StoreError> {
    let path = folder.join(SUMMARY);
    let content = serde_json::to_vec(kept).map_err(std::io::Error::from);
    let written = content.and_then(|content| replace_file(&path, &folder.join(format!(".{SUMMARY}.new")), &content));
    written.map_err(StoreError::io("write", &path))
}

/// Every debate, oldest first.
pub(super) fn list(root: &Path) -> Result<Vec<Listed>, StoreError> {
    let mut listed: Vec<Listed> = ids(root)?.into_iter().filter_map(|id| look(root, id)).collect();
    listed.sort_by_cached_key(|debate| {
        // One that has no summary yet has only just been created.
        let created = debate.summary.as_ref().map_or(Timestamp::MAX, |summary| summary.created);
        (debate.id.second(), created, debate.id.clone())
    });
    Ok(listed)
}

/// The debate whose id contains this part, or the newest for `last`.
pub(super) fn find(root: &Path, part: &str) -> Result<DebateId, StoreError> {
    let mut ids = ids(root)?;
    if part == "last" {
        let newest = ids.iter().map(DebateId::second).max().ok_or(StoreError::NoDebates)?;
        ids.retain(|id| id.second() == newest);
        if ids.len() > 1 {
            let created = |id: &DebateId| kept(&root.join(id.as_str())).map_or(Timestamp::MAX, |kept| kept.summary.created);
            ids.sort_by_cached_key(|id| (created(id), id.clone()));
        }
        return ids.pop().ok_or(StoreError::NoDebates);
    }
    only_match(part, ids)
}

pub(super) fn ids(root: &Path) -> Result<Vec<DebateId>, StoreError> {
    let entries = match fs::read_dir(root) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(StoreError::io("read", root))?,
    };
    let mut ids = Vec::new();
    for entry in entries {
        let entry = entry.map_err(StoreError::io("read", root))?;
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        ids.extend(DebateId::parse(&entry.file_name().to_string_lossy()).filter(|_| is_folder));
    }
    Ok(ids)
}

/// A debate as a list shows it; none if it was removed meanwhile.
fn look(root: &Path, id: DebateId) -> Option<Listed> {
    let folder = root.join(id.as_str());
    let (kept, journal) = (kept(&folder), stamp(&folder));
    let is_current = kept.as_ref().is_some_and(|kept| journal == Some(kept.journal));
    // Asked before the journal is read: a debate that ends in between is read to its end.
    let in_progress = || claim::is_locked(&folder).then_some(State::Running);
    let listed = Listed::by_summary(&id, kept.map(|kept| kept.summary), is_current, in_progress);
    if listed.is_some() {
        return listed;
    }
    let listed = Listed::by_journal(id, reader::read(&folder, &Cursor::default()).and_then(Events::trusted));
    if let (Some(journal), Some(summary)) = (journal, &listed.summary) {
        // If it cannot be stored, the next list reads the journal again.
        let _ = store(&folder, &Kept { journal, summary: summary.clone() });
    }
    (listed.state != State::Empty || folder.is_dir()).then_some(listed)
}

fn kept(folder: &Path) -> Option<Kept> {
    serde_json::from_slice(&fs::read(folder.join(SUMMARY)).ok()?).ok()
}

/// How long the journal was when its summary was stored; none where none was.
pub(super) fn summarized_length(folder: &Path) -> Option<u64> {
    kept(folder).map(|kept| kept.journal.bytes)
}

/// The journal's length and when it was changed.
fn stamp(folder: &Path) -> Option<Stamp> {
    let journal = fs::metadata(folder.join(JOURNAL)).ok()?;
    let changed = journal.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(Stamp { bytes: journal.len(), changed: u64::try_from(changed.as_nanos()).ok()? })
}
