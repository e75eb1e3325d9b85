//! One line of the log: who said what, to whom, and by which source.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Office;
use crate::named::named;

/// An entry of `debate-log.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogEntry {
    /// Its place in the log; the first is 0.
    pub seq: u64,
    /// When, in UTC; never before the entry before it.
    pub timestamp: Timestamp,
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// An address on the web, or a place in the repository: `src/pool.rs:8-12`, `commit abc1234`.
    pub url: String,
    pub title: String,
    /// The day on which it was cited.
    pub accessed: String,
}

named! {
    pub enum LogPhase {
        System = "system",
        Opening = "opening",
        Rebuttal = "rebuttal",
        Closing = "closing",
    }
}

named! {
    pub enum EntryType {
        Setup = "setup",
        Announcement = "announcement",
        Ruling = "ruling",
        Redaction = "redaction",
        Conclusion = "conclusion",
        OpeningStatement = "opening_statement",
        NewPoint = "new_point",
        Rebuttal = "rebuttal",
        Conjecture = "conjecture",
        ClarificationRequest = "clarification_request",
        ClosingStatement = "closing_statement",
        SourceChallenge = "source_challenge",
        VerificationResult = "verification_result",
        AudienceQuestion = "audience_question",
        AudienceConclusion = "audience_conclusion",
    }
}

/// `2, 5`
pub(super) fn seq_list<'s>(seqs: impl IntoIterator<Item = &'s u64>) -> String {
    seqs.into_iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl EntryType {
    /// The office that writes such entries; none for entries of debaters.
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
