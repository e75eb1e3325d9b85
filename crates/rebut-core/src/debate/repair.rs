//! Asking again: the one way in which a rejected answer is repaired, for all formats.

use minijinja::context;

use super::{Call, Cause, Debate, Failure, Rejection, StepKey};
use crate::formats::format_of;
use crate::formats::prompts::{self, PromptError};

/// How often an answer may be rejected before the call has failed.
pub(super) const MOST_REJECTIONS: usize = 2;

/// The call as it is to be made now: as it is, or, where its last answer was rejected, with that answer and the reason.
pub fn repaired(debate: &Debate, key: &StepKey, call: Call) -> Result<Call, PromptError> {
    match debate.call(key).and_then(|record| record.rejected.last()) {
        Some(rejected) => after_rejection(debate, key, call, &rejected.text, &rejected.rejection.reason),
        None => Ok(call),
    }
}

/// The call with an answer to it and the reason for which that was rejected; `key` is that of the answer.
pub fn after_rejection(
    debate: &Debate,
    key: &StepKey,
    mut call: Call,
    answer: &str,
    reason: &str,
) -> Result<Call, PromptError> {
    let format = format_of(&debate.plan().setup);
    let (answer, reason) = (format.shown(debate, answer.trim_end()), format.shown(debate, reason));
    // A reason can quote the answer, so that it is fenced as well.
    let marker = debate.plan().chance.marker(&format!("{key}/rejected"), &format!("{answer}\n{reason}"));
    let values = context! { reason => reason, answer => answer, marker => marker };
    let again = prompts::render(debate.plan(), prompts::REPAIR, values)?;
    call.prompt.user = format!("{}\n\n{again}", call.prompt.user);
    Ok(call)
}

/// The failure of a call whose answers were rejected too often. Of an answer that could not be read only the code is
/// kept, never its text.
pub fn rejected_too_often(debate: &Debate, key: &StepKey) -> Option<Failure> {
    let rejected = &debate.call(key)?.rejected;
    let last = rejected.last().filter(|_| rejected.len() >= MOST_REJECTIONS)?;
    Some(failure_of(&last.rejection))
}

/// The failure of a call whose answer is rejected for good.
pub fn failure_of(rejection: &Rejection) -> Failure {
    Failure::new(Cause::Rejected, format!("PARSE_ERROR:{}", rejection.code))
}
