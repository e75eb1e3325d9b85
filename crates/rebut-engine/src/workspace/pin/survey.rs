//! Which files a workspace has, and what each is at a first look. No content is read here.

use std::path::{Path, PathBuf};

use super::inside::{Descent, Seen, is_missing};
use super::{Facts, Limits, PinError, Source, Why, folder, git};
use crate::workspace::is_gits_own;

/// The files of a workspace.
#[derive(Debug)]
pub struct Survey {
    pub(super) root: PathBuf,
    pub(super) limits: Limits,
    /// The folders of the repositories that files lie in: the workspace's own, then submodules.
    pub(super) repositories: Vec<PathBuf>,
    /// Sorted by path, each once.
    pub(super) found: Vec<Found>,
    pub(super) facts: Facts,
}

/// A file, as it was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) path: Vec<u8>,
    pub(super) state: State,
}

/// What can be had of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum State {
    /// A file on disk.
    File { size: u64, executable: bool },
    /// A link on disk.
    Link,
    /// An object of a repository.
    Object { repository: usize, object: String, executable: bool, link: bool },
    /// Its name and size only.
    Left(Why, u64),
}

impl State {
    fn object(repository: usize, object: String, mode: &[u8]) -> Self {
        Self::Object { repository, object, executable: mode == b"100755", link: mode == b"120000" }
    }

    /// How many bytes would be kept, as far as that can be known.
    fn size(&self) -> u64 {
        match self {
            Self::File { size, .. } => *size,
            Self::Link | Self::Object { .. } | Self::Left(..) => 0,
        }
    }
}

/// The files that git or a walk names.
pub(super) struct Listing {
    pub(super) facts: Facts,
    pub(super) repositories: Vec<PathBuf>,
    listed: Vec<Listed>,
}

/// A name.
pub(super) struct Listed {
    pub(super) path: Vec<u8>,
    pub(super) origin: Origin,
}

/// Where a name comes from.
pub(super) enum Origin {
    /// Git knows it; where it is not on disk, it was deleted.
    Tracked,
    /// Git knows it and need not have it on disk.
    Skipped { repository: usize, object: String, mode: Vec<u8> },
    /// It was found on disk.
    New,
}

impl Survey {
    /// Looks at a workspace. `home` is the person's home folder, which is never taken for a project.
    ///
    /// In a repository git says which files there are, else the folder is walked. Where git gives no answer (it is not
    /// installed, it does not trust the owner), the folder is walked too, and the facts say so.
    pub fn of(workspace: &Path, home: Option<&Path>, limits: Limits) -> Result<Self, PinError> {
        let root = workspace.canonicalize().map_err(PinError::io("look at", workspace))?;
        is_a_project(&root, home)?;
        has_a_work_tree(&root)?;
        let in_git = crate::workspace::around(&root).join(".git").exists();
        let listing = match in_git.then(|| git::list(&root, limits.files)) {
            Some(Err(PinError::Git(said))) => folder::list(&root, Source::FolderWithoutGit { said }, limits.files)?,
            Some(listed) => listed?,
            None => folder::list(&root, Source::Folder, limits.files)?,
        };
        Self::look(root, limits, listing)
    }

    /// Looks at the files of a commit, by its full hash, whatever the workspace itself holds by now. `home` is the person's
    /// home folder, which is never taken for a project.
    pub fn of_commit(workspace: &Path, commit: &str, home: Option<&Path>, limits: Limits) -> Result<Self, PinError> {
        let root = workspace.canonicalize().map_err(PinError::io("look at", workspace))?;
        is_a_project(&root, home)?;
        let Listing { mut facts, repositories, mut listed } = git::list_commit(&root, commit, limits.files)?;
        listed.sort_by(|one, other| one.path.cmp(&other.path));
        let mut found = Vec::with_capacity(listed.len());
        for Listed { path, origin } in listed {
            if let Origin::Skipped { repository, object, mode } = origin {
                found.push(Found { path, state: State::object(repository, object, &mode) });
            }
        }
        facts.files = found.len() as u64;
        Ok(Self { root, limits, repositories, found, facts })
    }

    /// What is known before anything is read. The bytes are those of all files that are not too large; what of them is
    /// binary, and so not kept, is not known yet.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    fn look(root: PathBuf, limits: Limits, listing: Listing) -> Result<Self, PinError> {
        let Listing { mut facts, repositories, mut listed } = listing;
        listed.sort_by(|one, other| one.path.cmp(&other.path));
        // A file with conflicts stands in the index several times.
        listed.dedup_by(|one, other| one.path == other.path);
        let mut descent = Descent::from(&root).map_err(PinError::io("open", &root))?;
        let mut found = Vec::with_capacity(listed.len());
        for Listed { path, origin } in listed {
            let state = match descent.look(&path) {
                Ok(Seen::File { size, .. }) if size > limits.file_bytes => {
                    facts.leave_out(Why::TooLarge, &path);
                    State::Left(Why::TooLarge, size)
                }
                Ok(Seen::File { size, executable }) => State::File { size, executable },
                Ok(Seen::Link) => State::Link,
                Ok(Seen::Special) => {
                    facts.leave_out(Why::Special, &path);
                    State::Left(Why::Special, 0)
                }
                // The name is a folder's now: the file is not there any more.
                Ok(Seen::Folder) => continue,
                Err(error) if is_missing(&error) => match origin {
                    Origin::Skipped { repository, object, mode } if error.kind() == std::io::ErrorKind::NotFound => {
                        State::object(repository, object, &mode)
                    }
                    Origin::Skipped { .. } | Origin::Tracked => continue,
                    Origin::New => {
                        facts.leave_out(Why::Vanished, &path);
                        continue;
                    }
                },
                Err(_) => {
                    facts.leave_out(Why::Unreadable, &path);
                    State::Left(Why::Unreadable, 0)
                }
            };
            found.push(Found { path, state });
        }
        facts.files = found.len() as u64;
        facts.bytes = found.iter().map(|found| found.state.size()).sum();
        Ok(Self { root, limits, repositories, found, facts })
    }
}

/// Refuses the root of all folders, the home folder, and what is above it. The folder's path has no links.
pub(super) fn is_a_project(root: &Path, home: Option<&Path>) -> Result<(), PinError> {
    let home = home.map(|home| home.canonicalize().unwrap_or_else(|_| home.to_owned()));
    if root.parent().is_none() || home.is_some_and(|home| home.starts_with(root)) {
        return Err(PinError::NoProject(root.to_owned()));
    }
    Ok(())
}

/// Refuses a bare repository, a `.git`, and what lies in them: git's own files are no workspace.
pub(super) fn has_a_work_tree(root: &Path) -> Result<(), PinError> {
    for folder in root.ancestors() {
        if is_gits_own(folder) {
            return Err(PinError::GitsOwn(folder.to_owned()));
        }
        if folder.join(".git").exists() {
            break;
        }
    }
    Ok(())
}

impl Listing {
    pub(super) fn new(facts: Facts) -> Self {
        Self { facts, repositories: Vec::new(), listed: Vec::new() }
    }

    /// Adds a file, unless it is one too many.
    pub(super) fn add(&mut self, file: Listed, most: u64) -> Result<(), PinError> {
        let files = self.listed.len() as u64 + 1;
        if files > most {
            return Err(PinError::TooMany { most });
        }
        self.listed.push(file);
        Ok(())
    }
}
