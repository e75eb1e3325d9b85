//! The files of a folder that no repository tells of, under the usual ignore rules: `.gitignore` and `.ignore`. Hidden files
//! are files like any other (`.github/`, `.gitignore`), but for those that nobody commits: the folders of version control,
//! and what keys and passwords are kept in, which a forgotten rule must not bring to a model. Links are not followed.

use std::path::Path;

use ignore::WalkBuilder;

use super::survey::{Listed, Listing, Origin};
use super::{Facts, PinError, Source, Why};
use crate::workspace::in_our_folder;

/// Folders of version control, wherever they stand.
const VERSION_CONTROL: [&str; 5] = [".git", ".hg", ".svn", ".jj", ".bzr"];

/// Files and folders that keys and passwords are kept in, wherever they stand.
const PRIVATE: [&str; 12] = [
    ".env",
    ".envrc",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".git-credentials",
    ".ssh",
    ".gnupg",
    ".aws",
    ".kube",
    ".azure",
];

/// The same by their ends, for folders that projects have as well.
const PRIVATE_WITHIN: [&str; 2] = [".docker/config.json", ".config/gcloud"];

/// Lists the folder's files.
pub(super) fn list(root: &Path, source: Source, most: u64) -> Result<Listing, PinError> {
    let mut listing = Listing::new(Facts::new(source));
    let top = root.to_owned();
    let walk = WalkBuilder::new(root)
        .require_git(false)
        // Rules above the folder are not its own: some have a `.gitignore` in their home folder that ignores everything.
        .parents(false)
        .follow_links(false)
        .hidden(false)
        .filter_entry(move |entry| {
            let name = entry.file_name().to_string_lossy();
            let at_top = entry.depth() == 0;
            let inside = entry.path().strip_prefix(&top).unwrap_or(entry.path());
            at_top || !(stays_out(&name) || holds_logins(inside) || in_our_folder(inside))
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
            listing.add(Listed { path: bytes(path), origin: Origin::New }, most)?;
        }
    }
    Ok(listing)
}

/// Whether nobody commits what is called so. `.env.local` is private, `.env.example` is there to be read.
fn stays_out(name: &str) -> bool {
    let of_environment = name.strip_prefix(".env.");
    VERSION_CONTROL.contains(&name)
        || PRIVATE.contains(&name)
        || of_environment.is_some_and(|rest| !["example", "sample", "template", "dist"].contains(&rest))
}

/// Whether logins are kept there, in a folder that need not be private.
fn holds_logins(path: &Path) -> bool {
    PRIVATE_WITHIN.iter().any(|end| path.ends_with(end))
}

/// Where an error happened, as far as it says.
fn place(error: &ignore::Error, root: &Path) -> String {
    match error {
        ignore::Error::WithPath { path, .. } => path.strip_prefix(root).unwrap_or(path).display().to_string(),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => place(err, root),
        other => other.to_string(),
    }
}

#[cfg(unix)]
fn bytes(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().to_vec()
}

#[cfg(not(unix))]
fn bytes(path: &Path) -> Vec<u8> {
    path.to_string_lossy().replace('\\', "/").into_bytes()
}

#[cfg(test)]
mod tests {
    use rebut_core::claims::citation::find;

    use super::*;

    /// What is known as private when it is cited is private when it is kept.
    #[test]
    fn what_a_citation_may_not_lead_to_is_not_kept_either() {
        for path in [".ssh/id_key", ".gnupg/ring", ".aws/credentials", ".kube/config", ".docker/config.json"] {
            assert_eq!(find(&format!("See ~/{path}.")).len(), 1, "{path}");
            let (folder, _) = path.split_once('/').unwrap();
            assert!(stays_out(folder) || holds_logins(Path::new(path)), "{path}");
        }
        assert!(holds_logins(Path::new("home/.config/gcloud")) && !holds_logins(Path::new(".docker/nginx.conf")));
    }
}
