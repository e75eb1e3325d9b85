//! The minutes of a panel: the log, and what the engine knows of its entries beyond their words.

use std::collections::BTreeMap;

use super::chair::OpenPoint;
use super::entry::LogEntry;
use super::setup::PanelSetup;
use super::turn::Said;
use super::verification::VerificationResult;

#[derive(Clone, Debug)]
pub struct Minutes<'a> {
    pub setup: &'a PanelSetup,
    pub log: Vec<LogEntry>,
    /// What debaters said, by the seq of its entry.
    pub said: BTreeMap<u64, &'a Said>,
    /// What was found of sources, in the order of the log, each with the seq of its entry.
    pub results: Vec<(u64, VerificationResult)>,
    pub redactions: Vec<Redaction>,
    pub rulings: Vec<Ruling>,
    pub questions: Vec<Relayed>,
    pub left: Vec<String>,
    pub rounds: u32,
    /// What stayed open before the closings.
    pub unresolved: Vec<OpenPoint>,
}

/// An entry that was redacted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    /// The redacted entry.
    pub seq: u64,
    pub speaker: String,
    pub reason: String,
    /// The entry of the log that redacts it.
    pub by: u64,
    /// The ruling that led to it, where a challenge led to one.
    pub ruling: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    pub entry: u64,
    pub against: Option<String>,
    pub kind: RulingKind,
    pub challenger: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RulingKind {
    /// A rule that can be checked mechanically was broken.
    Breach,
    /// A source is unreliable.
    Warning,
    /// A challenged source is fabricated.
    Penalty,
    /// A challenge was dismissed: the source bears the claim out.
    Dismissal,
    /// A challenge could not be decided, and can be raised again.
    Undecided,
    /// An answer to a question.
    Clarification,
    /// A turn was not taken.
    Absence,
    /// A debater leaves the panel.
    Departure,
    /// The budget is used up.
    Budget,
}

impl RulingKind {
    /// Whether it is about a source that does not hold.
    pub(super) fn is_grave(self) -> bool {
        matches!(self, Self::Warning | Self::Penalty)
    }
}

/// A question of the audience that was relayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relayed {
    pub entry: u64,
    /// The round after which it was asked.
    pub round: u32,
    pub to: String,
    pub question: String,
}
