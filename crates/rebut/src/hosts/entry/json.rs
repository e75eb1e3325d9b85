//! Settings in JSON, with comments or without.
//!
//! What stands there is read by its place in the text; changes leave all other places as they are.

use std::path::Path;

use jsonc_parser::ast::Value as Tree;
use jsonc_parser::common::Ranged;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Value, json};

use super::{EntryError, Origin, SERVER, Shape, Standing, Taken, unlike};

/// The command of the entry under our name with its arguments: none where there is no entry, and an empty one where it names
/// none.
pub(super) fn command(shape: Shape, path: &Path, text: &str) -> Result<Option<Vec<String>>, EntryError> {
    let Some(whole) = tree(path, text)? else { return Ok(None) };
    let Some(entry) = member(path, &whole, &[shape.key(), SERVER])? else { return Ok(None) };
    let Tree::Object(entry) = entry else { return Ok(Some(Vec::new())) };
    let strings = |name: &str| -> Option<Vec<String>> {
        let string = |value: &Tree| value.as_string_lit().map(|string| string.value.to_string());
        match &entry.properties.iter().find(|property| property.name.as_str() == name)?.value {
            Tree::Array(array) => array.elements.iter().map(string).collect(),
            value => string(value).map(|word| vec![word]),
        }
    };
    let words = match shape {
        Shape::Opencode => strings("command"),
        _ => strings("command").zip(strings("args")).map(|(command, arguments)| [command, arguments].concat()),
    };
    Ok(Some(words.unwrap_or_default()))
}

/// The entry under our name, as it stands.
pub(super) fn entry_text(shape: Shape, path: &Path, text: &str) -> Result<Option<String>, EntryError> {
    let Some(whole) = tree(path, text)? else { return Ok(None) };
    Ok(member(path, &whole, &[shape.key(), SERVER])?.map(|entry| entry.text(text).to_owned()))
}

pub(super) fn with_server(
    shape: Shape,
    path: &Path,
    text: &str,
    program: &str,
    standing: &Standing,
) -> Result<String, EntryError> {
    let entry = match shape {
        Shape::Servers { kind: Some(kind) } => json!({ "type": kind, "command": program, "args": ["mcp"] }),
        Shape::Copilot => json!({ "type": "local", "command": program, "args": ["mcp"], "tools": ["*"] }),
        Shape::Opencode => json!({ "type": "local", "command": [program, "mcp"], "enabled": true }),
        Shape::Servers { kind: None } | Shape::Toml => json!({ "command": program, "args": ["mcp"] }),
    };
    if let Standing::Ours(command) = standing {
        return if command == program { Ok(text.to_owned()) } else { renewed(shape, path, text, program) };
    }
    if *standing == Standing::Free
        && let Some(text) = in_one_line(shape, path, text, &entry)?
    {
        return Ok(text);
    }
    let is_blank = text.trim().is_empty();
    let root = parse(path, if is_blank { "{\n}\n" } else { text })?;
    let key = shape.key();
    let servers = root
        .object_value_or_create()
        .ok_or_else(|| unlike(path, "it is no JSON object"))?
        .object_value_or_create(key)
        .ok_or_else(|| unlike(path, &format!("`{key}` is no JSON object")))?;
    match servers.get(SERVER) {
        Some(there) => there.set_value(input(&entry)),
        None => drop(servers.append(SERVER, input(&entry))),
    }
    Ok(root.to_string())
}

/// Settings that have an entry of ours without it.
pub(super) fn without_server(shape: Shape, path: &Path, text: &str, origin: Origin<'_>) -> Result<Taken, EntryError> {
    let key = shape.key();
    let kept = match origin {
        Origin::Kept(kept) => tree(path, kept).unwrap_or_default().map(|whole| (kept, whole)),
        Origin::Made | Origin::Unknown => None,
    };
    // An entry of somebody else that ours replaced comes back into its place.
    if let Some((kept, whole)) = &kept
        && let Some(theirs) = member(path, whole, &[key, SERVER])?
        && let Some(whole) = tree(path, text)?
        && let Some(ours) = member(path, &whole, &[key, SERVER])?
    {
        return Ok(Taken::Text([&text[..ours.start()], theirs.text(kept), &text[ours.end()..]].concat()));
    }
    let root = parse(path, text)?;
    let whole = root.object_value().ok_or_else(|| unlike(path, "it is no JSON object"))?;
    if let Some(there) = whole.object_value(key).and_then(|servers| servers.get(SERVER)) {
        there.remove();
    }
    // The object around it goes where we made it too.
    let is_ours = match (origin, &kept) {
        (Origin::Made, _) => true,
        (_, Some((_, whole))) => member(path, whole, &[key])?.is_none(),
        _ => false,
    };
    if is_ours
        && let Some(servers) = whole.get(key)
        && servers.object_value().is_some_and(|servers| is_bare(&servers))
    {
        servers.remove();
    }
    let text = root.to_string();
    let is_bare = text.chars().filter(|c| !c.is_whitespace()).eq("{}".chars());
    Ok(if is_bare && matches!(origin, Origin::Made) { Taken::Nothing } else { Taken::Text(text) })
}

/// The same settings with another command in our entry.
fn renewed(shape: Shape, path: &Path, text: &str, program: &str) -> Result<String, EntryError> {
    let Some(whole) = tree(path, text)? else { return Ok(text.to_owned()) };
    let Some(there) = member(path, &whole, &[shape.key(), SERVER, "command"])? else { return Ok(text.to_owned()) };
    // The arguments after it, in the same list or beside it, are the person's to choose.
    let there = match there {
        Tree::Array(words) => words.elements.first().map_or(there.range(), Ranged::range),
        word => word.range(),
    };
    Ok([&text[..there.start], &json!(program).to_string(), &text[there.end..]].concat())
}

/// Settings that are written in one line stay so.
fn in_one_line(shape: Shape, path: &Path, text: &str, entry: &Value) -> Result<Option<String>, EntryError> {
    let Some(whole) = tree(path, text)? else { return Ok(None) };
    let is_one = |part: &Tree| matches!(part, Tree::Object(object) if !object.properties.is_empty());
    if !is_one(&whole) || whole.text(text).contains(['\n', '\r']) || whole.text(text).contains("/*") {
        return Ok(None);
    }
    let (around, name, entry) = match member(path, &whole, &[shape.key()])? {
        Some(servers) => (servers.range(), SERVER, entry.clone()),
        None => (whole.range(), shape.key(), json!({ SERVER: entry })),
    };
    let inside = text[around.start + 1..around.end - 1].trim_end();
    let (before, after) = text.split_at(around.start + 1 + inside.len());
    let is_first = inside.is_empty() || inside.ends_with(',');
    let comma = if is_first { "" } else { "," };
    let (gap, colon) = if text.contains("\": ") { (" ", ": ") } else { ("", ":") };
    let gap = if inside.is_empty() { "" } else { gap };
    Ok(Some(format!("{before}{comma}{gap}\"{name}\"{colon}{entry}{after}")))
}

/// The settings as a tree that knows the place of each part; none where nothing stands in them.
fn tree<'a>(path: &Path, text: &'a str) -> Result<Option<Tree<'a>>, EntryError> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    Ok(parsed.map_err(|error| unlike(path, &format!("it is no JSON: {error}")))?.value)
}

/// The value that these keys lead to. Of a key that stands there twice, nobody knows which one the tool takes.
fn member<'a, 'b>(path: &Path, whole: &'b Tree<'a>, keys: &[&str]) -> Result<Option<&'b Tree<'a>>, EntryError> {
    let mut part = whole;
    let mut name = "it".to_owned();
    for key in keys {
        let Tree::Object(object) = part else { return Err(unlike(path, &format!("{name} is no JSON object"))) };
        let mut found = object.properties.iter().filter(|property| property.name.as_str() == *key);
        let Some(first) = found.next() else { return Ok(None) };
        if found.next().is_some() {
            return Err(unlike(path, &format!("`{key}` stands there twice, and one of the two has to go")));
        }
        part = &first.value;
        name = format!("`{key}`");
    }
    Ok(Some(part))
}

fn parse(path: &Path, text: &str) -> Result<CstRootNode, EntryError> {
    CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| unlike(path, &format!("it is no JSON: {error}")))
}

fn is_bare(object: &CstObject) -> bool {
    object.properties().is_empty() && !object.children().iter().any(CstNode::is_comment)
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => (*value).into(),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => value.as_str().into(),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(values) => {
            CstInputValue::Object(values.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}
