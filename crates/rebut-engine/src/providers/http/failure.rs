//! What a service's errors mean: by the code in the envelope, then the HTTP status, then the message. Pure.
//!
//! Envelopes as the vendors document them:
//! <https://platform.claude.com/docs/en/api/errors>, <https://developers.openai.com/api/docs/guides/error-codes>,
//! <https://ai.google.dev/gemini-api/docs/troubleshooting>. Servers of the Chat Completions kind have OpenAI's, or only
//! a message.

use jiff::Timestamp;
use rebut_core::debate::{Cause, Failure};
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;

use crate::providers::cli::output::{by_status, by_words, duration_ms};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ErrorBody {
    /// Its name for the error, in lower case: type, code and status, as far as they are there.
    pub(super) kind: String,
    pub(super) message: String,
    /// The HTTP status that it names itself, for errors that come with another one or with none.
    code: Option<u16>,
    /// How long it asks to wait.
    retry_after_ms: Option<u64>,
}

/// The error in a JSON value; `None` if it holds none.
pub(super) fn error_in(body: &Value) -> Option<ErrorBody> {
    let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
    let error = match &body["error"] {
        Value::Null => body,
        error => error,
    };
    if let Value::String(message) = error {
        return Some(ErrorBody { message: message.clone(), ..ErrorBody::default() });
    }
    let message = ["message", "detail"].iter().find_map(|name| error[*name].as_str())?;
    let names = ["type", "code", "status"].iter().filter_map(|name| error[*name].as_str());
    let delays = error["details"].as_array().into_iter().flatten().filter_map(|detail| detail["retryDelay"].as_str());
    let kind = names.collect::<Vec<_>>().join(" ").to_lowercase();
    let code = ["code", "status"].iter().find_map(|name| error[*name].as_u64()).and_then(|code| u16::try_from(code).ok());
    let code = code.filter(|code| (400..600).contains(code));
    Some(ErrorBody { kind, message: message.to_owned(), code, retry_after_ms: delays.filter_map(duration_ms).max() })
}

/// The failure that an error means; `status` is that of the response, unless the error was in a stream.
pub(super) fn of(error: &ErrorBody, status: Option<u16>) -> Failure {
    let cause = cause(error, status.or(error.code));
    let detail = match status {
        Some(status) if error.message.is_empty() => format!("HTTP {status}"),
        Some(status) => format!("HTTP {status}: {}", error.message),
        None => error.message.clone(),
    };
    let names_quota = is_quota(error, status);
    Failure { retry_after_ms: error.retry_after_ms, names_quota, ..Failure::new(cause, detail) }
}

/// How long the headers of a response ask to wait: seconds, milliseconds or a date.
pub(super) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<u64> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(ms) = text("retry-after-ms").and_then(|ms| ms.parse::<f64>().ok()) {
        return milliseconds(ms / 1e3);
    }
    let after = text(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = after.parse() {
        return milliseconds(seconds);
    }
    let then = jiff::fmt::rfc2822::parse(after).ok()?.timestamp();
    // A date that has passed asks for no wait at all.
    Some(u64::try_from(then.as_millisecond() - now.as_millisecond()).unwrap_or(0))
}

/// An extra that a service may reject; the request is then sent again without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Extra {
    Schema,
    Effort,
    Usage,
    Seed,
}

impl Extra {
    /// What it is, to be read after "without", and the words by which it is refused.
    pub(super) fn names(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Schema => ("schema", &["response_format", "output_config.format", "text.format", "schema"]),
            Self::Effort => ("effort", &["effort", "reasoning", "thinking"]),
            Self::Usage => ("usage", &["stream_options", "include_usage"]),
            Self::Seed => ("seed", &["seed"]),
        }
    }

    /// The extra that a request was refused for, if it was one of these.
    pub(super) fn refused(error: &ErrorBody, status: u16, asked: &[Self]) -> Option<Self> {
        if !matches!(status, 400 | 422) || matches!(cause(error, Some(status)), Cause::ContextTooLong | Cause::Auth) {
            return None;
        }
        let words = format!("{} {}", error.kind, error.message).to_lowercase();
        asked.iter().copied().find(|extra| extra.names().1.iter().any(|name| words.contains(name)))
    }
}

/// Words in the names of errors, in lower case. The first rows count more than the HTTP status.
#[rustfmt::skip]
const KINDS: [(Cause, &[&str]); 7] = [
    (Cause::ContextTooLong, &["context_length", "request_too_large", "exceed_context_size"]),
    (Cause::RateLimited, &["insufficient_quota", "billing"]),
    (Cause::Refused, &["content_filter", "content_policy"]),
    (Cause::Auth, &["authentication", "api_key", "unauthenticated", "permission"]),
    (Cause::UnknownModel, &["not_found"]),
    (Cause::RateLimited, &["rate_limit", "resource_exhausted"]),
    (Cause::Unavailable, &["overloaded", "api_error", "server_error", "internal", "unavailable", "timeout", "deadline"]),
];

fn cause(error: &ErrorBody, status: Option<u16>) -> Cause {
    let lower = error.message.to_lowercase();
    let too_long = ["maximum context length", "exceeds the maximum number of tokens", "context size", "prompt is too long"];
    if too_long.iter().any(|words| lower.contains(words)) {
        return Cause::ContextTooLong;
    }
    let named = KINDS.iter().position(|(_, names)| names.iter().any(|name| error.kind.contains(name)));
    let by_status = status.map(|status| if status == 408 { Cause::Unavailable } else { by_status(status.into(), "").cause });
    match (named, by_status) {
        (Some(row @ 0..3), _) => KINDS[row].0,
        _ if is_quota(error, status) => Cause::RateLimited,
        (_, Some(cause)) if cause != Cause::Exit => cause,
        (Some(row), _) => KINDS[row].0,
        _ => by_words(&error.message).cause,
    }
}

/// Whether the service says that what was paid for is used up.
fn is_quota(error: &ErrorBody, status: Option<u16>) -> bool {
    let lower = error.message.to_lowercase();
    status == Some(402)
        || KINDS[1].1.iter().any(|name| error.kind.contains(name))
        || ["credit balance", "exceeded your current quota", "insufficient credit"].iter().any(|words| lower.contains(words))
}

fn milliseconds(seconds: f64) -> Option<u64> {
    let ms = (seconds * 1e3).ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked first")]
    (0.0..=9e15).contains(&ms).then_some(ms as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn failure(status: u16, body: &Value) -> Failure {
        of(&error_in(body).unwrap_or_default(), Some(status))
    }

    #[test]
    fn errors_have_their_causes_by_code_status_and_words() {
        let anthropic =
            |kind: &str, message: &str| json!({ "type": "error", "error": { "type": kind, "message": message } });
        let openai = |code: &str, message: &str| json!({ "error": { "message": message, "type": "invalid_request_error", "param": null, "code": code } });
        let gemini = |status: &str, message: &str| json!({ "error": { "code": 400, "message": message, "status": status } });
        // The plain ones are those of the stand-in: `every_fault_of_a_service_has_its_name`.
        for (status, body, expected) in [
            (400, anthropic("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"), Cause::ContextTooLong),
            (400, anthropic("invalid_request_error", "Your credit balance is too low"), Cause::RateLimited),
            (400, anthropic("invalid_request_error", "max_tokens: must be positive"), Cause::Exit),
            (400, openai("model_not_found", "The requested model 'x' does not exist."), Cause::UnknownModel),
            (400, openai("context_length_exceeded", "too long"), Cause::ContextTooLong),
            (429, openai("insufficient_quota", "You exceeded your current quota"), Cause::RateLimited),
            (400, openai("content_filter", "blocked"), Cause::Refused),
            (400, gemini("INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."), Cause::Auth),
            (
                400,
                gemini("INVALID_ARGUMENT", "The input token count exceeds the maximum number of tokens"),
                Cause::ContextTooLong,
            ),
            (404, json!({ "error": "model 'x' not found" }), Cause::UnknownModel),
            (422, json!({ "detail": "something" }), Cause::Exit),
            (402, json!({ "error": { "message": "Insufficient credits", "code": 402 } }), Cause::RateLimited),
            (502, Value::Null, Cause::Unavailable),
        ] {
            assert_eq!(failure(status, &body).cause, expected, "{status} {body}");
        }
    }

    #[test]
    fn a_wait_is_asked_for_in_seconds_milliseconds_a_date_or_the_envelope() {
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        let after = |name: &'static str, value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            retry_after(&headers, now)
        };
        assert_eq!(after("retry-after", "0.5"), Some(500));
        assert_eq!(after("retry-after-ms", "1250"), Some(1_250));
        assert_eq!(after("retry-after", "Sun, 15 Nov 2026 12:00:30 GMT"), Some(30_000));
        for nonsense in ["", "soon", "-5", "nan", "1e300", "Sun, 99 Nov 2026 12:00:30 GMT"] {
            assert_eq!(after("retry-after", nonsense), None, "{nonsense}");
        }
        let body = json!({ "error": { "code": 429, "message": "You exceeded your current quota", "status": "RESOURCE_EXHAUSTED",
            "details": [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "37.5s" }] } });
        assert_eq!(failure(429, &body).retry_after_ms, Some(37_500));
    }
}
