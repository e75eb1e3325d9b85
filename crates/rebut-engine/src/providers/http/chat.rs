//! OpenAI's Chat Completions, which many services and servers speak:
//! <https://developers.openai.com/api/reference/resources/chat>. They differ in what they know beside messages; a
//! service's row says so.

use rebut_core::debate::{Cost, Failure};
use serde_json::{Value, json};

use super::api::{Api, Ask, End, PartialAnswer, put};
use super::schema;

pub(super) const API: Api = Api {
    path: |_| "/chat/completions".to_owned(),
    models: "/models",
    key: ("authorization", "Bearer "),
    headers: &[],
    body,
    read,
};

fn body(ask: &Ask<'_>) -> Value {
    let mut body = json!({
        "model": ask.model,
        "messages": [
            { "role": "system", "content": ask.prompt.system },
            { "role": "user", "content": ask.prompt.user },
        ],
        "stream": true,
    });
    if let Some(field) = ask.chat_options.cap {
        put(&mut body, &format!("/{field}"), Some(ask.cap));
    }
    if let Some(field) = ask.chat_options.seed {
        put(&mut body, &format!("/{field}"), ask.seed);
    }
    put(&mut body, "/stream_options/include_usage", ask.chat_options.asks_for_usage.then_some(true));
    put(&mut body, "/reasoning_effort", ask.effort);
    let format = ask.schema.map(|(name, schema)| {
        // Bounds keep a small model short, and the servers that run those take them; services take what OpenAI takes.
        let (strict, schema) = if ask.chat_options.takes_bounds {
            (false, schema::plain(schema))
        } else {
            (schema::is_strict(schema), schema::strict(schema))
        };
        json!({ "type": "json_schema", "json_schema": { "name": name, "strict": strict, "schema": schema } })
    });
    put(&mut body, "/response_format", format);
    body
}

fn read(partial: &mut PartialAnswer, data: &Value) -> Result<(), Failure> {
    partial.is_from(&data["model"], &data["id"]);
    let usage = &data["usage"];
    let cached = &usage["prompt_tokens_details"]["cached_tokens"];
    partial.count(&usage["prompt_tokens"], cached, &usage["completion_tokens"]);
    // OpenRouter names the cost: https://openrouter.ai/docs/use-cases/usage-accounting
    partial.tokens.cost = usage["cost"].as_f64().and_then(Cost::from_dollars).or(partial.tokens.cost);
    let choice = &data["choices"][0];
    let delta = &choice["delta"];
    partial.say(delta["content"].as_str().unwrap_or_default());
    if ["reasoning_content", "reasoning"].iter().any(|name| delta[*name].as_str().is_some_and(|text| !text.is_empty())) {
        partial.think();
    }
    if let Some(words) = delta["refusal"].as_str() {
        let before = match partial.end.take() {
            Some(End::Refused(before)) => before,
            _ => String::new(),
        };
        partial.think();
        partial.end = Some(End::Refused(before + words));
    }
    if let Some(reason) = choice["finish_reason"].as_str() {
        // A refusal in words ends like any other answer.
        if !matches!(partial.end, Some(End::Refused(_))) {
            partial.end = Some(end(reason));
        }
    }
    Ok(())
}

fn end(reason: &str) -> End {
    match reason {
        // `eos` and `eos_token` are what some servers call it.
        "stop" | "eos" | "eos_token" => End::Done,
        "length" => End::Cut("the limit of tokens was reached"),
        "content_filter" => End::Refused("stopped by the content filter".to_owned()),
        other => End::Unexpected(other.to_owned()),
    }
}
