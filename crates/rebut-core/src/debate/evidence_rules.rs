//! How the evidence of a debate is checked: against what, and what is allowed beyond reading files.

use serde::{Deserialize, Serialize};

use super::is_default;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceRules {
    /// What citations of files are checked against.
    pub scope: Scope,
    /// The names of the commands that a claim may refer to; searches are allowed with them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commands: Option<Vec<String>>,
    /// Which files those commands run on.
    #[serde(default, skip_serializing_if = "is_default")]
    pub run_on: RunOn,
    /// Whether pages on the web are fetched and looked into.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fetch_sources: bool,
}

/// Which files commands run on, in a debate that revises what it is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOn {
    /// The files as they were before any revision.
    #[default]
    Unrevised,
    /// The revised files as well: code that a model wrote is run.
    Revised,
}

/// What citations of files are checked against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Scope {
    /// A copy of the workspace, which is kept with the debate.
    Pinned(PinFacts),
    /// The workspace as it is when a citation is checked.
    Live { why: String },
    /// Nothing: citations of files cannot be checked.
    Nothing { why: String },
}

/// What is kept of a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinFacts {
    /// The blob that holds it.
    pub pack: String,
    /// How many files, but for those that are left out.
    pub files: u64,
    pub bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// How many files differ from that commit.
    #[serde(default)]
    pub changed: u64,
    /// What git said where it gave no answer: then the folder's files are kept under the usual ignore rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_failed: Option<String>,
    /// What is there and not kept, or not laid out for seats.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<NotKept>,
}

/// Files of which the content is not kept, or that are not laid out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotKept {
    /// Why, as the rest of "it is".
    pub why: String,
    pub count: u64,
}
