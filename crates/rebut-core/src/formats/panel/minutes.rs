//! The minutes of a panel: the log, and what the engine knows of its entries beyond their words.

use std::collections::BTreeMap;

use super::chair::OpenPoint;
use super::entry::LogEntry;
use super::setup::PanelSetup;
use super::turn::Said;
use super::verification::VerificationResult;

/// A panel as far as it has come.
#[derive(Clone, Debug)]
pub struct Minutes<'a> {
    /// Who debates.
    pub setup: &'a PanelSetup,
    /// The log.
    pub log: Vec<LogEntry>,
    /// What debaters said, by the seq of its entry.
    pub said: BTreeMap<u64, &'a Said>,
    /// What was found of sources, in the order of the log, each with the seq of its entry.
    pub results: Vec<(u64, VerificationResult)>,
    /// What was redacted.
    pub redactions: Vec<Redaction>,
    /// What the chair ruled.
    pub rulings: Vec<Ruling>,
    /// Questions of the audience.
    pub questions: Vec<Relayed>,
    /// Who left the panel.
    pub left: Vec<String>,
    /// Rounds that were begun.
    pub rounds: u32,
    /// What stayed open before the closings.
    pub unresolved: Vec<OpenPoint>,
}

/// An entry that was redacted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    /// The redacted entry.
    pub seq: u64,
    /// Who had written it.
    pub speaker: String,
    /// Why.
    pub reason: String,
    /// The entry of the log that redacts it.
    pub by: u64,
    /// The ruling behind it, where a challenge led to one.
    pub ruling: Option<u64>,
}

/// A ruling of the chair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// Its entry of the log.
    pub entry: u64,
    /// Whom it is against, if anybody.
    pub against: Option<String>,
    /// What kind of ruling.
    pub kind: RulingKind,
    /// Who challenged a source, where it rules on a challenge.
    pub challenger: Option<String>,
}

/// The kinds of rulings.
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
    /// A challenge came too late: what it is about was ruled on or corrected before.
    TooLate,
    /// An answer to a question.
    Clarification,
    /// A turn was not taken.
    Absence,
    /// Somebody leaves the panel.
    Departure,
    /// The budget is used up.
    Budget,
}

/// A question of the audience that was relayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relayed {
    /// Its entry of the log.
    pub entry: u64,
    /// The round after which it was asked.
    pub round: u32,
    /// Who is asked.
    pub to: String,
    /// The question.
    pub question: String,
}
