//! Names, words and addresses that settings hold: which are well-formed.

use std::net::IpAddr;
use std::path::Path;

use crate::providers::TOOLS;

/// Names that no service can have, beside those of tools.
const TAKEN: [&str; 2] = ["script", "local"];

pub(super) fn is_tool_name(name: &str) -> bool {
    TOOLS.iter().any(|tool| tool.name == name)
}

pub(crate) fn is_service_name(name: &str) -> bool {
    is_word(name) && !TAKEN.contains(&name) && !is_tool_name(name)
}

/// Whether this can follow `acp:`, or `run` in a claim.
pub(crate) fn is_agent_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    (1..=40).contains(&name.len()) && !name.starts_with('-') && name.chars().all(allowed)
}

/// Whether this can be passed to a tool as a model: no flag, nothing that needs quotes.
pub(crate) fn is_model_name(model: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._:/@[]-".contains(c);
    !model.is_empty() && !model.starts_with('-') && model.chars().all(allowed)
}

pub(super) fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// Whether this is the name of an environment variable.
pub(super) fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The same in capitals, so that a key is not taken for the variable that holds it.
pub(super) fn is_key_variable(name: &str) -> bool {
    is_variable(name) && !name.contains(|c: char| c.is_ascii_lowercase())
}

/// Only a shell expands `~`; taken literally it would make a folder of that name.
pub(super) fn is_folder(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('~')
}

/// A path that is not absolute would be resolved in the folder that a debate is about, which others write.
pub(super) fn is_absolute(path: &str) -> bool {
    Path::new(path).is_absolute()
}

/// An absolute path, or a name to look for on the search path.
pub(super) fn is_program_name(program: &str) -> bool {
    is_absolute(program) || (is_folder(program) && !program.contains(['/', '\\']))
}

/// Whether requests can be sent to this address. One with a password is refused: addresses are shown.
pub(crate) fn is_address(text: &str) -> bool {
    reqwest::Url::parse(text).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
    })
}

/// Whether an address is on this machine.
pub(crate) fn is_loopback(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
