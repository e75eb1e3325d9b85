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

/// The result of a verification, as the log holds it.
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
        match others {
            0 => Self::Low,
            1 => Self::Medium,
            2 => Self::MediumHigh,
            _ => Self::High,
        }
    }
}

/// What the verifier says of the sources it was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verification {
    /// One result for each source.
    #[schemars(length(min = 1))]
    pub results: Vec<VerificationResult>,
}

impl CitedSource {
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
pub(super) fn check(items: &[CitedSource], verification: Verification) -> Result<Verification, Rejection> {
    let refuse = |code: &str, reason: String| Err(Rejection::new(format!("verification:{code}"), reason));
    for item in items {
        let of = |result: &&VerificationResult| result.verified_seq == item.seq && result.url == item.url;
        let results: Vec<&VerificationResult> = verification.results.iter().filter(of).collect();
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
    if verification.results.len() > items.len() {
        return refuse("not_asked", "give results only for the sources that were asked for".to_owned());
    }
    Ok(verification)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::evidence::check::Cited;
    use crate::evidence::{Evidence, Lines};

    fn item(evidence: Evidence) -> CitedSource {
        CitedSource { seq: 3, url: evidence.to_string(), evidence, figures: vec!["41 %".to_owned()] }
    }

    fn page() -> Evidence {
        Evidence::page("https://example.com/a")
    }

    fn file() -> Evidence {
        Evidence::file("src/pool.rs", Some(Lines::one(8)))
    }

    fn looked(evidence: &Evidence, result: CheckResult, others: usize, text: Option<&str>) -> Option<VerificationResult> {
        let found = Checked::of(Cited::mentioned(evidence.clone()), result, "d");
        engine_result(&item(evidence.clone()), Some(&found), others, text)
    }

    fn status(evidence: &Evidence, result: CheckResult) -> Option<SourceStatus> {
        looked(evidence, result, 0, Some("It took 41 %.")).map(|result| result.status)
    }

    #[test]
    fn what_does_not_exist_is_fabricated_and_what_nobody_read_is_unchecked() {
        let absent = Evidence { absent: true, ..file() };
        for (evidence, result, expected) in [
            (&page(), CheckResult::Missing, Some(SourceStatus::Fabricated)),
            (&page(), CheckResult::Mismatch, Some(SourceStatus::Unreliable)),
            (&page(), CheckResult::OutOfScope, Some(SourceStatus::Unreliable)),
            (&page(), CheckResult::Unchecked, Some(SourceStatus::Unchecked)),
            (&page(), CheckResult::Verified, None),
            (&file(), CheckResult::Missing, Some(SourceStatus::Fabricated)),
            (&file(), CheckResult::Mismatch, Some(SourceStatus::Fabricated)),
            (&file(), CheckResult::Relocated, None),
            (&absent, CheckResult::Mismatch, Some(SourceStatus::Unreliable)),
            (&Evidence::commit("abc1234"), CheckResult::Missing, Some(SourceStatus::Fabricated)),
        ] {
            assert_eq!(status(evidence, result), expected, "{evidence} {result}");
        }
    }

    #[test]
    fn a_page_that_nobody_read_is_as_sure_as_the_sources_beside_it() {
        let confidence =
            |others| looked(&page(), CheckResult::Unchecked, others, None).map_or("", |result| result.confidence.as_str());
        assert_eq!([0, 1, 2, 3].map(confidence), ["low", "medium", "medium-high", "high"]);
    }

    #[test]
    fn the_verifier_answers_for_what_it_was_given_and_for_nothing_else() {
        let all = [item(page()), item(file())];
        let one = |seq: u64, url: &str, status: &str| json!({"verified_seq": seq, "url": url, "status": status, "explanation": "e", "confidence": "high"});
        let (page, file) = (one(3, "https://example.com/a", "fabricated"), one(3, "src/pool.rs:8", "verified"));
        let code = |results: &[Value]| {
            let verification = serde_json::from_value(json!({ "results": results })).unwrap();
            check(&all, verification).map_or_else(|r| r.code, |_| "taken".into())
        };
        assert_eq!(code(&[page.clone(), file.clone()]), "taken");
        assert_eq!(code(std::slice::from_ref(&page)), "verification:count");
        assert_eq!(code(&[page.clone(), file, one(9, "src/pool.rs:8", "verified")]), "verification:not_asked");
        assert_eq!(code(&[page, one(3, "src/pool.rs:8", "fabricated")]), "verification:status");
    }
}
