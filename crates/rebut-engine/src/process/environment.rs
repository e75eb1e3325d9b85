//! What a child sees of this process's environment: what every program needs, and what is named for it.
//!
//! This is an allow-list: a list of secrets to withhold would never be complete.

use std::ffi::{OsStr, OsString};

/// Paths, locale, proxy, certificates, terminal, the session's keyring, and the version manager that an interpreter may
/// come from; then those of Windows. A name that ends in `*` stands for all that begin with it.
const EVERY_PROGRAM: &str = "
    PATH HOME USER LOGNAME SHELL TMPDIR TMP TEMP TZ LANG LANGUAGE LC_* TERM COLORTERM NO_COLOR COLUMNS LINES
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy
    SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA NODE_OPTIONS
    XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR
    DBUS_SESSION_BUS_ADDRESS GNOME_KEYRING_CONTROL SECURITYSESSIONID __CF_USER_TEXT_ENCODING
    LD_LIBRARY_PATH LOCALE_ARCHIVE NIX_LD NIX_LD_LIBRARY_PATH NIX_SSL_CERT_FILE
    NVM_DIR VOLTA_HOME ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR FNM_DIR
    SYSTEMROOT COMSPEC PATHEXT USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA HOMEDRIVE HOMEPATH";

/// The variables of this process that these patterns name, with their values.
pub(crate) fn inherited<P: AsRef<str>>(patterns: &[P]) -> Vec<(OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| is_named(name, patterns)).collect()
}

pub(super) fn for_every_program() -> Vec<(OsString, OsString)> {
    inherited(&EVERY_PROGRAM.split_whitespace().collect::<Vec<_>>())
}

fn is_named<P: AsRef<str>>(name: &OsStr, patterns: &[P]) -> bool {
    let Some(name) = name.to_str() else { return false };
    patterns.iter().any(|pattern| match pattern.as_ref().strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern.as_ref(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_one_variable_or_all_that_begin_with_it() {
        let named = |name: &str, patterns: &[&str]| is_named(OsStr::new(name), patterns);
        let every: Vec<&str> = EVERY_PROGRAM.split_whitespace().collect();
        assert!(named("OPENAI_API_KEY", &["OPENAI_*"]) && named("PATH", &every) && named("LC_ALL", &every));
        assert!(!named("OPENAI_API_KEY", &["OPENAI"]) && !named("MY_OPENAI_KEY", &["OPENAI_*"]));
    }
}
