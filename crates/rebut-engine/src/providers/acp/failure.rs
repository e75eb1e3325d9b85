//! What an agent's errors and endings mean, by code, status and words. Pure.

use std::process::ExitStatus;

use rebut_core::debate::{Cause, Failure};
use serde_json::Value;

use super::wire::{NO_SUCH_METHOD, RpcError};
use crate::providers::cli::Said;
use crate::providers::cli::output::{by_exit, by_status, by_words, object};

/// The code that the protocol has for "sign in first".
const SIGN_IN: i64 = -32000;

pub(super) fn of_error(error: &RpcError) -> Failure {
    let message = words(error);
    let status = ["status", "statusCode", "httpStatus"].iter().find_map(|name| error.data[*name].as_u64());
    let status = status.or_else(|| u64::try_from(error.code).ok()).filter(|status| (400..600).contains(status));
    if let Some(status) = status {
        let named = by_words(&message);
        // A model that is not there is sometimes reported as an error of the server.
        return if named.cause == Cause::UnknownModel { named } else { by_status(status, &message) };
    }
    if error.code == NO_SUCH_METHOD {
        return Failure::new(Cause::Exit, message);
    }
    match by_words(&message) {
        unnamed if unnamed.cause == Cause::Exit && error.code == SIGN_IN => Failure::new(Cause::Auth, message),
        named => named,
    }
}

/// The message of an error, with the details beside or inside it. "Internal error" only names its code.
fn words(error: &RpcError) -> String {
    let inner = object(&error.message).and_then(|object| object["error"]["message"].as_str().map(str::to_owned));
    let message = inner.unwrap_or_else(|| error.message.clone());
    let message = message.strip_prefix("Internal error").map_or(&*message, |rest| rest.trim_start_matches([':', ' ']));
    let data = ["details", "message", "error"].iter().find_map(|name| error.data[*name].as_str());
    let parts = [message, data.or(error.data.as_str()).unwrap_or_default()];
    let words = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
    if words.is_empty() { format!("error {}", error.code) } else { words }
}

/// The failure of an agent that ended, by what it wrote to standard error last.
pub(super) fn of_end(status: Option<ExitStatus>, complaints: &[u8], answer_began: bool) -> Failure {
    let exit = status.map(|status| status.code().unwrap_or(-1));
    let failure = by_exit(&Said { stdout: "", stderr: &String::from_utf8_lossy(complaints), exit });
    let cause = if failure.cause == Cause::Exit && answer_began { Cause::Truncated } else { failure.cause };
    Failure { cause, ..failure }
}

/// The failure that a stop reason names; `None` if the turn came to its own end.
pub(super) fn of_stop(result: &Value) -> Option<Failure> {
    match result["stopReason"].as_str() {
        Some("end_turn") => None,
        Some("refusal") => Some(Failure::new(Cause::Refused, "")),
        Some("max_tokens") => Some(Failure::new(Cause::Truncated, "the limit of tokens was reached")),
        Some("cancelled") => Some(Failure::new(Cause::Cancelled, "")),
        Some("max_turn_requests") => Some(Failure::new(Cause::Exit, "the limit of requests in one turn was reached")),
        Some(other) => Some(Failure::new(Cause::Exit, format!("it stopped for `{other}`"))),
        None => Some(Failure::unparsable("acp", "no_stop_reason")),
    }
}
