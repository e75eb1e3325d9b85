//! Gemini: `POST /v1beta/models/MODEL:generateContent`, and `:streamGenerateContent?alt=sse`.

use serde_json::{Value, json};

use super::api::{Api, Asked, Event, Finish, Said, joined, list, since_model, string, text_of, there};

pub(super) const API: Api = Api { read, error, whole, events };

fn read(path: &str, body: &Value) -> Asked {
    let contents = list(&body["contents"]);
    let parts = contents.iter().flat_map(|content| list(&content["parts"]));
    let results = parts.filter(|part| !part["functionResponse"].is_null());
    let model = path.rsplit('/').next().and_then(|last| last.split(':').next());
    let thinking = &body["generationConfig"]["thinkingConfig"];
    let declared = list(&body["tools"]).iter().flat_map(|tool| list(&tool["functionDeclarations"]));
    let system = text_of(&body["systemInstruction"]);
    Asked {
        model: model.map(str::to_owned),
        effort: string(&thinking["thinkingLevel"]).or_else(|| thinking["thinkingBudget"].as_i64().map(|b| b.to_string())),
        prompt: joined(std::iter::once(system).chain(contents.iter().map(text_of))),
        question: since_model(contents, |content| content["role"] == "model"),
        offered: declared.filter_map(|tool| string(&tool["name"])).collect(),
        results: results.map(|part| part["functionResponse"]["response"].to_string()).collect(),
        stream: path.contains(":streamGenerateContent"),
        schema: there(&body["generationConfig"]["responseJsonSchema"]),
        answer_tool: None,
        strict: false,
        seed: body["generationConfig"]["seed"].as_u64(),
    }
}

fn error(status: u16, message: &str) -> Value {
    let kind = match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        529 => "UNAVAILABLE",
        _ => "INTERNAL",
    };
    json!({ "error": { "code": status, "message": message, "status": kind } })
}

fn whole(said: &Said, asked: &Asked) -> Value {
    let said = &without_refused_text(said);
    let texts: Vec<String> = Some(said.text.clone()).filter(|text| !text.is_empty()).into_iter().collect();
    response(said, asked, &texts, finish_reason(said))
}

fn events(said: &Said, asked: &Asked) -> Vec<Event> {
    let said = &without_refused_text(said);
    let pieces = said.pieces();
    let (last, before) = match pieces.split_last() {
        Some((last, before)) => (std::slice::from_ref(last), before),
        None => (&[][..], &[][..]),
    };
    let plain = Said { call: None, ..said.clone() };
    let mut events: Vec<Value> =
        before.iter().map(|piece| response(&plain, asked, std::slice::from_ref(piece), Value::Null)).collect();
    if !said.is_cut() {
        events.push(response(said, asked, last, finish_reason(said)));
    }
    events.iter().map(Event::data).collect()
}

/// What is refused here comes without a word, only with a reason for its end.
fn without_refused_text(said: &Said) -> Said {
    let text = if said.finish == Finish::Refused { String::new() } else { said.text.clone() };
    Said { text, ..said.clone() }
}

fn response(said: &Said, asked: &Asked, texts: &[String], finish: Value) -> Value {
    let call = said.call.as_ref().map(|call| json!({ "functionCall": { "name": call.name, "args": call.arguments } }));
    let parts: Vec<Value> = texts.iter().map(|text| json!({ "text": text })).chain(call).collect();
    let mut candidate = json!({ "index": 0, "content": { "role": "model", "parts": parts } });
    if !finish.is_null() {
        candidate["finishReason"] = finish;
    }
    json!({
        "candidates": [candidate], "modelVersion": asked.model, "responseId": "stand-in",
        "usageMetadata": { "promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18 },
    })
}

fn finish_reason(said: &Said) -> Value {
    match said.finish {
        Finish::Refused => json!("SAFETY"),
        Finish::Length => json!("MAX_TOKENS"),
        _ => json!("STOP"),
    }
}
