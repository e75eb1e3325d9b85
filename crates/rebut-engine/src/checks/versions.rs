//! The versions of what is debated: as it was pinned, and after each revision.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::texts::Texts;
use crate::workspace::patches::{Applied, Changes, Revised, apply, apply_exactly};
use crate::workspace::pin::Files;

pub(crate) struct Versions {
    first: Arc<Version>,
    roots: Vec<String>,
    /// By the revisions that lead there.
    later: Mutex<Vec<(Vec<String>, Arc<Version>)>>,
}

pub(crate) struct Version {
    pub(crate) files: Arc<dyn Files>,
    pub(crate) texts: Texts,
    /// The paths in which it differs from the first one.
    pub(crate) revised: BTreeSet<String>,
}

impl Version {
    fn after(before: &Self, changes: Changes, roots: Vec<String>) -> Self {
        let revised = before.revised.iter().chain(changes.keys()).cloned().collect();
        let files: Arc<dyn Files> = Arc::new(Revised::new(Arc::clone(&before.files), changes));
        Self { texts: Texts::new(Arc::clone(&files), roots), files, revised }
    }
}

impl Versions {
    /// Begins with these files. `roots` are the absolute paths of the workspace.
    pub(crate) fn begin(files: Arc<dyn Files>, roots: Vec<String>) -> Self {
        let texts = Texts::new(Arc::clone(&files), roots.clone());
        let first = Arc::new(Version { files, texts, revised: BTreeSet::new() });
        Self { first, roots, later: Mutex::default() }
    }

    /// The version before any revision.
    pub(crate) fn first(&self) -> &Arc<Version> {
        &self.first
    }

    /// The version after these revisions; or why there is none.
    pub(crate) fn after(&self, revisions: &[String]) -> Result<Arc<Version>, String> {
        let mut later = self.later.lock().unwrap_or_else(PoisonError::into_inner);
        let known = |length: usize| later.iter().find(|(known, _)| *known == revisions[..length]);
        let reached = (1..=revisions.len()).rev().find_map(|length| known(length).map(|(_, at)| (length, Arc::clone(at))));
        let (reached, mut version) = reached.unwrap_or_else(|| (0, Arc::clone(&self.first)));
        for number in reached + 1..=revisions.len() {
            let changes = apply_exactly(&*version.files, &revisions[number - 1]);
            let changes = changes.map_err(|why| format!("revision {number} does not apply: {why}"))?;
            version = Arc::new(Version::after(&version, changes, self.roots.clone()));
            later.push((revisions[..number].to_vec(), Arc::clone(&version)));
        }
        Ok(version)
    }

    /// Tries a patch on a version. Gives the patch as it is recorded and the version it leads to, which counts only once it
    /// is [kept](Self::keep).
    pub(crate) fn try_on(&self, version: &Version, patch: &str) -> Result<(String, Arc<Version>), String> {
        let Applied { patch, changes } = apply(&*version.files, patch)?;
        Ok((patch, Arc::new(Version::after(version, changes, self.roots.clone()))))
    }

    /// Keeps a version, for the revisions that lead there.
    pub(crate) fn keep(&self, revisions: Vec<String>, version: Arc<Version>) {
        self.later.lock().unwrap_or_else(PoisonError::into_inner).push((revisions, version));
    }
}
