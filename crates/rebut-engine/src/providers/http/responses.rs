//! OpenAI's Responses: <https://developers.openai.com/api/docs/guides/migrate-to-responses>, streamed as in
//! <https://developers.openai.com/api/reference/resources/responses/streaming-events>.

use rebut_core::debate::Failure;
use serde_json::{Value, json};

use super::api::{Api, Ask, put};
use super::failure;
use super::partial_answer::{End, PartialAnswer};
use super::schema;
use super::sse::Event;

pub(super) const API: Api = Api {
    path: |_| "/responses".to_owned(),
    models: "/models",
    key: ("authorization", "Bearer "),
    headers: &[],
    body,
    hear,
};

fn body(ask: &Ask<'_>) -> Value {
    let mut body = json!({
        "model": ask.model,
        "instructions": ask.prompt.system,
        "input": [{ "role": "user", "content": [{ "type": "input_text", "text": ask.prompt.user }] }],
        "max_output_tokens": ask.cap,
        "store": false,
        "stream": true,
    });
    // https://developers.openai.com/api/docs/guides/reasoning
    put(&mut body, "/reasoning/effort", ask.effort);
    // https://developers.openai.com/api/docs/guides/structured-outputs
    let format = ask.schema.map(|(name, schema)| {
        json!({ "type": "json_schema", "name": name, "schema": schema::strict(schema), "strict": schema::is_strict(schema) })
    });
    put(&mut body, "/text/format", format);
    body
}

fn hear(partial: &mut PartialAnswer, event: &Event, data: &Value) -> Result<(), Failure> {
    let kind = data["type"].as_str().unwrap_or(&event.name);
    partial.is_over = matches!(kind, "response.completed" | "response.incomplete");
    match kind {
        "response.created" | "response.in_progress" => know(partial, &data["response"]),
        "response.output_text.delta" => partial.say(data["delta"].as_str().unwrap_or_default()),
        "response.output_item.added" if data["item"]["type"] == "reasoning" => partial.think(),
        kind if kind.starts_with("response.reasoning") || kind.starts_with("response.refusal") => partial.think(),
        "response.completed" => {
            let response = &data["response"];
            know(partial, response);
            // A server that says it all at once.
            if partial.text.is_empty() {
                let text: String = texts(response, "output_text", "text").collect();
                partial.say(&text);
            }
            let refusal: Vec<&str> = texts(response, "refusal", "refusal").collect();
            partial.end = Some(if refusal.is_empty() { End::Done } else { End::Refused(refusal.concat()) });
        }
        "response.incomplete" => {
            know(partial, &data["response"]);
            partial.end = Some(match data["response"]["incomplete_details"]["reason"].as_str() {
                Some("max_output_tokens") => End::Cut("the limit of tokens was reached"),
                Some("content_filter") => End::Refused("stopped by the content filter".to_owned()),
                other => End::Unexpected(other.unwrap_or("incomplete").to_owned()),
            });
        }
        "response.failed" => {
            know(partial, &data["response"]);
            return Err(failure::of(&failure::error_in(&data["response"]).unwrap_or_default(), None));
        }
        "error" => return Err(failure::of(&failure::error_in(data).unwrap_or_default(), None)),
        _ => {}
    }
    Ok(())
}

fn know(partial: &mut PartialAnswer, response: &Value) {
    partial.model = response["model"].as_str().map(str::to_owned).or(partial.model.take());
    partial.id = response["id"].as_str().map(str::to_owned).or(partial.id.take());
    let usage = &response["usage"];
    if usage.is_object() {
        partial.tokens.input = usage["input_tokens"].as_u64();
        partial.tokens.cached = usage["input_tokens_details"]["cached_tokens"].as_u64();
        partial.tokens.output = usage["output_tokens"].as_u64();
    }
}

fn texts<'a>(response: &'a Value, kind: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    let items = response["output"].as_array().into_iter().flatten();
    let parts = items.flat_map(|item| item["content"].as_array().into_iter().flatten());
    parts.filter(move |part| part["type"] == kind).filter_map(move |part| part[name].as_str())
}

#[cfg(test)]
mod tests {
    use super::super::api::sample::{self, heard};
    use super::super::partial_answer::Tokens;
    use super::*;

    #[test]
    fn a_request_has_its_parts_in_their_places() {
        insta::assert_json_snapshot!("responses", body(&sample::ask(&sample::prompt())));
    }

    fn stream(last: &Value) -> String {
        let events = [
            json!({ "type": "response.created", "response": { "id": "resp_1", "model": "gpt-6.1-sol-2026-09-29", "usage": null } }),
            json!({ "type": "response.output_item.added", "item": { "type": "reasoning" } }),
            json!({ "type": "response.output_text.delta", "item_id": "m", "output_index": 1, "content_index": 0, "delta": "Hel" }),
            json!({ "type": "response.output_text.delta", "item_id": "m", "output_index": 1, "content_index": 0, "delta": "lo" }),
            last.clone(),
        ];
        events.map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())).concat()
    }

    fn usage() -> Value {
        json!({ "input_tokens": 36, "input_tokens_details": { "cached_tokens": 20 }, "output_tokens": 87,
            "output_tokens_details": { "reasoning_tokens": 80 }, "total_tokens": 123 })
    }

    #[test]
    fn a_stream_is_heard_with_model_usage_and_end() {
        let last = json!({ "type": "response.completed", "response": { "id": "resp_1", "model": "gpt-6.1-sol-2026-09-29",
            "status": "completed", "usage": usage(), "output": [
                { "type": "message", "content": [{ "type": "output_text", "text": "Hello" }] }] } });
        let partial = heard(&API, &stream(&last)).unwrap();
        assert_eq!(partial.conclude().unwrap(), "Hello");
        assert_eq!(partial.model.as_deref(), Some("gpt-6.1-sol-2026-09-29"));
        let tokens = Tokens { input: Some(36), cached: Some(20), kept: None, output: Some(87), cost: None };
        assert_eq!(partial.tokens, tokens);
        let alone = format!("data: {last}\n\n");
        assert_eq!(heard(&API, &alone).unwrap().conclude().unwrap(), "Hello", "also where it comes all at once");
    }
}
