//! A workspace to be pinned, with places for packs and copies beside it.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rebut_engine::workspace::pin::{Entry, Facts, Files, Limits, Pin, Survey, Why};

pub(crate) use rebut_fakes::{files_below, git, write};

pub(crate) const LIMITS: Limits = Limits { files: 1000, bytes: 1 << 20, file_bytes: 64 * 1024 };

/// A folder with a workspace and, beside it, a place for packs and one for copies.
pub(crate) struct Ground {
    dir: tempfile::TempDir,
}

impl Ground {
    /// A folder that git knows nothing of.
    pub(crate) fn plain() -> Self {
        let ground = Self { dir: tempfile::tempdir().unwrap() };
        for folder in ["ws", "tmp", "home"] {
            fs::create_dir(ground.root().join(folder)).unwrap();
        }
        ground
    }

    /// A repository without a commit.
    pub(crate) fn unborn() -> Self {
        let ground = Self::plain();
        git(&ground.ws(), &["init", "-q", "-b", "main"]);
        ground
    }

    /// A repository with a commit of two files and an ignored one.
    pub(crate) fn repository() -> Self {
        let ground = Self::unborn();
        ground.write("src/pool.rs", "fn pool() {}\n");
        ground.write("README.md", "# Pool\n");
        ground.write(".gitignore", ".env\ntarget/\n");
        ground.write(".env", "hidden-word\n");
        ground.write("target/debug/out", "built\n");
        commit(&ground.ws());
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

    pub(crate) fn survey(&self) -> Survey {
        Survey::of(&self.ws(), Some(&self.root().join("home")), LIMITS).unwrap()
    }

    pub(crate) fn pin(&self) -> Pin {
        self.pin_of(self.survey())
    }

    pub(crate) fn pin_of(&self, survey: Survey) -> Pin {
        let blobs = self.root().join("debate/blobs");
        let packed = survey.pack(&blobs).unwrap();
        let pin = Pin::open(&blobs.join(&packed.hash)).unwrap();
        assert_eq!(*pin.facts(), packed.facts);
        pin
    }

    /// The one pack that was written, as a file.
    pub(crate) fn pack(&self) -> PathBuf {
        let mut files = fs::read_dir(self.root().join("debate/blobs")).unwrap().map(|entry| entry.unwrap().path());
        let pack = files.next().unwrap();
        assert_eq!(files.next(), None);
        pack
    }
}

pub(crate) fn commit(folder: &Path) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", "all"]);
}

pub(crate) fn paths(files: &dyn Files) -> Vec<&str> {
    files.entries().iter().map(Entry::path).collect()
}

pub(crate) fn text(files: &dyn Files, path: &str) -> String {
    let entry = files.lookup(path.as_bytes()).unwrap();
    String::from_utf8(files.read(entry).unwrap().bytes).unwrap()
}

pub(crate) fn left_out(facts: &Facts, why: Why) -> Vec<&str> {
    facts.left_out.iter().filter(|left| left.why == why).flat_map(|left| &left.first).map(String::as_str).collect()
}

pub(crate) fn pipe(path: &Path) {
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
}

/// The variable by which a test that was started by itself knows its part.
const PART: &str = "PIN_TEST_PART";

/// The part that this process was started for, and the folder it works in.
pub(crate) fn part() -> Option<PathBuf> {
    std::env::var_os(PART).map(PathBuf::from)
}

/// A program of these tests, started again for one of them, with a folder to work in.
pub(crate) fn again(program: &Path, test: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["--exact", test, "--nocapture"]).env(PART, folder).env("HOME", folder).env("TMPDIR", folder);
    command.current_dir(folder);
    command
}

/// Runs a test once more as a user without rights, since root may read and write everything.
pub(crate) fn as_nobody(test: &str) {
    const NOBODY: u32 = 65_534;
    let dir = tempfile::tempdir().unwrap();
    std::os::unix::fs::chown(dir.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    // This program may lie where only root gets to.
    let program = dir.path().join("test");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    // A program that another test starts just now may for an instant hold the copy open for writing.
    let output = loop {
        match again(&program, test, dir.path()).uid(NOBODY).gid(NOBODY).output() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
            output => break output.unwrap(),
        }
    };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}
