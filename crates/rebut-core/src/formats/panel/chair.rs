//! What the chair is asked for, where code cannot decide: whether all is said, which points stay open, an answer to a
//! question on procedure, and the judgement.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::debate::{Rejection, structured};
use crate::named::named;

/// What a conclusion begins with.
pub(super) const CONCLUDED: &str = "Debate concluded. Outcome: ";
/// The longest words of an office that others are cued with, in bytes.
const LONGEST_WORDS: usize = 4 * 1024;
/// The most open points, and the most entries that decide a debate.
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
    /// A grade for each debater and criterion.
    pub debaters: Vec<Measured>,
    /// `NAME_wins`, `draw` or `void`.
    pub outcome: String,
    /// The entries that decide it, one to three.
    #[schemars(length(min = 1, max = 3))]
    pub decisive: Vec<Decisive>,
    /// Why, in a few sentences.
    #[schemars(length(min = 1))]
    pub reason: String,
}

/// A debater, measured by what a panel asks of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// The debater.
    pub name: String,
    /// How well its arguments are sourced.
    pub sourced_arguments: Grade,
    /// How well it rebutted each of the others.
    pub rebuttals: Grade,
    /// How well its sources held up when they were verified.
    pub verifier_findings: Grade,
    /// How well it kept the rules.
    pub rules_kept: Grade,
    /// How well it stayed in its persona.
    pub persona_kept: Grade,
    /// The grades explained in one sentence.
    pub note: String,
}

named! {
    #[derive(JsonSchema)]
    pub enum Grade {
        Strong = "strong",
        Fair = "fair",
        Weak = "weak",
    }
}

/// An entry that decides the debate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Decisive {
    /// The entry.
    pub seq: u64,
    /// Why it decides, in one sentence.
    #[schemars(length(min = 1))]
    pub why: String,
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
pub(super) fn accept_unresolved(candidates: &BTreeSet<u64>, text: &str) -> Result<Unresolved, Rejection> {
    let unresolved: Unresolved = structured::read("unresolved", text)?;
    let count = unresolved.points.len();
    if count == 0 || count > MOST_POINTS {
        return Err(Rejection::new("unresolved:count", format!("name 1 to {MOST_POINTS} points; there were {count}")));
    }
    for point in &unresolved.points {
        let known = !point.seqs.is_empty() && point.seqs.iter().all(|seq| candidates.contains(seq));
        if point.point.trim().is_empty() || !known {
            return Err(Rejection::new("unresolved:reference", "every point has words and names listed entries"));
        }
    }
    brief("unresolved", unresolved.points.iter().map(|point| point.point.as_str()))?;
    Ok(unresolved)
}

/// Reads an answer to a question on procedure.
pub(super) fn accept_clarification(text: &str) -> Result<Clarification, Rejection> {
    let answer: Clarification = structured::read("clarification", text)?;
    if answer.answer.trim().is_empty() {
        return Err(Rejection::new("clarification:empty", "the answer is empty"));
    }
    brief("clarification", [answer.answer.as_str()])?;
    Ok(answer)
}

/// Reads whether all is said.
pub(super) fn accept_natural_end(text: &str) -> Result<NaturalEnd, Rejection> {
    let end: NaturalEnd = structured::read("natural_end", text)?;
    brief("natural_end", [end.reason.as_str()])?;
    Ok(end)
}

/// Refuses words that are longer than what later prompts have room for.
pub(super) fn brief<'t>(what: &str, texts: impl IntoIterator<Item = &'t str>) -> Result<(), Rejection> {
    match texts.into_iter().find(|text| text.len() > LONGEST_WORDS) {
        Some(text) => Err(Rejection::new(
            format!("{what}:too_long"),
            format!("a text has {} bytes; at most {LONGEST_WORDS} are allowed", text.len()),
        )),
        None => Ok(()),
    }
}

/// What several judgements come to: their outcome where they agree, else a draw that names both.
pub(super) fn combined(judged: &[&Adjudication]) -> Option<Adjudication> {
    let (first, others) = judged.split_first()?;
    let Some(other) = others.iter().find(|other| other.outcome != first.outcome) else { return Some((*first).clone()) };
    let reason = format!(
        "The judgements differ. With the debaters in one order {}: {} In reverse order {}: {}",
        first.outcome, first.reason, other.outcome, other.reason
    );
    let decisive = first.decisive.iter().take(1).chain(other.decisive.iter().take(1)).cloned().collect();
    Some(Adjudication { outcome: "draw".to_owned(), reason, decisive, ..(*first).clone() })
}

/// The JSON Schema of a judgement on these debaters, decided by some of these entries.
pub(super) fn adjudication_schema(names: &[&str], outcomes: &[String], standing: &BTreeSet<u64>) -> Value {
    let mut schema = structured::schema::<Adjudication>();
    for (place, field) in [
        ("/properties/outcome", json!({ "type": "string", "enum": outcomes })),
        ("/$defs/Measured/properties/name", json!({ "type": "string", "enum": names })),
        ("/$defs/Decisive/properties/seq", json!({ "type": "integer", "enum": standing })),
    ] {
        if let Some(old) = schema.pointer_mut(place) {
            *old = field;
        }
    }
    schema
}

/// Reads a judgement. Its words are for people, and are not judged themselves.
pub(super) fn accept_adjudication(
    names: &[&str],
    outcomes: &[String],
    standing: &BTreeSet<u64>,
    text: &str,
) -> Result<Adjudication, Rejection> {
    let mut judged: Adjudication = structured::read("judgement", text)?;
    // Not every service enforces the length of a list.
    judged.decisive.truncate(MOST_POINTS);
    let refuse = |code: &str, reason: String| Err(Rejection::new(format!("judgement:{code}"), reason));
    if !outcomes.contains(&judged.outcome) {
        return refuse("outcome", format!("`{}` is no outcome; use {}", judged.outcome, outcomes.join(", ")));
    }
    if judged.reason.trim().is_empty() {
        return refuse("reason", "the reason is empty".to_owned());
    }
    if judged.decisive.is_empty() {
        return refuse("decisive", format!("name 1 to {MOST_POINTS} decisive entries"));
    }
    if let Some(stray) = judged.decisive.iter().find(|decisive| !standing.contains(&decisive.seq)) {
        return refuse("decisive", format!("seq {} is redacted or no argument; nothing can rest on it", stray.seq));
    }
    for name in names {
        let count = judged.debaters.iter().filter(|measured| measured.name == *name).count();
        if count != 1 {
            return refuse("debaters", format!("grade {name} once; there were {count} grades"));
        }
    }
    if judged.debaters.len() != names.len() {
        return refuse("debaters", "grade the debaters of this panel only".to_owned());
    }
    let notes = judged.debaters.iter().map(|measured| measured.note.as_str());
    let whys = judged.decisive.iter().map(|decisive| decisive.why.as_str());
    brief("judgement", notes.chain(whys).chain([judged.reason.as_str()]))?;
    Ok(judged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_judgements_that_differ_are_a_draw_and_void_needs_both() {
        let judged = |outcome: &str| Adjudication {
            debaters: Vec::new(),
            outcome: outcome.to_owned(),
            decisive: Vec::new(),
            reason: format!("because of {outcome}."),
        };
        let outcome = |one: &str, other: &str| combined(&[&judged(one), &judged(other)]).unwrap().outcome;
        assert_eq!(outcome("anna_wins", "anna_wins"), "anna_wins");
        assert_eq!(outcome("anna_wins", "ben_wins"), "draw");
        assert_eq!((outcome("void", "void"), outcome("void", "anna_wins")), ("void".to_owned(), "draw".to_owned()));
        let reason = combined(&[&judged("anna_wins"), &judged("void")]).unwrap().reason;
        assert!(reason.contains("because of anna_wins.") && reason.contains("because of void."), "{reason}");
    }

    #[test]
    fn a_judgement_names_every_debater_once_and_rests_on_arguments_that_were_not_redacted() {
        let measured = |name: &str| {
            json!({
                "name": name, "sourced_arguments": "strong", "rebuttals": "fair", "verifier_findings": "weak",
                "rules_kept": "fair", "persona_kept": "strong", "note": "n",
            })
        };
        let code = |names: &[&str], outcome: &str, seqs: &[u64]| {
            let decisive: Vec<Value> = seqs.iter().map(|seq| json!({"seq": seq, "why": "w"})).collect();
            let debaters: Vec<Value> = names.iter().map(|name| measured(name)).collect();
            let text = json!({"debaters": debaters, "outcome": outcome, "decisive": decisive, "reason": "r"}).to_string();
            let outcomes = ["anna_wins".to_owned(), "draw".to_owned()];
            accept_adjudication(&["anna", "ben"], &outcomes, &BTreeSet::from([2, 3]), &text)
                .map_or_else(|rejection| rejection.code, |_| "taken".to_owned())
        };
        assert_eq!(code(&["anna", "ben"], "anna_wins", &[2]), "taken");
        assert_eq!(code(&["anna", "ben"], "ben_wins", &[2]), "judgement:outcome");
        assert_eq!(code(&["anna", "ben"], "draw", &[8]), "judgement:decisive");
        assert_eq!(code(&["anna", "ben"], "draw", &[]), "judgement:decisive");
        assert_eq!(code(&["anna"], "draw", &[2]), "judgement:debaters");
        assert_eq!(code(&["anna", "ben", "carla"], "draw", &[2]), "judgement:debaters");
    }
}
