//! OpenAI's Responses: <https://developers.openai.com/api/docs/guides/migrate-to-responses>, streamed as in
//! <https://developers.openai.com/api/reference/resources/responses/streaming-events>.

use rebut_core::debate::Failure;
use serde_json::{Value, json};

use super::api::{Api, Ask, End, PartialAnswer, put};
use super::failure;
use super::schema;

pub(super) const API: Api = Api {
    path: |_| "/responses".to_owned(),
    models: "/models",
    key: ("authorization", "Bearer "),
    headers: &[],
    body,
    read,
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

fn read(partial: &mut PartialAnswer, data: &Value) -> Result<(), Failure> {
    let kind = data["type"].as_str().unwrap_or_default();
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
    partial.is_from(&response["model"], &response["id"]);
    let usage = &response["usage"];
    partial.count(&usage["input_tokens"], &usage["input_tokens_details"]["cached_tokens"], &usage["output_tokens"]);
}

fn texts<'a>(response: &'a Value, kind: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    let items = response["output"].as_array().into_iter().flatten();
    let parts = items.flat_map(|item| item["content"].as_array().into_iter().flatten());
    parts.filter(move |part| part["type"] == kind).filter_map(move |part| part[name].as_str())
}
