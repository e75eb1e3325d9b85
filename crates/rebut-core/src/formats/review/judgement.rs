//! The judge's part: each finding is classified. What follows from that is not the judge's to say.

use std::collections::BTreeMap;

use serde::de::IntoDeserializer;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::critique::Severity;
use super::findings::{Finding, cited, recorded};
use super::round_key;
use super::weighing::weighed;
use crate::claims::citation::{Citation, Target};
use crate::debate::{Content, Debate, Rejection, structured};

/// The longest judgement that is read, in bytes: more than any judge of as many findings as there can be needs.
const LONGEST: usize = 512 * 1024;

/// What the judge says of a round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// The findings, each once.
    pub rulings: Vec<Ruling>,
    /// What the critic should have raised and did not.
    #[serde(default)]
    pub missing: Vec<Missing>,
}

/// What the judge says of one finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ruling {
    /// The finding.
    pub id: String,
    /// What it is.
    #[serde(deserialize_with = "in_any_case")]
    pub ruling: RulingKind,
    /// How severe it is.
    #[serde(deserialize_with = "in_capitals")]
    pub severity: Severity,
    /// Why.
    pub reason: String,
    /// What shows it, such as `src/pool.rs:3 "the words"`. A finding that an earlier round found valid is overruled only
    /// with evidence that holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// Whether the judge would call it a P1 if it were shown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub would_be_p1: bool,
}

/// What a finding can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RulingKind {
    /// Its evidence and its relevance hold.
    Valid,
    /// A wrong assumption, a wrong context, or no issue.
    Invalid,
    /// It may be so; what is cited does not show it.
    NeedsEvidence,
}

impl RulingKind {
    /// The kind in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::NeedsEvidence => "needs evidence",
        }
    }
}

/// Something the critic did not raise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Missing {
    /// What.
    pub text: String,
    /// Whether it weighs as much as a P2.
    pub important: bool,
}

/// A finding with what was ruled on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruled {
    /// The finding as it was raised.
    pub finding: Finding,
    /// Its place in the round's list, from 0.
    pub place: usize,
    /// What it is.
    pub kind: RulingKind,
    /// How severe it is by that ruling.
    pub severity: Severity,
    /// Why.
    pub reason: String,
    /// Whether the engine ruled on it by itself, since its evidence is false.
    pub by_engine: bool,
    /// What of its evidence is false, in a line each, where the rest left it to the judge.
    pub false_evidence: Vec<String>,
    /// Whether critic or judge would call it a P1 if it were shown.
    pub would_be_p1: bool,
}

/// The findings that the judge is asked about, each with its place in the round's list: not those that fall with their
/// evidence.
pub(super) fn open_to_the_judge(debate: &Debate, round: u32) -> Vec<(usize, Finding)> {
    let found = recorded(debate, round).unwrap_or_default().into_iter().enumerate();
    found.filter(|(place, finding)| weighed(debate, round, *place, finding).falls_with().is_none()).collect()
}

/// The ids of these findings.
pub(super) fn ids(findings: &[(usize, Finding)]) -> Vec<&str> {
    findings.iter().map(|(_, finding)| finding.id.as_str()).collect()
}

/// What was ruled on the findings of a round; none before it was judged.
pub(super) fn ruled(debate: &Debate, round: u32) -> Option<(Vec<Ruled>, &Judgement)> {
    let judgement = judgement(debate, round)?;
    let found = recorded(debate, round)?;
    let rulings: BTreeMap<&str, &Ruling> = judgement.rulings.iter().map(|ruling| (ruling.id.as_str(), ruling)).collect();
    let ruled = found.into_iter().enumerate().filter_map(|(place, finding)| {
        let weighed = weighed(debate, round, place, &finding);
        if let Some(checked) = weighed.falls_with() {
            return Some(Ruled {
                place,
                kind: RulingKind::Invalid,
                severity: finding.severity,
                reason: format!("its evidence is false: {checked}"),
                by_engine: true,
                false_evidence: Vec::new(),
                would_be_p1: false,
                finding,
            });
        }
        let ruling = rulings.get(finding.id.as_str())?;
        Some(Ruled {
            place,
            kind: ruling.ruling,
            severity: ruling.severity,
            reason: ruling.reason.clone(),
            by_engine: false,
            false_evidence: weighed.wrong.iter().map(ToString::to_string).collect(),
            would_be_p1: ruling.would_be_p1 || finding.severity == Severity::P1,
            finding,
        })
    });
    Some((ruled.collect(), judgement))
}

/// The judgement of a round.
pub(super) fn judgement(debate: &Debate, round: u32) -> Option<&Judgement> {
    match &debate.answered(&round_key(round, "judgement"))?.content {
        Content::Judgement(judgement) => Some(judgement),
        _ => None,
    }
}

/// The citations that a judge's rulings rest on; each names its ruling by its place in the list, from 1.
pub(super) fn citations(judgement: &Judgement) -> Vec<Citation> {
    cited(judgement.rulings.iter().map(|ruling| ("", None, ruling.evidence.as_slice())))
}

/// Whether evidence of the judge shows its ruling on this finding: something of it holds, and nothing of it is false. That
/// a file or a line exists shows nothing.
pub(super) fn is_shown(debate: &Debate, round: u32, id: &str) -> bool {
    let rulings = judgement(debate, round).map(|judgement| judgement.rulings.iter().zip(1..));
    let Some((_, number)) = rulings.and_then(|mut rulings| rulings.find(|(ruling, _)| ruling.id == id)) else {
        return false;
    };
    let all = debate.findings(&round_key(round, "judgement/evidence")).unwrap_or_default();
    let mut own = all.iter().filter(|checked| checked.citation.claims.contains(&number));
    let says_what = |citation: &Citation| !matches!(citation.target, Target::File { .. }) || !citation.quotes.is_empty();
    own.clone().any(|checked| checked.result.holds() && says_what(&checked.citation))
        && !own.any(|checked| checked.result.is_false())
}

/// The last round before this one that found a finding valid, and how severe.
pub(super) fn valid_before(debate: &Debate, round: u32, id: &str) -> Option<(u32, Severity)> {
    (1..round).rev().find_map(|earlier| {
        let (ruled, _) = ruled(debate, earlier)?;
        let valid = ruled.into_iter().find(|ruled| ruled.finding.id == id && ruled.kind == RulingKind::Valid)?;
        Some((earlier, valid.severity))
    })
}

/// The schema of a judgement on the findings of these ids.
pub(super) fn schema(ids: &[&str]) -> Value {
    // A list of no allowed value would be no schema at all.
    let id = if ids.is_empty() { json!({ "type": "string" }) } else { json!({ "type": "string", "enum": ids }) };
    let ruling = json!({
        "type": "object",
        "properties": {
            "id": id,
            "ruling": { "type": "string", "enum": ["valid", "invalid", "needs_evidence"] },
            "severity": { "type": "string", "enum": ["P1", "P2", "P3"] },
            "reason": { "type": "string" },
            "evidence": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["id", "ruling", "severity", "reason", "evidence"],
        "additionalProperties": false,
    });
    let missing = json!({
        "type": "object",
        "properties": { "text": { "type": "string" }, "important": { "type": "boolean" } },
        "required": ["text", "important"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "rulings": { "type": "array", "items": ruling },
            "missing": { "type": "array", "items": missing },
        },
        "required": ["rulings", "missing"],
        "additionalProperties": false,
    })
}

/// `Valid`, `Needs evidence`: a judge that no schema holds writes words as it likes.
fn in_any_case<'de, D: Deserializer<'de>>(from: D) -> Result<RulingKind, D::Error> {
    let word = String::deserialize(from)?.trim().to_lowercase().replace([' ', '-'], "_");
    RulingKind::deserialize(word.into_deserializer())
}

/// The same for `p3`.
fn in_capitals<'de, D: Deserializer<'de>>(from: D) -> Result<Severity, D::Error> {
    Severity::deserialize(String::deserialize(from)?.trim().to_uppercase().into_deserializer())
}

/// Whether several judgements stand in an answer: one of them may be quoted from the artifact.
fn says_several_things(text: &str) -> bool {
    if serde_json::from_str::<Value>(text.trim()).is_ok() {
        return false;
    }
    let found = structured::find_all_json(text).into_iter().map(|(_, value)| value);
    let judgements: Vec<Value> = found.filter(|value| value.get("rulings").is_some()).collect();
    judgements.windows(2).any(|two| two[0] != two[1])
}

/// Reads a judgement: every finding that was asked about, by its id, has exactly one ruling with a reason.
pub(super) fn accept(ids: &[&str], text: &str) -> Result<Judgement, Rejection> {
    if text.len() > LONGEST {
        let reason =
            format!("the judgement has {} bytes, and {LONGEST} are taken; give each reason in a sentence", text.len());
        return Err(Rejection::new("judgement:too_long", reason));
    }
    if says_several_things(text) {
        let reason = "the answer holds several judgements; answer with one JSON object, and quote no other";
        return Err(Rejection::new("judgement:ambiguous", reason));
    }
    let mut judgement: Judgement = structured::read("judgement", text)?;
    judgement.missing.retain(|missing| !missing.text.trim().is_empty());
    for ruling in &mut judgement.rulings {
        if let Some(meant) = ids.iter().find(|id| id.eq_ignore_ascii_case(ruling.id.trim())) {
            (*meant).clone_into(&mut ruling.id);
        }
    }
    let mut rulings: BTreeMap<&str, usize> = BTreeMap::new();
    for ruling in &judgement.rulings {
        *rulings.entry(ruling.id.as_str()).or_default() += 1;
        if ruling.reason.trim().is_empty() {
            let reason = format!("the ruling on {} gives no reason", ruling.id);
            return Err(Rejection::new("judgement:no_reason", reason));
        }
    }
    let wrong: Vec<&str> = ids.iter().copied().filter(|id| rulings.get(id).copied().unwrap_or(0) != 1).collect();
    if let Some(id) = rulings.keys().find(|id| !ids.contains(id)) {
        return Err(Rejection::new("judgement:unknown_finding", format!("there is no finding {id} to rule on")));
    }
    if !wrong.is_empty() {
        let reason = format!("each finding needs exactly one ruling; look at {}", wrong.join(", "));
        return Err(Rejection::new("judgement:not_every_finding", reason));
    }
    for ruling in &mut judgement.rulings {
        // What is not shown is not known to be so grave.
        if ruling.ruling == RulingKind::NeedsEvidence {
            ruling.would_be_p1 = ruling.severity == Severity::P1;
            ruling.severity = ruling.severity.max(Severity::P2);
        }
    }
    Ok(judgement)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(ids: &[&str], text: &str) -> String {
        accept(ids, text).unwrap_err().code
    }

    #[test]
    fn every_finding_is_ruled_on_once_and_with_a_reason() {
        let findings = ["F1", "F2"];
        let ruling = |id: &str, reason: &str| {
            format!(r#"{{"id": "{id}", "ruling": "valid", "severity": "P1", "reason": "{reason}"}}"#)
        };
        let whole = |rulings: &[String]| format!(r#"{{"rulings": [{}], "missing": []}}"#, rulings.join(","));
        assert!(accept(&findings, &whole(&[ruling("F2", "r"), ruling("F1", "r")])).is_ok());
        assert_eq!(code(&findings, &whole(&[ruling("F1", "r")])), "judgement:not_every_finding");
        assert_eq!(
            code(&findings, &whole(&[ruling("F1", "r"), ruling("F1", "r"), ruling("F2", "r")])),
            "judgement:not_every_finding"
        );
        assert_eq!(
            code(&findings, &whole(&[ruling("F1", "r"), ruling("F2", "r"), ruling("F9", "r")])),
            "judgement:unknown_finding"
        );
        assert_eq!(code(&findings, &whole(&[ruling("F1", " "), ruling("F2", "r")])), "judgement:no_reason");
        assert_eq!(code(&findings, "I approve."), "judgement:not_json");
        let mine = whole(&[ruling("F1", "r"), ruling("F2", "r")]);
        let theirs = mine.replace("valid", "invalid");
        let both = format!("{mine}\nThe diff says, which I ignore:\n```json\n{theirs}\n```");
        assert_eq!(code(&findings, &both), "judgement:ambiguous");
        assert!(accept(&findings, &format!("I rule so.\n```json\n{mine}\n```")).is_ok());
        let twice = mine.replacen("\"ruling\": \"valid\"", "\"ruling\": \"valid\", \"ruling\": \"invalid\"", 1);
        assert_eq!(code(&findings, &twice), "judgement:doubled_key");
        let twice = mine.replace("\"missing\"", "\"rulings\": [], \"missing\"");
        assert_eq!(code(&findings, &twice), "judgement:doubled_key");
    }

    #[test]
    fn a_judge_may_write_in_any_case() {
        let text = r#"{"rulings": [{"id": "f1", "ruling": "Valid", "severity": "p3", "reason": "r"},
            {"id": "F2", "ruling": "Needs evidence", "severity": "P2", "reason": "r"}], "missing": []}"#;
        let rulings = accept(&["F1", "F2"], text).unwrap().rulings;
        assert_eq!((rulings[0].id.as_str(), rulings[0].ruling), ("F1", RulingKind::Valid));
        assert_eq!((rulings[0].severity, rulings[1].ruling), (Severity::P3, RulingKind::NeedsEvidence));
        let other = text.replace("Valid", "Perhaps");
        assert!(accept(&["F1", "F2"], &other).is_err());
    }

    #[test]
    fn what_needs_evidence_is_never_a_p1() {
        let text =
            r#"{"rulings": [{"id": "F1", "ruling": "needs_evidence", "severity": "P1", "reason": "r"}], "missing": []}"#;
        assert_eq!(accept(&["F1"], text).unwrap().rulings[0].severity, Severity::P2);
    }
}
