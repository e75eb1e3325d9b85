//! The judge's verdict: its shape, and the rules it must keep. Its reasoning is written for people and never read.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Role;
use crate::debate::{Rejection, structured};
use crate::evidence::{ClaimId, Ledger, ids, strict_object};
use crate::judging::{Label, Masks};

/// How many points may decide a debate.
const DECISIVE: std::ops::RangeInclusive<usize> = 2..=3;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// The side with the stronger case.
    pub winner: Side,
    /// Why, in a few sentences.
    pub reasoning: String,
    /// The claims or statements that decide it.
    pub decisive: Vec<Decisive>,
    pub quality: Quality,
    /// What both sides agree on.
    pub agreements: Vec<Agreement>,
    /// Where they still differ.
    pub disagreements: Vec<Disagreement>,
    /// Questions that the debate should have answered and did not.
    pub unresolved: Vec<String>,
    pub recommendation: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    Proposer,
    Challenger,
}

impl Side {
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Proposer => Self::Challenger,
            Self::Challenger => Self::Proposer,
        }
    }

    /// The role that argues this side.
    pub fn role(self) -> Role {
        match self {
            Self::Proposer => Role::Proposer,
            Self::Challenger => Role::Challenger,
        }
    }
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    High,
    Medium,
    Low,
}

impl Grade {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

/// A point that both sides hold. Its evidence is that of the claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agreement {
    pub point: String,
    pub claims: Vec<ClaimId>,
}

/// A point on which the sides differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disagreement {
    pub point: String,
    pub proposer: String,
    pub challenger: String,
}

/// A verdict as the judge writes it: about Side A and Side B.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    winner: Winner,
    reasoning: String,
    decisive: Vec<Decisive>,
    quality: Quality,
    agreements: Vec<Agreement>,
    disagreements: Vec<WrittenDisagreement>,
    unresolved: Vec<String>,
    recommendation: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
enum Winner {
    A,
    B,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenDisagreement {
    point: String,
    a: String,
    b: String,
}

/// What a verdict may name: claims, and the ids of statements.
pub(super) struct Citable<'a> {
    pub(super) ledger: &'a Ledger,
    pub(super) statements: &'a [String],
}

impl Citable<'_> {
    pub(super) fn ids(&self) -> impl Iterator<Item = String> {
        self.ledger.claims.iter().map(|claim| claim.id.to_string()).chain(self.statements.iter().cloned())
    }
}

/// The longest verdict that is read, in bytes: many times what is asked for.
const LONGEST: usize = 64 * 1024;
/// How long the texts of a short verdict may be, in characters, and how many entries its lists may have.
const SHORT_TEXT: u64 = 160;
const SHORT_LIST: u64 = 2;

/// The JSON Schema of a verdict on these statements and claims: nothing else can be named. Where every seat is asked to be
/// short, texts and lists are bounded, so that a small model comes to an end.
pub(super) fn schema(citable: &Citable<'_>, masks: &Masks, short: bool) -> Value {
    let text = if short { json!({"type": "string", "maxLength": SHORT_TEXT}) } else { json!({"type": "string"}) };
    let list = |items: Value| {
        let mut list = json!({"type": "array", "items": items});
        if short {
            list["maxItems"] = json!(SHORT_LIST);
        }
        list
    };
    let refs: Vec<String> = citable.ids().map(|id| masks.masked_id(&id).to_owned()).collect();
    let claims: Vec<ClaimId> =
        citable.ledger.claims.iter().map(|claim| ClaimId::named(masks.masked_id(claim.id.as_str()))).collect();
    let fewest = refs.len().min(*DECISIVE.start());
    let grade = || json!({"type": "string", "enum": ["high", "medium", "low"]});
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

/// Reads a verdict, holds it to the rules, and puts the sides' own names in it. `first` is the side that is shown as A.
pub(super) fn accept(citable: &Citable<'_>, masks: &Masks, first: Side, text: &str) -> Result<Verdict, Rejection> {
    let broken = |code: &str, reason: String| Err(Rejection::new(format!("verdict:{code}"), reason));
    if text.len() > LONGEST {
        let reason = format!("the verdict has {} bytes, and at most {LONGEST} are read; shorten it", text.len());
        return broken("too_long", reason);
    }
    let written: Written = structured::read("verdict", text)?;
    let ledger = citable.ledger;
    let fewest = citable.ids().count().min(*DECISIVE.start());
    let count = written.decisive.len();
    if !(fewest..=*DECISIVE.end()).contains(&count) {
        return broken("decisive_count", format!("`decisive` must have 2 or 3 entries, not {count}"));
    }
    if let Some(unknown) = written.decisive.iter().find(|decisive| masks.id(&decisive.id).is_none()) {
        return broken("unknown_ref", format!("`decisive` names {}: no such claim or statement", unknown.id));
    }
    let is_claim = |id: &ClaimId| masks.id(id.as_str()).is_some_and(|id| ledger.claim(&ClaimId::named(id)).is_some());
    let mut agreed = written.agreements.iter().flat_map(|agreement| &agreement.claims);
    if let Some(unknown) = agreed.find(|id| !is_claim(id)) {
        return broken("unknown_claim", format!("`agreements` names {}: no such claim", unknown.shown()));
    }
    let texts = [("reasoning", &written.reasoning), ("recommendation", &written.recommendation)];
    if let Some((name, _)) = texts.iter().find(|(_, text)| text.trim().is_empty()) {
        return broken("empty", format!("`{name}` is empty"));
    }
    let winner = if written.winner == Winner::A { Label::A } else { Label::B };
    let mut won_by = written.decisive.iter().filter(|decisive| decisive.id.starts_with(winner.as_str()));
    if let Some((id, refuted)) = won_by.find_map(|decisive| Some((&decisive.id, ledger.refuted(masks.id(&decisive.id)?)?))) {
        let found: Vec<String> = refuted.checked.iter().map(ToString::to_string).collect();
        let reason = format!(
            "{id} decides for its own side, but all its evidence is false ({}); decide by something else",
            found.join("; ")
        );
        return broken("false_evidence", reason);
    }
    Ok(unmasked(&written, masks, first))
}

fn unmasked(written: &Written, masks: &Masks, first: Side) -> Verdict {
    let own = |text: &str| masks.unmask(text);
    let own_id = |id: &str| masks.id(id).unwrap_or(id).to_owned();
    let mut decisive: Vec<Decisive> = Vec::new();
    for Decisive { id, why } in &written.decisive {
        let (id, why) = (own_id(id), own(why));
        // No schema can demand different ids: what is named twice is one point with two reasons.
        match decisive.iter_mut().find(|point| point.id == id) {
            Some(point) => point.why = format!("{} {why}", point.why),
            None => decisive.push(Decisive { id, why }),
        }
    }
    let agreements = written.agreements.iter().map(|Agreement { point, claims }| Agreement {
        point: own(point),
        claims: claims.iter().map(|id| ClaimId::named(own_id(id.as_str()))).collect(),
    });
    let disagreements = written.disagreements.iter().map(|WrittenDisagreement { point, a, b }| {
        let (proposer, challenger) = if first == Side::Proposer { (a, b) } else { (b, a) };
        Disagreement { point: own(point), proposer: own(proposer), challenger: own(challenger) }
    });
    Verdict {
        winner: if written.winner == Winner::A { first } else { first.other() },
        reasoning: own(&written.reasoning),
        decisive,
        quality: written.quality,
        agreements: agreements.collect(),
        disagreements: disagreements.collect(),
        unresolved: written.unresolved.iter().map(|question| own(question)).collect(),
        recommendation: own(&written.recommendation),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::check::{CheckResult, Checked, Cited};
    use crate::evidence::{Evidence, Listing, Spoken};

    /// A ledger in which each side makes one claim, the challenger's with this result of its check.
    fn ledger(result: CheckResult) -> Ledger {
        let claim = |text: &str| crate::evidence::Claim {
            text: text.to_owned(),
            evidence: vec![Evidence::file("src/pool.rs", None)],
            attacks: Vec::new(),
        };
        let listings = [("P", "one"), ("C", "two")]
            .map(|(letter, text)| (letter, Listing { claims: vec![claim(text)], ..Listing::default() }));
        let checked = vec![Checked::of(Cited::by_claim(1, Evidence::file("src/pool.rs", None)), result, "why")];
        Ledger::of(listings.iter().zip(0..).map(|((letter, listing), turn)| Spoken {
            letter,
            speaker: letter,
            round: 1,
            turn,
            listing: Some(listing),
            checked: if *letter == "C" { &checked } else { &[] },
        }))
    }

    fn statements() -> Vec<String> {
        vec!["P1".to_owned(), "C1".to_owned()]
    }

    fn sample() -> Value {
        json!({
            "winner": "B",
            "reasoning": "[B] migrates nothing; both are valid services, and src/auth/token.rs:10 is pure imagination.",
            "decisive": [{"ref": "B1.1", "why": "The benchmark shows 4 %."}, {"ref": "A1", "why": "It concedes the proxy."}],
            "quality": {"genuine_disagreement": "high", "evidence_quality": "medium", "challenge_depth": "high"},
            "agreements": [{"point": "JSON is slow", "claims": ["A1.1"]}],
            "disagreements": [{"point": "proxy", "a": "cheap", "b": "dear"}],
            "unresolved": [],
            "recommendation": "Migrate the two endpoints; both are valid gRPC services."
        })
    }

    fn code(result: CheckResult, change: impl Fn(&mut Value)) -> Option<String> {
        let mut value = sample();
        change(&mut value);
        read(&ledger(result), &value.to_string()).err().map(|rejection| rejection.code)
    }

    fn read(ledger: &Ledger, text: &str) -> Result<Verdict, Rejection> {
        let statements = statements();
        let citable = Citable { ledger, statements: &statements };
        accept(&citable, &masks(&citable), Side::Proposer, text)
    }

    fn masks(citable: &Citable<'_>) -> Masks {
        Masks::new([("proposer", "P"), ("challenger", "C")], citable.ids())
    }

    #[test]
    fn a_verdict_is_kept_in_the_debates_own_words() {
        let verdict = read(&ledger(CheckResult::Verified), &sample().to_string()).unwrap();
        assert_eq!((verdict.winner, verdict.decisive[0].id.as_str()), (Side::Challenger, "C1.1"));
        assert!(verdict.reasoning.starts_with("The challenger migrates nothing;"), "{}", verdict.reasoning);
        assert_eq!(verdict.disagreements[0].challenger, "dear");
    }

    #[test]
    fn a_verdict_that_breaks_a_rule_is_rejected_by_name() {
        let verified = |change: fn(&mut Value)| code(CheckResult::Verified, change);
        assert_eq!(verified(|_| ()), None);
        assert_eq!(verified(|v| v["winner"] = json!("both")).as_deref(), Some("verdict:does_not_fit"));
        assert_eq!(verified(|v| v["extra"] = json!(1)).as_deref(), Some("verdict:does_not_fit"));
        assert_eq!(verified(|v| v["decisive"][0]["ref"] = json!("A9.9")).as_deref(), Some("verdict:unknown_ref"));
        assert_eq!(verified(|v| v["agreements"][0]["claims"] = json!(["X1.1"])).as_deref(), Some("verdict:unknown_claim"));
        assert_eq!(verified(|v| v["recommendation"] = json!(" ")).as_deref(), Some("verdict:empty"));
        assert_eq!(verified(|v| v["reasoning"] = json!("x".repeat(LONGEST))).as_deref(), Some("verdict:too_long"));
        let none = read(&Ledger::default(), "Both were fine.").unwrap_err();
        assert_eq!(none.code, "verdict:not_json");
    }

    #[test]
    fn two_or_three_points_decide() {
        let with = |refs: &[&str]| {
            let points: Vec<Value> = refs.iter().map(|id| json!({"ref": id, "why": "so"})).collect();
            code(CheckResult::Verified, |v| v["decisive"] = json!(points))
        };
        let refused = Some("verdict:decisive_count".to_owned());
        assert_eq!(with(&["A1"]), refused);
        assert_eq!(with(&["A1", "B1"]), None);
        assert_eq!(with(&["A1", "B1", "B1.1"]), None);
        assert_eq!(with(&["A1", "B1", "B1.1", "A1.1"]), refused);
    }

    #[test]
    fn what_is_named_twice_is_one_point() {
        let mut twice = sample();
        twice["decisive"][1]["ref"] = json!("B1.1");
        let verdict = read(&ledger(CheckResult::Verified), &twice.to_string()).unwrap();
        let [Decisive { id, why }] = verdict.decisive.as_slice() else { panic!("{:?}", verdict.decisive) };
        assert_eq!((id.as_str(), why.as_str()), ("C1.1", "The benchmark shows 4 %. It concedes the proxy."));
    }

    #[test]
    fn no_side_wins_by_a_claim_whose_evidence_is_all_false() {
        let refused = Some("verdict:false_evidence".to_owned());
        assert_eq!(code(CheckResult::Missing, |_| ()), refused);
        assert_eq!(code(CheckResult::Missing, |v| v["decisive"][0]["ref"] = json!("B1")), refused, "nor by its statement");
        assert_eq!(code(CheckResult::Invalid, |_| ()), None, "a folder is no evidence at all");
        assert_eq!(code(CheckResult::Unchecked, |_| ()), None);
        assert_eq!(code(CheckResult::OutOfScope, |_| ()), None, "what is outside the workspace was not read");
        // What the losing side claimed may be named as a reason why it lost.
        assert_eq!(code(CheckResult::Missing, |v| v["winner"] = json!("A")), None);
    }

    #[test]
    fn a_short_verdict_bounds_every_text_and_list() {
        let (ledger, statements) = (Ledger::default(), statements());
        let citable = Citable { ledger: &ledger, statements: &statements };
        let schema = schema(&citable, &masks(&citable), true);
        let of = |name: &str| schema["properties"][name].clone();
        assert_eq!(of("reasoning")["maxLength"], 160);
        assert_eq!(of("agreements")["maxItems"], 2);
        assert_eq!(of("decisive")["items"]["properties"]["why"]["maxLength"], 160);
        assert_eq!(of("decisive")["items"]["properties"]["ref"]["enum"], json!(["A1", "B1"]));
    }
}
