//! What the moderator says: where the partners agree and differ, and the strongest combined answer. It has no position of
//! its own; its words are written for people and never read.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Kind, Partner};
use crate::debate::{Rejection, structured};
use crate::evidence::{ClaimId, ids, strict_object};
use crate::named::named;

const POINTS: std::ops::RangeInclusive<usize> = 2..=4;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Synthesis {
    /// Where the partners agree and differ.
    pub points: Vec<Point>,
    /// The combined answer; empty where answers are only compared.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The option that the combined answer takes, if positions are counted and it takes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
}

/// A point of agreement or difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    pub kind: PointKind,
    /// The partners it is about: by label as it is written, by seat as it is kept.
    pub partners: Vec<String>,
    pub claims: Vec<ClaimId>,
    /// The point in one or two sentences.
    pub text: String,
}

named! {
    pub enum PointKind {
        Agree = "agree",
        Differ = "differ",
    }
}

/// The answer as it is written; a comparison has points alone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    points: Vec<Point>,
    #[serde(default)]
    synthesis: Option<String>,
    #[serde(default)]
    position: Option<String>,
}

pub(super) struct Names {
    pub(super) kind: Kind,
    pub(super) partners: Vec<(String, Partner)>,
    pub(super) claims: Vec<ClaimId>,
    /// The options that partners hold; none where positions are not counted.
    pub(super) held: Vec<String>,
}

impl Names {
    /// The JSON Schema of what the moderator writes.
    pub(super) fn schema(&self) -> Value {
        let labels: Vec<&String> = self.partners.iter().map(|(label, _)| label).collect();
        let point = strict_object(json!({
            "kind": {"type": "string", "enum": ["agree", "differ"]},
            "partners": {"type": "array", "items": {"type": "string", "enum": labels}, "minItems": 1},
            "claims": ids(&self.claims),
            "text": {"type": "string"},
        }));
        let mut properties = json!({
            "points": {"type": "array", "items": point, "minItems": POINTS.start(), "maxItems": POINTS.end()},
        });
        if self.kind == Kind::Cross {
            properties["synthesis"] = json!({"type": "string"});
            if !self.held.is_empty() {
                let options: Vec<Value> = self.held.iter().map(|option| json!(option)).chain([Value::Null]).collect();
                properties["position"] = json!({"type": ["string", "null"], "enum": options});
            }
        }
        strict_object(properties)
    }

    /// Reads what the moderator wrote.
    pub(super) fn accept(&self, text: &str) -> Result<Synthesis, Rejection> {
        let name = self.kind.document();
        let Wire { mut points, synthesis, position } = structured::read_within(name, &self.schema(), text)?;
        for speaker in points.iter_mut().flat_map(|point| &mut point.partners) {
            let known = self.partners.iter().find(|(label, _)| label == speaker);
            *speaker = known.map_or_else(String::new, |(_, partner)| partner.to_string());
        }
        let text = synthesis.unwrap_or_default().trim().to_owned();
        let is_empty = self.kind == Kind::Cross && text.is_empty();
        if is_empty || points.iter().any(|point| point.text.trim().is_empty()) {
            return Err(Rejection::new(format!("{name}:empty"), "a point or the synthesis is empty"));
        }
        Ok(Synthesis { points, text, position: position.filter(|position| self.held.contains(position)) })
    }
}
