//! A workspace in a repository of its own.

use std::fs;
use std::path::{Path, PathBuf};

use rebut_engine::workspace::{Collected, ScopeError, collect};

pub(crate) use rebut_fakes::{files_below, git, write};

/// A folder with a workspace in it.
pub(crate) struct Ground {
    dir: tempfile::TempDir,
}

impl Ground {
    /// A folder that git knows nothing of.
    pub(crate) fn plain() -> Self {
        let ground = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir(ground.ws()).unwrap();
        ground
    }

    /// A repository without a commit.
    pub(crate) fn unborn() -> Self {
        let ground = Self::plain();
        git(&ground.ws(), &["init", "-q", "-b", "main"]);
        ground
    }

    /// A repository with a commit of two files.
    pub(crate) fn repository() -> Self {
        let ground = Self::unborn();
        ground.write("src/pool.rs", numbered(1..=20));
        ground.write("README.md", "# Pool\n");
        ground.write(".gitignore", "*.log\n");
        ground.commit("first");
        ground
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    pub(crate) fn ws(&self) -> PathBuf {
        self.root().join("ws")
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        write(&self.ws().join(path), content)
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(&self.ws(), arguments)
    }

    /// Commits everything, and gives the commit's hash.
    pub(crate) fn commit(&self, subject: &str) -> String {
        commit(&self.ws(), subject)
    }

    pub(crate) fn collect(&self, scope: &str) -> Result<Collected, ScopeError> {
        collect(&scope.parse()?, &self.ws(), &self.ws(), 1 << 20, &|_| false)
    }

    /// All that could be changed in a repository without anybody noticing: what is staged, what is not, and the objects.
    pub(crate) fn state(&self) -> (Vec<u8>, String, Vec<String>) {
        let index = fs::read(self.ws().join(".git/index")).unwrap_or_default();
        (index, self.git(&["status", "--porcelain", "--untracked-files=all"]), files_below(&self.ws().join(".git")))
    }
}

/// Lines that hold their numbers.
pub(crate) fn numbered(numbers: impl IntoIterator<Item = u32>) -> String {
    let lines: Vec<String> = numbers.into_iter().map(|number| format!("line {number}\n")).collect();
    lines.concat()
}

pub(crate) fn commit(folder: &Path, subject: &str) -> String {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "--allow-empty", "-m", subject]);
    git(folder, &["rev-parse", "HEAD"])
}
