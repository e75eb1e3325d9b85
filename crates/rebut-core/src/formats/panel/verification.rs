//! Results for sources: from the engine's own check, and from the verifier where a text must be judged.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::source::CitedSource;
use crate::debate::Rejection;
use crate::debate::structured::{self, one_of};
use crate::evidence::Subject;
use crate::evidence::check::{CheckResult, Checked};
use crate::named::named;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerificationResult {
    /// The entry whose source was looked at.
    pub verified_seq: u64,
    /// The source.
    pub url: String,
    pub status: SourceStatus,
    /// Why, in a sentence or two.
    #[schemars(length(min = 1))]
    pub explanation: String,
    /// How sure it is.
    pub confidence: Confidence,
}

named! {
    #[derive(JsonSchema)]
    pub enum SourceStatus {
        /// It supports the claim.
        Verified = "verified",
        /// It does not support the claim, or is not to be relied on.
        Unreliable = "unreliable",
        /// There is no such source, or it is about something else.
        Fabricated = "fabricated",
        /// It could not be read.
        Unchecked = "unchecked",
    }
}

impl SourceStatus {
    /// `verified 3, unreliable 1, fabricated 0, unchecked 0`
    pub fn counts(count: impl Fn(Self) -> usize) -> String {
        Self::ALL.map(|status| format!("{status} {}", count(status))).join(", ")
    }
}

named! {
    /// How sure a result is.
    #[derive(JsonSchema)]
    pub enum Confidence {
        High = "high",
        MediumHigh = "medium-high",
        Medium = "medium",
        Low = "low",
    }
}

impl Confidence {
    /// The confidence in a page that could not be read, by the other sources of the entry that hold.
    fn by_others(others: usize) -> Self {
        [Self::Low, Self::Medium, Self::MediumHigh, Self::High][others.min(3)]
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verification {
    /// One result for each source.
    #[schemars(length(min = 1))]
    pub results: Vec<VerificationResult>,
}

impl CitedSource {
    pub(super) fn is_judged_by(&self, result: &VerificationResult) -> bool {
        (result.verified_seq, &result.url) == (self.seq, &self.url)
    }

    fn result(&self, status: SourceStatus, explanation: impl Into<String>, confidence: Confidence) -> VerificationResult {
        let (verified_seq, url) = (self.seq, self.url.clone());
        VerificationResult { verified_seq, url, status, explanation: explanation.into(), confidence }
    }

    /// The result where the verifier said nothing.
    pub(super) fn unanswered(&self, explanation: &str) -> VerificationResult {
        self.result(SourceStatus::Unchecked, explanation, Confidence::Low)
    }
}

/// What the engine's own check of a source settles; none where it exists, and the verifier has to judge whether it supports
/// the claim. `others` is how many other sources of the entry hold, `text` the source's text.
pub(super) fn engine_result(
    item: &CitedSource,
    found: Option<&Checked>,
    others: usize,
    text: Option<&str>,
) -> Option<VerificationResult> {
    let unchecked = |why: &str| item.result(SourceStatus::Unchecked, why, Confidence::by_others(others));
    let Some(found) = found else { return Some(unchecked("sources are not looked up in this debate")) };
    let certain = |status: SourceStatus| item.result(status, found.detail.as_str(), Confidence::High);
    // An invented place strikes the entry; a place that exists and says otherwise only fails to support it.
    let place = matches!(item.evidence.subject(), Subject::File { .. } | Subject::Commit { .. }) && !item.evidence.absent;
    Some(match found.result {
        CheckResult::Verified | CheckResult::Relocated => match text {
            None => unchecked("it exists, and its text could not be read"),
            Some(text) => match item.missing_figure(text)? {
                (figure, SourceStatus::Unchecked) => {
                    unchecked(&format!("the figure {figure} is not in the part that was read"))
                }
                (figure, status) => item.result(status, format!("the figure {figure} is not in it"), Confidence::High),
            },
        },
        CheckResult::Missing => certain(SourceStatus::Fabricated),
        CheckResult::Mismatch if place => certain(SourceStatus::Fabricated),
        CheckResult::Mismatch | CheckResult::OutOfScope => certain(SourceStatus::Unreliable),
        CheckResult::Ambiguous | CheckResult::ChangedSince | CheckResult::Unchecked | CheckResult::Invalid => {
            unchecked(&found.detail)
        }
    })
}

pub(super) fn schema(items: &[&CitedSource]) -> Value {
    let seqs: BTreeSet<u64> = items.iter().map(|item| item.seq).collect();
    let urls: BTreeSet<&str> = items.iter().map(|item| item.url.as_str()).collect();
    // What the engine found in the repository is there, and cannot be fabricated any more.
    let pages = items.iter().any(|item| item.is_page());
    let statuses: &[&str] = if pages { &["verified", "unreliable", "fabricated"] } else { &["verified", "unreliable"] };
    let mut schema = structured::schema_with::<Verification>([
        ("/$defs/VerificationResult/properties/verified_seq", one_of("integer", seqs)),
        ("/$defs/VerificationResult/properties/url", one_of("string", urls)),
        ("/$defs/VerificationResult/properties/status", one_of("string", statuses)),
    ]);
    if let Some(defs) = schema.get_mut("$defs").and_then(Value::as_object_mut) {
        defs.remove("SourceStatus");
    }
    schema
}

/// Checks what the schema of a verification can't say: one result for each source, and none that only the engine can find.
pub(super) fn check(items: &[CitedSource], mut verification: Verification) -> Result<Verification, Rejection> {
    let refuse = |code: &str, reason: String| Err(Rejection::new(format!("verification:{code}"), reason));
    for item in items {
        let results: Vec<&VerificationResult> =
            verification.results.iter().filter(|result| item.is_judged_by(result)).collect();
        let [result] = results[..] else {
            let count = results.len();
            return refuse("count", format!("give one result for {} of seq {}; there were {count}", item.url, item.seq));
        };
        if result.status == SourceStatus::Fabricated && !item.is_page() {
            return refuse(
                "status",
                format!("{} is there: say whether it supports the claim (verified) or not (unreliable)", result.url),
            );
        }
    }
    verification.results.retain(|result| items.iter().any(|item| item.is_judged_by(result)));
    Ok(verification)
}
