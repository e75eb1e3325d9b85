//! What can be wrong with a configuration: what happened, where, and what to do.

use std::borrow::Cow;
use std::path::PathBuf;

/// A configuration that cannot be used. A spot is `FILE:LINE:COLUMN`, a variable or a flag; columns count characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    #[error("can't read {}: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("malformed {language} in {spot}: {reason}")]
    Malformed { language: &'static str, spot: String, reason: String },
    #[error("unknown setting `{key}` in {spot}; did you mean `{nearest}`?")]
    UnknownKey { spot: String, key: String, nearest: String },
    /// A key that is no setting, asked for by itself.
    #[error("there is no setting `{key}`")]
    NoSuchKey { key: String, nearest: String },
    #[error("invalid value {} for `{key}` in {spot}: expected {takes}", shown(key, value))]
    WrongValue { spot: String, key: String, value: String, takes: String },
    #[error("`{key}` in {spot} is not a project's to set; remove it there and set it in your own config.toml")]
    UserOnly { spot: String, key: String },
    #[error(
        "`{key}` in {spot} names `{seat}`, and a project may not choose scripts, your own agents or files of weights; remove \
         it there and name it in your own config.toml or with a flag"
    )]
    UsersSeat { spot: String, key: String, seat: String },
    #[error("unknown environment variable {name}; did you mean {nearest}?")]
    UnknownVariable { name: String, nearest: String },
    #[error("`{name}` in {} is not a prompt; did you mean `{nearest}`?", folder.display())]
    UnknownPrompt { folder: PathBuf, name: String, nearest: String },
    #[error("{} leads out of {}; a project's prompts must lie within it", path.display(), project.display())]
    LeadsOutside { path: PathBuf, project: PathBuf },
}

/// A text for one line of a terminal: somebody else may have written it, so it brings no line break and no escape code.
pub(super) fn harmless(text: &str) -> String {
    let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(escape).collect()
}

/// The same, cut to what an error has room for.
pub(super) fn short(text: &str) -> String {
    const ROOM: usize = 80;
    let mut cut: String = text.chars().take(ROOM).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    harmless(&cut)
}

/// The value as it may be shown: an address can hold a password or a key.
fn shown<'a>(key: &str, value: &'a str) -> Cow<'a, str> {
    if key.ends_with("base_url") && value.contains(['@', '?', '#']) {
        return Cow::Borrowed("(not shown, since it may hold a secret)");
    }
    crate::redact::redact(value)
}
