//! The answers of the audience: questions after a round, and its conclusion.

use std::collections::BTreeSet;
use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::KeyEntry;
use super::redaction::word_count;
use crate::debate::structured::{self, one_of};

pub(super) const CONCLUSION_WORDS: std::ops::RangeInclusive<usize> = 200..=400;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Questions {
    /// None to two of them.
    #[schemars(length(max = 2))]
    pub questions: Vec<Question>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub to: String,
    #[schemars(length(min = 1))]
    pub question: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AudienceConclusion {
    /// The two or three arguments that weighed most.
    #[schemars(length(min = 2, max = 3))]
    pub arguments: Vec<KeyEntry>,
    /// The sharpest insight.
    #[schemars(length(min = 1))]
    pub insight: String,
    /// What stays open.
    #[schemars(length(min = 1))]
    pub open_questions: Vec<String>,
    #[schemars(length(min = 1))]
    pub view: String,
}

impl AudienceConclusion {
    /// The conclusion as the log holds it.
    pub fn text(&self) -> String {
        let mut text = String::from("What weighed most:\n");
        for KeyEntry { seq, why } in &self.arguments {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n- [seq {seq}] {}", why.trim());
        }
        let _ = write!(text, "\n\nThe sharpest insight: {}\n\nStill open:\n", self.insight.trim());
        for question in &self.open_questions {
            let _ = write!(text, "\n- {}", question.trim());
        }
        let _ = write!(text, "\n\nOur own view: {}", self.view.trim());
        text
    }

    pub fn words(&self) -> usize {
        let arguments = self.arguments.iter().map(|weighed| &weighed.why);
        arguments.chain(&self.open_questions).chain([&self.insight, &self.view]).map(|text| word_count(text)).sum()
    }
}

pub(super) fn questions_schema(names: &[&str]) -> Value {
    structured::schema_with::<Questions>([("/$defs/Question/properties/to", one_of("string", names))])
}

pub(super) fn conclusion_schema(citable: &BTreeSet<u64>) -> Value {
    structured::schema_with::<AudienceConclusion>([("/$defs/KeyEntry/properties/seq", one_of("integer", citable))])
}
