//! What the APIs have in common: a question as each gets it, and where it is sent. Pure.

use rebut_core::debate::{Failure, Prompt};
use serde_json::{Value, json};

use super::key::Key;
use super::partial_answer::PartialAnswer;
use super::{anthropic, chat, failure, gemini, responses};
use crate::config::ServiceApi;
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

#[cfg(test)]
mod tests {
    use rebut_core::debate::Cost;

    use super::super::partial_answer::Tokens;
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
