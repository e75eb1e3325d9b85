//! The stand-in provider stands in for the others: these tests keep it honest without any tool.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{ANSWER, Provider, ToolCall};

const MESSAGES: (&str, &str) = ("/v1/messages", "messages");

async fn post(provider: &Provider, path: &str, body: &Value) -> String {
    let mut stream = TcpStream::connect(provider.address).await.unwrap();
    let body = body.to_string();
    let request = format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await.unwrap();
    String::from_utf8(response).unwrap()
}

fn question(stream: bool) -> Value {
    json!({ "model": "m", "stream": stream, "messages": [{ "role": "user", "content": "Why ä?" }],
        "input": [{ "role": "user", "content": [{ "type": "input_text", "text": "Why ä?" }] }],
        "contents": [{ "role": "user", "parts": [{ "text": "Why ä?" }] }] })
}

/// The texts of a stream put together again, whichever API it is of.
fn streamed(response: &str) -> String {
    let data = response.lines().filter_map(|line| line.strip_prefix("data: ")).filter_map(|data| {
        let event: Value = serde_json::from_str(data).ok()?;
        let candidates = ["/delta/text", "/delta", "/choices/0/delta/content", "/candidates/0/content/parts/0/text"];
        candidates.iter().find_map(|at| event.pointer(at).and_then(Value::as_str).map(str::to_owned))
    });
    data.collect()
}

#[tokio::test]
async fn every_api_answers_whole_and_in_a_stream() {
    let provider = Provider::start().await.unwrap();
    for path in ["/ok/v1/messages", "/ok/v1/responses", "/ok/v1/chat/completions"] {
        assert!(post(&provider, path, &question(false)).await.contains(ANSWER), "{path}");
        assert_eq!(streamed(&post(&provider, path, &question(true)).await), ANSWER, "{path}");
    }
    let gemini = "/ok/v1beta/models/m";
    assert!(post(&provider, &format!("{gemini}:generateContent"), &question(false)).await.contains(ANSWER));
    let stream = post(&provider, &format!("{gemini}:streamGenerateContent?alt=sse"), &question(false)).await;
    assert_eq!(streamed(&stream), ANSWER);
    for asked in provider.asked() {
        assert_eq!((asked.model.as_deref(), asked.prompt.as_str()), (Some("m"), "Why ä?"));
    }
    assert_eq!(provider.asked().len(), 8);
    provider.end().await;
}

#[tokio::test]
async fn failures_have_their_status_and_envelope() {
    let provider = Provider::start().await.unwrap();
    let limited = post(&provider, "/429/v1/messages", &question(true)).await;
    assert!(limited.starts_with("HTTP/1.1 429 ") && limited.contains("retry-after: 1"), "{limited}");
    assert!(limited.contains("rate_limit_error"));
    let unknown = post(&provider, "/ok/v1/responses", &json!({ "model": "no-such-model" })).await;
    assert!(unknown.starts_with("HTTP/1.1 404 ") && unknown.contains("model_not_found"), "{unknown}");
    let cut = post(&provider, "/truncated/v1/messages", &question(true)).await;
    assert!(cut.contains("STAND-IN") && !cut.contains("message_stop"), "{cut}");
    assert!(post(&provider, "/garbage/v1/messages", &question(true)).await.contains("<html>"));
}

#[tokio::test]
async fn a_scripted_model_calls_tools_and_tells_what_they_said() {
    let provider = Provider::start().await.unwrap();
    provider.script("write", vec![ToolCall::new("Write", json!({ "file_path": "/x" }))]);
    let path = format!("/write{}", MESSAGES.0);
    let first = post(&provider, &path, &question(false)).await;
    assert!(first.contains("tool_use") && first.contains("\"Write\""), "{first}");
    let result = json!({ "type": "tool_result", "tool_use_id": "call_0", "content": "denied" });
    let second = post(&provider, &path, &json!({ MESSAGES.1: [{ "role": "user", "content": [result] }] })).await;
    assert!(second.contains("The tools said:\\ndenied"), "{second}");
}
