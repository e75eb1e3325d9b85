//! The judge's answer: each finding is classified, by its id. What follows from that is not the judge's to say.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answer::object_in;
use super::critique::MOST_EVIDENCE;
use super::{Content, Severity, round_key};
use crate::debate::{Debate, Rejection, structured};
use crate::evidence::{Evidence, strict_object};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    pub rulings: Vec<Ruling>,
    #[serde(default)]
    pub missing: Vec<MissingRuling>,
    #[serde(default)]
    pub added: Vec<Added>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ruling {
    pub id: String,
    pub ruling: RulingKind,
    pub severity: Severity,
    pub reason: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// Whether the suggestion says exactly what to write instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub concrete: bool,
    /// A finding of this or an earlier round that says the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RulingKind {
    /// Its evidence and its relevance hold.
    Valid,
    /// It may be so, and what is cited does not show it.
    NeedsEvidence,
    /// A wrong assumption, a wrong context, or no issue.
    Invalid,
}

impl RulingKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::NeedsEvidence => "needs evidence",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MissingRuling {
    pub id: String,
    /// Whether it counts as a P2.
    pub important: bool,
    /// A missing item of this or an earlier round that says the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Added {
    pub title: String,
    #[serde(default)]
    pub explanation: String,
    /// Whether it counts as a P2.
    pub important: bool,
    /// A missing item of an earlier round that says the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
}

pub(super) fn judgement(debate: &Debate, round: u32) -> Option<&Judgement> {
    match debate.content(&round_key(round, "judgement"))? {
        Content::Judgement(judgement) => Some(judgement),
        _ => None,
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Ids {
    pub(super) findings: Vec<String>,
    pub(super) missing: Vec<String>,
    /// The findings and missing items of earlier rounds.
    pub(super) earlier: Vec<String>,
}

impl Ids {
    /// What something of one kind, `F` or `M`, can be the same as.
    fn known(&self, kind: char) -> Vec<&str> {
        let all = self.earlier.iter().chain(&self.findings).chain(&self.missing);
        all.map(String::as_str).filter(|id| id.starts_with(kind)).collect()
    }
}

/// The JSON Schema of a judgement. `commands` as in [`Evidence::schema`].
pub(super) fn schema(ids: &Ids, commands: Option<&[String]>) -> Value {
    let same_as = |kind: char| {
        let ids = ids.known(kind).into_iter().map(|id| json!(id)).chain([Value::Null]);
        json!({"type": ["string", "null"], "enum": ids.collect::<Vec<_>>()})
    };
    let text = || json!({"type": "string"});
    // Without anything to name, the list is empty: a list of no allowed value would be no schema.
    let list = |named: &[String], items: Value| match named {
        [] => json!({"type": "array", "items": text(), "maxItems": 0}),
        _ => json!({"type": "array", "items": items}),
    };
    let ruling = strict_object(json!({
        "id": {"type": "string", "enum": ids.findings},
        "ruling": {"type": "string", "enum": ["valid", "invalid", "needs_evidence"]},
        "severity": {"type": "string", "enum": Severity::ALL},
        "reason": text(),
        "evidence": {"type": "array", "items": Evidence::schema(commands)},
        "concrete": {"type": "boolean"},
        "same_as": same_as('F'),
    }));
    let missing = strict_object(json!({
        "id": {"type": "string", "enum": ids.missing}, "important": {"type": "boolean"}, "same_as": same_as('M'),
    }));
    let added = strict_object(json!({
        "title": text(), "explanation": text(), "important": {"type": "boolean"}, "same_as": same_as('M'),
    }));
    strict_object(json!({
        "rulings": list(&ids.findings, ruling),
        "missing": list(&ids.missing, missing),
        "added": {"type": "array", "items": added},
    }))
}

/// Reads a judgement by the schema it was asked for with: every finding has exactly one ruling with a reason.
pub(super) fn accept(ids: &Ids, schema: &Value, text: &str) -> Result<Judgement, Rejection> {
    let refused = |code: &str, reason: String| Err(Rejection::new(format!("judgement:{code}"), reason));
    let json = object_in("judgement", text, "rulings")?.map_or("", |object| object.json);
    let mut judgement: Judgement = structured::read_within("judgement", schema, json)?;
    judgement.added.retain(|added| !added.title.trim().is_empty());
    let ruled = |id: &&String| judgement.rulings.iter().filter(|ruling| ruling.id == **id).count();
    let weighed = |id: &&String| judgement.missing.iter().filter(|ruling| ruling.id == **id).count();
    let wrong = ids.findings.iter().filter(|id| ruled(id) != 1);
    let wrong: Vec<&str> = wrong.chain(ids.missing.iter().filter(|id| weighed(id) > 1)).map(String::as_str).collect();
    if !wrong.is_empty() {
        return refused("not_each_once", format!("each finding needs exactly one ruling; see {}", wrong.join(", ")));
    }
    if let Some(ruling) = judgement.rulings.iter().find(|ruling| ruling.reason.trim().is_empty()) {
        return refused("no_reason", format!("the ruling on {} gives no reason", ruling.id));
    }
    judgement.rulings.iter_mut().for_each(|ruling| ruling.evidence.truncate(MOST_EVIDENCE));
    Ok(judgement)
}
