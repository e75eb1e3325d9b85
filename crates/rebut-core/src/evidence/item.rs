//! Evidence as it is listed: one flat object, the same for claims, findings and panel sources.
//!
//! Nothing is looked up here; this module knows no files, pages or commands.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use super::marks::neutral_line;

/// One piece of evidence. Which keys are set says what kind it is: see [`Evidence::subject`].
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Wire")]
pub struct Evidence {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Lines>,
    /// Words that the file, commit or page contains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// Claims that the file, or the quote in it, does not exist.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub absent: bool,
    /// A commit hash; with `file`, that file as of the commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// A page on the web.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// A regular expression to search the workspace for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// The file or folder that is searched; the whole workspace without it.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// How many lines match the search; at least one without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// A command that the user allows by this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

/// What a piece of evidence points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject<'a> {
    Commit {
        hash: &'a str,
        file: Option<&'a str>,
        lines: Option<Lines>,
    },
    Page {
        url: &'a str,
    },
    Search {
        pattern: &'a str,
        within: Option<&'a str>,
        count: Option<u64>,
    },
    /// A command that the user allows.
    Command {
        name: &'a str,
    },
    File {
        path: &'a str,
        lines: Option<Lines>,
    },
}

impl Evidence {
    pub fn file(path: impl Into<String>, lines: Option<Lines>) -> Self {
        Self { file: Some(path.into()), lines, ..Self::default() }
    }

    pub fn page(url: impl Into<String>) -> Self {
        Self { url: Some(url.into()), ..Self::default() }
    }

    pub fn commit(hash: impl Into<String>) -> Self {
        Self { commit: Some(hash.into()), ..Self::default() }
    }

    #[must_use]
    pub fn quoting(self, quote: impl Into<String>) -> Self {
        Self { quote: Some(quote.into()), ..self }
    }

    /// What it points at: the first of commit, url, search, run and file that is set.
    pub fn subject(&self) -> Subject<'_> {
        let file = self.file.as_deref();
        if let Some(hash) = &self.commit {
            Subject::Commit { hash, file, lines: self.lines }
        } else if let Some(url) = &self.url {
            Subject::Page { url }
        } else if let Some(pattern) = &self.search {
            Subject::Search { pattern, within: self.within.as_deref(), count: self.count }
        } else if let Some(name) = &self.run {
            Subject::Command { name }
        } else {
            Subject::File { path: file.unwrap_or_default(), lines: self.lines }
        }
    }

    /// The place with the quote that must be there, in one line with no mark of a check: `src/pool.rs:88 "drop(guard);"`.
    pub fn described(&self) -> String {
        const LONGEST: usize = 120;
        let place = neutral_line(&self.to_string());
        let Some(quote) = &self.quote else { return place };
        let quote = neutral_line(quote);
        match quote.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{place} \"{} …\"", quote[..end].trim_end()),
            None => format!("{place} \"{quote}\""),
        }
    }

    /// The JSON Schema of one piece of evidence, every key required and nullable. `commands` are the names that `run` may
    /// have; without them neither `search` nor `run` is offered.
    pub fn schema(commands: Option<&[String]>) -> Value {
        let text = || json!({"type": ["string", "null"]});
        let mut properties = json!({
            "file": text(), "lines": text(), "quote": text(), "absent": {"type": ["boolean", "null"]},
            "commit": text(), "url": text(),
        });
        if let Some(commands) = commands {
            properties["search"] = text();
            properties["in"] = text();
            properties["count"] = json!({"type": ["integer", "null"], "minimum": 0});
            let names = commands.iter().map(|name| json!(name)).chain([Value::Null]).collect::<Vec<_>>();
            properties["run"] = json!({"type": ["string", "null"], "enum": names});
        }
        strict_object(properties)
    }
}

/// A schema for an object with exactly these properties, all of them required.
pub(crate) fn strict_object(properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().map(|all| all.keys().collect()).unwrap_or_default();
    let mut schema = json!({"type": "object", "properties": null, "required": required, "additionalProperties": false});
    // Set afterwards: the macro would copy it.
    schema["properties"] = properties;
    schema
}

impl fmt::Display for Evidence {
    /// `src/pool.rs:88-95`, `commit 3fa9c2e src/pool.rs:3`, `search "unwrap" in src = 3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.absent {
            f.write_str("absent: ")?;
        }
        let place = |f: &mut fmt::Formatter<'_>, path: &str, lines: Option<Lines>| match lines {
            Some(lines) => write!(f, "{path}:{lines}"),
            None => f.write_str(path),
        };
        match self.subject() {
            Subject::Commit { hash, file: None, .. } => write!(f, "commit {hash}"),
            Subject::Commit { hash, file: Some(file), lines } => {
                write!(f, "commit {hash} ")?;
                place(f, file, lines)
            }
            Subject::Page { url } => f.write_str(url),
            Subject::Search { pattern, within, count } => {
                write!(f, "search \"{pattern}\"")?;
                within.iter().try_for_each(|path| write!(f, " in {path}"))?;
                count.iter().try_for_each(|count| write!(f, " = {count}"))
            }
            Subject::Command { name } => write!(f, "run {name}"),
            Subject::File { path, lines } => place(f, path, lines),
        }
    }
}

/// The object as it arrives: keys that are missing, null or empty are not set.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    file: Option<String>,
    #[serde(default, deserialize_with = "lines_if_set")]
    lines: Option<Lines>,
    quote: Option<String>,
    absent: Option<bool>,
    commit: Option<String>,
    url: Option<String>,
    search: Option<String>,
    #[serde(rename = "in")]
    within: Option<String>,
    count: Option<u64>,
    run: Option<String>,
}

fn lines_if_set<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Lines>, D::Error> {
    match Value::deserialize(from)? {
        Value::Null => Ok(None),
        Value::String(text) if text.trim().is_empty() => Ok(None),
        value => Lines::deserialize(value).map(Some).map_err(serde::de::Error::custom),
    }
}

impl TryFrom<Wire> for Evidence {
    type Error = &'static str;

    fn try_from(wire: Wire) -> Result<Self, Self::Error> {
        let filled = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let absent = wire.absent.unwrap_or(false);
        // That nothing matches is a search with no matching lines.
        let is_search = wire.search.is_some() && wire.commit.is_none() && wire.url.is_none();
        let count = if is_search && absent { Some(0) } else { wire.count };
        let read = Self {
            file: filled(wire.file),
            lines: wire.lines,
            quote: filled(wire.quote),
            absent: absent && !is_search,
            commit: filled(wire.commit),
            url: filled(wire.url),
            search: filled(wire.search),
            within: filled(wire.within),
            count,
            run: filled(wire.run),
        };
        let subjects = [&read.commit, &read.url, &read.search, &read.run, &read.file];
        if subjects.iter().all(|subject| subject.is_none()) {
            return Err("evidence names no file, commit, url, search or run");
        }
        if read.absent && matches!(read.subject(), Subject::Command { .. }) {
            return Err("a command can't be absent");
        }
        Ok(read)
    }
}

/// Lines of a file, counted from 1: `88-95`, `88`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lines {
    pub first: u32,
    /// The last line, not before the first.
    pub last: u32,
}

impl Lines {
    /// Lines from one to another, in either order.
    pub fn new(one: u32, other: u32) -> Self {
        Self { first: one.min(other), last: one.max(other) }
    }

    pub fn one(line: u32) -> Self {
        Self::new(line, line)
    }

    /// Reads `88-95`, `88` or `L88-L95`.
    pub fn read(text: &str) -> Option<Self> {
        let number = |text: &str| text.trim().trim_start_matches(['L', 'l']).parse().ok();
        let text = text.trim();
        match text.split_once(['-', '\u{2013}']) {
            Some((first, last)) => Some(Self::new(number(first)?, number(last)?)),
            None => number(text).map(Self::one),
        }
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last { self.first.fmt(f) } else { write!(f, "{}-{}", self.first, self.last) }
    }
}

impl Serialize for Lines {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Lines {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        let read = match &value {
            Value::String(text) => Self::read(text),
            Value::Number(number) => number.as_u64().and_then(|line| u32::try_from(line).ok()).map(Self::one),
            _ => None,
        };
        read.ok_or_else(|| serde::de::Error::custom(format!("lines are written \"88-95\" or \"88\", not {value}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Evidence, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    #[test]
    fn the_kind_is_the_first_key_that_is_set() {
        for (json, shown) in [
            (r#"{"file": "src/pool.rs", "lines": "88-95", "quote": "drop(guard);"}"#, "src/pool.rs:88-95"),
            (r#"{"file": "src/pool.rs", "lines": 88}"#, "src/pool.rs:88"),
            (r#"{"file": "src/pool.rs", "lines": " "}"#, "src/pool.rs"),
            (r#"{"file": "src/pool.rs", "lines": null}"#, "src/pool.rs"),
            (r#"{"file": "src/pool.rs", "lines": "L88", "commit": "3fa9c2e"}"#, "commit 3fa9c2e src/pool.rs:88"),
            (r#"{"url": "https://example.com/", "file": ""}"#, "https://example.com/"),
            (r#"{"search": "unwrap", "in": "src", "count": 3}"#, "search \"unwrap\" in src = 3"),
            (r#"{"run": "bench", "file": null, "absent": null}"#, "run bench"),
            (r#"{"file": "src/tls.rs", "absent": true}"#, "absent: src/tls.rs"),
            (r#"{"search": "unwrap", "in": "src", "absent": true}"#, "search \"unwrap\" in src = 0"),
        ] {
            assert_eq!(read(json).unwrap().to_string(), shown, "{json}");
        }
    }

    #[test]
    fn what_is_not_of_this_form_is_refused() {
        for (json, reason) in [
            (r#"{"file": "a.rs", "line": 3}"#, "unknown field `line`"),
            (r#"{"file": "a.rs", "file": "b.rs"}"#, "duplicate field `file`"),
            (r#"{"file": "", "quote": "x"}"#, "names no file"),
            (r#"{"file": "a.rs", "lines": "ten"}"#, "lines are written"),
            (r#""src/pool.rs:88""#, "invalid type"),
            (r#"{"run": "test", "absent": true}"#, "can't be absent"),
        ] {
            let error = read(json).unwrap_err();
            assert!(error.contains(reason), "{json}: {error}");
        }
    }

    #[test]
    fn evidence_is_kept_without_its_empty_keys() {
        let evidence = Evidence::file("a.rs", Some(Lines::new(3, 1))).quoting("x");
        let json = serde_json::to_string(&evidence).unwrap();
        assert_eq!(json, r#"{"file":"a.rs","lines":"1-3","quote":"x"}"#);
        assert_eq!(read(&json).unwrap(), evidence);
    }

    #[test]
    fn searches_and_commands_are_offered_only_where_they_are_allowed() {
        let keys = |commands: Option<&[String]>| Evidence::schema(commands)["required"].to_string();
        assert_eq!(keys(None), r#"["file","lines","quote","absent","commit","url"]"#);
        let all = r#"["file","lines","quote","absent","commit","url","search","in","count","run"]"#;
        assert_eq!(keys(Some(&["bench".to_owned()])), all);
        assert_eq!(Evidence::schema(Some(&["bench".to_owned()]))["properties"]["run"]["enum"], json!(["bench", null]));
    }
}
