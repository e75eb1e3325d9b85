//! Which files a client may name: those in the folder that it was started in, and in its roots.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rebut_engine::workspace::{around, private_part, real_path};

use super::Context;

const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Clone, Debug)]
pub(super) struct Folders {
    here: PathBuf,
    /// The workspaces around it and around the client's roots.
    workspaces: Vec<PathBuf>,
}

impl Folders {
    pub(super) async fn of(here: &Path, context: &Context) -> Self {
        let roots = roots(context).await;
        let folders = std::iter::once(here.to_owned()).chain(roots);
        let workspaces = folders.map(|folder| real_path(&around(&folder))).collect();
        Self { here: here.to_owned(), workspaces }
    }

    pub(super) fn contain(&self, workspace: &str) -> bool {
        let workspace = real_path(Path::new(workspace));
        self.workspaces.contains(&workspace)
    }

    /// The folder that the client names, checked.
    pub(super) fn folder(&self, named: Option<&Path>) -> Result<PathBuf, String> {
        match named {
            None => Ok(self.here.clone()),
            Some(named) => self.check(&self.here, named).map(|()| self.here.join(named)),
        }
    }

    /// Refuses paths outside the client's folders, also through symlinks, and files with secrets: a client may have been
    /// started in the home folder.
    pub(super) fn check(&self, base: &Path, named: &Path) -> Result<(), String> {
        let real = real_path(&base.join(named));
        let mut inside = self.workspaces.iter().filter_map(|folder| real.strip_prefix(folder).ok());
        if let Some(inside) = inside.next() {
            return match private_part(inside) {
                None => Ok(()),
                Some(_) => Err(format!(
                    "{} is named like a file with secrets, which clients may not read; use rebut in a terminal",
                    named.display()
                )),
            };
        }
        let folders: Vec<String> = self.workspaces.iter().map(|folder| folder.display().to_string()).collect();
        Err(format!(
            "{} is outside the folders of this client ({}); name a path inside them, or use rebut in a terminal",
            named.display(),
            folders.join(", ")
        ))
    }
}

#[expect(deprecated, reason = "roots are what clients of today have")]
async fn roots(context: &Context) -> Vec<PathBuf> {
    if context.client_capabilities().is_none_or(|can| can.roots.is_none()) {
        return Vec::new();
    }
    let Ok(Ok(listed)) = tokio::time::timeout(PATIENCE, context.peer.list_roots()).await else { return Vec::new() };
    listed.roots.iter().filter_map(|root| file_path(&root.uri)).collect()
}

fn file_path(uri: &str) -> Option<PathBuf> {
    url::Url::parse(uri).ok().filter(|url| url.scheme() == "file")?.to_file_path().ok()
}
