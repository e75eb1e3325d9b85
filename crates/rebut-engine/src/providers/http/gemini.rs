//! Gemini's generateContent: <https://ai.google.dev/api/generate-content>, streamed with `alt=sse`.

use rebut_core::debate::Failure;
use serde_json::{Value, json};

use super::api::{Api, Ask, End, PartialAnswer, put};
use super::schema;

pub(super) const API: Api = Api {
    path: |model| format!("/v1beta/models/{}:streamGenerateContent?alt=sse", in_path(model)),
    models: "/v1beta/models",
    key: ("x-goog-api-key", ""),
    headers: &[],
    body,
    read,
};

/// A model's name as one part of a path, whatever it holds.
fn in_path(model: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    model.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn body(ask: &Ask<'_>) -> Value {
    let mut body = json!({
        "systemInstruction": { "parts": [{ "text": ask.prompt.system }] },
        "contents": [{ "role": "user", "parts": [{ "text": ask.prompt.user }] }],
        "generationConfig": { "maxOutputTokens": ask.cap },
    });
    // https://ai.google.dev/gemini-api/docs/generate-content/thinking
    put(&mut body, "/generationConfig/thinkingConfig/thinkingLevel", ask.effort);
    put(&mut body, "/generationConfig/seed", ask.seed);
    // https://ai.google.dev/gemini-api/docs/structured-output
    let format = ask.schema.map(|(_, schema)| schema::plain(schema));
    put(&mut body, "/generationConfig/responseMimeType", format.as_ref().map(|_| "application/json"));
    put(&mut body, "/generationConfig/responseJsonSchema", format);
    body
}

fn read(partial: &mut PartialAnswer, data: &Value) -> Result<(), Failure> {
    partial.is_from(&data["modelVersion"], &data["responseId"]);
    let usage = &data["usageMetadata"];
    partial.count(&usage["promptTokenCount"], &usage["cachedContentTokenCount"], &Value::Null);
    let parts = [usage["candidatesTokenCount"].as_u64(), usage["thoughtsTokenCount"].as_u64()];
    if parts.iter().any(Option::is_some) {
        partial.tokens.output = Some(parts.into_iter().flatten().fold(0, u64::saturating_add));
    }
    if let Some(reason) = data["promptFeedback"]["blockReason"].as_str() {
        partial.end = Some(End::Refused(format!("the prompt was blocked: {reason}")));
    }
    let candidate = &data["candidates"][0];
    for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
        if part["thought"] == true {
            partial.think();
        } else {
            partial.say(part["text"].as_str().unwrap_or_default());
        }
    }
    if let Some(reason) = candidate["finishReason"].as_str() {
        partial.end = Some(end(reason, candidate["finishMessage"].as_str()));
    }
    Ok(())
}

/// <https://ai.google.dev/api/generate-content#FinishReason>
fn end(reason: &str, message: Option<&str>) -> End {
    match reason {
        "STOP" => End::Done,
        "MAX_TOKENS" => End::Cut("the limit of tokens was reached"),
        "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => {
            End::Refused(message.unwrap_or(reason).to_owned())
        }
        other => End::Unexpected(other.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_models_name_stays_one_part_of_the_path() {
        assert_eq!((API.path)("gemini-3.8-flash"), "/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse");
        let odd = (API.path)("../../x?y=z#a");
        assert_eq!(odd, "/v1beta/models/..%2F..%2Fx%3Fy%3Dz%23a:streamGenerateContent?alt=sse");
    }
}
