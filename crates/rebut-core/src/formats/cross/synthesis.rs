//! What the moderator says: where the partners agree and differ, how they moved, and the strongest combined answer. It
//! adds no position of its own, and what it reports is held against what was counted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::agreement::{Agreement, Present};
use super::labels::Labels;
use super::{Kind, Partner};
use crate::debate::{RejectedAnswer, Rejection, structured};

/// How many points are told.
const BULLETS: std::ops::RangeInclusive<usize> = 2..=4;
/// The code of a report that the count contradicts.
pub(super) const AGAINST_THE_TALLY: &str = "against_the_tally";

/// A comparison or a synthesis, as it is kept: in the moderator's own words, with the letters by which it knows the
/// partners. Whom a point is about is kept by seat.
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
        Kind::Ask => structured::schema::<Compared>(),
        Kind::Cross => structured::schema::<Written>(),
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

/// What a moderator's report is held against.
pub(super) struct Hearing<'a> {
    /// Whether answers are compared or crossed.
    pub(super) kind: Kind,
    /// How the moderator knows the partners.
    pub(super) labels: &'a Labels,
    /// The positions that are held.
    pub(super) held: &'a [String],
    /// Who was there in the end, and where they stand.
    pub(super) present: &'a Present,
}

/// A report that keeps every other rule, and what the count says against it.
struct Report {
    said: Synthesis,
    against: Option<Against>,
}

/// What the count says against a report.
struct Against {
    /// What was reported.
    report: String,
    /// What was counted.
    counted: String,
    /// What holds instead.
    holds: Agreement,
}

impl Hearing<'_> {
    /// Reads what a moderator wrote and holds it to the rules. `before` is the answer that was rejected the first time:
    /// a report that the count contradicts is asked for again, and after that the count stands in its place, whichever of
    /// the two answers broke which rule.
    pub(super) fn accept(&self, before: Option<&RejectedAnswer>, text: &str) -> Result<Synthesis, Rejection> {
        let insisted = before.is_some_and(|before| before.rejection.code.ends_with(AGAINST_THE_TALLY));
        match self.read(text) {
            Ok(Report { said, against: None }) => Ok(said),
            Ok(Report { said, against: Some(against) }) if before.is_some() => {
                Ok(overruled(said, against, if insisted { " twice" } else { "" }))
            }
            Ok(Report { against: Some(Against { report, counted, .. }), .. }) => {
                let reason = format!("you {report}, but {counted}; report what they hold");
                Err(self.broken(AGAINST_THE_TALLY, &reason))
            }
            // What was said the first time can be used, but for the report of agreement.
            Err(rejection) => match before.filter(|_| insisted).map(|before| self.read(&before.text)) {
                Some(Ok(Report { said, against: Some(against) })) => Ok(overruled(said, against, "")),
                _ => Err(rejection),
            },
        }
    }

    fn broken(&self, code: &str, reason: &str) -> Rejection {
        Rejection::new(format!("{}:{code}", self.name()), reason)
    }

    fn name(&self) -> &'static str {
        match self.kind {
            Kind::Ask => "comparison",
            Kind::Cross => "synthesis",
        }
    }

    fn read(&self, text: &str) -> Result<Report, Rejection> {
        let broken = |code: &str, reason: &str| Err(self.broken(code, reason));
        let written = match self.kind {
            Kind::Cross => structured::read::<Written>(self.name(), text)?,
            Kind::Ask => {
                let Compared { points, agreement } = structured::read(self.name(), text)?;
                Written { moved: points, synthesis: String::new(), disagreements: Vec::new(), agreement, position: None }
            }
        };
        let Written { moved, synthesis, disagreements, agreement, position } = written;
        let crosses = self.kind == Kind::Cross;
        if !BULLETS.contains(&moved.len()) {
            return broken("points_count", &format!("there must be 2 to 4 points, and there are {}", moved.len()));
        }
        if moved.iter().any(|bullet| bullet.text.trim().is_empty()) || (crosses && synthesis.trim().is_empty()) {
            return broken("empty", "a point or the synthesis is empty");
        }
        if !crosses && moved.iter().any(|bullet| !matches!(bullet.kind, BulletKind::Agree | BulletKind::Differ)) {
            return broken("does_not_fit", "nobody has answered anybody yet: points are of the kinds `agree` and `differ`");
        }
        let mut points = Vec::new();
        for Bullet { kind, partners, text } in moved {
            let known: Option<Vec<Partner>> = partners.iter().map(|title| self.labels.partner(title)).collect();
            let Some(known) = known.filter(|known| !known.is_empty()) else {
                return broken("unknown_partner", "a point is about a partner who does not take part");
            };
            let partners = known.iter().map(ToString::to_string).collect();
            points.push(Bullet { kind, partners, text: text.trim().to_owned() });
        }
        let position = position.filter(|position| !position.trim().is_empty());
        if let Some(own) = position.as_ref().filter(|position| !self.held.contains(position)) {
            let reason = format!("nobody holds the position `{own}`: the synthesis takes one that a partner holds, or null");
            return broken("position_of_its_own", &reason);
        }
        let disagreements =
            disagreements.iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect();
        let text = synthesis.trim().to_owned();
        let said = Synthesis { points, text, disagreements, agreement, position, overruled: None };
        let against = self.present.contradicts(agreement).map(|(counted, holds)| {
            let report = format!("reported {} agreement", agreement.as_str());
            Against { report, counted, holds }
        });
        let against = against.or_else(|| self.says_unanimous(&said));
        Ok(Report { said, against })
    }

    /// Whether the words report what the count denies: that all hold the same.
    fn says_unanimous(&self, said: &Synthesis) -> Option<Against> {
        self.present.is_unanimous().filter(|unanimous| !unanimous)?;
        let mut texts = said.points.iter().map(|point| &point.text).chain([&said.text]);
        let counted = format!("the partners' own positions are: {}", self.present.tally.as_ref()?.line());
        let report = "called the partners unanimous".to_owned();
        texts.any(|text| speaks_of_unanimity(text)).then_some(Against { report, counted, holds: said.agreement })
    }
}

fn overruled(mut said: Synthesis, against: Against, how_often: &str) -> Synthesis {
    let Against { report, counted, holds } = against;
    said.overruled = Some(format!("the moderator {report}{how_often}, but {counted}"));
    said.agreement = holds;
    said
}

/// Whether a text says that all hold the same, and not that they do not.
fn speaks_of_unanimity(text: &str) -> bool {
    const DENIALS: [&str; 12] =
        ["not", "no", "never", "without", "nor", "neither", "far", "isn't", "aren't", "wasn't", "lack", "lacks"];
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    let words: Vec<&str> =
        lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty()).collect();
    let says = |at: usize| {
        words[at].starts_with("unanim")
            || (["full", "complete", "total"].contains(&words[at])
                && words.get(at + 1).is_some_and(|word| ["agreement", "consensus"].contains(word)))
            || (words[at] == "fully" && words.get(at + 1).is_some_and(|word| ["agree", "agreed"].contains(word)))
    };
    (0..words.len()).any(|at| says(at) && !words[at.saturating_sub(4)..at].iter().any(|word| DENIALS.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unanimity_is_found_where_it_is_claimed_and_not_where_it_is_denied() {
        for text in [
            "Both are unanimous: ship.",
            "They unanimously say yes.",
            "There is full agreement to ship.",
            "Both fully agree.",
        ] {
            assert!(speaks_of_unanimity(text), "{text}");
        }
        for text in ["They are not unanimous.", "There is no full agreement.", "Far from unanimous.", "Both measured it."] {
            assert!(!speaks_of_unanimity(text), "{text}");
        }
    }
}
