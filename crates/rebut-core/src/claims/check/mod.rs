//! What a check of a citation finds. Pure: paths come as a list and files as text; whoever has them reads them.

mod examine;
mod file_text;
mod headings;
mod judge;
mod nearest;
mod own_text;
mod page;
mod path_index;
mod quote;
mod squeezed;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::citation::{Citation, Lines};

pub use examine::{Unread, examine};
pub use file_text::FileText;
pub use judge::{Judgement, judge};
pub use nearest::{Nearest, Patience, Weary};
pub use own_text::examine_own;
pub use page::judge_page;
pub use path_index::{PathIndex, Resolved};

/// A citation and what its check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// The citation.
    pub citation: Citation,
    /// What was found.
    pub result: CheckResult,
    /// The finding in a few words: `the file has 60 lines`.
    pub detail: String,
    /// The file that it was looked up in, as the workspace names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where the quote or the name really stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<Lines>,
    /// How alike the nearest text is, in percent, where the quote stands nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likeness: Option<u8>,
    /// What a command printed, as far as it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// What stands there, with some lines around it, where it was wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passage: Option<String>,
}

impl Checked {
    /// A finding of which nothing more is to be told.
    pub fn of(citation: Citation, result: CheckResult, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { citation, result, detail, file: None, lines: None, likeness: None, output: None, passage: None }
    }
}

/// What a check can find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckResult {
    /// It is as the citation says.
    Verified,
    /// What is quoted stands in the file, at other lines.
    Relocated,
    /// The file is there and does not say so.
    Mismatch,
    /// There is no such file, commit or page.
    Missing,
    /// It lies outside of the workspace, or is no page that others can read; nothing was read.
    OutOfScope,
    /// Several files could be meant.
    Ambiguous,
    /// The file is another one than when the debate began.
    ChangedSince,
    /// It could not be checked.
    Unchecked,
}

impl CheckResult {
    /// Every result, in the order in which they are counted.
    pub const ALL: [Self; 8] = [
        Self::Verified,
        Self::Relocated,
        Self::Mismatch,
        Self::Missing,
        Self::OutOfScope,
        Self::Ambiguous,
        Self::ChangedSince,
        Self::Unchecked,
    ];

    /// The result in one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Relocated => "relocated",
            Self::Mismatch => "mismatch",
            Self::Missing => "missing",
            Self::OutOfScope => "out_of_scope",
            Self::Ambiguous => "ambiguous",
            Self::ChangedSince => "changed_since",
            Self::Unchecked => "unchecked",
        }
    }

    /// The mark that stands beside a citation.
    pub fn mark(self) -> char {
        match self {
            Self::Verified => '✔',
            Self::Relocated => '≈',
            Self::Mismatch | Self::Missing | Self::OutOfScope => '✘',
            Self::Ambiguous | Self::ChangedSince | Self::Unchecked => '?',
        }
    }

    /// Whether the citation was looked up and found to be false. Of what lies outside of the workspace nothing was read: it
    /// overrules nobody.
    pub fn is_false(self) -> bool {
        matches!(self, Self::Mismatch | Self::Missing)
    }

    /// Whether the citation fails its check: it is false, or nobody may look it up.
    pub fn fails(self) -> bool {
        self.is_false() || self == Self::OutOfScope
    }

    /// Whether the evidence is there, if perhaps at another place.
    pub fn holds(self) -> bool {
        matches!(self, Self::Verified | Self::Relocated)
    }
}

impl fmt::Display for CheckResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Checked {
    /// One line: `✘ src/pool.rs:88-95: the file has 60 lines`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { citation, result, detail, .. } = self;
        let absent = if citation.absent { "absent: " } else { "" };
        write!(f, "{} {absent}{}: ", result.mark(), citation.target)?;
        match result {
            CheckResult::Verified => write!(f, "verified, {detail}"),
            CheckResult::Relocated | CheckResult::Mismatch => f.write_str(detail),
            _ => write!(f, "{}, {detail}", result.as_str().replace('_', " ")),
        }
    }
}
