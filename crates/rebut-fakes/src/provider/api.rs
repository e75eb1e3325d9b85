//! The services' APIs: how their questions are read, and how their answers look.
//!
//! What differs between them is data. The file of an API says where a question has its parts (JSON pointers), and holds an
//! answer as the service gives it, with places to fill: `«TEXT»`. Each line begins with what it is for and, after a colon,
//! the [words](Said::words) of which one must hold of the answer; of the lines for one thing the first that holds counts.
//! Every line of an `event` that holds is sent, one with a `«PIECE»` once for each piece of the text.

use serde::Deserialize;
use serde_json::{Value, json};

/// An API, as its file has it.
#[derive(Clone, Copy)]
pub(super) struct Api(&'static str);

const ANTHROPIC: Api = Api(include_str!("answers/anthropic.txt"));
const CHAT: Api = Api(include_str!("answers/chat.txt"));
const GEMINI: Api = Api(include_str!("answers/gemini.txt"));
const RESPONSES: Api = Api(include_str!("answers/responses.txt"));

pub(super) const ANSWER_TOOL: &str = "StructuredOutput";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    pub model: Option<String>,
    pub effort: Option<String>,
    /// Every text of the request that is part of the conversation, system texts first, joined with newlines.
    pub prompt: String,
    /// The part of the prompt after the model's last turn.
    pub question: String,
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

/// An answer as it is to be said: a text or a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) call: Option<ToolCall>,
    /// How many calls came before.
    pub(super) turn: usize,
    pub(super) finish: Finish,
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

    fn pieces(&self) -> Vec<String> {
        let letters: Vec<char> = self.text.chars().collect();
        letters.chunks((letters.len() / 3).max(8)).map(|piece| piece.iter().collect()).collect()
    }

    /// What holds of it.
    fn words(&self) -> Vec<&'static str> {
        let finish = match self.finish {
            Finish::Done => "done",
            Finish::Cut => "cut",
            Finish::Refused => "refused",
            Finish::Length => "length",
        };
        match &self.call {
            Some(call) if call.arguments.is_string() => vec![finish, "call", "custom"],
            Some(_) => vec![finish, "call", "function"],
            None if self.text.is_empty() => vec![finish],
            None if self.finish == Finish::Refused => vec![finish, "text"],
            None => vec![finish, "text", "words"],
        }
    }
}

impl Api {
    /// The API that a path asks, where it asks a model something.
    pub(super) fn of(path: &str) -> Option<Self> {
        match path.split('?').next().unwrap_or_default() {
            "/v1/messages" => Some(ANTHROPIC),
            "/v1/responses" | "/responses" => Some(RESPONSES),
            "/v1/chat/completions" | "/chat/completions" => Some(CHAT),
            bare if bare.ends_with(":generateContent") || bare.ends_with(":streamGenerateContent") => Some(GEMINI),
            _ => None,
        }
    }

    /// The lines for a thing of which one of these words holds.
    fn lines<'a>(self, thing: &'a str, words: &'a [&'a str]) -> impl Iterator<Item = &'static str> + 'a {
        self.0.lines().filter_map(move |line| {
            let (head, rest) = line.split_once(' ')?;
            let (own, when) = head.split_once(':').unwrap_or((head, ""));
            let holds = when.is_empty() || when.split(',').any(|word| words.contains(&word));
            (own == thing && holds).then_some(rest)
        })
    }

    fn line(self, thing: &str, words: &[&str]) -> &'static str {
        self.lines(thing, words).next().unwrap_or_default()
    }

    pub(super) fn read(self, path: &str, body: &Value) -> Asked {
        let part = |name: &str| self.lines(name, &[]).find_map(|place| body.pointer(place));
        let messages = part("messages").unwrap_or(&Value::Null);
        let model_in_path = || path.rsplit('/').next()?.split_once(':').map(|(model, _)| model.to_owned());
        let is_result = |item: &&Value| kind(item).ends_with("_call_output");
        let is_models =
            |item: &Value| kind(item) == "function_call" || ["assistant", "model"].iter().any(|role| item["role"] == *role);
        let items = list(messages);
        let asked_last = items.iter().rposition(is_models).map_or(0, |at| at + 1);
        let parts =
            items.iter().flat_map(|item| [item].into_iter().chain(list(&item["content"])).chain(list(&item["parts"])));
        let tools = list(&body["tools"]);
        let answer_tool = tools.iter().find(|tool| tool["name"] == ANSWER_TOOL).map(|tool| &tool["input_schema"]);
        let prompt = items.iter().filter(|item| !is_result(item)).map(text_of);
        Asked {
            model: string(&body["model"]).or_else(model_in_path),
            effort: part("effort").map(|effort| string(effort).unwrap_or_else(|| effort.to_string())),
            prompt: joined(
                [part("system").map(text_of).unwrap_or_default(), string(messages).unwrap_or_default()]
                    .into_iter()
                    .chain(prompt),
            ),
            question: string(messages).unwrap_or_else(|| joined(items[asked_last..].iter().map(text_of))),
            results: parts.filter_map(result).collect(),
            stream: body["stream"] == true || path.contains(":streamGenerateContent"),
            schema: part("schema").cloned(),
            answer_tool: answer_tool.cloned(),
            strict: part("strict") == Some(&json!(true)),
            seed: part("seed").and_then(Value::as_u64),
        }
    }

    pub(super) fn error(self, status: u16, message: &str) -> String {
        filled(self.line("error", &[]), |place| match place {
            "KIND" => self.line("kind", &[&status.to_string()]).to_owned(),
            "STATUS" => status.to_string(),
            _ => json!(message).to_string(),
        })
    }

    pub(super) fn whole(self, said: &Said, asked: &Asked) -> String {
        self.said(self.line("whole", &[]), said, asked, "", 0)
    }

    /// The events of a stream; where it is cut, the last words do not come, nor what would follow them.
    pub(super) fn events(self, said: &Said, asked: &Asked) -> String {
        let mut events = Vec::new();
        for line in self.lines("event", &said.words()) {
            let in_pieces = line.contains("«PIECE»");
            for piece in if in_pieces { said.pieces() } else { vec![String::new()] } {
                events.push(event(&self.said(line, said, asked, &piece, events.len())));
            }
            if in_pieces && said.is_cut() {
                events.pop();
                break;
            }
        }
        events.concat()
    }

    /// A line about what is said.
    fn said(self, line: &str, said: &Said, asked: &Asked, piece: &str, number: usize) -> String {
        let words = said.words();
        let call = said.call.as_ref();
        let arguments = call.map_or(&Value::Null, |call| &call.arguments);
        filled(line, |place| match place {
            "TEXT" => json!(said.text).to_string(),
            "PIECE" => json!(piece).to_string(),
            "NUMBER" => number.to_string(),
            "TURN" => said.turn.to_string(),
            "MODEL" => json!(asked.model).to_string(),
            "ID" => json!(format!("call_{}", said.turn)).to_string(),
            "NAME" => json!(call.map(|call| &call.name)).to_string(),
            "ARGUMENTS" => arguments.to_string(),
            "INPUT" => json!(arguments.to_string()).to_string(),
            part => self.said(self.line(&part.to_lowercase(), &words), said, asked, piece, number),
        })
    }
}

/// An event of a stream. Where the service gives names, the name is `type` in the data.
pub(super) fn event(data: &str) -> String {
    let value: Value = serde_json::from_str(data).unwrap_or_default();
    let name = value["type"].as_str().map_or_else(String::new, |name| format!("event: {name}\n"));
    format!("{name}data: {data}\n\n")
}

/// A template with its places filled.
fn filled(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut parts = template.split('«');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let (place, rest) = part.split_once('»').expect("a place ends");
        text + &value(place) + rest
    })
}

fn kind(item: &Value) -> &str {
    item["type"].as_str().unwrap_or_default()
}

/// What a tool answered, where this part of a conversation tells it.
fn result(part: &Value) -> Option<String> {
    match kind(part) {
        "tool_result" => Some(text_of(&part["content"])),
        kind if kind.ends_with("_call_output") => Some(text_of(&part["output"])),
        _ if part["role"] == "tool" => Some(text_of(&part["content"])),
        _ => part.get("functionResponse").map(|told| told["response"].to_string()),
    }
}

/// Every text in a content: a string, a list of parts with `text`, or parts within parts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => joined(parts.iter().map(text_of)),
        Value::Object(part) => {
            let inner = ["text", "parts", "content", "output"].iter().find_map(|key| part.get(*key));
            inner.map(text_of).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// The elements of a list, none where there is no list.
pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn joined(texts: impl IntoIterator<Item = String>) -> String {
    texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

fn string(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
