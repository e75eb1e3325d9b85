//! The entry of our server in a tool's settings: put in and taken out, with everything else left as it is written.

mod json;
mod toml;

use std::path::{Path, PathBuf};

/// The name of our server everywhere.
const SERVER: &str = "rebut";
/// What some editors put ahead of a text. It is no part of the settings, and stays.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// How a tool writes its servers down.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// JSON, `mcpServers.NAME`, with a command and its arguments.
    Servers {
        /// Its `type`, where the tool writes one.
        kind: Option<&'static str>,
    },
    /// The same as Copilot writes it.
    Copilot,
    /// JSON with comments, `mcp.NAME`, with command and arguments in one list.
    Opencode,
    /// TOML, `[mcp_servers.NAME]`.
    Toml,
}

/// What stands under our server's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Nothing.
    Free,
    /// An entry that starts rebut, by this command.
    Ours(String),
    /// An entry of somebody else.
    Foreign,
}

/// What the settings were before our entry was put in.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin<'a> {
    /// They were not there.
    Made,
    /// They were so.
    Kept(&'a str),
    /// Nobody knows any more.
    Unknown,
}

/// Settings without our entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// So they read.
    Text(String),
    /// They were made for our entry, and hold nothing else.
    Nothing,
}

/// Why an entry can't be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EntryError {
    /// There is no home to look in.
    #[error("there is no home folder whose settings could be changed")]
    NoHome,
    /// The settings can't be read.
    #[error("{} cannot be read: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// They are not what the tool would take.
    #[error("{}: {what}; it is left alone", path.display())]
    Unlike {
        /// The file.
        path: PathBuf,
        /// What stands there.
        what: String,
    },
    /// Their owner has locked them.
    #[error("{} is read-only; it is left alone", .0.display())]
    ReadOnly(PathBuf),
    /// They are a link to nowhere.
    #[error("{} is a link to a file that is not there; it is left alone", .0.display())]
    Dangling(PathBuf),
    /// The program's own path can't be written into settings.
    #[error("{} is not UTF-8, and cannot be entered into settings", .0.display())]
    Program(PathBuf),
}

impl Shape {
    /// What stands under our name. `program` is what would be entered.
    pub(super) fn standing(self, path: &Path, text: &str, program: &str) -> Result<Standing, EntryError> {
        let (_, text) = without_mark(text);
        let found = match self {
            Self::Toml => toml::command(path, text)?,
            Self::Servers { .. } | Self::Copilot | Self::Opencode => json::command(self, path, text)?,
        };
        Ok(match found {
            None => Standing::Free,
            Some(words) => match words.as_slice() {
                [command, arguments @ ..] if is_rebut(command, program) && arguments.iter().any(|word| word == "mcp") => {
                    Standing::Ours(command.clone())
                }
                _ => Standing::Foreign,
            },
        })
    }

    /// The settings with our server. An entry of ours has its command renewed and keeps what else stands in it; one of
    /// somebody else is replaced.
    pub(super) fn with_server(self, path: &Path, text: &str, program: &str) -> Result<String, EntryError> {
        let standing = self.standing(path, text, program)?;
        let (mark, text) = without_mark(text);
        let with = match self {
            Self::Toml => toml::with_server(path, text, program, &standing)?,
            Self::Servers { .. } | Self::Copilot | Self::Opencode => {
                json::with_server(self, path, text, program, &standing)?
            }
        };
        // Entries can be written in ways that we don't change.
        if self.standing(path, &with, program)? != Standing::Ours(program.to_owned()) {
            return Err(unlike(path, "the entry `rebut` in it is written in a way that cannot be changed"));
        }
        Ok(format!("{mark}{with}"))
    }

    /// Settings that have our server without it. What is known of their origin comes back: to the byte where nothing else
    /// has changed since, else the entry that ours replaced.
    pub(super) fn without_server(
        self,
        path: &Path,
        text: &str,
        origin: Origin<'_>,
        program: &str,
    ) -> Result<Taken, EntryError> {
        if let (Origin::Kept(kept), Standing::Ours(command)) = (origin, self.standing(path, text, program)?)
            && self.with_server(path, kept, &command).is_ok_and(|with| with == text)
        {
            return Ok(Taken::Text(kept.to_owned()));
        }
        let (mark, text) = without_mark(text);
        let origin = match origin {
            Origin::Kept(kept) => Origin::Kept(without_mark(kept).1),
            other => other,
        };
        let taken = match self {
            Self::Toml => toml::without_server(path, text, origin)?,
            Self::Servers { .. } | Self::Copilot | Self::Opencode => json::without_server(self, path, text, origin)?,
        };
        Ok(match taken {
            Taken::Text(text) => Taken::Text(format!("{mark}{text}")),
            Taken::Nothing => Taken::Nothing,
        })
    }

    /// Whether the entry under our name is just what we write, but for the space around its parts: nobody has added anything.
    pub(super) fn is_as_written(self, path: &Path, text: &str, program: &str) -> Result<bool, EntryError> {
        let Standing::Ours(command) = self.standing(path, text, program)? else { return Ok(false) };
        let fresh = self.with_server(path, "", &command)?;
        Ok(self.entry(path, text)? == self.entry(path, &fresh)?)
    }

    /// What should be known of the entry in settings that have one.
    pub(super) fn cautions(self, path: &Path, text: &str) -> Result<Vec<String>, EntryError> {
        let entry = self.entry(path, text)?.unwrap_or_default();
        let file = path.display();
        let mut notes = Vec::new();
        if ["\"enabled\":false", "\"disabled\":true", "enabled=false"].iter().any(|off| entry.contains(off)) {
            notes.push(format!("the entry `rebut` in {file} is switched off, and stays so: switch it on there"));
        }
        if matches!(self, Self::Toml) && !entry.contains("REBUT_DEPTH") {
            notes.push(format!(
                "add REBUT_DEPTH to `env_vars` of the entry `rebut` in {file}: it keeps debates from nesting"
            ));
        }
        Ok(notes)
    }

    /// The entry under our name as it is written, without space.
    fn entry(self, path: &Path, text: &str) -> Result<Option<String>, EntryError> {
        let (_, text) = without_mark(text);
        let entry = match self {
            Self::Toml => toml::entry_text(path, text)?,
            Self::Servers { .. } | Self::Copilot | Self::Opencode => json::entry_text(self, path, text)?,
        };
        Ok(entry.map(|entry| entry.chars().filter(|c| !c.is_whitespace()).collect()))
    }

    fn key(self) -> &'static str {
        match self {
            Self::Servers { .. } | Self::Copilot => "mcpServers",
            Self::Opencode => "mcp",
            Self::Toml => "mcp_servers",
        }
    }
}

/// Whether a command starts this program or another copy of it.
fn is_rebut(command: &str, program: &str) -> bool {
    let name = |path: &str| Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
    let command = name(command);
    command.as_deref().is_some_and(|name| name == "rebut" || name == "rebut.exe") || command == name(program)
}

fn without_mark(text: &str) -> (&str, &str) {
    text.strip_prefix(BYTE_ORDER_MARK).map_or(("", text), |rest| text.split_at(text.len() - rest.len()))
}

fn unlike(path: &Path, what: &str) -> EntryError {
    EntryError::Unlike { path: path.to_owned(), what: what.to_owned() }
}

#[cfg(test)]
mod tests;
