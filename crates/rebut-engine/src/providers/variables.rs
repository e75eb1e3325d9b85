//! What a variable holds for a tool or a service: what it was given, else what this process has.

use std::ffi::{OsStr, OsString};

use super::tools::session_variables;

/// The value of a variable; the last of those that were given counts, and one that is blank holds nothing.
pub(super) fn variable<N: AsRef<OsStr>, V: AsRef<OsStr>>(
    name: &str,
    given: impl DoubleEndedIterator<Item = (N, V)>,
) -> Option<String> {
    let mut given = given;
    let own = given.rfind(|(own, _)| own.as_ref() == name).map(|(_, value)| value.as_ref().to_string_lossy().into_owned());
    own.or_else(|| std::env::var(name).ok()).filter(|value| !value.trim().is_empty())
}

/// The variables of this process that these patterns name. Those by which a tool would take itself for one that runs inside
/// another are left out.
pub(super) fn inherited<P: AsRef<str>>(patterns: &[P]) -> Vec<(OsString, OsString)> {
    let mut variables = crate::process::inherited(patterns);
    variables.retain(|(name, _)| !session_variables().any(|session| name == session));
    variables
}

/// Whether a variable that a pattern names is set; a `*` at its end matches any rest.
pub(super) fn is_set(pattern: &str) -> bool {
    inherited(&[pattern]).iter().any(|(_, value)| !value.is_empty())
}
