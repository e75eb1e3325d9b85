//! A private repository in which a patch meets the files that it touches, and nothing else.
//!
//! Only its index is worked on: no path of a patch is ever one on disk. Neither the user's settings nor those of a
//! repository count here.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use super::revised::{Changed, Changes};
use crate::process::TempFolder;
use crate::workspace::git::{Git, GitCommand, GitError, in_one_line};

/// Variables by which the user's settings do not count.
const SETTINGS: [(&str, &str); 5] = [
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_COUNT", "0"),
    ("GIT_ATTR_NOSYSTEM", "1"),
];

/// The settings of the repository itself.
const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tautocrlf = false\n\
                      \tquotePath = false\n\tprotectHFS = true\n\tprotectNTFS = true\n\tattributesFile = /dev/null\n";

/// No attribute of a file counts: a patch is made of the bytes as they are.
const ATTRIBUTES: &str = "* !text !eol !filter !ident !diff !whitespace !working-tree-encoding !crlf !binary\n";

/// A private repository. It is removed when this is dropped, and no git works in it any more.
pub(crate) struct Workbench {
    folder: Arc<TempFolder>,
    git: Git,
}

/// Why something did not work.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// Git did not want it, and said this.
    Said(String),
    /// It has nothing to do with what was asked.
    Broken(String),
}

impl Trouble {
    pub(crate) fn words(self) -> String {
        match self {
            Self::Said(said) => format!("git says: {said}"),
            Self::Broken(why) => why,
        }
    }
}

impl Workbench {
    /// Sets one up among the system's temporary files.
    pub(crate) fn set_up() -> Result<Self, Trouble> {
        let broken = |error: &dyn std::fmt::Display| Trouble::Broken(format!("no patch can be tried here: {error}"));
        let parent = crate::process::temporary_folder();
        let parent = parent.canonicalize().unwrap_or(parent);
        let folder = Arc::new(TempFolder::create_in(&parent, "patch").map_err(|error| broken(&error))?);
        let own = [
            ("GIT_DIR", "repository"),
            ("GIT_COMMON_DIR", "repository"),
            ("GIT_INDEX_FILE", "repository/index"),
            ("GIT_OBJECT_DIRECTORY", "repository/objects"),
            ("GIT_WORK_TREE", "tree"),
        ];
        let own = own.map(|(name, place)| (OsString::from(name), folder.path().join(place).into_os_string()));
        let settings = SETTINGS.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let git = Git::private(folder.path(), settings.chain(own).collect(), Arc::clone(&folder) as _);
        let bench = Self { folder, git };
        let furnish = || -> std::io::Result<()> {
            for folder in ["tree", "contents", "repository/objects", "repository/refs", "repository/info"] {
                crate::store::files::create_folder(&bench.path(folder))?;
            }
            fs::write(bench.path("repository/HEAD"), "ref: refs/heads/none\n")?;
            fs::write(bench.path("repository/config"), CONFIG)?;
            fs::write(bench.path("repository/info/attributes"), ATTRIBUTES)
        };
        furnish().map_err(|error| broken(&error))?;
        Ok(bench)
    }

    /// Puts files into the index, or takes them out.
    pub(crate) async fn put(&self, changes: &Changes) -> Result<(), Trouble> {
        if changes.is_empty() {
            return Ok(());
        }
        let mut names = String::new();
        for (number, changed) in changes.values().flatten().enumerate() {
            // By number: no name of the patch's own is used.
            let name = format!("contents/{number}");
            let written = fs::write(self.path(&name), &changed.bytes);
            written.map_err(|error| Trouble::Broken(format!("no patch can be tried here: {error}")))?;
            names.push_str(&name);
            names.push('\n');
        }
        let hashes = self.git(GitCommand::HashObject, &["-w", "--stdin-paths"], names.into_bytes()).await?;
        let hashes = String::from_utf8_lossy(&hashes).into_owned();
        let mut hashes = hashes.lines();
        let mut index = Vec::new();
        for (path, changed) in changes {
            match changed {
                Some(Changed { executable, .. }) => {
                    let mode = if *executable { "100755" } else { "100644" };
                    index.extend(format!("{mode} {}\t", hashes.next().unwrap_or_default()).into_bytes());
                }
                None => index.extend(format!("0 {}\t", "0".repeat(40)).into_bytes()),
            }
            index.extend(path);
            index.push(0);
        }
        self.git(GitCommand::UpdateIndex, &["-z", "--index-info"], index).await.map(drop)
    }

    /// Asks `git apply` about a patch, or to apply it to the index.
    pub(crate) async fn apply(&self, arguments: &[&str], patch: &[u8]) -> Result<Vec<u8>, Trouble> {
        let whole: Vec<&str> =
            ["--cached", "--whitespace=nowarn"].into_iter().chain(arguments.iter().copied()).chain(["-"]).collect();
        self.git(GitCommand::Apply, &whole, patch.to_vec()).await
    }

    /// The index as a tree, by its hash.
    pub(crate) async fn tree(&self) -> Result<String, Trouble> {
        let hash = self.git(GitCommand::WriteTree, &[], Vec::new()).await?;
        Ok(String::from_utf8_lossy(&hash).trim().to_owned())
    }

    /// Sets the index back to a tree.
    pub(crate) async fn back_to(&self, tree: &str) -> Result<(), Trouble> {
        self.git(GitCommand::ReadTree, &[tree], Vec::new()).await.map(drop)
    }

    /// The difference between two trees as a patch, with so many lines around each change.
    pub(crate) async fn difference(&self, from: &str, to: &str, around: usize) -> Result<Vec<u8>, Trouble> {
        let around = format!("--unified={around}");
        let ask = [
            "-p",
            "-r",
            "--find-renames",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            "--inter-hunk-context=0",
            around.as_str(),
            from,
            to,
        ];
        self.git(GitCommand::DiffTree, &ask, Vec::new()).await
    }

    /// What differs between two trees, file by file.
    pub(crate) async fn differing(&self, from: &str, to: &str) -> Result<Vec<Differing>, Trouble> {
        let raw = self.git(GitCommand::DiffTree, &["-r", "-z", "--raw", "--no-renames", from, to], Vec::new()).await?;
        let mut fields = raw.split(|byte| *byte == 0);
        let mut all = Vec::new();
        while let (Some(facts), Some(path)) = (fields.next().filter(|facts| !facts.is_empty()), fields.next()) {
            let facts = String::from_utf8_lossy(facts);
            let mut words = facts.trim_start_matches(':').split(' ');
            let (Some(before), Some(mode), _, Some(object)) = (words.next(), words.next(), words.next(), words.next())
            else {
                return Err(Trouble::Broken("git's answer cannot be read".to_owned()));
            };
            let is_new = before == "000000";
            all.push(Differing { path: path.to_vec(), mode: mode.to_owned(), object: object.to_owned(), is_new });
        }
        Ok(all)
    }

    /// The contents of objects, in their order.
    pub(crate) async fn contents(&self, objects: &[&str]) -> Result<Vec<Vec<u8>>, Trouble> {
        if objects.is_empty() {
            return Ok(Vec::new());
        }
        let mut ask = objects.join("\n");
        ask.push('\n');
        let answer = self.git(GitCommand::CatFile, &["--batch"], ask.into_bytes()).await?;
        let unreadable = || Trouble::Broken("git's answer cannot be read".to_owned());
        let mut rest = &answer[..];
        let mut contents = Vec::with_capacity(objects.len());
        for _ in objects {
            let end = rest.iter().position(|byte| *byte == b'\n').ok_or_else(unreadable)?;
            let header = String::from_utf8_lossy(&rest[..end]);
            let size = header.rsplit(' ').next().and_then(|size| size.parse::<usize>().ok()).ok_or_else(unreadable)?;
            let content = rest.get(end + 1..end + 1 + size).ok_or_else(unreadable)?;
            contents.push(content.to_vec());
            // A newline ends every object.
            rest = rest.get(end + 2 + size..).ok_or_else(unreadable)?;
        }
        Ok(contents)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Dropping this ends git.
    async fn git(&self, command: GitCommand, arguments: &[&str], input: Vec<u8>) -> Result<Vec<u8>, Trouble> {
        let answer = self.git.ask(command, arguments).with_input(input).run_async().await;
        answer.map_err(|error| match error {
            GitError::Said(said) => {
                // Where this repository lies is nobody's business.
                let said = said.replace(&format!("{}/", self.folder.path().display()), "");
                Trouble::Said(in_one_line(&said, 6))
            }
            error => Trouble::Broken(error.to_string()),
        })
    }
}

/// A file in which two trees differ.
#[derive(Debug)]
pub(crate) struct Differing {
    pub(crate) path: Vec<u8>,
    /// Its mode afterwards; zeros where it is gone.
    pub(crate) mode: String,
    pub(crate) object: String,
    /// Whether it was not there before.
    pub(crate) is_new: bool,
}

impl Differing {
    pub(crate) fn is_gone(&self) -> bool {
        self.mode == "000000"
    }
}
