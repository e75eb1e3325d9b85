//! The repository that the corpus is about: the files of `fixture/` behind a short history.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use rebut_engine::evidence::pin::{Limits, Pin, Survey};
use rebut_engine::evidence::{Allowed, AllowedCommands, Examiner};
use tempfile::TempDir;

const LIMITS: Limits = Limits { files: 1000, bytes: 8 << 20, file_bytes: 1 << 20 };

/// A repository with four commits, a changed file, a new one, an ignored one, and links in and out.
pub(crate) struct Repository {
    dir: TempDir,
    /// The hashes of its commits, the first one first.
    pub(crate) commits: Vec<String>,
}

impl Repository {
    pub(crate) fn build() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut repository = Self { dir, commits: Vec::new() };
        let ws = repository.ws();
        fs::create_dir(&ws).unwrap();
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/citations/fixture"), &ws);
        // What comes later is taken away first.
        let [notes, report] = ["docs/design notes.md", "tools/report.py"].map(|path| {
            let content = fs::read(ws.join(path)).unwrap();
            fs::remove_file(ws.join(path)).unwrap();
            (ws.join(path), content)
        });
        let pool = change(&ws, "src/pool.rs", "from_secs(45)", "from_secs(30)");
        let config = change(&ws, "config/default.yaml", "wait_seconds: 45", "wait_seconds: 30");
        let lib = change(&ws, "src/net/mod.rs", "pub mod retry;", "pub mod backoff;");
        let results = change(&ws, "bench/results.md", "| 2.4.1 | 11,020 | 12 ms |\n", "");
        fs::rename(ws.join("src/net/retry.rs"), ws.join("src/net/backoff.rs")).unwrap();
        fs::write(ws.join(".gitignore"), ".env\ntarget/\n").unwrap();
        fs::write(ws.join(".env"), "GATE_PORT=8080\n").unwrap();
        fs::write(ws.join("web/logo.png"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\n\n\n").unwrap();
        std::os::unix::fs::symlink("API.md", ws.join("docs/latest.md")).unwrap();
        std::os::unix::fs::symlink("/etc/hosts", ws.join("docs/hosts")).unwrap();
        // Folders: out by an absolute link, out by a relative one, out by a link to a link, and within.
        std::os::unix::fs::symlink("/etc", ws.join("system")).unwrap();
        std::os::unix::fs::symlink("../../beside", ws.join("docs/beside")).unwrap();
        std::os::unix::fs::symlink("system", ws.join("shared")).unwrap();
        std::os::unix::fs::symlink("docs", ws.join("handbook")).unwrap();
        fs::create_dir(ws.with_file_name("beside")).unwrap();
        fs::write(ws.with_file_name("beside").join("secret.txt"), "the key\n").unwrap();
        git(&ws, &["init", "-q", "-b", "main"]);
        repository.commit("Begin");
        fs::rename(ws.join("src/net/backoff.rs"), ws.join("src/net/retry.rs")).unwrap();
        lib();
        repository.commit("Call it retry");
        pool();
        config();
        repository.commit("Wait longer");
        fs::write(notes.0, notes.1).unwrap();
        repository.commit("Write down why");
        results();
        fs::create_dir_all(ws.join("tools")).unwrap();
        fs::write(report.0, report.1).unwrap();
        repository
    }

    /// A job queue of 44 files in six languages behind nine commits, one of which renames a file and one deletes another.
    pub(crate) fn parcel() -> Self {
        Self::import("parcel.fast-export")
    }

    /// The firmware of a watering system with its test bench: 37 files behind eight commits.
    pub(crate) fn drip() -> Self {
        Self::import("drip.fast-export")
    }

    fn import(export: &str) -> Self {
        let repository = Self { dir: tempfile::tempdir().unwrap(), commits: Vec::new() };
        let ws = repository.ws();
        fs::create_dir(&ws).unwrap();
        git(&ws, &["init", "-q", "-b", "main"]);
        let export = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/citations").join(export);
        let import = fs::File::open(export).unwrap();
        let mut command = Command::new("git");
        let done = command.args(["fast-import", "--quiet"]).current_dir(&ws).stdin(import).status().unwrap();
        assert!(done.success());
        git(&ws, &["reset", "-q", "--hard", "main"]);
        repository
    }

    pub(crate) fn ws(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("ws")
    }

    /// Looks up in the repository as it is pinned; searches are allowed.
    pub(crate) fn examiner(&self) -> Examiner {
        let blobs = self.dir.path().join("blobs");
        let packed = Survey::of(&self.ws(), None, LIMITS).unwrap().pack(&blobs).unwrap();
        let pin = Pin::open(&blobs.join(&packed.hash)).unwrap();
        let allowed = Allowed { commands: Some(AllowedCommands::default()), sources: None };
        Examiner::over(Arc::new(pin), &self.ws(), allowed)
    }

    fn commit(&mut self, message: &str) {
        git(&self.ws(), &["add", "-A"]);
        git(&self.ws(), &["commit", "-q", "-m", message]);
        self.commits.push(git(&self.ws(), &["rev-parse", "HEAD"]));
    }
}

/// Puts an older word into a file; what is given back puts the newer one there again.
fn change(ws: &Path, path: &str, newer: &str, older: &str) -> impl FnOnce() + use<> {
    let path = ws.join(path);
    let now = fs::read_to_string(&path).unwrap();
    assert!(now.contains(newer), "{newer}");
    fs::write(&path, now.replace(newer, older)).unwrap();
    move || fs::write(&path, now).unwrap()
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}

/// Runs git as nobody in particular, at a moment of its own, and gives what it prints.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=n@example.org"])
        .args(arguments)
        .current_dir(folder)
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_SYSTEM", "/dev/null")])
        .envs([("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z"), ("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
