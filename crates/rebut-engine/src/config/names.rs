//! Names, words and addresses that settings hold: which are well-formed.

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
