//! `stream-json`, which several tools print: one JSON object per event.

use rebut_core::debate::{Answer, Cause, Cost, Failure, Usage};
use serde_json::Value;

use super::output::{Events, answer, by, by_exit, main_model};
use super::{Line, Said};
use crate::providers::Progress;

pub(in crate::providers) fn line(event: &Value) -> Line {
    match event["type"].as_str() {
        Some("system") => Line::Idle,
        Some("result") => Line::Last,
        // It passes on what keeps the connection to its provider open.
        Some("stream_event") if event["event"]["type"] == "ping" => Line::Idle,
        // With partial messages its texts come in pieces first; whole ones would repeat them.
        Some("stream_event") => Line::text(&event["event"]["delta"]["text"]),
        Some("assistant") => {
            let blocks = event["message"]["content"].as_array().into_iter().flatten();
            let tools = blocks.filter(|block| block["type"] == "tool_use");
            Line::News(tools.map(|block| Progress::Activity(activity(block))).collect())
        }
        _ => Line::News(Vec::new()),
    }
}

fn activity(block: &Value) -> String {
    let name = block["name"].as_str().unwrap_or("a tool");
    let input = &block["input"];
    let keys = ["file_path", "target_file", "pattern", "path", "command"];
    let what = keys.iter().find_map(|key| input[*key].as_str()).unwrap_or_default();
    format!("{name} {what}").trim_end().to_owned()
}

pub(in crate::providers) fn parse(said: &Said<'_>) -> Result<Answer, Failure> {
    let events = Events::of(said.stdout);
    let Some(result) = events.last("result") else { return Err(by_exit(said)) };
    let usage = usage(result);
    let failed = |failure: Failure| Err(Failure { usage, ..failure });
    // An answer by a schema is beside the text.
    let structured = &result["structured_output"];
    let structured = (!structured.is_null()).then(|| structured.to_string());
    let text = structured.as_deref().or(result["result"].as_str()).unwrap_or_default();
    if result["stop_reason"] == "refusal" {
        return failed(Failure::new(Cause::Refused, ""));
    }
    // The subtype says "success" on API errors too: only these two fields tell.
    if result["is_error"] == true || said.exit.is_some_and(|code| code != 0) {
        let message = result["errors"][0].as_str().or(result["error"]["message"].as_str()).unwrap_or(text);
        return failed(by(&result["api_error_status"], message));
    }
    if result["num_turns"].as_u64() == Some(0) {
        return failed(Failure::new(Cause::Empty, "the prompt was read as a command, and no model was called"));
    }
    let named = || events.0.iter().find_map(|event| event["message"]["model"].as_str().map(str::to_owned));
    let model = main_model(&result["modelUsage"], "outputTokens").or_else(named);
    answer(text, model, usage, result["session_id"].as_str())
}

fn usage(result: &Value) -> Usage {
    let usage = &result["usage"];
    let input = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    let known = usage["input_tokens"].as_u64().is_some();
    Usage {
        input_tokens: known.then(|| input.iter().filter_map(|key| usage[*key].as_u64()).fold(0, u64::saturating_add)),
        output_tokens: usage["output_tokens"].as_u64(),
        cost: result["total_cost_usd"].as_f64().and_then(Cost::from_dollars),
    }
}
