//! The judge's verdict: its shape, and the rules it must keep.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Role;
use super::fence::sits_on_the_fence;
use super::resting::{not_looked_up, rests_on};
use crate::claims::Ledger;
use crate::claims::check::Checked;
use crate::claims::citation::{Citation, Target};
use crate::debate::{Rejection, StepKey, structured};

/// How many arguments may decide a debate.
const DECISIVE: std::ops::RangeInclusive<usize> = 2..=3;

/// A verdict that picks a side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// The side with the stronger case.
    pub winner: Side,
    /// Why, in a few sentences.
    #[schemars(length(min = 1))]
    pub reasoning: String,
    /// The two or three arguments of the debate that decide it.
    #[schemars(length(min = 2, max = 3))]
    pub decisive: Vec<Argument>,
    /// How good the debate was.
    pub quality: Quality,
    /// What both sides agree on.
    pub agreements: Vec<Agreement>,
    /// Where they still differ.
    pub disagreements: Vec<Disagreement>,
    /// Claims that were made without evidence.
    pub unsupported: Vec<Unsupported>,
    /// Questions that the debate should have answered and did not.
    pub unresolved: Vec<String>,
    /// What to do now.
    #[schemars(length(min = 1))]
    pub recommendation: String,
}

/// A side of the debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The proposer.
    Proposer,
    /// The challenger.
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

/// An argument and the statement it stands in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    /// The statement's key, such as `round-1/challenger`.
    pub statement: String,
    /// The argument in one sentence.
    #[schemars(length(min = 1))]
    pub argument: String,
}

/// How good a debate was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Quality {
    /// Whether the sides really differed to the end.
    pub genuine_disagreement: Grade,
    /// How specific the evidence was.
    pub evidence_quality: Grade,
    /// How far the challenges went below the surface.
    pub challenge_depth: Grade,
}

/// A grade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// Good.
    High,
    /// Middling.
    Medium,
    /// Poor.
    Low,
}

impl Grade {
    /// The grade in one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

/// A point that both sides hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Agreement {
    /// The point.
    #[schemars(length(min = 1))]
    pub point: String,
    /// The evidence for it.
    #[schemars(length(min = 1))]
    pub evidence: String,
}

/// A point on which the sides differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Disagreement {
    /// The point.
    pub point: String,
    /// What the proposer argues.
    pub proposer: String,
    /// What the challenger argues.
    pub challenger: String,
}

/// A claim without evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unsupported {
    /// The statement's key.
    pub statement: String,
    /// The claim.
    pub claim: String,
}

/// What a judge can do whose verdict rests on a false citation.
pub(super) const WAY_OUT: &str = "rest it on something else, or say plainly that this citation is false";

/// The code of a verdict that rests on a false citation.
pub(super) const FALSE_EVIDENCE: &str = "verdict:false_evidence";

/// The longest verdict that is read, in bytes: as long as a statement, and many times what is asked for.
const LONGEST: usize = 64 * 1024;

/// How long the texts of a short verdict may be, in characters.
const SHORT_TEXT: u64 = 160;
/// How many entries the lists of a short verdict may have.
const SHORT_LIST: u64 = 2;

/// The JSON Schema of a verdict on these statements: only they can be cited. Where everybody is asked to be short, texts
/// and lists are held to that, so that a small model comes to an end.
pub(super) fn schema(statements: &[StepKey], short: bool) -> Value {
    let mut schema = structured::schema::<Verdict>();
    for of in ["Argument", "Unsupported"] {
        if let Some(field) = schema.pointer_mut(&format!("/$defs/{of}/properties/statement")) {
            field["enum"] = json!(statements);
        }
    }
    if short {
        shorten(&mut schema);
    }
    schema
}

/// Gives every text and every list without a limit one.
fn shorten(schema: &mut Value) {
    match schema["type"].as_str() {
        Some("string") if schema.get("enum").is_none() => schema["maxLength"] = json!(SHORT_TEXT),
        Some("array") if schema.get("maxItems").is_none() => schema["maxItems"] = json!(SHORT_LIST),
        _ => {}
    }
    for inner in ["properties", "$defs"] {
        if let Some(parts) = schema.get_mut(inner).and_then(Value::as_object_mut) {
            parts.values_mut().for_each(shorten);
        }
    }
    if let Some(items) = schema.get_mut("items") {
        shorten(items);
    }
}

/// Reads a verdict and holds it to the rules.
pub(super) fn accept(statements: &[StepKey], ledger: &Ledger, text: &str) -> Result<Verdict, Rejection> {
    let broken = |code: &str, reason: String| Err(Rejection::new(format!("verdict:{code}"), reason));
    if text.len() > LONGEST {
        return broken(
            "too_long",
            format!("the verdict has {} bytes, and at most {LONGEST} are read; shorten it", text.len()),
        );
    }
    let verdict: Verdict = structured::read("verdict", text)?;
    if !DECISIVE.contains(&verdict.decisive.len()) {
        return broken(
            "decisive_count",
            format!("`decisive` must hold 2 or 3 arguments, and has {}", verdict.decisive.len()),
        );
    }
    let arguments: std::collections::BTreeSet<&str> = verdict.decisive.iter().map(|a| a.argument.trim()).collect();
    if arguments.contains("") || arguments.len() < verdict.decisive.len() {
        return broken("decisive_empty", "every entry of `decisive` must name an argument of its own".to_owned());
    }
    if verdict.agreements.iter().any(|agreement| agreement.point.trim().is_empty() || agreement.evidence.trim().is_empty()) {
        return broken("agreement_without_evidence", "every agreement needs its point and the evidence for it".to_owned());
    }
    let cited = verdict.decisive.iter().map(|argument| &argument.statement);
    let cited = cited.chain(verdict.unsupported.iter().map(|claim| &claim.statement));
    if let Some(unknown) = cited.into_iter().find(|key| !statements.iter().any(|known| known.as_str() == key.as_str())) {
        return broken("unknown_statement", format!("there is no statement `{unknown}` in this debate"));
    }
    let resting = fields(&verdict).find_map(|(what, side, text)| Some((what, rests_on(ledger, side, text)?)));
    if let Some((what, found)) = resting {
        return Err(resting_on(what, found));
    }
    let texts = [("reasoning", &verdict.reasoning), ("recommendation", &verdict.recommendation)];
    if let Some((name, _)) = texts.iter().find(|(_, text)| text.trim().is_empty()) {
        return broken("empty", format!("`{name}` is empty"));
    }
    if let Some((name, _)) = texts.iter().find(|(_, text)| sits_on_the_fence(text)) {
        return broken(
            "no_side",
            format!("`{name}` says that both sides are right; a verdict picks one side and says what to do"),
        );
    }
    Ok(verdict)
}

/// Why a verdict is sent back that rests on a citation of the debate which was found to be false.
pub(super) fn resting_on(what: &str, found: &Checked) -> Rejection {
    let (cited, detail) = (&found.citation.target, &found.detail);
    Rejection::new(FALSE_EVIDENCE, format!("{what} rests on {cited}, which was looked up and is false: {detail}; {WAY_OUT}"))
}

/// The fields that a verdict rests on: the decisive arguments of the side that it picks, and what both sides are said to
/// agree on, which nobody may have invented. With the side whose evidence counts there, if it is one.
fn fields(verdict: &Verdict) -> impl Iterator<Item = (&'static str, Option<Role>, &str)> {
    let winner = verdict.winner.role();
    let decisive = verdict.decisive.iter().filter(move |argument| argument.statement.ends_with(winner.as_str()));
    let decisive = decisive.map(move |argument| ("a decisive argument", Some(winner), argument.argument.as_str()));
    let agreed = verdict.agreements.iter().flat_map(|agreement| [&agreement.point, &agreement.evidence]);
    decisive.chain(agreed.map(|text| ("an agreement", None, text.as_str())))
}

/// The free words of a verdict, which weigh both sides, each with its name: the reasoning, and arguments that stand under a
/// statement of the side that loses, which tell as often why it lost as what decides.
pub(super) fn free_words(verdict: &Verdict) -> impl Iterator<Item = (&'static str, &str)> {
    let winner = verdict.winner.role().as_str();
    let of_loser = verdict.decisive.iter().filter(move |argument| !argument.statement.ends_with(winner));
    let of_loser = of_loser.map(|argument| ("a decisive argument", argument.argument.as_str()));
    [("the reasoning", verdict.reasoning.as_str())].into_iter().chain(of_loser)
}

/// What a verdict rests on and the debate has not looked up yet.
pub(super) fn own_citations(verdict: &Verdict, ledger: &Ledger) -> Vec<Citation> {
    let fields = fields(verdict).map(|(_, _, text)| text);
    cited_first_in(fields.chain(free_words(verdict).map(|(_, text)| text)), ledger)
}

/// Those of them on which a field rests, and not free words alone.
pub(super) fn own_citations_of_fields(verdict: &Verdict, ledger: &Ledger) -> Vec<Citation> {
    cited_first_in(fields(verdict).map(|(_, _, text)| text), ledger)
}

fn cited_first_in<'a>(texts: impl Iterator<Item = &'a str>, ledger: &Ledger) -> Vec<Citation> {
    let mut own: Vec<Citation> = Vec::new();
    let mut places: BTreeMap<Target, Vec<usize>> = BTreeMap::new();
    for citation in texts.flat_map(|text| not_looked_up(ledger, text)) {
        let here = places.entry(citation.target.clone()).or_default();
        if !here.iter().any(|known| own[*known] == citation) {
            here.push(own.len());
            own.push(citation);
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> Vec<StepKey> {
        vec![StepKey::new("round-1/proposer"), StepKey::new("round-1/challenger")]
    }

    fn sample() -> Value {
        json!({
            "winner": "challenger",
            "reasoning": "The measured cost of the change exceeds its gain.",
            "decisive": [
                {"statement": "round-1/challenger", "argument": "The benchmark shows 4 %."},
                {"statement": "round-1/proposer", "argument": "It concedes the proxy."}
            ],
            "quality": {"genuine_disagreement": "high", "evidence_quality": "medium", "challenge_depth": "high"},
            "agreements": [{"point": "JSON is slow", "evidence": "bench.md:3"}],
            "disagreements": [{"point": "proxy", "proposer": "cheap", "challenger": "dear"}],
            "unsupported": [],
            "unresolved": [],
            "recommendation": "Keep REST and cache the two hot routes."
        })
    }

    fn code(change: impl Fn(&mut Value)) -> String {
        let mut value = sample();
        change(&mut value);
        accept(&keys(), &Ledger::default(), &value.to_string()).unwrap_err().code
    }

    #[test]
    fn a_verdict_that_keeps_the_rules_is_accepted() {
        let verdict = accept(&keys(), &Ledger::default(), &format!("My verdict:\n```json\n{}\n```", sample())).unwrap();
        assert_eq!(verdict.winner, Side::Challenger);
    }

    #[test]
    fn a_verdict_that_breaks_a_rule_is_rejected_by_name() {
        assert_eq!(accept(&keys(), &Ledger::default(), "Both were fine.").unwrap_err().code, "verdict:not_json");
        assert_eq!(code(|v| v["winner"] = json!("both")), "verdict:does_not_fit");
        assert_eq!(code(|v| v["extra"] = json!(1)), "verdict:does_not_fit");
        assert_eq!(code(|v| v["decisive"] = json!([])), "verdict:decisive_count");
        assert_eq!(code(|v| v["decisive"][0]["statement"] = json!("round-7/proposer")), "verdict:unknown_statement");
        assert_eq!(code(|v| v["recommendation"] = json!(" ")), "verdict:empty");
        assert_eq!(code(|v| v["recommendation"] = json!("Both approaches have merit.")), "verdict:no_side");
        assert_eq!(code(|v| v["reasoning"] = json!("In the end, **both** are valid.")), "verdict:no_side");
    }

    #[test]
    fn two_or_three_arguments_are_decisive() {
        let decided_by = |count: usize| {
            let argument = |number| json!({ "statement": "round-1/challenger", "argument": format!("Argument {number}.") });
            let mut value = sample();
            value["decisive"] = (0..count).map(argument).collect();
            accept(&keys(), &Ledger::default(), &value.to_string()).map(|verdict| verdict.decisive.len())
        };
        for count in [1, 4] {
            assert_eq!(decided_by(count).unwrap_err().code, "verdict:decisive_count", "{count}");
        }
        for count in [2, 3] {
            assert_eq!(decided_by(count).unwrap(), count);
        }
    }

    #[test]
    fn arguments_and_agreements_say_something() {
        assert_eq!(code(|v| v["decisive"][0]["argument"] = json!(" ")), "verdict:decisive_empty");
        assert_eq!(code(|v| v["decisive"][0]["argument"] = v["decisive"][1]["argument"].clone()), "verdict:decisive_empty");
        assert_eq!(code(|v| v["agreements"][0]["evidence"] = json!("")), "verdict:agreement_without_evidence");
    }

    #[test]
    fn a_verdict_has_a_greatest_length() {
        assert_eq!(code(|v| v["reasoning"] = json!("a.rs:1 b.rs:2 ".repeat(20_000))), "verdict:too_long");
        let mut value = sample();
        value["reasoning"] = json!("a.rs:1 b.rs:2 ".repeat(1_000));
        assert!(accept(&keys(), &Ledger::default(), &value.to_string()).is_ok());
    }

    #[test]
    fn a_verdict_may_speak_of_both_sides() {
        let mut value = sample();
        for reasoning in [
            "Both sides cite the same benchmark; only the challenger reads it right.",
            "This is not a draw. Keep the crate: it depends only on std.",
        ] {
            value["reasoning"] = json!(reasoning);
            assert!(accept(&keys(), &Ledger::default(), &value.to_string()).is_ok(), "{reasoning}");
        }
    }

    #[test]
    fn a_short_verdict_has_a_limit_for_every_text_and_list() {
        let schema = schema(&keys(), true);
        assert_eq!(schema["properties"]["reasoning"]["maxLength"], 160);
        assert_eq!(schema["properties"]["agreements"]["maxItems"], 2);
        assert_eq!(schema["properties"]["decisive"]["maxItems"], 3);
        assert_eq!(schema["$defs"]["Argument"]["properties"]["argument"]["maxLength"], 160);
        assert_eq!(schema["properties"]["unresolved"]["items"]["maxLength"], 160);
    }

    #[test]
    fn only_the_statements_of_the_debate_can_be_cited() {
        let schema = schema(&keys(), false);
        assert_eq!(schema["$defs"]["Argument"]["properties"]["statement"]["enum"], json!(keys()));
    }
}
