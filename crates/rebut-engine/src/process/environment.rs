//! The environment of a child: what every program needs, what is named for it, and its folder.
//!
//! This is an allow-list: a list of secrets to withhold would never be complete.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// Paths, locale, proxy, certificates, terminal, the session's keyring, and the version manager that an interpreter may
/// come from; then those of Windows. A name that ends in `*` matches all that begin with it.
const EVERY_PROGRAM: &str = "
    PATH HOME USER LOGNAME SHELL TMPDIR TMP TEMP TZ LANG LANGUAGE LC_* TERM COLORTERM NO_COLOR COLUMNS LINES
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy
    SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA NODE_OPTIONS
    XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR
    DBUS_SESSION_BUS_ADDRESS GNOME_KEYRING_CONTROL SECURITYSESSIONID __CF_USER_TEXT_ENCODING
    LD_LIBRARY_PATH LOCALE_ARCHIVE NIX_LD NIX_LD_LIBRARY_PATH NIX_SSL_CERT_FILE
    NVM_DIR VOLTA_HOME ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR FNM_DIR
    SYSTEMROOT COMSPEC PATHEXT USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA HOMEDRIVE HOMEPATH";

/// Variables that name the folder that another program was in: the shell before its last `cd`, a package manager's caller;
/// and those that point git to another repository, as in a hook that calls us.
const OF_OTHER_FOLDERS: &str = "OLDPWD INIT_CWD GIT_DIR GIT_WORK_TREE GIT_IMPLICIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR
    GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_QUARANTINE_PATH GIT_PREFIX GIT_INTERNAL_SUPER_PREFIX GIT_NAMESPACE
    GIT_CONFIG GIT_GRAFT_FILE GIT_SHALLOW_FILE GIT_REPLACE_REF_BASE GIT_NO_REPLACE_OBJECTS";

/// The variables of this process that these patterns name, with their values.
pub(crate) fn inherited<P: AsRef<str>>(patterns: &[P]) -> Vec<(OsString, OsString)> {
    let matches = |name: &str, pattern: &str| match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern,
    };
    let is_named =
        |name: &OsString| name.to_str().is_some_and(|name| patterns.iter().any(|pattern| matches(name, pattern.as_ref())));
    std::env::vars_os().filter(|(name, _)| is_named(name)).collect()
}

pub(super) fn for_every_program() -> Vec<(OsString, OsString)> {
    inherited(&EVERY_PROGRAM.split_whitespace().collect::<Vec<_>>())
}

/// Has a program run in this folder, with no variable that names another one: some go by `PWD`. One that runs in a copy of
/// the workspace must not find its way back to the workspace itself.
pub fn settle(command: &mut Command, folder: &Path) {
    command.current_dir(folder);
    for name in OF_OTHER_FOLDERS.split_whitespace() {
        command.env_remove(name);
    }
    match std::path::absolute(folder) {
        Ok(folder) => command.env("PWD", folder),
        Err(_) => command.env_remove("PWD"),
    };
}
