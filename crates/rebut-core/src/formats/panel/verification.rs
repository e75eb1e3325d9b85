//! What is said of a source: what the engine's own look found, and what is left to the verifier's judgement.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::chair::brief;
use super::reading::Item;
use crate::claims::citation::Target;
use crate::debate::{Rejection, structured};
use crate::evidence::check::{CheckResult, Checked};

/// What stands before and behind a figure that no source of its entry has.
pub(super) const NO_SOURCE: (&str, &str) = ("the figure ", " stands in no source of the entry");

/// The result of a verification, as the log holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerificationResult {
    /// The entry whose source was looked at.
    pub verified_seq: u64,
    /// The source.
    pub url: String,
    /// What was found.
    pub status: SourceStatus,
    /// Why, in a sentence or two.
    #[schemars(length(min = 1))]
    pub explanation: String,
    /// How sure it is.
    pub confidence: Confidence,
}

/// What can be found of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceStatus {
    /// It supports the claim.
    Verified,
    /// It does not support the claim, or is not to be relied on.
    Unreliable,
    /// There is no such source, or it is about something else.
    Fabricated,
    /// Nobody could read it.
    Unchecked,
}

impl SourceStatus {
    /// Every status, in the order in which they are counted.
    pub const ALL: [Self; 4] = [Self::Verified, Self::Unreliable, Self::Fabricated, Self::Unchecked];

    /// The status in one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Unreliable => "unreliable",
            Self::Fabricated => "fabricated",
            Self::Unchecked => "unchecked",
        }
    }
}

/// How sure a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Confidence {
    High,
    MediumHigh,
    Medium,
    Low,
}

impl Confidence {
    /// The confidence in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::MediumHigh => "medium-high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }

    /// How sure one can be of a page that nobody could read, by the other sources of the entry that hold.
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

/// What the engine's own look at a source comes to; `others` is how many other sources of the entry hold, `has_text` whether
/// there is anything by which it could be judged.
pub(super) fn look(item: &Item, found: Option<&Checked>, others: usize, has_text: bool) -> Look {
    let decides = |status, explanation: String, confidence| {
        let Item { seq, url, .. } = item;
        Look::Decides(VerificationResult { verified_seq: *seq, url: url.clone(), status, explanation, confidence })
    };
    let Some(found) = found else {
        let why = "sources are not looked up in this debate".to_owned();
        return decides(SourceStatus::Unchecked, why, Confidence::by_others(others));
    };
    let page = matches!(item.citation.target, Target::Page { .. });
    let detail = found.detail.clone();
    match found.result {
        CheckResult::Verified | CheckResult::Relocated if has_text => Look::IsThere,
        CheckResult::Verified | CheckResult::Relocated => {
            let why = "it is there, and what stands in it could not be had".to_owned();
            decides(SourceStatus::Unchecked, why, Confidence::by_others(others))
        }
        CheckResult::OutOfScope => decides(SourceStatus::Unreliable, detail, Confidence::High),
        CheckResult::Mismatch if page => decides(SourceStatus::Unreliable, detail, Confidence::High),
        // Words can name what is not there without resting on it, so that nothing is struck for them.
        CheckResult::Missing | CheckResult::Mismatch if item.in_text => {
            let why = format!("named in the text and not among the sources: {detail}");
            decides(SourceStatus::Unreliable, why, Confidence::Medium)
        }
        CheckResult::Missing | CheckResult::Mismatch => decides(SourceStatus::Fabricated, detail, Confidence::High),
        CheckResult::Ambiguous | CheckResult::ChangedSince | CheckResult::Unchecked => {
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
        explanation: "the source is there, and the verifier gave no answer on whether it supports the claim".to_owned(),
        confidence: Confidence::Low,
    }
}

/// The result for a source of an entry whose figure stands in none of its sources.
pub(super) fn without_figure(item: &Item, figure: &str) -> VerificationResult {
    VerificationResult {
        status: SourceStatus::Unreliable,
        explanation: format!("{}{figure}{}", NO_SOURCE.0, NO_SOURCE.1),
        confidence: Confidence::High,
        ..unanswered(item)
    }
}

/// The result for a challenged source of which the verifier said nothing.
pub(super) fn undecided(item: &Item) -> VerificationResult {
    let explanation = "the source is there, and the verifier gave no answer to the challenge".to_owned();
    VerificationResult { explanation, ..unanswered(item) }
}

/// The JSON Schema of a verification of these sources.
pub(super) fn schema(items: &[&Item]) -> Value {
    let mut schema = structured::schema::<Verification>();
    let seqs: BTreeSet<u64> = items.iter().map(|item| item.seq).collect();
    let urls: BTreeSet<&str> = items.iter().map(|item| item.url.as_str()).collect();
    // What the engine found in the repository is there, and cannot be fabricated any more.
    let pages = items.iter().any(|item| matches!(item.citation.target, Target::Page { .. }));
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
        let page = matches!(item.citation.target, Target::Page { .. });
        if result.status == SourceStatus::Unchecked || (result.status == SourceStatus::Fabricated && !page) {
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
    use super::super::reading::Reading;
    use super::super::reading::tests::{items, said};
    use super::*;
    use crate::evidence::check::Cited;

    fn found(item: &Item, result: CheckResult) -> Checked {
        Checked::of(Cited::from(&item.citation), result, "d")
    }

    fn status(url: &str, result: CheckResult) -> Option<SourceStatus> {
        let item = items(3, &said("x", &[url])).remove(0);
        match look(&item, Some(&found(&item, result)), 0, true) {
            Look::Decides(result) => Some(result.status),
            Look::IsThere => None,
        }
    }

    #[test]
    fn what_is_not_there_is_fabricated_and_what_nobody_read_is_unchecked() {
        let page = "https://example.com/a";
        assert_eq!(status(page, CheckResult::Missing), Some(SourceStatus::Fabricated));
        assert_eq!(status(page, CheckResult::Mismatch), Some(SourceStatus::Unreliable));
        assert_eq!(status(page, CheckResult::Unchecked), Some(SourceStatus::Unchecked));
        assert_eq!(status(page, CheckResult::Verified), None);
        let file = "src/pool.rs:88";
        assert_eq!(status(file, CheckResult::Missing), Some(SourceStatus::Fabricated));
        assert_eq!(status(file, CheckResult::Mismatch), Some(SourceStatus::Fabricated));
        assert_eq!(status(file, CheckResult::Relocated), None);
        assert_eq!(status("commit abc1234", CheckResult::Missing), Some(SourceStatus::Fabricated));
    }

    #[test]
    fn a_source_of_which_nobody_has_the_text_is_unchecked_though_it_is_there() {
        let item = items(3, &said("x", &["src/pool.rs:8"])).remove(0);
        let Look::Decides(result) = look(&item, Some(&found(&item, CheckResult::Verified)), 0, false) else {
            panic!("decided")
        };
        assert_eq!(result.status, SourceStatus::Unchecked);
    }

    #[test]
    fn what_the_words_name_is_looked_at_save_of_an_entry_spoken_of_and_strikes_nothing() {
        let other = Reading::of(&said("It is so.", &["docs/none.md:7"]));
        let accusing = Reading::of(&said("The file docs/none.md:7 that was cited is not there; see src/pool.rs:8.", &[]));
        let looked: Vec<String> = accusing.items(4, &[&other], &[]).into_iter().map(|item| item.url).collect();
        assert_eq!(looked, ["src/pool.rs:8"]);
        let alone = accusing.items(4, &[], &[]).remove(0);
        let Look::Decides(result) = look(&alone, Some(&found(&alone, CheckResult::Missing)), 0, true) else {
            panic!("decided")
        };
        assert_eq!(result.status, SourceStatus::Unreliable);
    }

    #[test]
    fn a_page_that_nobody_read_is_as_sure_as_the_sources_beside_it() {
        let item = items(3, &said("x", &["https://example.com/a"])).remove(0);
        let confidence = |others| match look(&item, Some(&found(&item, CheckResult::Unchecked)), others, true) {
            Look::Decides(result) => result.confidence.as_str(),
            Look::IsThere => "there",
        };
        assert_eq!([0, 1, 2, 3].map(confidence), ["low", "medium", "medium-high", "high"]);
    }

    #[test]
    fn the_verifier_answers_for_what_it_was_given_and_for_nothing_else() {
        let all = items(3, &said("x", &["https://example.com/a", "src/pool.rs:8"]));
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
