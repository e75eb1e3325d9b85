//! Secrets are removed before an event is journaled and shown.

use rebut_core::debate::{Failure, Tried};
use rebut_core::evidence::Evidence;
use rebut_core::evidence::check::Checked;

use crate::providers::Progress;
use crate::redact::redact;

/// Tools quote commands, addresses and keys in what they complain about.
pub(super) fn of_failure(failure: Failure) -> Failure {
    let detail = redact(&failure.detail).into_owned();
    let advice = failure.advice.as_ref().map(|advice| redact(advice).into());
    let complaints = redact(failure.complaints()).into_owned();
    Failure { detail, advice, ..failure }.with_complaints(&complaints)
}

/// Text comes in pieces that can part a secret: it must be put together before it is shown, as [`Tail`](super::Tail) does.
pub(super) fn of_progress(progress: Progress) -> Progress {
    match progress {
        Progress::Activity(activity) => Progress::Activity(redact(&activity).into_owned()),
        Progress::Text(_) | Progress::Tokens(_) => progress,
    }
}

/// Evidence is a model's, and what is found can quote a file's name.
pub(super) fn of_finding(found: Checked) -> Checked {
    let clean = |text: String| redact(&text).into_owned();
    let Checked { evidence, detail, passage, .. } = found;
    let quote = evidence.quote.map(clean);
    Checked { evidence: Evidence { quote, ..evidence }, detail: clean(detail), passage: passage.map(clean), ..found }
}

/// The reason quotes files and what git says. A patch with a secret in it is none that applies.
pub(super) fn of_trial(tried: Tried) -> Tried {
    match tried {
        Tried::Fails { why } => Tried::Fails { why: redact(&why).into_owned() },
        Tried::Applies { .. } => tried,
    }
}
