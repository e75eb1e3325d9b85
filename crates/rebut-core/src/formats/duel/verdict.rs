//! The judge's verdict: its shape, and the rules it must keep. Its reasoning is written for people and never read.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ballots::Reading;
use super::{Leg, Role};
use crate::debate::{Rejection, structured};
use crate::evidence::{ClaimId, ids, strict_object};
use crate::judging::Label;
use crate::named::named;

/// How many points may decide a debate.
const DECISIVE: std::ops::RangeInclusive<usize> = 2..=3;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict<Side = Role, Difference = Disagreement> {
    /// The side with the stronger case.
    pub winner: Side,
    pub reasoning: String,
    /// The claims or statements that decide it.
    pub decisive: Vec<Decisive>,
    pub quality: Quality,
    pub agreements: Vec<Agreement>,
    pub disagreements: Vec<Difference>,
    /// Questions that the debate should have answered and did not.
    pub unresolved: Vec<String>,
    pub recommendation: String,
}

/// A point that decides the debate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decisive {
    /// The id of a claim (`C1.2`) or of a statement (`C1`).
    #[serde(rename = "ref")]
    pub id: String,
    pub why: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quality {
    /// Whether the sides really differed to the end.
    pub genuine_disagreement: Grade,
    pub evidence_quality: Grade,
    /// How far the challenges went below the surface.
    pub challenge_depth: Grade,
}

named! {
    pub enum Grade {
        High = "high",
        Medium = "medium",
        Low = "low",
    }
}

/// A point that both sides hold. Its evidence is that of the claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agreement {
    pub point: String,
    pub claims: Vec<ClaimId>,
}

/// A point on which the sides differ, with what each argues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disagreement {
    pub point: String,
    pub proposer: String,
    pub challenger: String,
}

/// A verdict as the judge writes it: about Side A and Side B, which it names by their labels.
type Written = Verdict<String, WrittenDisagreement>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenDisagreement {
    point: String,
    a: String,
    b: String,
}

/// The longest verdict that is read, in bytes: many times what is asked for.
const LONGEST: usize = 64 * 1024;
/// How long the texts of a short verdict may be, in characters, and how many entries its lists may have.
const SHORT_TEXT: u64 = 160;
const SHORT_LIST: u64 = 2;

/// The JSON Schema of a verdict on Side A and Side B: nothing but what was said can be named. Where every seat is asked to
/// be short, texts and lists are bounded, so that a small model comes to an end.
pub(super) fn schema(reading: &Reading, short: bool) -> Value {
    let text = if short { json!({"type": "string", "maxLength": SHORT_TEXT}) } else { json!({"type": "string"}) };
    let list = |items: Value| {
        let mut list = json!({"type": "array"});
        list["items"] = items;
        if short {
            list["maxItems"] = json!(SHORT_LIST);
        }
        list
    };
    let refs = reading.ids();
    let claims: Vec<ClaimId> =
        refs.iter().take(reading.ledger.claims.len()).map(|id| ClaimId::named((*id).to_owned())).collect();
    let fewest = refs.len().min(*DECISIVE.start());
    let grade = || json!({"type": "string", "enum": Grade::ALL});
    let decisive = strict_object(json!({"ref": {"type": "string", "enum": refs}, "why": text}));
    strict_object(json!({
        "winner": {"type": "string", "enum": Label::BOTH.map(Label::as_str)},
        "reasoning": text,
        "decisive": {"type": "array", "items": decisive, "minItems": fewest, "maxItems": DECISIVE.end()},
        "quality": strict_object(json!({
            "genuine_disagreement": grade(), "evidence_quality": grade(), "challenge_depth": grade(),
        })),
        "agreements": list(strict_object(json!({"point": text, "claims": ids(&claims)}))),
        "disagreements": list(strict_object(json!({"point": text, "a": text, "b": text}))),
        "unresolved": list(text.clone()),
        "recommendation": text,
    }))
}

/// Reads a verdict by the schema it was asked for with, with the sides' own names in it, and holds it to the rules.
pub(super) fn accept(reading: &Reading, leg: Leg, schema: &Value, text: &str) -> Result<Verdict, Rejection> {
    let broken = |code: &str, reason: String| Err(Rejection::new(format!("verdict:{code}"), reason));
    if text.len() > LONGEST {
        let reason = format!("the verdict has {} bytes, and at most {LONGEST} are read; shorten it", text.len());
        return broken("too_long", reason);
    }
    let verdict = unmasked(&structured::read_within("verdict", schema, text)?, reading);
    let texts = [("reasoning", &verdict.reasoning), ("recommendation", &verdict.recommendation)];
    if let Some((name, _)) = texts.iter().find(|(_, text)| text.trim().is_empty()) {
        return broken("empty", format!("`{name}` is empty"));
    }
    let mut own = verdict.decisive.iter().filter(|point| point.id.starts_with(leg.letter(verdict.winner)));
    if let Some((id, refuted)) = own.find_map(|point| Some((&point.id, reading.ledger.refuted(&point.id)?))) {
        let found: Vec<String> = refuted.checked.iter().map(ToString::to_string).collect();
        let reason = format!(
            "{} decides for its own side, but all its evidence is false ({}); decide by something else",
            reading.masks.masked_id(id),
            found.join("; ")
        );
        return broken("false_evidence", reason);
    }
    Ok(verdict)
}

fn unmasked(written: &Written, reading: &Reading) -> Verdict {
    let (first, own) = (reading.first, |text: &str| reading.masks.unmask(text));
    let mut decisive: Vec<Decisive> = Vec::new();
    for Decisive { id, why } in &written.decisive {
        let (id, why) = (own(id), own(why));
        // No schema can demand different ids: what is named twice is one point with two reasons.
        match decisive.iter_mut().find(|point| point.id == id) {
            Some(point) => point.why = format!("{} {why}", point.why),
            None => decisive.push(Decisive { id, why }),
        }
    }
    let agreements = written.agreements.iter().map(|Agreement { point, claims }| Agreement {
        point: own(point),
        claims: claims.iter().map(|id| ClaimId::named(own(id.as_str()))).collect(),
    });
    let disagreements = written.disagreements.iter().map(|WrittenDisagreement { point, a, b }| {
        let (proposer, challenger) = if first == Role::Proposer { (a, b) } else { (b, a) };
        Disagreement { point: own(point), proposer: own(proposer), challenger: own(challenger) }
    });
    Verdict {
        winner: if written.winner == Label::A.as_str() { first } else { first.other() },
        reasoning: own(&written.reasoning),
        decisive,
        quality: written.quality,
        agreements: agreements.collect(),
        disagreements: disagreements.collect(),
        unresolved: written.unresolved.iter().map(|question| own(question)).collect(),
        recommendation: own(&written.recommendation),
    }
}
