//! Where a child is, told the same by everything that it may ask: the system, and the variables that shells and git leave.
//!
//! Some programs go by `PWD` and not by the folder that they run in. One that is put into a copy of the workspace must not
//! find its way back to the workspace itself.

use std::path::Path;
use std::process::Command;

/// Variables that name the folder that somebody else was in: the shell before its last `cd`, a package manager's caller.
const OF_ANOTHER_FOLDER: [&str; 2] = ["OLDPWD", "INIT_CWD"];

/// Variables by which git is told of a repository, a part of one or its index, and not looks where it is; as in a hook that
/// calls us. Settings that somebody gives git by variables are not among them.
const OF_ANOTHER_REPOSITORY: [&str; 16] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_QUARANTINE_PATH",
    "GIT_PREFIX",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_CONFIG",
    "GIT_GRAFT_FILE",
    "GIT_SHALLOW_FILE",
    "GIT_REPLACE_REF_BASE",
    "GIT_NO_REPLACE_OBJECTS",
];

/// Has a program run in this folder, and nothing in its surroundings name another one. What it is to know of a repository
/// is set behind this.
pub fn settle(command: &mut Command, folder: &Path) {
    command.current_dir(folder);
    for name in OF_ANOTHER_FOLDER.into_iter().chain(OF_ANOTHER_REPOSITORY) {
        command.env_remove(name);
    }
    match std::path::absolute(folder) {
        Ok(folder) => command.env("PWD", folder),
        Err(_) => command.env_remove("PWD"),
    };
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn a_child_is_told_of_its_own_folder_and_of_no_other() {
        let mut command = Command::new("any");
        command.env("GIT_DIR", "/live/.git").env("OLDPWD", "/live").env("GIT_AUTHOR_NAME", "me");
        settle(&mut command, Path::new("/copy"));
        let told: BTreeMap<_, _> = command.get_envs().collect();
        assert_eq!(told[OsStr::new("PWD")], Some(OsStr::new("/copy")));
        assert_eq!(told[OsStr::new("GIT_AUTHOR_NAME")], Some(OsStr::new("me")));
        for name in OF_ANOTHER_FOLDER.into_iter().chain(OF_ANOTHER_REPOSITORY) {
            assert_eq!(told[OsStr::new(name)], None, "{name}");
        }
        settle(&mut command, Path::new("."));
        let told: BTreeMap<_, _> = command.get_envs().collect();
        assert!(
            told[OsStr::new("PWD")].is_some_and(|folder| Path::new(folder).is_absolute()),
            "a shell's is never relative"
        );
    }
}
