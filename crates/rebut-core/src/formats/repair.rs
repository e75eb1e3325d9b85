//! The last touch to a call before it is made: the schema of its answer, and the reason why an earlier one was rejected.
//! It is the same for all formats.

use minijinja::context;

use super::prompts::{self, PromptError};
use crate::debate::{Call, Cause, Debate, Failure, MOST_REJECTIONS, Shape, StepKey};

/// The call as it is made now: with the schema of its answer where the seat's transport does not enforce it, and with the
/// last answer and the reason where that was rejected.
pub fn prepared(debate: &Debate, key: &StepKey, mut call: Call) -> Result<Call, PromptError> {
    let rejected = debate.call(key).and_then(|record| record.rejected.last());
    let enforced = debate.plan().seat(&call.seat).is_some_and(|seat| seat.enforces_schema);
    if let Shape::Json { schema, .. } = &call.shape
        && (!enforced || rejected.is_some())
    {
        append(&mut call.prompt.user, &schema_text(schema));
    }
    match rejected {
        Some(rejected) => after_rejection(debate, key, call, &rejected.text, &rejected.rejection.reason),
        None => Ok(call),
    }
}

/// What a prompt says of the form of an answer that must fit a schema.
pub fn schema_text(schema: &serde_json::Value) -> String {
    format!("Answer with one JSON object that fits this schema, and nothing else:\n\n```json\n{schema}\n```")
}

/// The call with an answer to it and the reason for which that was rejected; `key` is that of the answer.
fn after_rejection(debate: &Debate, key: &StepKey, mut call: Call, answer: &str, reason: &str) -> Result<Call, PromptError> {
    let format = debate.format();
    let (answer, reason) = (format.shown(debate, answer.trim_end()), format.shown(debate, reason));
    // A reason can quote the answer, so that it is fenced as well.
    let marker = debate.plan().chance.marker(&format!("{key}/rejected"), &format!("{answer}\n{reason}"));
    let values = context! { reason => reason, answer => answer, marker => marker };
    let again = prompts::render(debate.plan(), prompts::REPAIR, values)?;
    append(&mut call.prompt.user, &again);
    Ok(call)
}

fn append(prompt: &mut String, text: &str) {
    prompt.push_str("\n\n");
    prompt.push_str(text);
}

/// The failure of a call whose answers were rejected too often. Only the code is kept, never the answer's text.
pub fn rejected_too_often(debate: &Debate, key: &StepKey) -> Option<Failure> {
    let rejected = &debate.call(key)?.rejected;
    let last = rejected.last().filter(|_| rejected.len() >= MOST_REJECTIONS)?;
    Some(Failure::new(Cause::Rejected, last.rejection.words()))
}
