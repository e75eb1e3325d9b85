//! The folder of a child, in the system and in the variables that shells and git leave.
//!
//! Some programs go by `PWD` and not by the folder they run in. One that runs in a copy of the workspace must not find its
//! way back to the workspace itself.

use std::path::Path;
use std::process::Command;

/// Variables that name the folder that another program was in: the shell before its last `cd`, a package manager's caller;
/// and those that point git to another repository, as in a hook that calls us.
const OF_ELSEWHERE: &str = "OLDPWD INIT_CWD GIT_DIR GIT_WORK_TREE GIT_IMPLICIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR
    GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_QUARANTINE_PATH GIT_PREFIX GIT_INTERNAL_SUPER_PREFIX GIT_NAMESPACE
    GIT_CONFIG GIT_GRAFT_FILE GIT_SHALLOW_FILE GIT_REPLACE_REF_BASE GIT_NO_REPLACE_OBJECTS";

/// Has a program run in this folder, with no variable that names another one.
pub fn settle(command: &mut Command, folder: &Path) {
    command.current_dir(folder);
    for name in OF_ELSEWHERE.split_whitespace() {
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
    fn a_child_sees_its_own_folder_and_no_other() {
        let mut command = Command::new("any");
        command.env("GIT_DIR", "/live/.git").env("OLDPWD", "/live").env("GIT_AUTHOR_NAME", "me");
        settle(&mut command, Path::new("/copy"));
        let told: BTreeMap<_, _> = command.get_envs().collect();
        assert_eq!(told[OsStr::new("PWD")], Some(OsStr::new("/copy")));
        assert_eq!(told[OsStr::new("GIT_AUTHOR_NAME")], Some(OsStr::new("me")));
        for name in OF_ELSEWHERE.split_whitespace() {
            assert_eq!(told[OsStr::new(name)], None, "{name}");
        }
    }
}
