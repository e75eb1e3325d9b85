//! One line of the log: who said what, to whom, and by which source.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::setup::Office;

/// An entry of `debate-log.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogEntry {
    /// Its place in the log; the first is 0.
    pub seq: u64,
    /// When, in UTC; never before the entry before it.
    pub timestamp: Timestamp,
    /// The part of the debate.
    pub phase: LogPhase,
    pub round: Option<u32>,
    pub speaker: String,
    #[serde(rename = "type")]
    pub kind: EntryType,
    pub content: String,
    pub sources: Option<Vec<Source>>,
    pub rebuttal_to_seq: Option<u64>,
    pub target_seq: Option<u64>,
}

/// A source as the log names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// An address on the web, or a place in the repository: `src/pool.rs:8-12`, `commit abc1234`.
    pub url: String,
    pub title: String,
    /// The day on which it was cited.
    pub accessed: String,
}

/// A part of a debate, as the log names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogPhase {
    System,
    Opening,
    Rebuttal,
    Closing,
}

impl LogPhase {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Opening => "opening",
            Self::Rebuttal => "rebuttal",
            Self::Closing => "closing",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryType {
    Setup,
    Announcement,
    Ruling,
    Redaction,
    Conclusion,
    OpeningStatement,
    NewPoint,
    Rebuttal,
    Conjecture,
    ClarificationRequest,
    ClosingStatement,
    SourceChallenge,
    VerificationResult,
    AudienceQuestion,
    AudienceConclusion,
}

impl EntryType {
    /// The type as the log names it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Announcement => "announcement",
            Self::Ruling => "ruling",
            Self::Redaction => "redaction",
            Self::Conclusion => "conclusion",
            Self::OpeningStatement => "opening_statement",
            Self::NewPoint => "new_point",
            Self::Rebuttal => "rebuttal",
            Self::Conjecture => "conjecture",
            Self::ClarificationRequest => "clarification_request",
            Self::ClosingStatement => "closing_statement",
            Self::SourceChallenge => "source_challenge",
            Self::VerificationResult => "verification_result",
            Self::AudienceQuestion => "audience_question",
            Self::AudienceConclusion => "audience_conclusion",
        }
    }

    /// Who writes such entries: an office, or none of them and so a debater.
    pub fn writer(self) -> Option<Office> {
        match self {
            Self::Setup | Self::Announcement | Self::Ruling | Self::Redaction | Self::Conclusion => Some(Office::Chair),
            Self::VerificationResult => Some(Office::Verifier),
            Self::AudienceQuestion | Self::AudienceConclusion => Some(Office::Audience),
            _ => None,
        }
    }

    /// Whether it argues, so that it can be rebutted and judged.
    pub fn argues(self) -> bool {
        matches!(self, Self::OpeningStatement | Self::NewPoint | Self::Rebuttal | Self::Conjecture | Self::ClosingStatement)
    }
}

impl fmt::Display for EntryType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
