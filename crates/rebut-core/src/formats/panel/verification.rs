//! What is said of a source: what the engine's own look found, and what is left to the verifier's judgement.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::chair::brief;
use super::source::Item;
use crate::debate::{Rejection, structured};
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

/// What the engine's own look comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// It decides by itself.
    Decides(VerificationResult),
    /// The source is there: whether it supports the claim is the verifier's to say.
    IsThere,
}

/// What the engine's own look at a source comes to; `others` is how many other sources of the entry hold, `text` what there
/// is to judge it by.
pub(super) fn look(item: &Item, found: Option<&Checked>, others: usize, text: Option<&str>) -> Look {
    let decides = |status, explanation: String, confidence| {
        let Item { seq, url, .. } = item;
        Look::Decides(VerificationResult { verified_seq: *seq, url: url.clone(), status, explanation, confidence })
    };
    let Some(found) = found else {
        let why = "sources are not looked up in this debate".to_owned();
        return decides(SourceStatus::Unchecked, why, Confidence::by_others(others));
    };
    let detail = found.detail.clone();
    // An invented place strikes the entry; a place that exists and says otherwise only fails to support it.
    let place = matches!(item.evidence.subject(), Subject::File { .. } | Subject::Commit { .. }) && !item.evidence.absent;
    match found.result {
        CheckResult::Verified | CheckResult::Relocated => match text {
            None => {
                let why = "it exists, and its text could not be read".to_owned();
                decides(SourceStatus::Unchecked, why, Confidence::by_others(others))
            }
            Some(text) => match item.missing_figure(text) {
                Some((figure, status @ SourceStatus::Unchecked)) => {
                    let why = format!("the figure {figure} is not in the part that was read");
                    decides(status, why, Confidence::by_others(others))
                }
                Some((figure, status)) => decides(status, format!("the figure {figure} is not in it"), Confidence::High),
                None => Look::IsThere,
            },
        },
        CheckResult::Missing => decides(SourceStatus::Fabricated, detail, Confidence::High),
        CheckResult::Mismatch if place => decides(SourceStatus::Fabricated, detail, Confidence::High),
        CheckResult::Mismatch | CheckResult::OutOfScope => decides(SourceStatus::Unreliable, detail, Confidence::High),
        CheckResult::Ambiguous | CheckResult::ChangedSince | CheckResult::Unchecked | CheckResult::Invalid => {
            decides(SourceStatus::Unchecked, detail, Confidence::by_others(others))
        }
    }
}

/// The result for a source of which the verifier said nothing.
pub(super) fn unanswered(item: &Item) -> VerificationResult {
    VerificationResult {
        verified_seq: item.seq,
        url: item.url.clone(),
        status: SourceStatus::Unchecked,
        explanation: "the source exists, and the verifier gave no answer on whether it supports the claim".to_owned(),
        confidence: Confidence::Low,
    }
}

/// The result for a challenged source of which the verifier said nothing.
pub(super) fn undecided(item: &Item) -> VerificationResult {
    let explanation = "the source exists, and the verifier gave no answer to the challenge".to_owned();
    VerificationResult { explanation, ..unanswered(item) }
}

/// The JSON Schema of a verification of these sources.
pub(super) fn schema(items: &[&Item]) -> Value {
    let mut schema = structured::schema::<Verification>();
    let seqs: BTreeSet<u64> = items.iter().map(|item| item.seq).collect();
    let urls: BTreeSet<&str> = items.iter().map(|item| item.url.as_str()).collect();
    // What the engine found in the repository is there, and cannot be fabricated any more.
    let pages = items.iter().any(|item| item.is_page());
    let statuses: &[&str] = if pages { &["verified", "unreliable", "fabricated"] } else { &["verified", "unreliable"] };
    let fields = [
        ("verified_seq", json!({ "type": "integer", "enum": seqs })),
        ("url", json!({ "type": "string", "enum": urls })),
        ("status", json!({ "type": "string", "enum": statuses })),
    ];
    for (name, field) in fields {
        if let Some(place) = schema.pointer_mut(&format!("/$defs/VerificationResult/properties/{name}")) {
            *place = field;
        }
    }
    if let Some(defs) = schema.get_mut("$defs").and_then(Value::as_object_mut) {
        defs.remove("SourceStatus");
    }
    schema
}

/// Reads a verification: one result for each source, and nothing that only the engine can find.
pub(super) fn accept(items: &[&Item], text: &str) -> Result<Verification, Rejection> {
    let verification: Verification = structured::read("verification", text)?;
    let refuse = |code: &str, reason: String| Err(Rejection::new(format!("verification:{code}"), reason));
    brief("verification", verification.results.iter().map(|result| result.explanation.as_str()))?;
    for result in &verification.results {
        let asked = items.iter().find(|item| item.seq == result.verified_seq && item.url == result.url);
        let Some(item) = asked else {
            return refuse("not_asked", format!("{} of seq {} was not asked for", result.url, result.verified_seq));
        };
        if result.status == SourceStatus::Unchecked || (result.status == SourceStatus::Fabricated && !item.is_page()) {
            return refuse(
                "status",
                format!("{} is there: say whether it supports the claim (verified) or not (unreliable)", result.url),
            );
        }
        if result.explanation.trim().is_empty() {
            return refuse("empty", format!("the explanation for {} is empty", result.url));
        }
    }
    for item in items {
        let count = verification.results.iter().filter(|r| r.verified_seq == item.seq && r.url == item.url).count();
        if count != 1 {
            return refuse("count", format!("give one result for {} of seq {}; there were {count}", item.url, item.seq));
        }
    }
    Ok(verification)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::check::Cited;
    use crate::evidence::{Evidence, Lines};

    fn item(evidence: Evidence) -> Item {
        Item { seq: 3, url: evidence.to_string(), evidence, figures: vec!["41 %".to_owned()] }
    }

    fn page() -> Evidence {
        Evidence::page("https://example.com/a")
    }

    fn file() -> Evidence {
        Evidence::file("src/pool.rs", Some(Lines::one(8)))
    }

    fn looked(evidence: &Evidence, result: CheckResult, others: usize, text: Option<&str>) -> Look {
        let found = Checked::of(Cited::mentioned(evidence.clone()), result, "d");
        look(&item(evidence.clone()), Some(&found), others, text)
    }

    fn status(evidence: &Evidence, result: CheckResult) -> Option<SourceStatus> {
        match looked(evidence, result, 0, Some("It took 41 %.")) {
            Look::Decides(result) => Some(result.status),
            Look::IsThere => None,
        }
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
    fn a_source_without_text_is_unchecked_and_one_without_the_figure_unreliable() {
        for (text, expected) in [(None, SourceStatus::Unchecked), (Some("It took 43 %."), SourceStatus::Unreliable)] {
            let Look::Decides(result) = looked(&file(), CheckResult::Verified, 0, text) else { panic!("decided") };
            assert_eq!(result.status, expected);
        }
    }

    #[test]
    fn a_page_that_nobody_read_is_as_sure_as_the_sources_beside_it() {
        let confidence = |others| match looked(&page(), CheckResult::Unchecked, others, None) {
            Look::Decides(result) => result.confidence.as_str(),
            Look::IsThere => "exists",
        };
        assert_eq!([0, 1, 2, 3].map(confidence), ["low", "medium", "medium-high", "high"]);
    }

    #[test]
    fn the_verifier_answers_for_what_it_was_given_and_for_nothing_else() {
        let all = [item(page()), item(file())];
        let asked: Vec<&Item> = all.iter().collect();
        let one = |seq: u64, url: &str, status: &str| json!({"verified_seq": seq, "url": url, "status": status, "explanation": "e", "confidence": "high"});
        let (page, file) = (one(3, "https://example.com/a", "fabricated"), one(3, "src/pool.rs:8", "verified"));
        let code = |results: &[Value]| {
            accept(&asked, &json!({ "results": results }).to_string()).map_or_else(|r| r.code, |_| "taken".into())
        };
        assert_eq!(code(&[page.clone(), file.clone()]), "taken");
        assert_eq!(code(std::slice::from_ref(&page)), "verification:count");
        assert_eq!(code(&[page.clone(), one(9, "src/pool.rs:8", "verified")]), "verification:not_asked");
        assert_eq!(code(&[page.clone(), one(3, "src/pool.rs:8", "fabricated")]), "verification:status");
        assert_eq!(code(&[page, one(3, "src/pool.rs:8", "unchecked")]), "verification:status");
    }
}
