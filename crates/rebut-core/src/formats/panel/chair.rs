//! What the chair is asked for, where code cannot decide: whether all is said, which points stay open, an answer to a
//! question on procedure, and the judgement.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::contradiction::contradiction;
use super::record::{Counts, OBJECTION, ON_RECORD, Record, rests_on_redacted, stray};
use super::wording::{kept, misworded};
use crate::debate::{Rejection, structured};

/// What a conclusion begins with.
pub(super) const CONCLUDED: &str = "Debate concluded. Outcome: ";
/// What stands where nothing was left of a text.
const NOTHING_ELSE: &str = "Nothing else was said.";
/// The longest words of an office that others are cued with, in bytes.
const LONGEST_WORDS: usize = 4 * 1024;
/// The most points that stay open.
pub(super) const MOST_POINTS: usize = 3;

/// Whether the debate has come to a natural end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NaturalEnd {
    /// Whether another round would bring nothing new.
    pub concluded: bool,
    /// Why, in one sentence.
    pub reason: String,
}

/// An answer to a request for clarification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clarification {
    /// The answer, in a few sentences.
    #[schemars(length(min = 1))]
    pub answer: String,
}

/// The points that stay open before the closings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unresolved {
    /// One to three of them.
    #[schemars(length(min = 1, max = 3))]
    pub points: Vec<OpenPoint>,
}

/// A point that stays open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenPoint {
    /// The point, in one sentence.
    #[schemars(length(min = 1))]
    pub point: String,
    /// The entries it stands in.
    #[schemars(length(min = 1))]
    pub seqs: Vec<u64>,
}

/// How the chair judges the debate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Adjudication {
    /// Each debater, measured.
    pub debaters: Vec<Measured>,
    /// `NAME_wins`, `draw` or `void`.
    pub outcome: String,
    /// Why, in a few sentences.
    #[schemars(length(min = 1))]
    pub reason: String,
    /// How many sentences were left out of it; no part of what is asked for.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(skip)]
    pub left_out: usize,
}

/// A debater, measured by what a panel asks of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// The debater.
    pub name: String,
    /// How well its arguments are sourced.
    pub sourced_arguments: String,
    /// How well it rebutted each of the others.
    pub rebuttals: String,
    /// What the verifier's findings mean for it.
    pub verifier_findings: String,
    /// Whether it kept the rules.
    pub rules_kept: String,
    /// Whether it stayed the persona it was given.
    pub persona_kept: String,
    /// What stands on record of it, as it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<Counts>,
}

/// The JSON Schema of open points that stand in these entries.
pub(super) fn unresolved_schema(candidates: &BTreeSet<u64>) -> Value {
    let mut schema = structured::schema::<Unresolved>();
    if let Some(field) = schema.pointer_mut("/$defs/OpenPoint/properties/seqs/items") {
        *field = json!({ "type": "integer", "enum": candidates });
    }
    schema
}

/// Reads the open points.
pub(super) fn accept_unresolved(candidates: &BTreeSet<u64>, record: &Record, text: &str) -> Result<Unresolved, Rejection> {
    let unresolved: Unresolved = structured::read("unresolved", text)?;
    let count = unresolved.points.len();
    if count == 0 || count > MOST_POINTS {
        return Err(Rejection::new("unresolved:count", format!("name from 1 to 3 points; there were {count}")));
    }
    for point in &unresolved.points {
        let known = !point.seqs.is_empty() && point.seqs.iter().all(|seq| candidates.contains(seq));
        if point.point.trim().is_empty() || !known {
            return Err(Rejection::new(
                "unresolved:reference",
                "every point has words and names entries of those that are listed",
            ));
        }
    }
    brief("unresolved", unresolved.points.iter().map(|point| point.point.as_str()))?;
    named(record, "unresolved", unresolved.points.iter().map(|point| point.point.as_str()))?;
    Ok(unresolved)
}

/// Reads an answer to a question on procedure.
pub(super) fn accept_clarification(record: &Record, text: &str) -> Result<Clarification, Rejection> {
    let answer: Clarification = structured::read("clarification", text)?;
    if answer.answer.trim().is_empty() {
        return Err(Rejection::new("clarification:empty", "the answer is empty"));
    }
    brief("clarification", [answer.answer.as_str()])?;
    named(record, "clarification", [answer.answer.as_str()])?;
    // An answer becomes a ruling, and no ruling says of somebody what does not stand on record.
    if let Some(reason) = contradiction(record, &answer.answer) {
        return Err(Rejection::new("clarification:contradicts_the_record", reason));
    }
    Ok(answer)
}

/// Reads whether all is said.
pub(super) fn accept_natural_end(record: &Record, text: &str) -> Result<NaturalEnd, Rejection> {
    let end: NaturalEnd = structured::read("natural_end", text)?;
    brief("natural_end", [end.reason.as_str()])?;
    named(record, "natural_end", [end.reason.as_str()])?;
    Ok(end)
}

/// Refuses words that are longer than what later cues have room for.
pub(super) fn brief<'t>(what: &str, texts: impl IntoIterator<Item = &'t str>) -> Result<(), Rejection> {
    match texts.into_iter().find(|text| text.len() > LONGEST_WORDS) {
        Some(text) => Err(Rejection::new(
            format!("{what}:too_long"),
            format!("a text has {} bytes, and {LONGEST_WORDS} are allowed", text.len()),
        )),
        None => Ok(()),
    }
}

/// Refuses words that name entries which are not there, or rest on redacted ones.
pub(super) fn named<'t>(record: &Record, what: &str, texts: impl IntoIterator<Item = &'t str>) -> Result<(), Rejection> {
    let mut texts = texts.into_iter();
    match texts.find_map(|text| stray(record, text).or_else(|| rests_on_redacted(record, text))) {
        Some(reason) => Err(Rejection::new(format!("{what}:reference"), reason)),
        None => Ok(()),
    }
}

/// The JSON Schema of a judgement on these debaters.
pub(super) fn adjudication_schema(names: &[&str], outcomes: &[String]) -> Value {
    let mut schema = structured::schema::<Adjudication>();
    if let Some(field) = schema.pointer_mut("/properties/outcome") {
        *field = json!({ "type": "string", "enum": outcomes });
    }
    if let Some(field) = schema.pointer_mut("/$defs/Measured/properties/name") {
        *field = json!({ "type": "string", "enum": names });
    }
    // One without figures is taken, since the engine writes them down itself; but it is asked for them.
    if let Some(Value::Array(required)) = schema.pointer_mut("/$defs/Measured/required") {
        required.push(json!("record"));
    }
    if let Some(field) = schema.pointer_mut("/$defs/Measured/properties/record") {
        *field = json!({ "$ref": "#/$defs/Counts" });
    }
    schema
}

/// Reads a judgement and holds it to the record of the debate: its figures and references always, its words once.
pub(super) fn accept_adjudication(
    names: &[&str],
    outcomes: &[String],
    record: &Record,
    again: bool,
    text: &str,
) -> Result<Adjudication, Rejection> {
    let mut judged: Adjudication = structured::read("judgement", text)?;
    judged.left_out = 0;
    // Those lines are the engine's, and nobody writes them in its place.
    let own = |line: &&str| ![ON_RECORD, OBJECTION].iter().any(|begins| line.trim_start().starts_with(begins.trim_end()));
    // Nor is a debate concluded twice.
    let once = |line: &'_ str| line.split(CONCLUDED).next().unwrap_or_default().to_owned();
    judged.reason = judged.reason.lines().filter(own).map(once).collect::<Vec<_>>().join("\n");
    let refuse = |code: &str, reason: String| Err(Rejection::new(format!("judgement:{code}"), reason));
    if !outcomes.contains(&judged.outcome) {
        return refuse("outcome", format!("`{}` is no outcome; use {}", judged.outcome, outcomes.join(", ")));
    }
    if judged.reason.trim().is_empty() {
        return refuse("reason", "the reason is empty".to_owned());
    }
    brief("judgement", judged.prose())?;
    for name in names {
        let count = judged.debaters.iter().filter(|measured| measured.name == *name).count();
        if count != 1 {
            return refuse("debaters", format!("measure {name} once; there were {count}"));
        }
    }
    if judged.debaters.len() != names.len() {
        return refuse("debaters", "measure the debaters of this panel and nobody else".to_owned());
    }
    for measured in &judged.debaters {
        let on = record.debaters.get(&measured.name).copied().unwrap_or_default();
        if let Some(wrong) = measured.record.and_then(|record| record.differ(&on)) {
            return refuse("record", format!("in the `record` of {}: {wrong}", measured.name));
        }
    }
    // What is said again is taken, and noted as all that goes against the record: a debate is not left without a conclusion.
    if let Some(reason) = judged.prose().find_map(|text| stray(record, text)).filter(|_| !again) {
        return refuse("reference", reason);
    }
    match judged.against_the_record(record) {
        Some(reason) if !again => return refuse("contradicts_the_record", reason),
        Some(_) => judged.leave_out(record),
        None => {}
    }
    Ok(judged)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
pub(super) fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Adjudication {
    /// Everything that it says.
    fn prose(&self) -> impl Iterator<Item = &str> {
        let of_each = self.debaters.iter().flat_map(|measured| {
            let Measured { sourced_arguments, rebuttals, verifier_findings, rules_kept, persona_kept, .. } = measured;
            [sourced_arguments, rebuttals, verifier_findings, rules_kept, persona_kept].map(String::as_str)
        });
        std::iter::once(self.reason.as_str()).chain(of_each)
    }

    /// How its words contradict the record.
    pub(super) fn against_the_record(&self, record: &Record) -> Option<String> {
        self.prose().find_map(|text| misworded(record, text))
    }

    /// Takes out what was asked about once and is said again.
    fn leave_out(&mut self, record: &Record) {
        let texts = self.debaters.iter_mut().flat_map(|measured| {
            let Measured { sourced_arguments, rebuttals, verifier_findings, rules_kept, persona_kept, .. } = measured;
            [sourced_arguments, rebuttals, verifier_findings, rules_kept, persona_kept]
        });
        for text in std::iter::once(&mut self.reason).chain(texts) {
            let (shown, left_out) = kept(record, text);
            self.left_out += left_out;
            *text = if shown.is_empty() { NOTHING_ELSE.to_owned() } else { shown };
        }
    }

    /// What the conclusion says of the sentences that were left out of it.
    pub(super) fn says_left_out(&self) -> String {
        match self.left_out {
            0 => String::new(),
            1 => "\nA sentence of the chair on the record was left out.".to_owned(),
            count => format!("\n{count} sentences of the chair on the record were left out."),
        }
    }
}
