//! What the reporter and the assessor write. All that can be computed is not asked of them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::redaction::word_count;
use crate::debate::Rejection;
use crate::debate::structured::{self, one_of};
use crate::named::named;

/// How many words a blog post has.
pub(super) const BLOG_WORDS: RangeInclusive<usize> = 800..=1500;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SummaryNotes {
    /// What the debate was about and how it went, in a few sentences.
    #[schemars(length(min = 1))]
    pub overview: String,
    /// The key arguments of each debater.
    pub key_arguments: Vec<KeyArguments>,
    /// Exchanges that are worth reading.
    pub notable_exchanges: Vec<Exchange>,
    /// How the debate moved.
    #[schemars(length(min = 1))]
    pub flow: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyArguments {
    pub name: String,
    /// Three to five of them.
    #[schemars(length(max = 5))]
    pub arguments: Vec<KeyArgument>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyArgument {
    pub seq: u64,
    #[schemars(length(min = 1))]
    pub argument: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// The entries.
    #[schemars(length(min = 1))]
    pub seqs: Vec<u64>,
    /// What happened between them.
    #[schemars(length(min = 1))]
    pub what: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerifierNotes {
    /// What is worth knowing of the findings, one sentence each.
    pub notable_findings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Assessment {
    /// How well the debate was held.
    pub rating: Rating,
    /// Each participant's part.
    pub parts: Vec<Part>,
    /// Three to five ways to hold the next debate better.
    #[schemars(length(min = 3, max = 5))]
    pub execution_improvements: Vec<String>,
    /// Three to five ways to better documents.
    #[schemars(length(min = 3, max = 5))]
    pub output_improvements: Vec<String>,
}

named! {
    #[derive(JsonSchema)]
    pub enum Rating {
        Excellent = "Excellent",
        Good = "Good",
        Adequate = "Adequate",
        Poor = "Poor",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The chair, a debater, the reporter, the verifier or the audience.
    pub who: String,
    /// What was good.
    pub strengths: Vec<String>,
    pub improvements: Vec<String>,
    /// What to do about it.
    pub suggestions: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlogPost {
    #[schemars(length(min = 1))]
    pub title: String,
    /// The text in Markdown: both cases and the takeaways, without links.
    #[schemars(length(min = 1))]
    pub body: String,
    /// The verified sources that it rests on.
    pub sources: Vec<String>,
}

impl BlogPost {
    pub(super) fn words(&self) -> usize {
        word_count(&self.body)
    }
}

/// What the reporter's texts can refer to.
#[derive(Clone, Debug, Default)]
pub(super) struct SummaryScope {
    /// The arguments of each debater that were not redacted.
    pub(super) citable: BTreeMap<String, BTreeSet<u64>>,
    /// How many entries the log has.
    pub(super) entries: u64,
}

pub(super) fn summary_schema(scope: &SummaryScope) -> Value {
    let names: Vec<&String> = scope.citable.keys().collect();
    let seqs: BTreeSet<&u64> = scope.citable.values().flatten().collect();
    structured::schema_with::<SummaryNotes>([
        ("/$defs/KeyArguments/properties/name", one_of("string", names)),
        ("/$defs/KeyArgument/properties/seq", one_of("integer", seqs)),
    ])
}

/// Checks what the schema of a summary can't say: how many arguments each debater has, and whose they are.
pub(super) fn check_summary(scope: &SummaryScope, notes: &SummaryNotes) -> Result<(), Rejection> {
    let refuse = |code: &str, reason: String| Err(Rejection::new(format!("summary:{code}"), reason));
    for (name, citable) in &scope.citable {
        let arguments = || notes.key_arguments.iter().filter(|key| key.name == *name).flat_map(|key| &key.arguments);
        // A debater with fewer than three entries has fewer than three arguments.
        let (fewest, count) = (citable.len().min(3), arguments().count());
        if !(fewest..=5).contains(&count) {
            return refuse("arguments", format!("name {fewest} to 5 key arguments of {name}; there were {count}"));
        }
        if let Some(stray) = arguments().find(|key| !citable.contains(&key.seq)) {
            return refuse("reference", format!("seq {} is redacted or no argument of {name}", stray.seq));
        }
    }
    let mut exchanged = notes.notable_exchanges.iter().flat_map(|exchange| &exchange.seqs);
    match exchanged.find(|seq| **seq >= scope.entries) {
        Some(stray) => refuse("reference", format!("there is no entry with seq {stray}")),
        None => Ok(()),
    }
}

pub(super) fn blog_schema(verified: &[String]) -> Value {
    let sources = match verified {
        [] => json!({ "type": "array", "items": {"type": "string"}, "maxItems": 0 }),
        _ => json!({ "type": "array", "items": one_of("string", verified) }),
    };
    structured::schema_with::<BlogPost>([("/properties/sources", sources)])
}

pub(super) fn assessment_schema(parts: &[String]) -> Value {
    structured::schema_with::<Assessment>([("/$defs/Part/properties/who", one_of("string", parts))])
}

/// Refuses a list that does not have each of these names exactly once.
pub(super) fn each_once<'a>(
    what: &str,
    names: impl IntoIterator<Item = &'a str>,
    given: impl Iterator<Item = &'a String>,
) -> Result<(), Rejection> {
    let given: Vec<&String> = given.collect();
    let count = |name: &str| given.iter().filter(|given| **given == name).count();
    match names.into_iter().find(|name| count(name) != 1) {
        Some(name) => Err(Rejection::new(format!("{what}:names"), format!("name {name} once, not {} times", count(name)))),
        None => Ok(()),
    }
}

/// Refuses a text that is too short or too long.
pub(super) fn check_length(what: &str, words: usize, range: &RangeInclusive<usize>) -> Result<(), Rejection> {
    let (fewest, most) = (range.start(), range.end());
    if range.contains(&words) {
        return Ok(());
    }
    Err(Rejection::new(format!("{what}:length"), format!("use {fewest} to {most} words; there were {words}")))
}
