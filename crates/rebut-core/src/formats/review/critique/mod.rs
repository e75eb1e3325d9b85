//! A critique: findings with their evidence, what is missing, and what the critic recommends.
//!
//! A JSON object is asked for by [`schema`]. A critic that answers in Markdown lists by severity is read as well. An answer
//! that is neither is rejected, so that nothing unreadable ever counts as "no findings".

mod markdown;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answer::object_in;
use super::findings::{Finding, Missing};
use crate::debate::{Rejection, structured};
use crate::evidence::{Evidence, or_default, strict_object};
use crate::named::named;

const MOST_FINDINGS: usize = 200;
pub(super) const MOST_EVIDENCE: usize = 10;

named! {
    /// How severe a finding is. The most severe comes first: `P1 < P2 < P3`.
    #[derive(Hash)]
    pub enum Severity {
        /// Correctness, security, reliability.
        P1 = "P1",
        /// Maintainability, performance, compatibility of weight.
        P2 = "P2",
        /// Optional.
        P3 = "P3",
    }
}

named! {
    #[derive(Hash)]
    pub enum Recommendation {
        Keep = "keep",
        Revise = "revise",
        Reject = "reject",
        /// Go on arguing.
        Continue = "continue",
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Critique {
    /// The critique in a few sentences; in Markdown, everything outside the lists.
    #[serde(default, deserialize_with = "or_default")]
    pub summary: String,
    pub findings: Vec<Finding>,
    /// What is missing from the artifact: tests, alternatives, risk controls.
    #[serde(default, deserialize_with = "or_default")]
    pub missing: Vec<Missing>,
    #[serde(default)]
    pub recommendation: Option<Recommendation>,
    /// The files that it says it checked. Shown, and decides nothing.
    #[serde(default)]
    pub checked_files: Option<Vec<String>>,
}

/// The JSON Schema of a critique. `commands` as in [`Evidence::schema`].
pub(super) fn schema(commands: Option<&[String]>) -> Value {
    let text = || json!({"type": "string"});
    let finding = strict_object(json!({
        "severity": {"type": "string", "enum": Severity::ALL},
        "title": text(),
        "explanation": text(),
        "evidence": {"type": "array", "items": Evidence::schema(commands)},
        "suggestion": {"type": ["string", "null"]},
    }));
    strict_object(json!({
        "summary": text(),
        "findings": {"type": "array", "items": finding},
        "missing": {"type": "array", "items": strict_object(json!({"title": text(), "explanation": text()}))},
        "recommendation": {"type": "string", "enum": Recommendation::ALL},
        "checked_files": {"type": "array", "items": text()},
    }))
}

pub(super) fn read(text: &str) -> Result<Critique, Rejection> {
    let refused = |code: &str, reason: String| Err(Rejection::new(format!("critique:{code}"), reason));
    let (mut critique, from_prose) = match object_in("critique", text, "findings")? {
        Some(object) => {
            if markdown::read(&object.rest).is_ok_and(|beside| !beside.findings.is_empty()) {
                let reason = "the answer has findings outside of its JSON object; answer with one object alone";
                return refused("ambiguous", reason.to_owned());
            }
            (structured::read::<Critique>("critique", object.json)?, false)
        }
        None => (markdown::read(text)?, true),
    };
    let count = critique.findings.len();
    if count > MOST_FINDINGS {
        return refused(
            "too_many_findings",
            format!("{count} findings, at most {MOST_FINDINGS} are read; keep the gravest"),
        );
    }
    if critique.findings.iter().any(|finding| finding.title.trim().is_empty()) {
        return refused("untitled", "a finding has no title".to_owned());
    }
    for finding in &mut critique.findings {
        for text in [&mut finding.title, &mut finding.explanation, &mut finding.suggestion] {
            *text = text.trim().to_owned();
        }
        finding.evidence.truncate(MOST_EVIDENCE);
        // These are not the critic's to say.
        (finding.id, finding.part, finding.from_prose) = (String::new(), String::new(), from_prose);
    }
    critique.missing.retain(|missing| !missing.title.trim().is_empty());
    for Missing { id, title, explanation } in &mut critique.missing {
        (*id, *title, *explanation) = (String::new(), title.trim().to_owned(), explanation.trim().to_owned());
    }
    Ok(critique)
}
