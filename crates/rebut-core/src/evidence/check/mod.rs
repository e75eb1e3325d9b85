//! What a check of evidence finds. Pure: paths come as a list and files as text, read by the engine.

mod file_text;
mod judge;
mod nearest;
mod path_index;
mod searching;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::marks::neutral_line;
use super::{Evidence, Lines};
use crate::named::named;

pub use file_text::FileText;
pub use judge::{Unread, as_claimed, check_file, check_texts, judge_page, judge_text, quote_as_claimed};
pub use path_index::{PathIndex, Resolved};
pub use searching::{Exhausted, SearchBudget};

/// Evidence that is to be looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cited {
    pub evidence: Evidence,
    /// The number of the claim or finding that lists it, from 1; none for a place that prose only mentions.
    pub claim: Option<u32>,
    /// Whether the text there is wanted as well, for a model that judges it.
    pub with_text: bool,
}

impl Cited {
    pub fn by_claim(claim: u32, evidence: Evidence) -> Self {
        Self { evidence, claim: Some(claim), with_text: false }
    }

    /// A place that prose mentions.
    pub fn mentioned(evidence: Evidence) -> Self {
        Self { evidence, claim: None, with_text: false }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    pub evidence: Evidence,
    /// The number of the claim or finding that lists it, from 1; none for a place that prose only mentions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<u32>,
    pub result: CheckResult,
    /// The finding in a few words: `the file has 60 lines`.
    pub detail: String,
    /// The file that it was looked up in, as the workspace names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where the quote really is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<Lines>,
    /// What a command printed, as far as it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The text there, with some lines around it, where it was wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passage: Option<String>,
}

impl Checked {
    pub fn of(cited: Cited, judgement: Judgement) -> Self {
        let (Cited { evidence, claim, .. }, Judgement { result, detail, lines }) = (cited, judgement);
        Self { evidence, claim, result, detail, file: None, lines, output: None, passage: None }
    }
}

/// What a check comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    pub result: CheckResult,
    /// The finding in a few words.
    pub detail: String,
    /// Where the quote really is.
    pub lines: Option<Lines>,
}

impl Judgement {
    pub fn new(result: CheckResult, detail: impl Into<String>) -> Self {
        Self { result, detail: detail.into(), lines: None }
    }

    pub fn missing(detail: impl Into<String>) -> Self {
        Self::new(CheckResult::Missing, detail)
    }

    pub fn out_of_scope(detail: impl Into<String>) -> Self {
        Self::new(CheckResult::OutOfScope, detail)
    }

    pub fn unchecked(detail: impl Into<String>) -> Self {
        Self::new(CheckResult::Unchecked, detail)
    }

    fn at(self, lines: Lines) -> Self {
        Self { lines: Some(lines), ..self }
    }
}

named! {
    pub enum CheckResult {
        Verified = "verified",
        /// The quote is in the file, at other lines.
        Relocated = "relocated",
        /// The file, page or commit exists and does not say so.
        Mismatch = "mismatch",
        /// No such file, commit or page.
        Missing = "missing",
        /// It is outside of the workspace, or no public page; nothing was read.
        OutOfScope = "out_of_scope",
        /// Several files could be meant.
        Ambiguous = "ambiguous",
        /// The file changed after the debate began.
        ChangedSince = "changed_since",
        Unchecked = "unchecked",
        /// Nothing that could be looked up was listed: a folder, or a quote that is too short. It shows nothing and protects no
        /// claim from its false evidence.
        Invalid = "invalid",
    }
}

impl CheckResult {
    /// The mark before evidence.
    pub fn mark(self) -> char {
        match self {
            Self::Verified => '✔',
            Self::Relocated => '≈',
            Self::Mismatch | Self::Missing => '✘',
            Self::OutOfScope | Self::Ambiguous | Self::ChangedSince | Self::Unchecked | Self::Invalid => '?',
        }
    }

    /// Whether it was looked up and is false. Nothing was read of what is out of scope, so it counts against no one.
    pub fn is_false(self) -> bool {
        matches!(self, Self::Mismatch | Self::Missing)
    }

    /// Whether the evidence is there, if perhaps at other lines.
    pub fn holds(self) -> bool {
        matches!(self, Self::Verified | Self::Relocated)
    }
}

impl fmt::Display for Checked {
    /// One line, with no mark but its own: `✘ src/pool.rs:88-95 "drop(guard);": quote not found`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.result.mark(), self.evidence.described(), neutral_line(&self.detail))
    }
}
