//! Files and repositories of a test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Writes a file, and the folders above it.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> PathBuf {
    fs::create_dir_all(path.parent().expect("a parent")).expect("the folders");
    fs::write(path, content).expect("the file is written");
    path.to_owned()
}

/// The files below a folder, sorted. Links are named and not followed.
pub fn files_below(folder: &Path) -> Vec<String> {
    let mut names = listing(folder);
    names.retain(|name| !name.ends_with('/'));
    names
}

/// Everything below a folder, sorted; folders end with a slash.
pub(crate) fn listing(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().expect("a type").is_dir() {
            names.extend(listing(&entry.path()).into_iter().map(|below| format!("{name}/{below}")));
            names.push(format!("{name}/"));
        } else {
            names.push(name);
        }
    }
    names.sort();
    names
}

/// Runs git as nobody in particular, without the developer's settings, and gives what it prints.
pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let who = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "init.defaultBranch=main"];
    let mut git = Command::new("git");
    git.args(who).args(["-c", "protocol.file.allow=always"]).args(arguments).current_dir(folder).stdin(Stdio::null());
    git.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env("GIT_OPTIONAL_LOCKS", "0");
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = git.output().expect("git");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}
