//! Environment variables as a tool or a service sees them: those it is given, then those of this process.

use std::ffi::OsString;

use super::tools::session_variables;

/// The value of a variable: the last one given, otherwise this process's own. A blank value counts as unset.
pub(super) fn variable(name: &str, given: &[(OsString, OsString)]) -> Option<String> {
    let given = given.iter().rfind(|(own, _)| own == name).map(|(_, value)| value.to_string_lossy().into_owned());
    given.or_else(|| std::env::var(name).ok()).filter(|value| !value.trim().is_empty())
}

/// The variables of this process that match these patterns, without those that tell a tool that it runs inside another.
pub(super) fn inherited<P: AsRef<str>>(patterns: &[P]) -> Vec<(OsString, OsString)> {
    let mut variables = crate::process::inherited(patterns);
    variables.retain(|(name, _)| !session_variables().any(|session| name == session));
    variables
}
