//! What the APIs have in common: a question as it was understood, and an answer as it is to be said.

use serde::Deserialize;
use serde_json::Value;

/// An API: how its questions are read and how its answers look.
#[derive(Clone, Copy)]
pub(super) struct Api {
    pub(super) read: fn(path: &str, body: &Value) -> Asked,
    pub(super) error: fn(status: u16, message: &str) -> Value,
    pub(super) whole: fn(said: &Said, asked: &Asked) -> Value,
    pub(super) events: fn(said: &Said, asked: &Asked) -> Vec<Event>,
}

pub(super) const ANSWER_TOOL: &str = "StructuredOutput";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    pub model: Option<String>,
    pub effort: Option<String>,
    /// Every text of the request that is part of the conversation, system texts first, joined with newlines.
    pub prompt: String,
    /// The part of the prompt after the model's last turn.
    pub question: String,
    pub offered: Vec<String>,
    pub results: Vec<String>,
    pub stream: bool,
    pub schema: Option<Value>,
    /// The input schema of the tool that the model calls to answer (claude's `StructuredOutput`).
    pub answer_tool: Option<Value>,
    /// Whether the schema is to be held to strictly, for which only part of JSON Schema is taken.
    pub strict: bool,
    pub seed: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ToolCall {
    pub name: String,
    /// Its arguments: an object, or a string for tools that take free text.
    pub arguments: Value,
}

impl ToolCall {
    pub fn new(name: impl Into<String>, arguments: Value) -> Self {
        Self { name: name.into(), arguments }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) call: Option<ToolCall>,
    /// How many calls came before.
    pub(super) turn: usize,
    pub(super) finish: Finish,
    /// Whether the connection stays open and silent where a stream is cut.
    pub(super) stalls: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Finish {
    #[default]
    Done,
    /// In the middle, without a word.
    Cut,
    Refused,
    Length,
}

impl Said {
    pub(super) fn is_cut(&self) -> bool {
        self.finish == Finish::Cut
    }

    pub(super) fn pieces(&self) -> Vec<String> {
        let letters: Vec<char> = self.text.chars().collect();
        letters.chunks((letters.len() / 3).max(8)).map(|piece| piece.iter().collect()).collect()
    }

    pub(super) fn call_id(&self) -> String {
        format!("call_{}", self.turn)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// Its name, where the API gives names.
    pub(super) name: Option<String>,
    pub(super) data: String,
}

impl Event {
    /// An event with a name, which is `type` in its data.
    pub(super) fn named(data: &Value) -> Self {
        Self { name: data["type"].as_str().map(str::to_owned), data: data.to_string() }
    }

    pub(super) fn text(&self) -> String {
        let name = self.name.as_ref().map_or_else(String::new, |name| format!("event: {name}\n"));
        format!("{name}data: {}\n\n", self.data)
    }

    /// An event without a name.
    pub(super) fn data(data: &Value) -> Self {
        Self { name: None, data: data.to_string() }
    }
}

/// Every text in a content: a string, a list of parts with `text`, or parts within parts.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_of).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n"),
        Value::Object(part) => {
            let inner = ["text", "parts", "content", "output"].iter().find_map(|key| part.get(*key));
            inner.map(text_of).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// The texts after the model's last turn.
pub(super) fn since_model(messages: &[Value], is_model: impl Fn(&Value) -> bool) -> String {
    let from = messages.iter().rposition(is_model).map_or(0, |at| at + 1);
    joined(messages[from..].iter().map(text_of))
}

/// The elements of a list, none where there is no list.
pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub(super) fn joined(texts: impl IntoIterator<Item = String>) -> String {
    texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

pub(super) fn there(value: &Value) -> Option<Value> {
    Some(value.clone()).filter(|value| !value.is_null())
}

pub(super) fn string(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
