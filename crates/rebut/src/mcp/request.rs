//! `debate_start`: its schema derives from the command line, and a call becomes a command line, so a host can pass everything
//! that a user can type.

use std::any::TypeId;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command as Definition};
use rebut_engine::providers::SeatSpec;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::tools::schema;
use crate::cli::{self, DEBATES, about};
use crate::commands::Command;

/// Flags that a host can't set: every debate runs in the background, nothing is asked, and only the user grants trust.
const EXCLUDED: [&str; 5] = ["detach", "queue", "notify", "pick", "trust-project-prompts"];

/// The fields that are not flags.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Fields {
    /// What the user typed after the slash command, unchanged: parsed like rebut's own command line, flags included
    /// ("Should we shard? --proposer claude --rounds 3", "review --scope base:main"). If empty, the uncommitted changes
    /// are reviewed. Can't be combined with flags as fields.
    #[serde(default)]
    arguments: Option<String>,
    /// The kind of debate [default: duel].
    #[serde(default)]
    format: Option<String>,
    /// The topic or question. Requests in words are understood: "codex vs gemini about our retry policy, 3 rounds,
    /// thorough". For a review: a file, a revision or a range.
    #[serde(default)]
    topic: Option<String>,
    /// For a review: the text to review, such as your last message or the user's selection.
    #[serde(default)]
    artifact: Option<String>,
    /// The project's folder [default: where this server was started].
    #[serde(default)]
    folder: Option<PathBuf>,
    /// How long to wait for the result before returning the status; the debate continues either way.
    #[serde(default)]
    wait_seconds: Option<f64>,
}

#[derive(Debug)]
pub(super) struct Request {
    pub(super) command: Command,
    pub(super) folder: Option<PathBuf>,
    pub(super) wait_seconds: Option<f64>,
    format: &'static str,
    matches: ArgMatches,
}

pub(super) fn input_schema() -> JsonObject {
    let mut all = schema::<Fields>();
    if let Some(Value::Object(properties)) = all.get_mut("properties") {
        let abouts = formats().map(|format| format!("{}: {}", format.get_name(), about(&format)));
        let kinds = format!("The kind of debate [default: duel]. {}", abouts.collect::<Vec<_>>().join("; "));
        properties.insert("format".to_owned(), json!({ "type": "string", "enum": DEBATES, "description": kinds }));
        for format in formats() {
            for flag in flags(&format) {
                let name = field(flag);
                if !properties.contains_key(&name) {
                    let mut property = shape(flag);
                    property["description"] = description(&name).into();
                    properties.insert(name, property);
                }
            }
        }
    }
    all
}

pub(super) fn formats() -> impl Iterator<Item = Definition> {
    let definition = cli::definition();
    DEBATES.into_iter().filter_map(move |name| definition.find_subcommand(name).cloned())
}

fn flags(format: &Definition) -> impl Iterator<Item = &Arg> {
    let is_offered = |arg: &&Arg| arg.get_long().is_some_and(|long| !EXCLUDED.contains(&long)) && !arg.is_hide_set();
    format.get_arguments().filter(is_offered)
}

/// The name of a flag as a field: `max_rounds`.
fn field(flag: &Arg) -> String {
    flag.get_long().unwrap_or_default().replace('-', "_")
}

fn shape(flag: &Arg) -> Value {
    let is = |id: TypeId| flag.get_value_parser().type_id() == id;
    let names: Vec<String> = flag.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let one = if matches!(flag.get_action(), ArgAction::SetTrue) {
        json!({ "type": "boolean" })
    } else if !names.is_empty() {
        json!({ "type": "string", "enum": names })
    } else if is(TypeId::of::<i64>()) {
        json!({ "type": "integer" })
    } else if is(TypeId::of::<f64>()) || is(TypeId::of::<toml::Value>()) {
        json!({ "type": "number" })
    } else {
        json!({ "type": "string" })
    };
    if matches!(flag.get_action(), ArgAction::Append) { json!({ "type": "array", "items": one }) } else { one }
}

/// The help of a flag, per format where they differ.
fn description(name: &str) -> String {
    let mut helps: Vec<(String, Vec<&str>)> = Vec::new();
    for (format, definition) in DEBATES.into_iter().zip(formats()) {
        let Some(flag) = flags(&definition).find(|flag| field(flag) == name) else { continue };
        let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
        match helps.iter_mut().find(|(known, _)| *known == help) {
            Some((_, formats)) => formats.push(format),
            None => helps.push((help, vec![format])),
        }
    }
    let texts = helps.iter().map(|(help, formats)| match formats.len() {
        5 => help.clone(),
        _ => format!("{}: {help}", formats.join(", ")),
    });
    texts.collect::<Vec<_>>().join("; ")
}

impl Request {
    pub(super) fn read(call: JsonObject) -> Result<Self, String> {
        let is_flag = |name: &str| formats().any(|format| flags(&format).any(|flag| field(flag) == name));
        let (given, own): (JsonObject, JsonObject) = call.into_iter().partition(|(name, _)| is_flag(name));
        let fields: Fields = serde_json::from_value(Value::Object(own)).map_err(|error| error.to_string())?;
        let format = fields.format.as_deref().map(format_named).transpose()?;
        let mut request = match &fields.arguments {
            Some(words) => {
                let topic = fields.topic.is_some().then_some("topic");
                if let Some(field) = topic.or(given.keys().next().map(String::as_str)) {
                    return Err(format!("`arguments` and `{field}` can't be combined: put everything into `arguments`"));
                }
                of_words(words, format)?
            }
            None => of_fields(format.unwrap_or("duel"), &fields, &given)?,
        };
        if let Some(artifact) = fields.artifact {
            match &mut request.command {
                Command::Review(review) if positional(&request.matches, request.format).is_empty() => {
                    review.artifact = Some(artifact);
                }
                Command::Review(_) => return Err("`artifact` can't be combined with another thing to review".to_owned()),
                _ => return Err(format!("`artifact` is for a review, not for {}", request.format)),
            }
        }
        Ok(Self { folder: fields.folder, wait_seconds: fields.wait_seconds, ..request })
    }

    pub(super) fn earlier(&self) -> Option<&str> {
        self.matches.try_get_one::<String>("from").ok().flatten().map(String::as_str)
    }

    /// Every path that the command line names: as an argument, in a seat, or in a request in words.
    pub(super) fn paths(&self, folder: &Path) -> Vec<PathBuf> {
        let words = positional(&self.matches, self.format);
        let mut paths: Vec<PathBuf> = Vec::new();
        for word in words.iter().flat_map(|words| words.split_whitespace()) {
            paths.extend(file_of_seat(word.trim_end_matches([':', ','])));
        }
        let all = words.join(" ");
        if self.format == "review" && !all.is_empty() && folder.join(&all).exists() {
            paths.push(all.into());
        }
        let definition = formats().find(|format| format.get_name() == self.format);
        for flag in definition.iter().flat_map(Definition::get_arguments).filter(|arg| !arg.is_positional()) {
            let Ok(Some(values)) = self.matches.try_get_raw(flag.get_id().as_str()) else { continue };
            for value in values {
                let text = value.to_string_lossy();
                if flag.get_value_parser().type_id() == TypeId::of::<PathBuf>() {
                    paths.push(value.into());
                } else if let Some(path) = text.strip_prefix("file=").or_else(|| text.strip_prefix("file:")) {
                    paths.push(path.into());
                }
                // One seat, or several with commas between them: a path may contain commas too.
                paths.extend(std::iter::once(text.as_ref()).chain(text.split(',')).filter_map(file_of_seat));
            }
        }
        paths
    }
}

fn file_of_seat(seat: &str) -> Option<PathBuf> {
    SeatSpec::parse(seat.trim()).ok()?.file().map(PathBuf::from)
}

fn format_named(name: &str) -> Result<&'static str, String> {
    let known = DEBATES.into_iter().find(|format| *format == name);
    known.ok_or_else(|| format!("unknown format `{name}`, expected one of {}", DEBATES.join(", ")))
}

fn positional(matches: &ArgMatches, format: &str) -> Vec<String> {
    let definition = formats().find(|known| known.get_name() == format);
    let mut words = Vec::new();
    for arg in definition.iter().flat_map(Definition::get_positionals) {
        let values = matches.try_get_raw(arg.get_id().as_str()).ok().flatten();
        words.extend(values.into_iter().flatten().map(|value| value.to_string_lossy().into_owned()));
    }
    words
}

fn of_fields(format: &'static str, fields: &Fields, given: &JsonObject) -> Result<Request, String> {
    if let Some(flag) = fields.topic.as_deref().and_then(cli::flag_in) {
        return Err(format!(
            "`topic` contains {flag}, which looks like a flag: pass the user's words in `arguments` instead, or write it in \
             backticks if the topic is about it"
        ));
    }
    let definition = formats().find(|known| known.get_name() == format).unwrap_or_default();
    let mut words = Vec::new();
    for (name, value) in given {
        let flag = flags(&definition).find(|flag| field(flag) == *name);
        let flag = flag.ok_or_else(|| format!("`{name}` is not for {format}; leave it out, or choose another format"))?;
        words.extend(words_of(flag, value)?);
    }
    if let Some(topic) = fields.topic.as_deref().filter(|topic| !topic.trim().is_empty()) {
        words.extend(["--".to_owned(), topic.to_owned()]);
    }
    parse(format, words)
}

/// A flag with its value, as words of a command line.
fn words_of(flag: &Arg, value: &Value) -> Result<Vec<String>, String> {
    let long = flag.get_long().unwrap_or_default();
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Bool(set) if matches!(flag.get_action(), ArgAction::SetTrue) => {
            Ok(set.then(|| format!("--{long}")).into_iter().collect())
        }
        Value::Array(values) if matches!(flag.get_action(), ArgAction::Append) => {
            let words = values.iter().map(|value| words_of(flag, value)).collect::<Result<Vec<_>, _>>()?;
            Ok(words.concat())
        }
        Value::String(_) | Value::Number(_) if flag.get_action().takes_values() => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            if flag.get_value_delimiter().is_some_and(|delimiter| text.contains(delimiter)) {
                return Err(format!("`{}`: {text} contains a comma", field(flag)));
            }
            // One word, so that a value that begins with a dash is no flag.
            Ok(vec![format!("--{long}={text}")])
        }
        _ => Err(format!("`{}` takes {}", field(flag), shape(flag))),
    }
}

/// Reads the words of a slash command. The first may name the format. Without a topic, the uncommitted changes are reviewed.
fn of_words(text: &str, asked: Option<&'static str>) -> Result<Request, String> {
    let mut words = split(text);
    let typed: Vec<OsString> = words.iter().map(OsString::from).collect();
    let named = words.first().and_then(|first| format_named(first).ok());
    if let Some(format) = cli::command_of_words(&typed).filter(|_| asked.is_none()) {
        return parse(format, words);
    }
    if named.is_some() {
        words.remove(0);
    }
    if let Some(format) = named.or(asked) {
        return parse(format, words);
    }
    let duel = parse("duel", words.clone());
    if let Ok(Request { command: Command::Duel(typed), .. }) = &duel
        && !typed.topic.is_empty()
    {
        cli::check_bare_topic(typed).map_err(|error| error.with_hints())?;
        return duel;
    }
    match (duel, parse("review", words)) {
        (_, Ok(review)) if positional(&review.matches, "review").is_empty() => Ok(review),
        // A topic with flags that a duel doesn't have is not a text to review.
        (Err(error), _) | (Ok(_), Err(error)) => Err(error),
        (Ok(duel), Ok(_)) => Ok(duel),
    }
}

/// Reads the words of a command line after the name of the format.
fn parse(format: &'static str, words: Vec<String>) -> Result<Request, String> {
    let line = ["rebut".to_owned(), format.to_owned()].into_iter().chain(words);
    let (arguments, mut matches) = cli::read(line.map(OsString::from).collect())?;
    let (_, matches) = matches.remove_subcommand().ok_or("there is no command")?;
    let trusts = matches.try_get_one::<bool>("trust_project_prompts").ok().flatten() == Some(&true);
    let mut checks = matches.try_get_raw("allow_checks").ok().flatten().into_iter().flatten();
    for (is_given, flag, instead) in [
        (arguments.shared.store.is_some(), "--store", "this server has its own"),
        (arguments.shared.state_dir.is_some(), "--state-dir", "this server has its own"),
        // A prompt injection could ask for these: only the user grants trust.
        (trusts, "--trust-project-prompts", "use it in a terminal"),
        (checks.any(|value| value == "revised"), "--allow-checks=revised", "use it in a terminal"),
    ] {
        if is_given {
            return Err(format!("{flag} is not available here: {instead}"));
        }
    }
    Ok(Request { command: arguments.command, folder: None, wait_seconds: None, format, matches })
}

/// The command that a topic and further words ask for, as they are typed into two fields.
pub(crate) fn command_of(format: &str, topic: &str, flags: &str) -> Result<Command, String> {
    let mut words = split(flags);
    if !topic.trim().is_empty() {
        words.extend(["--".to_owned(), topic.trim().to_owned()]);
    }
    Ok(parse(format_named(format)?, words)?.command)
}

/// Splits a line into words. Quotation marks around a word or a flag's value group it; an unclosed one, or one inside a word
/// as in `what's`, is an ordinary character.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let plain = rest.find(char::is_whitespace).unwrap_or(rest.len());
        // `--topic="a b"`
        let value = if rest.starts_with("--") { rest[..plain].find('=').map_or(0, |at| at + 1) } else { 0 };
        let (word, end) = match quoted(&rest[value..]) {
            Some((inner, length)) => (format!("{}{inner}", &rest[..value]), value + length),
            None => (rest[..plain].to_owned(), plain),
        };
        words.push(word);
        rest = rest[end..].trim_start();
    }
    words
}

/// The text between quotation marks at the beginning, and its length with them.
fn quoted(text: &str) -> Option<(&str, usize)> {
    const MARKS: [(char, char); 4] = [('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’')];
    let (open, close) = MARKS.into_iter().find(|(open, _)| text.starts_with(*open))?;
    let inner = &text[open.len_utf8()..];
    let ends = inner.match_indices(close).find(|(at, mark)| {
        let after = &inner[at + mark.len()..];
        after.is_empty() || after.starts_with(char::is_whitespace)
    });
    ends.map(|(at, mark)| (&inner[..at], open.len_utf8() + at + mark.len()))
}
