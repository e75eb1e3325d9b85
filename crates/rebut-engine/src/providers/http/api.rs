//! What the APIs have in common: a question as each gets it, where it is sent, and an answer so far. Pure.

use rebut_core::debate::{Cause, Cost, Failure, Prompt};
use serde_json::{Value, json};

use super::key::Key;
use super::{anthropic, chat, failure, gemini, responses};
use crate::config::ServiceApi;
use crate::providers::Progress;
use crate::providers::cli::output::json_in;

/// An API: pure functions from a question to a request and from a stream's events to an answer.
pub(super) struct Api {
    /// What is added to a service's address to ask this model.
    pub(super) path: fn(model: &str) -> String,
    pub(super) models: &'static str,
    /// The header that carries the key, and its prefix.
    pub(super) key: (&'static str, &'static str),
    pub(super) headers: &'static [(&'static str, &'static str)],
    pub(super) body: fn(&Ask<'_>) -> Value,
    /// Reads what an event of the stream carries.
    pub(super) read: fn(&mut PartialAnswer, &Value) -> Result<(), Failure>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Ask<'a> {
    pub(super) model: &'a str,
    pub(super) prompt: &'a Prompt,
    pub(super) schema: Option<(&'a str, &'a Value)>,
    pub(super) effort: Option<&'a str>,
    /// How many tokens the answer may have at most, thinking included.
    pub(super) cap: u64,
    pub(super) seed: Option<u64>,
    pub(super) chat_options: ChatOptions,
}

/// What a server of the Chat Completions kind knows beside messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ChatOptions {
    pub(super) cap: Option<&'static str>,
    pub(super) seed: Option<&'static str>,
    /// Whether it reports usage only on request.
    pub(super) asks_for_usage: bool,
    /// Whether it takes bounds on lengths in a JSON Schema.
    pub(super) takes_bounds: bool,
}

pub(super) fn api(api: ServiceApi) -> &'static Api {
    match api {
        ServiceApi::Messages => &anthropic::API,
        ServiceApi::Responses => &responses::API,
        ServiceApi::Gemini => &gemini::API,
        ServiceApi::Chat => &chat::API,
    }
}

impl Api {
    /// Reads an event, whichever API it is of: an error in the stream is a failure everywhere. The key that the service was
    /// sent is removed first.
    pub(super) fn take(&self, partial: &mut PartialAnswer, event: &str, key: &Key) -> Result<(), Failure> {
        // How Chat Completions marks the end.
        if event.trim() == "[DONE]" {
            partial.is_over = true;
            return Ok(());
        }
        let mut data: Value = json_in(event).ok_or_else(|| Failure::unparsable("http", "event_not_json"))?;
        key.scrub_all(&mut data);
        if !data["error"].is_null()
            && let Some(error) = failure::error_in(&data)
        {
            return Err(failure::of(&error, None));
        }
        (self.read)(partial, &data)
    }
}

/// Puts a value into an object at a path like `/a/b`, with the objects on the way; nothing if there is no value.
pub(super) fn put(body: &mut Value, path: &str, value: Option<impl Into<Value>>) {
    let Some(value) = value else { return };
    let mut place = body;
    for name in path.split('/').skip(1) {
        if !place[name].is_object() {
            place[name] = json!({});
        }
        place = &mut place[name];
    }
    *place = value.into();
}

#[derive(Debug, Default)]
pub(super) struct PartialAnswer {
    pub(super) text: String,
    /// Progress that was not reported yet.
    pub(super) news: Vec<Progress>,
    pub(super) model: Option<String>,
    pub(super) id: Option<String>,
    pub(super) tokens: Tokens,
    /// How it ended; an answer without an end was cut off.
    pub(super) end: Option<End>,
    pub(super) is_over: bool,
    thinks: bool,
    outputs: u64,
}

/// Tokens as a service counts them; unknown is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    /// Of the prompt, all of it.
    pub(super) input: Option<u64>,
    pub(super) cached: Option<u64>,
    pub(super) kept: Option<u64>,
    pub(super) output: Option<u64>,
    /// What it cost, if the service says so itself.
    pub(super) cost: Option<Cost>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    Done,
    Cut(&'static str),
    Refused(String),
    /// For a reason that has no name of ours.
    Unexpected(String),
}

impl PartialAnswer {
    /// Who answers and under which id, as far as this event says so.
    pub(super) fn is_from(&mut self, model: &Value, id: &Value) {
        for (known, told) in [(&mut self.model, model), (&mut self.id, id)] {
            *known = told.as_str().map(str::to_owned).or(known.take());
        }
    }

    /// Takes over what this event counts.
    pub(super) fn count(&mut self, input: &Value, cached: &Value, output: &Value) {
        let tokens = &mut self.tokens;
        for (known, told) in [(&mut tokens.input, input), (&mut tokens.cached, cached), (&mut tokens.output, output)] {
            *known = told.as_u64().or(*known);
        }
    }

    pub(super) fn say(&mut self, text: &str) {
        if !text.is_empty() {
            self.outputs += 1;
            self.text.push_str(text);
            self.news.push(Progress::Text(text.to_owned()));
        }
    }

    /// The model thinks; that is reported once.
    pub(super) fn think(&mut self) {
        self.outputs += 1;
        if !std::mem::replace(&mut self.thinks, true) {
            self.news.push(Progress::Activity("thinks".to_owned()));
        }
    }

    pub(super) fn began(&self) -> bool {
        !self.text.is_empty()
    }

    /// How often the model has said or thought something; keep-alives don't count.
    pub(super) fn outputs(&self) -> u64 {
        self.outputs
    }

    /// The complete text, or why there is none.
    pub(super) fn conclude(&self) -> Result<&str, Failure> {
        match &self.end {
            None if self.began() => Err(Failure::new(Cause::Truncated, "the stream ended before the answer did")),
            None => Err(Failure::new(Cause::Truncated, "the stream ended before the answer began")),
            Some(End::Cut(why)) => Err(Failure::new(Cause::Truncated, why)),
            Some(End::Refused(words)) => Err(Failure::new(Cause::Refused, words)),
            Some(End::Unexpected(reason)) => Err(Failure::new(Cause::Exit, format!("it stopped for `{reason}`"))),
            Some(End::Done) if self.text.trim().is_empty() => Err(Failure::new(Cause::Empty, "")),
            Some(End::Done) => Ok(&self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sse::Events;
    use super::*;

    /// A question with everything that an API could be asked for.
    fn ask<'a>(prompt: &'a Prompt, schema: &'a Value) -> Ask<'a> {
        let chat_options =
            ChatOptions { cap: Some("max_tokens"), seed: Some("seed"), asks_for_usage: true, takes_bounds: false };
        let schema = Some(("verdict", schema));
        Ask { model: "model-1", prompt, schema, effort: Some("high"), cap: 4_000, seed: Some(7), chat_options }
    }

    #[test]
    fn every_request_has_its_parts_in_their_places_and_every_stream_is_read_with_model_usage_and_end() {
        let cases = [
            ("anthropic", &anthropic::API, include_str!("captures/anthropic.sse"), "claude-opus-5-5", [132, 100, 15]),
            ("chat", &chat::API, include_str!("captures/chat.sse"), "m-1", [9, 4, 5]),
            ("gemini", &gemini::API, include_str!("captures/gemini.sse"), "gemini-3.8-flash", [10, 4, 23]),
            ("responses", &responses::API, include_str!("captures/responses.sse"), "gpt-6.1-sol-2026-09-29", [36, 20, 87]),
        ];
        let prompt = Prompt { system: "# Rules".into(), user: "# Topic\n\n<<data a: t>>\nx\n<<end a>>\n\n# Task".into() };
        let sides = json!({ "type": "array", "minItems": 2, "maxItems": 3, "items": { "type": "string" } });
        let schema = json!({ "type": "object", "additionalProperties": false, "required": ["sides"],
            "properties": { "sides": sides } });
        for (name, api, stream, model, [input, cached, output]) in cases {
            insta::assert_json_snapshot!(name, (api.body)(&ask(&prompt, &schema)));
            let (mut events, mut partial) = (Events::default(), PartialAnswer::default());
            // Whichever way it is cut.
            for part in stream.as_bytes().chunks(11) {
                for event in events.take(part).unwrap() {
                    api.take(&mut partial, &event, &Key::default()).unwrap();
                }
            }
            assert!(partial.conclude().unwrap().starts_with("Hello"), "{name}");
            assert_eq!(partial.model.as_deref(), Some(model));
            let (kept, cost) = (partial.tokens.kept, partial.tokens.cost);
            let tokens = Tokens { input: Some(input), cached: Some(cached), output: Some(output), kept, cost };
            assert_eq!(partial.tokens, tokens, "{name}");
            assert_eq!((kept.is_some(), cost), (name == "anthropic", Cost::from_dollars(0.25).filter(|_| name == "chat")));
        }
    }
}
