//! The files of a folder outside of git, under the usual ignore rules: `.gitignore` and `.ignore`. Hidden files are files
//! like any other (`.github/`, `.gitignore`), except for the folders of version control and files that hold keys, which a
//! forgotten rule must not send to a model. Symlinks are not followed.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ignore::WalkBuilder;

use super::survey::{Listing, Origin};
use super::{PinError, Source, Why};
use crate::workspace::{is_gits_own, is_last_debate, private_part};

const VERSION_CONTROL: [&str; 5] = [".git", ".hg", ".svn", ".jj", ".bzr"];

pub(super) fn list(root: &Path, source: Source, most: u64) -> Result<Listing, PinError> {
    let mut listing = Listing::new(source, most);
    let top = root.to_owned();
    let passed_over = Arc::new(Mutex::new(Vec::new()));
    let tell = Arc::clone(&passed_over);
    let walk = WalkBuilder::new(root)
        .require_git(false)
        // Rules above the folder are not its own: some have a `.gitignore` in their home folder that ignores everything.
        .parents(false)
        .follow_links(false)
        .hidden(false)
        .filter_entry(move |entry| {
            let inside = entry.path().strip_prefix(&top).unwrap_or(entry.path());
            let out = if entry.depth() == 0 { None } else { stays_out(entry.path(), inside) };
            if let Some(Outside::Because(why)) = out {
                tell.lock().unwrap_or_else(PoisonError::into_inner).push((bytes(inside), why));
            }
            out.is_none()
        })
        .build();
    for step in walk {
        let entry = match step {
            Ok(entry) => entry,
            Err(error) => {
                listing.facts.leave_out(Why::Unreadable, place(&error, root).as_bytes());
                continue;
            }
        };
        if entry.depth() == 0 || entry.file_type().is_some_and(|kind| kind.is_dir()) {
            continue;
        }
        if let Ok(path) = entry.path().strip_prefix(root) {
            listing.add(bytes(path), Origin::New)?;
        }
    }
    let mut passed_over = std::mem::take(&mut *passed_over.lock().unwrap_or_else(PoisonError::into_inner));
    passed_over.sort();
    for (path, why) in passed_over {
        listing.facts.leave_out(why, &path);
    }
    Ok(listing)
}

/// Why something is not part of the workspace.
enum Outside {
    /// Not worth a mention.
    OfCourse,
    Because(Why),
}

fn stays_out(whole: &Path, inside: &Path) -> Option<Outside> {
    let name = inside.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    if VERSION_CONTROL.contains(&name.as_ref()) || is_last_debate(inside) {
        Some(Outside::OfCourse)
    } else if private_part(inside).is_some() {
        Some(Outside::Because(Why::Private))
    } else {
        is_gits_own(whole).then_some(Outside::Because(Why::Repository))
    }
}

/// Where an error happened.
fn place(error: &ignore::Error, root: &Path) -> String {
    match error {
        ignore::Error::WithPath { path, .. } => path.strip_prefix(root).unwrap_or(path).display().to_string(),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => place(err, root),
        other => other.to_string(),
    }
}

fn bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_encoded_bytes().to_vec()
}
