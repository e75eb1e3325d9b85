//! A critique as the critic wrote it: its findings by severity, what it recommends, and what it says it looked at.
//!
//! A JSON object is asked for by [`schema`]; Markdown is read too. Both are read leniently, and held to one rule that is
//! strict: **an answer counts only if it says which findings there are.** It does so with at least one finding, or by
//! saying plainly that there are none: all three of P1, P2 and P3 are there and empty, or a list or section of findings
//! is, or a line says so of findings ("No findings.", "No P1/P2/P3 findings."). Everything else, such as praise in prose,
//! a refusal, or only P1 said to be empty, is rejected, so that it can never pass for "no findings".

mod answer;
mod json;
mod markdown;
mod none;
mod outside;
mod recommendation;
mod refusal;
mod schema;
#[cfg(test)]
mod tests;
mod vocabulary;

use serde::{Deserialize, Serialize};

use crate::debate::Rejection;

pub use schema::schema;

/// How bad a finding is. In order, the most severe comes first: `P1 < P2 < P3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Severity {
    /// Correctness, security, reliability.
    P1,
    /// Maintainability, performance, compatibility of weight.
    P2,
    /// Optional.
    P3,
}

impl Severity {
    /// All of them, the most severe first.
    pub const ALL: [Self; 3] = [Self::P1, Self::P2, Self::P3];

    /// Its name: `P1`, `P2`, `P3`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::P1 => "P1",
            Self::P2 => "P2",
            Self::P3 => "P3",
        }
    }
}

/// What the critic would do with the artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recommendation {
    /// Keep it as it is.
    Keep,
    /// Change it.
    Revise,
    /// Give it up.
    Reject,
    /// Go on arguing.
    Continue,
}

impl Recommendation {
    /// Its name: `keep`, `revise`, `reject`, `continue`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Revise => "revise",
            Self::Reject => "reject",
            Self::Continue => "continue",
        }
    }
}

/// One finding as the critic wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// How bad it is, as the critic says.
    pub severity: Severity,
    /// What is wrong.
    pub text: String,
    /// Where, `file:line` as written. In Markdown the first such place of the finding, where none is named apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What shows it: places, quotes, figures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// What to do about it; empty if nothing is suggested.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// The words or lines that should stand there instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
}

/// What the critic says it checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Area {
    /// The file; empty where the aspects are those of a text.
    pub file: String,
    /// What was looked at in it, such as `error handling`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aspects: Vec<String>,
}

/// A critique.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Critique {
    /// The critique in a few sentences.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// What the critic agrees with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agreements: Vec<String>,
    /// What worries it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub concerns: Vec<String>,
    /// What it would do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
    /// The findings: by severity in JSON, as written in Markdown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Remark>,
    /// What is missing from the artifact: alternatives, tests and the like.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// What it recommends, where it says so in a field or a line of its own that leaves no doubt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<Recommendation>,
    /// Evidence that belongs to no single finding.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// What it says it checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checked: Vec<Area>,
    /// What it says outside of its lists that may be a finding, such as words that name a line of a file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strays: Vec<String>,
    /// Whether it says that the evidence is insufficient to judge.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub insufficient_evidence: bool,
}

/// Reads a critique: the answer's JSON objects that speak of findings, and its Markdown.
pub fn read(text: &str) -> Result<Critique, Rejection> {
    let read = outside::gathered(answer::read(text)?);
    if read.findings.is_empty() && refusal::refuses(&read.summary) {
        return Err(Rejection::new(
            "critique:nothing_recognised",
            "the answer says that nothing was reviewed; review what stands in the prompt, and say which findings there are",
        ));
    }
    let insufficient_evidence = read.insufficient_evidence || says_insufficient(&read);
    Ok(Critique { insufficient_evidence, ..read })
}

/// Whether some part of the critique says, and does not deny, that the evidence is insufficient.
fn says_insufficient(critique: &Critique) -> bool {
    let findings = critique.findings.iter().flat_map(|remark| std::iter::once(&remark.text).chain(&remark.evidence));
    let lists = [&critique.concerns, &critique.missing, &critique.evidence, &critique.suggestions];
    let mut all = findings.chain(lists.into_iter().flatten()).chain(std::iter::once(&critique.summary));
    all.any(|text| refusal::says_insufficient(text))
}
