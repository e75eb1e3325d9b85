//! Settings in TOML. They are changed in the text itself, by the places of what stands in it, so that line ends, comments
//! and order stay.

use std::ops::Range;
use std::path::Path;

use toml_edit::{Array, Document, Item, Table, Value};

use super::{EntryError, Origin, SERVER, Standing, Taken, unlike};

const SERVERS: &str = "mcp_servers";
const HEADER: &str = "[mcp_servers.rebut]";

/// Codex starts servers with few variables of its own. These are handed on where they are set: how deep we are inside of a
/// seat, where debates and settings are, and what the tools that take seats log in with.
const VARIABLES: [&str; 23] = [
    "REBUT_DEPTH",
    "REBUT_CHILD",
    "REBUT_STATE_DIR",
    "REBUT_MODEL_DIR",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "COPILOT_HOME",
    "ANTHROPIC_API_KEY",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "OPENAI_API_KEY",
    "CODEX_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OPENCODE_API_KEY",
    "KIRO_API_KEY",
    "COPILOT_GITHUB_TOKEN",
    "GH_TOKEN",
    "GITHUB_TOKEN",
];

/// The command of the entry under our name with its arguments: none where there is no entry, and an empty one where it names
/// none.
pub(super) fn command(path: &Path, text: &str) -> Result<Option<Vec<String>>, EntryError> {
    let document = parse(path, text)?;
    let Some(entry) = entry(path, &document)? else { return Ok(None) };
    let words = || -> Option<Vec<String>> {
        let command = entry.get("command")?.as_str()?.to_owned();
        let arguments = entry.get("args")?.as_array()?;
        let arguments = arguments.iter().map(|word| word.as_str().map(str::to_owned));
        [Some(command)].into_iter().chain(arguments).collect()
    };
    Ok(Some(words().unwrap_or_default()))
}

/// The entry under our name, as it stands.
pub(super) fn entry_text(path: &Path, text: &str) -> Result<Option<String>, EntryError> {
    let document = parse(path, text)?;
    let entry = entry(path, &document)?;
    Ok(entry.map(|entry| places(text, entry).into_iter().map(|place| &text[place]).collect()))
}

pub(super) fn with_server(path: &Path, text: &str, program: &str, standing: &Standing) -> Result<String, EntryError> {
    let end = line_end(text);
    let document = parse(path, text)?;
    let there = entry(path, &document)?;
    let edits = match (standing, there) {
        (Standing::Ours(_), Some(there)) => renewal(text, there, program),
        (_, there) => {
            let program = Value::from(program);
            let lines = [HEADER, &format!("command = {program}"), "args = [\"mcp\"]", &variables()];
            let ours: String = lines.iter().flat_map(|line| [*line, end]).collect();
            if let Some(there) = there {
                in_place_of(places(text, there), ours)
            } else {
                let break_off = if text.is_empty() || text.ends_with('\n') { "" } else { end };
                let gap = if text.trim().is_empty() { "" } else { end };
                vec![(text.len()..text.len(), format!("{break_off}{gap}{ours}"))]
            }
        }
    };
    checked(path, text, edited(text, edits))
}

/// Settings that have an entry of ours without it.
pub(super) fn without_server(path: &Path, text: &str, origin: Origin<'_>) -> Result<Taken, EntryError> {
    let document = parse(path, text)?;
    let Some(there) = entry(path, &document)? else { return Ok(Taken::Text(text.to_owned())) };
    let mut ours = places(text, there);
    // An entry of somebody else that ours replaced comes back into its place.
    if let Origin::Kept(kept) = origin
        && let Ok(before) = parse(path, kept)
        && let Some(theirs) = entry(path, &before)?
    {
        let lines = places(kept, theirs).into_iter().map(|place| &kept[place]).collect();
        return checked(path, text, edited(text, in_place_of(ours, lines))).map(Taken::Text);
    }
    // The empty line ahead of our entry came with it.
    if let Some(first) = ours.first_mut()
        && let Some(before) = text[..first.start].strip_suffix(line_end(text))
        && (before.is_empty() || before.ends_with('\n'))
    {
        first.start = before.len();
    }
    let left = checked(path, text, edited(text, in_place_of(ours, String::new())))?;
    if command(path, &left)?.is_some() {
        return Err(not_tables(path));
    }
    Ok(if left.trim().is_empty() && matches!(origin, Origin::Made) { Taken::Nothing } else { Taken::Text(left) })
}

/// What changes in an entry of ours: its command, and the variables where none are named.
fn renewal(text: &str, there: &Item, program: &str) -> Vec<(Range<usize>, String)> {
    let mut edits = Vec::new();
    if let Some(command) = there.get("command").filter(|command| command.as_str() != Some(program))
        && let Some(place) = command.span()
    {
        edits.push((place, Value::from(program).to_string()));
    }
    let arguments = there.get("args").and_then(Item::span);
    let has_lines = there.as_table().is_some_and(|table| !table.is_dotted());
    if let (true, None, Some(arguments)) = (has_lines, there.get("env_vars"), arguments) {
        let at = past_line(text, arguments.end);
        let break_off = if text[..at].ends_with('\n') { "" } else { line_end(text) };
        edits.push((at..at, format!("{break_off}{}{}", variables(), line_end(text))));
    }
    edits
}

/// The lines of an entry: its table and the tables below it, from each header to the last value. Comments ahead of a header
/// are no part of it.
fn places(text: &str, there: &Item) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    match there {
        Item::Table(table) => tables(text, table, &mut places),
        other => places.extend(other.span().map(|place| lines(text, place.start, place.end))),
    }
    places.sort_by_key(|place| place.start);
    places
}

fn tables(text: &str, table: &Table, places: &mut Vec<Range<usize>>) {
    if let Some(header) = table.span().filter(|_| !table.is_implicit() && !table.is_dotted()) {
        places.push(lines(text, header.start, last_value(table).unwrap_or_default().max(header.end)));
    }
    for (_, item) in table {
        match item {
            Item::Table(below) => tables(text, below, places),
            Item::ArrayOfTables(below) => below.iter().for_each(|below| tables(text, below, places)),
            Item::Value(_) | Item::None => {}
        }
    }
}

/// Where the last value that stands under a table's own header ends.
fn last_value(table: &Table) -> Option<usize> {
    let end = |item: &Item| match item {
        Item::Value(value) => value.span().map(|place| place.end),
        Item::Table(table) if table.is_dotted() => last_value(table),
        _ => None,
    };
    table.iter().filter_map(|(_, item)| end(item)).max()
}

fn lines(text: &str, start: usize, end: usize) -> Range<usize> {
    text[..start].rfind('\n').map_or(0, |before| before + 1)..past_line(text, end)
}

fn past_line(text: &str, place: usize) -> usize {
    text[place..].find('\n').map_or(text.len(), |end| place + end + 1)
}

/// The first of these places becomes this text, the others go.
fn in_place_of(places: Vec<Range<usize>>, text: String) -> Vec<(Range<usize>, String)> {
    let texts = std::iter::once(text).chain(std::iter::repeat(String::new()));
    places.into_iter().zip(texts).collect()
}

fn edited(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    let mut edited = text.to_owned();
    edits.sort_by_key(|(place, _)| place.start);
    for (place, new) in edits.into_iter().rev() {
        edited.replace_range(place, &new);
    }
    edited
}

/// The settings after a change, where nothing but our entry has changed. Tables that are written in one line or by keys
/// with dots can't be changed line by line.
fn checked(path: &Path, before: &str, after: String) -> Result<String, EntryError> {
    let rest = |text: &str| -> Option<toml::Table> {
        let mut whole: toml::Table = text.parse().ok()?;
        if let Some(servers) = whole.get_mut(SERVERS).and_then(toml::Value::as_table_mut) {
            servers.remove(SERVER);
            if servers.is_empty() {
                whole.remove(SERVERS);
            }
        }
        Some(whole)
    };
    match (rest(before), rest(&after)) {
        (Some(before), Some(rest)) if before == rest => Ok(after),
        _ => Err(not_tables(path)),
    }
}

fn not_tables(path: &Path) -> EntryError {
    unlike(path, "`mcp_servers` is not written as tables like [mcp_servers.NAME]")
}

fn parse<'a>(path: &Path, text: &'a str) -> Result<Document<&'a str>, EntryError> {
    Document::parse(text).map_err(|error| unlike(path, &format!("it is no TOML: {error}")))
}

fn entry<'a>(path: &Path, document: &'a Document<&str>) -> Result<Option<&'a Item>, EntryError> {
    let Some(servers) = document.get(SERVERS) else { return Ok(None) };
    let servers = servers.as_table_like().ok_or_else(|| unlike(path, "`mcp_servers` is no table"))?;
    Ok(servers.get(SERVER))
}

fn variables() -> String {
    format!("env_vars = {}", Array::from_iter(VARIABLES))
}

/// How the lines of a text end.
fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}
