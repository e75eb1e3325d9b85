//! What the outputs of the tools have in common: lines of JSON, status numbers, and words that name a cause.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jiff::SignedDuration;
use jsonc_parser::ParseOptions;
use rebut_core::debate::{Answer, Cause, Failure, Usage};
use regex::{Captures, Regex};
use serde_json::Value;

use super::{Said, Unreadable, Variables};
use crate::redact::redact;

/// An answer over a command line; an empty text is a failure.
pub(in crate::providers) fn answer(
    text: &str,
    model: Option<String>,
    usage: Usage,
    session: Option<&str>,
) -> Result<Answer, Failure> {
    if text.trim().is_empty() {
        return Err(Failure { usage, ..Failure::new(Cause::Empty, "") });
    }
    let (text, transport) = (text.to_owned(), super::NAME.to_owned());
    Ok(Answer { text, model, usage, session: session_id(session), duration_ms: 0, transport })
}

/// Token counts by the names that most tools use.
pub(in crate::providers) fn tokens(counts: &Value) -> Usage {
    let count = |name: &str| counts[name].as_u64();
    Usage { input_tokens: count("input_tokens"), output_tokens: count("output_tokens"), cost: None }
}

/// The model that wrote most of the answer; small models do chores beside it. `written` names its count of tokens.
pub(in crate::providers) fn main_model(models: &Value, written: &str) -> Option<String> {
    let most = models.as_object()?.iter().max_by_key(|(_, usage)| usage[written].as_u64());
    most.map(|(name, _)| name.clone())
}

pub(in crate::providers) struct Events(pub(in crate::providers) Vec<Value>);

impl Events {
    pub(in crate::providers) fn of(stdout: &str) -> Self {
        Self(stdout.lines().filter_map(object).collect())
    }

    pub(in crate::providers) fn all(&self, kind: &str) -> impl DoubleEndedIterator<Item = &Value> {
        self.0.iter().filter(move |event| event["type"] == kind)
    }

    pub(in crate::providers) fn last(&self, kind: &str) -> Option<&Value> {
        self.all(kind).next_back()
    }

    /// The failure of a tool that ended well without its last event.
    pub(in crate::providers) fn cut_short(&self, why: &str) -> Failure {
        if self.0.is_empty() { Failure::unparsable("jsonl", "no_events") } else { Failure::new(Cause::Truncated, why) }
    }
}

/// A line that is a JSON object; tools print warnings between them.
pub(in crate::providers) fn object(line: &str) -> Option<Value> {
    json_in(line).filter(Value::is_object)
}

/// The last JSON object of a text that holds other things before it: it begins on a line of its own.
pub(in crate::providers) fn last_object(text: &str) -> Option<Value> {
    text.rmatch_indices("\n{").map(|(at, _)| at + 1).chain([0]).find_map(|at| object(&text[at..]))
}

pub(in crate::providers) fn json_in(text: &str) -> Option<Value> {
    let text = text.trim();
    let read = serde_json::from_str(text).ok();
    read.or_else(|| serde_json::from_str(&text.contains("\\u").then(|| without_halves(text))??).ok())
}

/// JSON with a mark in place of every surrogate that is alone: JavaScript writes half a pair (`\ud83d`) for an emoji that a
/// program has cut in two. It would make the whole answer unreadable.
fn without_halves(text: &str) -> Option<String> {
    // A pair, one alone, or any other escape.
    let escape = Regex::new(r"(?is)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(\\ud[89a-f][0-9a-f]{2})|\\.").ok()?;
    let whole = |found: &Captures<'_>| if found.get(1).is_some() { "\\ufffd" } else { &found[0] }.to_owned();
    Some(escape.replace_all(text, whole).into_owned())
}

/// The folder of the user's settings: the one that a variable names, or one in the home folder.
pub(in crate::providers) fn own_folder(variable: &Variables<'_>, place: &str, folder: &str) -> Option<PathBuf> {
    let home = || variable("HOME").map(|home| Path::new(&home).join(folder));
    variable(place).map(PathBuf::from).or_else(home)
}

/// The files of a folder that are there, each with its place in the scratch folder.
pub(in crate::providers) fn lent(folder: &Path, files: &[(&'static str, &str)]) -> Vec<(&'static str, PathBuf)> {
    let found = files.iter().map(|(place, file)| (*place, folder.join(file)));
    // Symlinks are followed now: the file at the end is what gets written to.
    found.filter_map(|(place, file)| Some((place, file.canonicalize().ok().filter(|file| file.is_file())?))).collect()
}

/// Settings that a file holds; nothing if it is not there.
pub(in crate::providers) fn settings_in(file: &Path) -> Result<Value, Unreadable> {
    let text = text_in(file)?.unwrap_or_default();
    settings_of(&text, || file.display().to_string())
}

/// Settings as a text in JSON has them; nothing if it is empty.
pub(in crate::providers) fn settings_of(text: &str, place: impl Fn() -> String) -> Result<Value, Unreadable> {
    let unreadable = |why: String| Unreadable { place: place(), why };
    // The parser's error names the line and quotes none of it, which may be a key.
    let read = jsonc_parser::parse_to_serde_value::<Value>(text.trim_start_matches('\u{feff}'), &ParseOptions::default())
        .map_err(|error| unreadable(error.to_string()))?;
    if read.is_object() || read.is_null() { Ok(read) } else { Err(unreadable("it holds no table".to_owned())) }
}

pub(in crate::providers) fn text_in(file: &Path) -> Result<Option<String>, Unreadable> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(Unreadable { place: file.display().to_string(), why: error.to_string() }),
    }
}

pub(in crate::providers) fn only(table: &Value, keys: &[&str]) -> Value {
    let kept = keys.iter().filter(|key| !table[**key].is_null()).map(|key| ((*key).to_owned(), table[*key].clone()));
    kept.collect()
}

/// Puts settings over others, table by table.
pub(in crate::providers) fn lay_over(under: &mut Value, over: Value) {
    match (under, over) {
        (Value::Object(under), Value::Object(over)) => {
            for (key, value) in over {
                lay_over(under.entry(key).or_insert(Value::Null), value);
            }
        }
        (under, over) => *under = over,
    }
}

pub(in crate::providers) fn change_texts(value: &mut Value, change: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(parts) => parts.iter_mut().for_each(|part| change_texts(part, change)),
        Value::Object(fields) => fields.values_mut().for_each(|field| change_texts(field, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether a name is safe as an argument.
pub(in crate::providers) fn is_plain(name: &str) -> bool {
    !name.starts_with('-') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// The session id that a tool reports, if it is one that can be shown.
fn session_id(reported: Option<&str>) -> Option<String> {
    const LONGEST: usize = 128;
    let is_id =
        |id: &&str| (1..=LONGEST).contains(&id.len()) && id.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:".contains(c));
    reported.filter(is_id).map(str::to_owned)
}

pub(in crate::providers) fn by_status(status: u64, message: &str) -> Failure {
    let cause = match status {
        401 | 403 => Cause::Auth,
        404 => Cause::UnknownModel,
        413 => Cause::ContextTooLong,
        429 => Cause::RateLimited,
        500..=599 => Cause::Unavailable,
        _ => Cause::Exit,
    };
    named(cause, message)
}

/// The failure that a status names, or that the message does.
pub(in crate::providers) fn by(status: &Value, message: &str) -> Failure {
    match status.as_u64() {
        Some(status @ 400..600) => by_status(status, message),
        _ => by_words(message),
    }
}

/// Words by which tools name a cause, in lower case; the first row that fits counts.
#[rustfmt::skip]
const CAUSES: [(Cause, &[&str]); 8] = [
    (Cause::RateLimited, &["quota", "rate limit", "too many requests", "resource has been exhausted"]),
    (Cause::Auth, &["not logged in", "not signed in", "no auth type", "/login", "unauthorized", "authentication", "api key",
        "key is not valid", "invalid key", "missing environment variable", "log in"]),
    (Cause::UnknownModel, &["issue with the selected model", "unknown model"]),
    (Cause::Truncated, &["connection lost", "to the api was lost", "stream disconnected", "incomplete",
        "without a finish reason", "missing finish_reason", "ended without"]),
    (Cause::Refused, &["content filter", "safety", "can't help with this"]),
    (Cause::ContextTooLong, &["prompt is too long", "context length", "context window", "too many tokens"]),
    (Cause::Unavailable, &["high demand", "overloaded", "unavailable", "connection", "econnrefused", "econnreset",
        "fetch failed", "socket hang up", "timed out", "internal error"]),
    (Cause::Empty, &["empty response", "no response was returned"]),
];

/// The failure that a message names, by a status number in it or by its words.
pub(in crate::providers) fn by_words(message: &str) -> Failure {
    if let Some(status) = status_in(message) {
        return by_status(status, message);
    }
    let lower = message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let is_missing =
        says(&["does not exist", "not found"]) && !says(&["command not found", ": not found", "no such file", "module"]);
    let fits = |(cause, words): &&(Cause, &[&str])| says(words) || (*cause == Cause::UnknownModel && is_missing);
    named(CAUSES.iter().find(fits).map_or(Cause::Exit, |(cause, _)| *cause), message)
}

/// A failure without a message that we can parse: by the exit code and the last line of standard error. Output of a tool
/// that exits with 0 and reports no error is output that we do not understand.
pub(in crate::providers) fn by_exit(said: &Said<'_>) -> Failure {
    let last = said.stderr.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    if last.is_empty() {
        return match said.exit {
            Some(0) | None if !said.stdout.trim().is_empty() => Failure::unparsable("output", "no_answer"),
            Some(code @ 0..) => Failure::new(Cause::Exit, format!("it ended with status {code} and said nothing")),
            _ => Failure::new(Cause::Exit, "it was ended by a signal and said nothing"),
        };
    }
    // What a shell or a system says of a program that it cannot start is no word of the provider's.
    if matches!(said.exit, Some(126 | 127)) {
        return Failure::new(Cause::Exit, redact(last));
    }
    by_words(last)
}

fn named(cause: Cause, message: &str) -> Failure {
    // Before it is cut to its length: of a secret that is cut, the rest would not be known for one.
    let failure = Failure::new(cause, redact(message));
    if !matches!(cause, Cause::RateLimited | Cause::Unavailable) {
        return failure;
    }
    let names_quota = cause == Cause::RateLimited && message.to_lowercase().contains("quota");
    Failure { names_quota, retry_after_ms: asked_wait(message), ..failure }
}

/// How many milliseconds a message asks to wait: `try again in 1m2.5s`, `Please retry in 900ms`, `"retryDelay":"3s"`,
/// `retry after 20 seconds`.
fn asked_wait(message: &str) -> Option<u64> {
    let lower = message.to_lowercase();
    let signs = ["again in ", "retry in ", "retrydelay\":\"", "retrydelay\": \"", "retry after ", "retry-after: "];
    signs.iter().find_map(|sign| duration_ms(lower.split_once(sign)?.1))
}

/// The duration that a text begins with: numbers with their units, or a bare number of seconds.
pub(in crate::providers) fn duration_ms(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != ' ');
    let text = with_nanoseconds(&text[..end.unwrap_or(text.len())]);
    let read = |text: &str| text.trim_end_matches('.').parse::<SignedDuration>().ok();
    // The longest beginning that is one, in the first few words.
    let ends = text.match_indices(' ').map(|(at, _)| at).chain([text.len()]).take(6);
    let (number, next) = text.split_once(' ').unwrap_or((&text, ""));
    // The number in "3 days" counts no seconds.
    let is_bare = number.ends_with('.') || !next.starts_with(|c: char| c.is_ascii_alphabetic());
    let seconds = || read(&format!("{}s", number.trim_end_matches('.'))).filter(|_| is_bare);
    let wait = ends.filter_map(|end| read(&text[..end])).last().or_else(seconds)?;
    // More than a day is no wait.
    u64::try_from(wait.as_millis()).ok().filter(|ms| *ms <= 86_400_000)
}

/// The text with no more decimals than a duration can have.
fn with_nanoseconds(text: &str) -> String {
    let Some((whole, rest)) = text.split_once('.') else { return text.to_owned() };
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{whole}.{:.9}{after}", rest.strip_suffix(after).unwrap_or_default())
}

/// A status number that a message names as one or begins with: `status 401`, `HTTP 404`, `(429)`, `error: 500`, `401 …`.
fn status_in(message: &str) -> Option<u64> {
    let lower = format!("status {}", message.to_lowercase());
    ["status ", "status: ", "http ", "rejected (", "error: ", "\"code\":"].iter().find_map(|sign| {
        lower.match_indices(sign).find_map(|(at, _)| {
            let digits: String = lower[at + sign.len()..].chars().take_while(char::is_ascii_digit).collect();
            (digits.len() == 3).then(|| digits.parse().ok()).flatten().filter(|status| (400..600).contains(status))
        })
    })
}

#[cfg(test)]
mod tests {
    use rebut_core::debate::Cause;

    use super::{Said, by_exit, by_words, json_in, last_object};

    #[test]
    fn half_a_letter_loses_no_answer() {
        for (written, read) in [
            (r"half \ud83d of it", "half \u{fffd} of it"),
            (r"\uDE00 other \n\u00e9", "\u{fffd} other \n\u{e9}"),
            (r"\ud83d\ude00", "\u{1f600}"),
            (r"\ud83d, \uD83D\uDE00 in src\\udp.rs", "\u{fffd}, \u{1f600} in src\\udp.rs"),
        ] {
            assert_eq!(json_in(&format!(r#"{{"a":"{written}"}}"#)).unwrap()["a"], read, "{written}");
        }
        assert_eq!(json_in(r#"{"a":"\ud83"#), None);
        assert_eq!(last_object("warning\n{\"a\":\"\\ud83d\"}").unwrap()["a"], "\u{fffd}");
    }

    #[test]
    fn a_wait_that_the_provider_asks_for_is_heeded() {
        for (message, wait) in [
            ("status 429: Please try again in 1.2s.", Some(1200)),
            ("rate limit reached, try again in 1m2.5s", Some(62_500)),
            ("You exceeded your current quota. Please retry in 900ms.", Some(900)),
            (r#"Quota exceeded: {"retryDelay":"3s"}"#, Some(3000)),
            ("too many requests; retry after 20 seconds", Some(20_000)),
            ("too many requests; retry after 1 minute 20 seconds.", Some(80_000)),
            ("rate limit: try again in 2m59.5600000000001s", Some(179_560)),
            ("rate limit: retry after 20. Please wait", Some(20_000)),
            ("You exceeded your current quota, try again in 3 days 4 hours", None),
            ("rate limit: try again in 5 requests", None),
            ("You exceeded your current quota, please check your plan.", None),
            ("rate limit: try again in a while", None),
            ("rate limit: try again in 99999h", None),
            ("status 401: try again in 5s", None),
        ] {
            assert_eq!(by_words(message).retry_after_ms, wait, "{message}");
        }
    }

    #[test]
    fn only_a_model_that_is_not_there_is_an_unknown_model() {
        let ended = |exit: i32, stderr: &str| by_exit(&Said { stdout: "", stderr, exit: Some(exit) }).cause;
        for (exit, stderr) in [
            (127, "/usr/bin/env: 'node': No such file or directory"),
            (1, "sh: 1: rg: not found"),
            (1, "Error: Cannot find module 'x': not found"),
            (126, "the model does not exist"),
        ] {
            assert_eq!(ended(exit, stderr), Cause::Exit, "{stderr}");
        }
        assert_eq!(ended(1, "The model `x` does not exist"), Cause::UnknownModel);
        assert_eq!(by_words("Model not found: x/y").cause, Cause::UnknownModel);
    }
}
