//! The entry of our server in a tool's settings: put in and taken out, with everything else left as it is written.

use std::path::{Path, PathBuf};

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use toml_edit::{Array, DocumentMut, Item, Table, value};

/// The name of our server everywhere.
const SERVER: &str = "rebut";

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
    /// The program's own path can't be written into settings.
    #[error("{} is not UTF-8, and cannot be entered into settings", .0.display())]
    Program(PathBuf),
}

impl Shape {
    /// The settings with our server, whether it stood there before or not.
    pub(super) fn with_server(self, path: &Path, text: &str, program: &Path) -> Result<String, EntryError> {
        let program = program.to_str().ok_or_else(|| EntryError::Program(program.to_owned()))?;
        let entry = match self {
            Self::Toml => return with_table(path, text, program),
            Self::Servers { kind } => {
                let kind = kind.map(|kind| ("type".to_owned(), CstInputValue::from(kind)));
                let rest = [("command", CstInputValue::from(program)), ("args", words(&["mcp"]))];
                object(kind.into_iter().chain(rest.map(|(name, value)| (name.to_owned(), value))))
            }
            Self::Copilot => object(
                [
                    ("type", CstInputValue::from("local")),
                    ("command", program.into()),
                    ("args", words(&["mcp"])),
                    ("tools", words(&["*"])),
                ]
                .map(|(name, value)| (name.to_owned(), value)),
            ),
            Self::Opencode => object(
                [("type", CstInputValue::from("local")), ("command", words(&[program, "mcp"])), ("enabled", true.into())]
                    .map(|(name, value)| (name.to_owned(), value)),
            ),
        };
        let root = parse(path, text)?;
        let whole = root.object_value_or_create().ok_or_else(|| unlike(path, "it is no JSON object"))?;
        let key = self.key();
        let servers =
            whole.object_value_or_create(key).ok_or_else(|| unlike(path, &format!("`{key}` is no JSON object")))?;
        match servers.get(SERVER) {
            // An entry that says the same stays as it is written.
            Some(there) if says(&servers, &entry) => drop(there),
            Some(there) => there.set_value(entry),
            None => drop(servers.append(SERVER, entry)),
        }
        Ok(ended(root.to_string()))
    }

    /// The settings without our server; none where nothing else stands in them.
    pub(super) fn without_server(self, path: &Path, text: &str) -> Result<Option<String>, EntryError> {
        if matches!(self, Self::Toml) {
            return without_table(path, text);
        }
        let root = parse(path, text)?;
        let whole = root.object_value().ok_or_else(|| unlike(path, "it is no JSON object"))?;
        let key = self.key();
        let Some(there) = whole.object_value(key).and_then(|servers| servers.get(SERVER)) else {
            return Ok(Some(text.to_owned()));
        };
        there.remove();
        if let Some(servers) = whole.get(key)
            && servers.object_value().is_some_and(|servers| is_bare(&servers))
        {
            servers.remove();
        }
        Ok(if is_bare(&whole) && !root.to_string().contains("//") { None } else { Some(ended(root.to_string())) })
    }

    fn key(self) -> &'static str {
        match self {
            Self::Servers { .. } | Self::Copilot => "mcpServers",
            Self::Opencode => "mcp",
            Self::Toml => "mcp_servers",
        }
    }
}

fn with_table(path: &Path, text: &str, program: &str) -> Result<String, EntryError> {
    let mut document: DocumentMut = text.parse().map_err(|error| unlike(path, &format!("it is no TOML: {error}")))?;
    let servers = document.entry("mcp_servers").or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let servers = servers.as_table_like_mut().ok_or_else(|| unlike(path, "`mcp_servers` is no table"))?;
    let is_so = servers.get(SERVER).is_some_and(|entry| {
        let arguments = entry.get("args").and_then(Item::as_array);
        let is_ours = arguments.is_some_and(|words| words.iter().map(|word| word.as_str()).eq([Some("mcp")]));
        is_ours && entry.get("command").and_then(Item::as_str) == Some(program)
    });
    if !is_so {
        let mut entry = Table::new();
        entry.insert("command", value(program));
        entry.insert("args", value(Array::from_iter(["mcp"])));
        servers.insert(SERVER, Item::Table(entry));
    }
    Ok(document.to_string())
}

fn without_table(path: &Path, text: &str) -> Result<Option<String>, EntryError> {
    let mut document: DocumentMut = text.parse().map_err(|error| unlike(path, &format!("it is no TOML: {error}")))?;
    let Some(servers) = document.get_mut("mcp_servers").and_then(Item::as_table_like_mut) else {
        return Ok(Some(text.to_owned()));
    };
    if servers.remove(SERVER).is_none() {
        return Ok(Some(text.to_owned()));
    }
    if servers.is_empty() {
        document.remove("mcp_servers");
    }
    let text = document.to_string();
    Ok((!text.trim().is_empty()).then_some(text))
}

fn parse(path: &Path, text: &str) -> Result<CstRootNode, EntryError> {
    let text = if text.trim().is_empty() { "{\n}\n" } else { text };
    CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| unlike(path, &format!("it is no JSON: {error}")))
}

fn unlike(path: &Path, what: &str) -> EntryError {
    EntryError::Unlike { path: path.to_owned(), what: what.to_owned() }
}

fn object(entries: impl IntoIterator<Item = (String, CstInputValue)>) -> CstInputValue {
    CstInputValue::Object(entries.into_iter().collect())
}

fn words(words: &[&str]) -> CstInputValue {
    CstInputValue::Array(words.iter().map(|word| CstInputValue::from(*word)).collect())
}

/// Whether the entry that stands there says the same.
fn says(servers: &CstObject, entry: &CstInputValue) -> bool {
    let fresh = CstRootNode::parse("{}", &ParseOptions::default()).ok().map(|root| {
        root.object_value_or_set().append(SERVER, entry.clone());
        without_space(&root.to_string())
    });
    let there = servers.get(SERVER).map(|there| format!("{{{}}}", without_space(&there.to_string())));
    fresh == there
}

fn without_space(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn is_bare(object: &CstObject) -> bool {
    object.properties().is_empty()
}

fn ended(text: String) -> String {
    if text.ends_with('\n') { text } else { text + "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put_in(shape: Shape, text: &str) -> String {
        shape.with_server(Path::new("settings"), text, Path::new("/usr/bin/rebut")).unwrap()
    }

    fn taken_out(shape: Shape, text: &str) -> Option<String> {
        shape.without_server(Path::new("settings"), text).unwrap()
    }

    #[test]
    fn an_entry_is_put_in_once_and_taken_out_again() {
        for (name, shape) in [
            ("servers", Shape::Servers { kind: Some("stdio") }),
            ("copilot", Shape::Copilot),
            ("opencode", Shape::Opencode),
            ("toml", Shape::Toml),
        ] {
            let text = put_in(shape, "");
            insta::assert_snapshot!(name, text);
            assert_eq!(put_in(shape, &text), text, "a second time changes nothing");
            assert_eq!(taken_out(shape, &text), None, "nothing else was there");
        }
    }

    #[test]
    fn everything_else_stays_as_it_is_written() {
        let json = "{\n    // mine\n    \"theme\": \"dark\",\n    \"mcp\": {\n        \"other\": { \"type\": \"local\" }, // keep\n    }\n}\n";
        let text = put_in(Shape::Opencode, json);
        assert!(text.contains("    // mine\n    \"theme\": \"dark\"") && text.contains("// keep"), "{text}");
        assert!(text.contains("\"rebut\": {"), "{text}");
        assert_eq!(taken_out(Shape::Opencode, &text).as_deref(), Some(json));
        let toml = "# mine\nmodel = \"x\"  # why\n\n[mcp_servers.other]\ncommand = \"o\"\n";
        let text = put_in(Shape::Toml, toml);
        assert!(text.starts_with(toml), "{text}");
        assert_eq!(taken_out(Shape::Toml, &text).as_deref(), Some(toml));
    }

    #[test]
    fn an_entry_of_an_older_place_is_renewed() {
        let old = put_in(Shape::Toml, "").replace("/usr/bin", "/old");
        assert!(put_in(Shape::Toml, &old).contains("/usr/bin/rebut"));
        let old = put_in(Shape::Copilot, "").replace("/usr/bin", "/old");
        let new = put_in(Shape::Copilot, &old);
        assert!(new.contains("/usr/bin/rebut") && !new.contains("/old"), "{new}");
    }

    #[test]
    fn what_is_no_settings_is_left_alone() {
        for (shape, text) in [
            (Shape::Copilot, "[]"),
            (Shape::Copilot, "{ \"mcpServers\": [] }"),
            (Shape::Opencode, "{ \"mcp\": "),
            (Shape::Toml, "mcp_servers = 5"),
            (Shape::Toml, "= ="),
        ] {
            let error = shape.with_server(Path::new("/s/settings"), text, Path::new("/r")).unwrap_err().to_string();
            assert!(error.starts_with("/s/settings: ") && error.ends_with("it is left alone"), "{error}");
        }
    }
}
