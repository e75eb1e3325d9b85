//! The judge's verdict: its shape, and the rules it must keep. Its reasoning is written for people and never read.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Role;
use crate::debate::{Rejection, structured};
use crate::evidence::{ClaimId, Ledger, ids, strict_object};

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

/// The longest verdict that is read, in bytes: many times what is asked for.
const LONGEST: usize = 64 * 1024;
/// How long the texts of a short verdict may be, in characters, and how many entries its lists may have.
const SHORT_TEXT: u64 = 160;
const SHORT_LIST: u64 = 2;

/// The JSON Schema of a verdict on these statements and claims: nothing else can be named. Where every seat is asked to be
/// short, texts and lists are bounded, so that a small model comes to an end.
pub(super) fn schema(statements: &[String], claims: &[ClaimId], short: bool) -> Value {
    let text = if short { json!({"type": "string", "maxLength": SHORT_TEXT}) } else { json!({"type": "string"}) };
    let list = |items: Value| {
        let mut list = json!({"type": "array", "items": items});
        if short {
            list["maxItems"] = json!(SHORT_LIST);
        }
        list
    };
    let refs = refs(statements, claims);
    let fewest = refs.len().min(*DECISIVE.start());
    let grade = || json!({"type": "string", "enum": ["high", "medium", "low"]});
    let decisive = strict_object(json!({"ref": {"type": "string", "enum": refs}, "why": text}));
    strict_object(json!({
        "winner": {"type": "string", "enum": ["proposer", "challenger"]},
        "reasoning": text,
        "decisive": {"type": "array", "items": decisive, "minItems": fewest, "maxItems": DECISIVE.end()},
        "quality": strict_object(json!({
            "genuine_disagreement": grade(), "evidence_quality": grade(), "challenge_depth": grade(),
        })),
        "agreements": list(strict_object(json!({"point": text, "claims": ids(claims)}))),
        "disagreements": list(strict_object(json!({"point": text, "proposer": text, "challenger": text}))),
        "unresolved": list(text.clone()),
        "recommendation": text,
    }))
}

/// Reads a verdict and holds it to the rules.
pub(super) fn accept(statements: &[String], ledger: &Ledger, text: &str) -> Result<Verdict, Rejection> {
    let broken = |code: &str, reason: String| Err(Rejection::new(format!("verdict:{code}"), reason));
    if text.len() > LONGEST {
        let reason = format!("the verdict has {} bytes, and at most {LONGEST} are read; shorten it", text.len());
        return broken("too_long", reason);
    }
    let verdict: Verdict = structured::read("verdict", text)?;
    let claims: Vec<ClaimId> = ledger.claims.iter().map(|claim| claim.id.clone()).collect();
    let refs = refs(statements, &claims);
    let fewest = refs.len().min(*DECISIVE.start());
    let count = verdict.decisive.len();
    if !(fewest..=*DECISIVE.end()).contains(&count) {
        return broken("decisive_count", format!("`decisive` must have 2 or 3 entries, not {count}"));
    }
    if let Some(unknown) = verdict.decisive.iter().find(|decisive| !refs.contains(&decisive.id)) {
        return broken("unknown_ref", format!("`decisive` names {}: no such claim or statement", unknown.id));
    }
    let mut agreed = verdict.agreements.iter().flat_map(|agreement| &agreement.claims);
    if let Some(unknown) = agreed.find(|id| !claims.contains(id)) {
        return broken("unknown_claim", format!("`agreements` names {}: no such claim", unknown.shown()));
    }
    let texts = [("reasoning", &verdict.reasoning), ("recommendation", &verdict.recommendation)];
    if let Some((name, _)) = texts.iter().find(|(_, text)| text.trim().is_empty()) {
        return broken("empty", format!("`{name}` is empty"));
    }
    let winner = verdict.winner.role().letter();
    let mut won_by = verdict.decisive.iter().map(|decisive| &decisive.id).filter(|id| id.starts_with(winner));
    if let Some((id, refuted)) = won_by.find_map(|id| Some((id, ledger.refuted(id)?))) {
        let found: Vec<String> = refuted.checked.iter().map(ToString::to_string).collect();
        let reason = format!(
            "{id} decides for its own side, but all its evidence is false ({}); decide by something else",
            found.join("; ")
        );
        return broken("false_evidence", reason);
    }
    Ok(verdict)
}

fn refs(statements: &[String], claims: &[ClaimId]) -> Vec<String> {
    claims.iter().map(ToString::to_string).chain(statements.iter().cloned()).collect()
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
            "winner": "challenger",
            "reasoning": "Migrate nothing; both are valid services, and src/auth/token.rs:10 is pure imagination.",
            "decisive": [{"ref": "C1.1", "why": "The benchmark shows 4 %."}, {"ref": "P1", "why": "It concedes the proxy."}],
            "quality": {"genuine_disagreement": "high", "evidence_quality": "medium", "challenge_depth": "high"},
            "agreements": [{"point": "JSON is slow", "claims": ["P1.1"]}],
            "disagreements": [{"point": "proxy", "proposer": "cheap", "challenger": "dear"}],
            "unresolved": [],
            "recommendation": "Migrate the two endpoints; both are valid gRPC services."
        })
    }

    fn code(result: CheckResult, change: impl Fn(&mut Value)) -> Option<String> {
        let mut value = sample();
        change(&mut value);
        accept(&statements(), &ledger(result), &value.to_string()).err().map(|rejection| rejection.code)
    }

    #[test]
    fn a_verdict_that_breaks_a_rule_is_rejected_by_name() {
        let verified = |change: fn(&mut Value)| code(CheckResult::Verified, change);
        assert_eq!(verified(|_| ()), None);
        assert_eq!(verified(|v| v["winner"] = json!("both")).as_deref(), Some("verdict:does_not_fit"));
        assert_eq!(verified(|v| v["extra"] = json!(1)).as_deref(), Some("verdict:does_not_fit"));
        assert_eq!(verified(|v| v["decisive"][0]["ref"] = json!("P9.9")).as_deref(), Some("verdict:unknown_ref"));
        assert_eq!(verified(|v| v["agreements"][0]["claims"] = json!(["X1.1"])).as_deref(), Some("verdict:unknown_claim"));
        assert_eq!(verified(|v| v["recommendation"] = json!(" ")).as_deref(), Some("verdict:empty"));
        assert_eq!(verified(|v| v["reasoning"] = json!("x".repeat(LONGEST))).as_deref(), Some("verdict:too_long"));
        let none = accept(&statements(), &Ledger::default(), "Both were fine.").unwrap_err();
        assert_eq!(none.code, "verdict:not_json");
    }

    #[test]
    fn two_or_three_points_decide() {
        let with = |refs: &[&str]| {
            let points: Vec<Value> = refs.iter().map(|id| json!({"ref": id, "why": "so"})).collect();
            code(CheckResult::Verified, |v| v["decisive"] = json!(points))
        };
        let refused = Some("verdict:decisive_count".to_owned());
        assert_eq!(with(&["P1"]), refused);
        assert_eq!(with(&["P1", "C1"]), None);
        assert_eq!(with(&["P1", "C1", "C1.1"]), None);
        assert_eq!(with(&["P1", "C1", "C1.1", "P1.1"]), refused);
    }

    #[test]
    fn no_side_wins_by_a_claim_whose_evidence_is_all_false() {
        let refused = Some("verdict:false_evidence".to_owned());
        assert_eq!(code(CheckResult::Missing, |_| ()), refused);
        assert_eq!(code(CheckResult::Missing, |v| v["decisive"][0]["ref"] = json!("C1")), refused, "nor by its statement");
        assert_eq!(code(CheckResult::Invalid, |_| ()), None, "a folder is no evidence at all");
        assert_eq!(code(CheckResult::Unchecked, |_| ()), None);
        assert_eq!(code(CheckResult::OutOfScope, |_| ()), None, "what is outside the workspace was not read");
        // What the losing side claimed may be named as a reason why it lost.
        assert_eq!(code(CheckResult::Missing, |v| v["winner"] = json!("proposer")), None);
    }

    #[test]
    fn a_short_verdict_bounds_every_text_and_list() {
        let schema = schema(&statements(), &[], true);
        let of = |name: &str| schema["properties"][name].clone();
        assert_eq!(of("reasoning")["maxLength"], 160);
        assert_eq!(of("agreements")["maxItems"], 2);
        assert_eq!(of("decisive")["items"]["properties"]["why"]["maxLength"], 160);
        assert_eq!(of("decisive")["items"]["properties"]["ref"]["enum"], json!(["P1", "C1"]));
    }
}
