//! What the chair is asked for, where code cannot decide: whether all is said, which points stay open, an answer to a
//! question on procedure, and the judgement.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::debate::structured::{self, one_of};
use crate::named::named;

/// What a conclusion begins with.
pub(super) const CONCLUDED: &str = "Debate concluded. Outcome: ";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NaturalEnd {
    /// Whether another round would bring nothing new.
    pub concluded: bool,
    /// Why, in one sentence.
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clarification {
    /// The answer, in a few sentences.
    #[schemars(length(min = 1))]
    pub answer: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unresolved {
    /// One to three of them.
    #[schemars(length(min = 1, max = 3))]
    pub points: Vec<OpenPoint>,
}

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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Adjudication {
    /// A grade for each debater and criterion.
    pub debaters: Vec<Measured>,
    /// `NAME_wins`, `draw` or `void`.
    pub outcome: String,
    /// The entries that decide it, one to three.
    #[schemars(length(min = 1, max = 3))]
    pub decisive: Vec<KeyEntry>,
    /// Why, in a few sentences.
    #[schemars(length(min = 1))]
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measured {
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyEntry {
    pub seq: u64,
    /// Why it matters, in one sentence.
    #[schemars(length(min = 1))]
    pub why: String,
}

pub(super) fn unresolved_schema(candidates: &BTreeSet<u64>) -> Value {
    structured::schema_with::<Unresolved>([("/$defs/OpenPoint/properties/seqs/items", one_of("integer", candidates))])
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

pub(super) fn adjudication_schema(names: &[&str], outcomes: &[String], citable: &BTreeSet<u64>) -> Value {
    structured::schema_with::<Adjudication>([
        ("/properties/outcome", one_of("string", outcomes)),
        ("/$defs/Measured/properties/name", one_of("string", names)),
        ("/$defs/KeyEntry/properties/seq", one_of("integer", citable)),
    ])
}
