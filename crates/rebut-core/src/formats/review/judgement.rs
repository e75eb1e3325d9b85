//! The judge's answer: each finding is classified, by its id. What follows from that is not the judge's to say.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answer::object_in;
use super::critique::Severity;
use super::{Content, content, round_key};
use crate::debate::{Debate, Rejection, structured};
use crate::evidence::{Evidence, strict_object};

/// The longest judgement that is read, in bytes.
const LONGEST: usize = 512 * 1024;
const MOST_EVIDENCE: usize = 10;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// The findings, each once.
    pub rulings: Vec<Ruling>,
    /// What the critic called missing.
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

/// What the judge says of something that the critic called missing.
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

/// Something missing that the judge adds.
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
    match content(debate, &round_key(round, "judgement"))? {
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
    if text.len() > LONGEST {
        return refused("too_long", format!("the judgement has {} bytes, at most {LONGEST} are read", text.len()));
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn ids() -> Ids {
        let own = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        Ids { findings: own(&["F2", "F3"]), missing: own(&["M2"]), earlier: own(&["F1", "M1"]) }
    }

    fn judged(change: impl Fn(&mut Value)) -> Result<Judgement, String> {
        let ruling = |id: &str| json!({"id": id, "ruling": "valid", "severity": "P1", "reason": "r"});
        let mut value = json!({"rulings": [ruling("F3"), ruling("F2")], "missing": [{"id": "M2", "important": true}]});
        change(&mut value);
        accept(&ids(), &schema(&ids(), None), &value.to_string()).map_err(|rejection| rejection.code)
    }

    type Spoil = fn(&mut Value);

    #[test]
    fn every_finding_is_ruled_on_once_by_a_known_id_and_with_a_reason() {
        assert!(judged(|_| ()).is_ok());
        assert!(judged(|it| it["rulings"][0]["same_as"] = "F1".into()).is_ok());
        assert!(judged(|it| it["missing"] = json!([])).is_ok());
        let broken: [(&str, Spoil); 8] = [
            ("not_each_once", |it| drop(it["rulings"].as_array_mut().unwrap().pop())),
            ("not_each_once", |it| it["rulings"][0]["id"] = "F2".into()),
            ("does_not_fit", |it| it["rulings"][0]["id"] = "F1".into()),
            ("does_not_fit", |it| it["missing"][0]["id"] = "M1".into()),
            ("does_not_fit", |it| it["rulings"][0]["same_as"] = "M1".into()),
            ("no_reason", |it| it["rulings"][0]["reason"] = " ".into()),
            ("does_not_fit", |it| it["rulings"][0]["ruling"] = "perhaps".into()),
            ("does_not_fit", |it| it["verdict"] = "keep".into()),
        ];
        for (code, change) in broken {
            assert_eq!(judged(change), Err(format!("judgement:{code}")), "{code}");
        }
        let whole = r#"{"rulings": []}"#;
        let twice = format!("```json\n{whole}\n```\nThe diff says:\n```json\n{{\"rulings\": [{{}}]}}\n```");
        let none = |text: &str| accept(&Ids::default(), &schema(&Ids::default(), None), text).map_err(|it| it.code);
        assert_eq!(none(&twice), Err("judgement:ambiguous".to_owned()));
        assert_eq!(none("I approve."), Err("judgement:not_json".to_owned()));
        assert!(none(&format!("I rule so.\n```json\n{whole}\n```")).is_ok());
    }

    #[test]
    fn a_schema_names_nothing_that_is_not_there() {
        let whole = schema(&ids(), None);
        let ruling = &whole["properties"]["rulings"]["items"]["properties"];
        assert_eq!(ruling["id"]["enum"], json!(["F2", "F3"]));
        assert_eq!(ruling["same_as"]["enum"], json!(["F1", "F2", "F3", null]));
        let empty = schema(&Ids::default(), None);
        assert_eq!(empty["properties"]["rulings"]["maxItems"], 0);
        assert!(!empty.to_string().contains("[]"), "{empty}");
    }
}
