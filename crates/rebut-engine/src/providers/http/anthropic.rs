//! Anthropic's Messages: <https://platform.claude.com/docs/en/api/messages>,
//! streamed as in <https://platform.claude.com/docs/en/build-with-claude/streaming>.

use rebut_core::debate::Failure;
use serde_json::{Value, json};

use super::api::{Api, Ask, End, PartialAnswer, put};
use super::schema;

pub(super) const API: Api = Api {
    path: |_| "/v1/messages".to_owned(),
    models: "/v1/models",
    key: ("x-api-key", ""),
    headers: &[("anthropic-version", "2023-06-01")],
    body,
    read,
};

/// How many parts of a prompt can be marked one after the other: a service looks back over twenty for what it still has.
const MOST_PARTS: usize = 16;

fn body(ask: &Ask<'_>) -> Value {
    let mut body = json!({
        "model": ask.model,
        "max_tokens": ask.cap,
        "stream": true,
        "system": [{ "type": "text", "text": ask.prompt.system, "cache_control": { "type": "ephemeral" } }],
        "messages": [{ "role": "user", "content": content(&ask.prompt.user) }],
    });
    // https://platform.claude.com/docs/en/build-with-claude/effort
    put(&mut body, "/output_config/effort", ask.effort);
    // https://platform.claude.com/docs/en/build-with-claude/structured-outputs
    let format = ask.schema.map(|(_, schema)| json!({ "type": "json_schema", "schema": schema::without_bounds(schema) }));
    put(&mut body, "/output_config/format", format);
    body
}

/// The user's part in pieces that end where a quoted text ends. The last of them is marked: what comes before the task
/// grows from prompt to prompt, so that each finds what the one before it left.
///
/// <https://platform.claude.com/docs/en/build-with-claude/prompt-caching>
fn content(user: &str) -> Vec<Value> {
    let ends = user.match_indices("\n<<end ").map(|(at, _)| {
        let line = &user[at + 1..];
        at + 1 + line.find('\n').map_or(line.len(), |end| end + 1)
    });
    let mut parts = Vec::new();
    let mut from = 0;
    for end in ends.filter(|end| *end < user.len()).take(MOST_PARTS) {
        parts.push(json!({ "type": "text", "text": user[from..end] }));
        from = end;
    }
    if let Some(last) = parts.last_mut() {
        last["cache_control"] = json!({ "type": "ephemeral" });
    }
    // A part must hold more than white space.
    if !user[from..].trim().is_empty() || parts.is_empty() {
        parts.push(json!({ "type": "text", "text": user[from..] }));
    }
    parts
}

fn read(partial: &mut PartialAnswer, data: &Value) -> Result<(), Failure> {
    match data["type"].as_str().unwrap_or_default() {
        "message_start" => {
            let message = &data["message"];
            partial.is_from(&message["model"], &message["id"]);
            count(partial, &message["usage"]);
        }
        "content_block_delta" => match data["delta"]["type"].as_str() {
            Some("text_delta") => partial.say(data["delta"]["text"].as_str().unwrap_or_default()),
            Some("thinking_delta" | "signature_delta") => partial.think(),
            _ => {}
        },
        "content_block_start" if data["content_block"]["type"] == "thinking" => partial.think(),
        "message_delta" => {
            count(partial, &data["usage"]);
            partial.end = data["delta"]["stop_reason"].as_str().map(|reason| end(reason, &data["delta"]));
        }
        "message_stop" => partial.is_over = true,
        _ => {}
    }
    Ok(())
}

/// <https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons>
fn end(reason: &str, delta: &Value) -> End {
    match reason {
        "end_turn" | "stop_sequence" => End::Done,
        "max_tokens" => End::Cut("the limit of tokens was reached"),
        "model_context_window_exceeded" => End::Cut("the model's context is full"),
        "refusal" => {
            let words = ["explanation", "category"].iter().find_map(|name| delta["stop_details"][*name].as_str());
            End::Refused(words.unwrap_or_default().to_owned())
        }
        other => End::Unexpected(other.to_owned()),
    }
}

/// What is kept and what was still there are counted beside the other tokens of the prompt.
fn count(partial: &mut PartialAnswer, usage: &Value) {
    let tokens = &mut partial.tokens;
    if let Some(fresh) = usage["input_tokens"].as_u64() {
        tokens.cached = usage["cache_read_input_tokens"].as_u64().or(tokens.cached);
        tokens.kept = usage["cache_creation_input_tokens"].as_u64().or(tokens.kept);
        let beside = [tokens.cached, tokens.kept];
        tokens.input = Some(beside.into_iter().flatten().fold(fresh, u64::saturating_add));
    }
    tokens.output = usage["output_tokens"].as_u64().or(tokens.output);
}
