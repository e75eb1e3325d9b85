//! The versions of what is debated: as it was pinned, and after each revision.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::Mutex;

use super::texts::Texts;
use crate::workspace::patches::{Applied, Changes, Revised, apply, apply_exactly};
use crate::workspace::pin::Files;

/// Every version that was asked for.
pub(crate) struct Versions {
    first: Arc<Version>,
    roots: Vec<String>,
    /// By the revisions that lead there.
    later: Mutex<Vec<(Vec<String>, Arc<Version>)>>,
}

pub(crate) struct Version {
    pub(crate) files: Arc<dyn Files>,
    /// The same as texts.
    pub(crate) texts: Texts,
    /// The paths in which it differs from the first one.
    pub(crate) revised: BTreeSet<Vec<u8>>,
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
    pub(crate) async fn after(&self, revisions: &[String]) -> Result<Arc<Version>, String> {
        if revisions.is_empty() {
            return Ok(Arc::clone(&self.first));
        }
        let mut later = self.later.lock().await;
        let known = |length: usize| later.iter().find(|(known, _)| *known == revisions[..length]);
        let mut reached =
            (1..=revisions.len()).rev().find_map(|length| known(length).map(|(_, at)| (length, Arc::clone(at))));
        let (mut length, mut version) = reached.take().unwrap_or_else(|| (0, Arc::clone(&self.first)));
        while length < revisions.len() {
            let changes = apply_exactly(&*version.files, &revisions[length]).await;
            let changes = changes.map_err(|why| format!("revision {} does not apply: {why}", length + 1))?;
            version = Arc::new(Version::after(&version, changes, self.roots.clone()));
            length += 1;
            later.push((revisions[..length].to_vec(), Arc::clone(&version)));
        }
        Ok(version)
    }

    /// Tries a patch on a version. What comes back is the patch as it is recorded, and the version that it leads to, which
    /// counts only once it is [kept](Self::keep).
    pub(crate) async fn try_on(&self, version: &Version, patch: &str) -> Result<(String, Arc<Version>), String> {
        let Applied { patch, changes } = apply(&*version.files, patch).await?;
        Ok((patch, Arc::new(Version::after(version, changes, self.roots.clone()))))
    }

    /// Keeps a version, for the revisions that lead there.
    pub(crate) async fn keep(&self, revisions: Vec<String>, version: Arc<Version>) {
        self.later.lock().await.push((revisions, version));
    }
}
