//! What the moderator says: where the partners agree and differ, how they moved, and the strongest combined answer. It
//! adds no position of its own, and what it reports is held against what was counted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::agreement::{Agreement, Present};
use super::labels::Labels;
use super::{Kind, Partner};
use crate::debate::{Rejection, structured};

/// How many points are told.
const BULLETS: std::ops::RangeInclusive<usize> = 2..=4;
/// The code of a report that the count contradicts.
pub(super) const AGAINST_THE_TALLY: &str = "against_the_tally";

/// A comparison or a synthesis, as it is kept: everybody under the names of the debate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Synthesis {
    /// The points: who conceded, who held, where they agree and differ.
    pub points: Vec<Bullet>,
    /// The combined answer; empty where answers are only compared.
    #[serde(default)]
    pub text: String,
    /// What they still differ on.
    #[serde(default)]
    pub disagreements: Vec<String>,
    /// How far they agree.
    pub agreement: Agreement,
    /// The option that the combined answer takes, where the question is closed and it takes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// Why the moderator's report of agreement does not stand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overruled: Option<String>,
}

/// A point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bullet {
    /// What kind of point.
    pub kind: BulletKind,
    /// The partners it is about.
    #[schemars(length(min = 1))]
    pub partners: Vec<String>,
    /// The point in one or two sentences.
    #[schemars(length(min = 1))]
    pub text: String,
}

/// The kinds of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BulletKind {
    /// A point that was given up.
    Conceded,
    /// A point that was held against critique.
    Held,
    /// Where they agree.
    Agree,
    /// Where they differ.
    Differ,
}

impl BulletKind {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Conceded => "conceded",
            Self::Held => "held",
            Self::Agree => "agree",
            Self::Differ => "differ",
        }
    }
}

/// A synthesis as a moderator writes it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Written {
    /// Two to four points: what each conceded, what each held, where they agree, where they differ.
    #[schemars(length(min = 2, max = 4))]
    moved: Vec<Bullet>,
    /// The strongest combined answer, from what the partners said.
    #[schemars(length(min = 1))]
    synthesis: String,
    /// What they still differ on, a sentence each; empty where nothing is left.
    disagreements: Vec<String>,
    /// How far the partners agree in the end.
    agreement: Agreement,
    /// The option that the synthesis takes, or null.
    #[serde(default)]
    position: Option<String>,
}

/// A comparison as a moderator writes it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Compared {
    /// Two to four points: where the partners agree, where they differ.
    #[schemars(length(min = 2, max = 4))]
    points: Vec<Bullet>,
    /// How far the partners agree.
    agreement: Agreement,
}

/// The JSON Schema of what a moderator writes about these partners, who hold these positions.
pub(super) fn schema(kind: Kind, labels: &Labels, held: &[String]) -> Value {
    let mut schema = match kind {
        Kind::Ask => schemars::schema_for!(Compared).to_value(),
        Kind::Cross => schemars::schema_for!(Written).to_value(),
    };
    let titles: Vec<String> = labels.order.iter().map(|partner| labels.title(*partner)).collect();
    if let Some(partners) = schema.pointer_mut("/$defs/Bullet/properties/partners/items") {
        *partners = json!({ "type": "string", "enum": titles });
    }
    if kind == Kind::Ask {
        if let Some(kinds) = schema.pointer_mut("/$defs/Bullet/properties/kind") {
            *kinds = json!({ "description": "Whether it is a point of agreement or of difference.", "enum": ["agree", "differ"] });
        }
        if let Some(defs) = schema.pointer_mut("/$defs").and_then(Value::as_object_mut) {
            defs.remove("BulletKind");
        }
    } else if let Some(properties) = schema.pointer_mut("/properties").and_then(Value::as_object_mut) {
        if held.is_empty() {
            properties.remove("position");
        } else {
            let options: Vec<Value> = held.iter().map(|option| json!(option)).chain([Value::Null]).collect();
            properties.insert(
                "position".to_owned(),
                json!({ "description": "The option that the synthesis takes, or null.", "enum": options }),
            );
        }
    }
    schema
}

/// Reads what a moderator wrote and holds it to the rules. A report that the count contradicts is rejected the first
/// time; `insisted` says that this happened, and then the count stands in its place.
pub(super) fn accept(
    kind: Kind,
    labels: &Labels,
    held: &[String],
    present: &Present,
    insisted: bool,
    text: &str,
) -> Result<Synthesis, Rejection> {
    let name = match kind {
        Kind::Ask => "comparison",
        Kind::Cross => "synthesis",
    };
    let broken = |code: &str, reason: &str| Err(Rejection::new(format!("{name}:{code}"), reason));
    let written = match kind {
        Kind::Cross => structured::read::<Written>(name, text)?,
        Kind::Ask => {
            let Compared { points, agreement } = structured::read(name, text)?;
            Written { moved: points, synthesis: String::new(), disagreements: Vec::new(), agreement, position: None }
        }
    };
    let Written { moved, synthesis, disagreements, agreement, position } = written;
    if !BULLETS.contains(&moved.len()) {
        return broken("points_count", &format!("there must be 2 to 4 points, and there are {}", moved.len()));
    }
    if moved.iter().any(|bullet| bullet.text.trim().is_empty()) || (kind == Kind::Cross && synthesis.trim().is_empty()) {
        return broken("empty", "a point or the synthesis is empty");
    }
    if kind == Kind::Ask && moved.iter().any(|bullet| !matches!(bullet.kind, BulletKind::Agree | BulletKind::Differ)) {
        return broken("does_not_fit", "nobody has answered anybody yet: points are of the kinds `agree` and `differ`");
    }
    let mut points = Vec::new();
    for Bullet { kind, partners, text } in moved {
        let known: Option<Vec<Partner>> = partners.iter().map(|title| labels.partner(title)).collect();
        let Some(known) = known.filter(|known| !known.is_empty()) else {
            return broken("unknown_partner", "a point is about a partner who does not take part");
        };
        let partners = known.iter().map(ToString::to_string).collect();
        points.push(Bullet { kind, partners, text: labels.resolved(text.trim()) });
    }
    let position = position.filter(|position| !position.trim().is_empty());
    if let Some(own) = position.as_ref().filter(|position| !held.contains(position)) {
        let reason = format!("nobody holds the position `{own}`: the synthesis takes one that a partner holds, or null");
        return broken("position_of_its_own", &reason);
    }
    let overruled = match present.contradicts(agreement) {
        Some((counted, _)) if !insisted => {
            let reason = format!("`agreement` is `{}`, but {counted}; report what they hold", agreement.as_str());
            return broken(AGAINST_THE_TALLY, &reason);
        }
        found => found,
    };
    let said = agreement;
    let agreement = overruled.as_ref().map_or(agreement, |(_, holds)| *holds);
    let overruled =
        overruled.map(|(counted, _)| format!("the moderator reported {} agreement twice, but {counted}", said.as_str()));
    let disagreements =
        disagreements.iter().map(|text| labels.resolved(text.trim())).filter(|text| !text.is_empty()).collect();
    Ok(Synthesis { points, text: labels.resolved(synthesis.trim()), disagreements, agreement, position, overruled })
}
